"""What a budget of games is worth: full rounds for all, against the most informative pairs.

Simulated leagues: strengths drawn with a deviation of 200 Elo, games of those strengths, Black
worth 30 Elo. Both ways play equally many game pairs; the second one plays one round and then
chooses, eight pairs at a time, as a league on eight cores does.

    python benchmarks/schedule.py [--leagues 300]
"""

import argparse
import itertools
from collections.abc import Iterable
from types import SimpleNamespace

import numpy as np
from rich.console import Console
from rich.table import Table

from tournament.ratings.bradley_terry import rate
from tournament.ratings.informative import most_informative

SIZES = ((8, 5), (12, 4), (16, 2), (30, 2))
AT_A_TIME = 8


def simulate(seed: int, size: int, rounds: int, *, informative: bool) -> tuple[float, ...]:
    """One league of `rounds` rounds' games.

    Returns:
        whether the best comes first, mean error of a rank, root mean square error in Elo, the
        share of true ratings inside of their 95 % intervals.
    """
    rng = np.random.default_rng(seed)
    drawn = rng.normal(0, 200, size)
    strengths = dict(zip((f"n{i:02d}" for i in range(size)), drawn - drawn.mean(), strict=True))
    everybody = list(itertools.combinations(strengths, 2))
    num_pairs = rounds * len(everybody)
    games = play(rng, strengths, everybody * (1 if informative else rounds), 0)
    while len(games) < 2 * num_pairs:
        ratings, chosen = rate(strengths, games), []
        for _ in range(min(AT_A_TIME, num_pairs - len(games) // 2)):
            chosen.append(most_informative(ratings, strengths.keys(), chosen))
        games += play(rng, strengths, chosen, len(games))
    ratings = rate(strengths, games)
    true = np.array([strengths[name] for name in ratings.names])
    true_ranks = np.argsort(np.argsort(-true))
    return (
        float(true_ranks[0] == 0),
        float(np.abs(true_ranks - np.arange(size)).mean()),
        float(np.sqrt(((ratings.elo - true) ** 2).mean())),
        float((np.abs(ratings.elo - true) <= ratings.elo_halfwidth).mean()),
    )


def play(
    rng: np.random.Generator,
    strengths: dict[str, float],
    pairs: Iterable[tuple[str, str]],
    first_id: int,
) -> list[SimpleNamespace]:
    """The games of game pairs, both colours each."""
    games = []
    for number, (one, other) in enumerate(pairs):
        for black, white in ((one, other), (other, one)):
            odds = 1 / (1 + 10 ** ((strengths[white] - strengths[black] - 30) / 400))
            winner = "black" if rng.random() < odds else "white"
            pair_id = f"pair {first_id + number}"
            games.append(
                SimpleNamespace(
                    black=black, white=white, winner=winner, kind="played", pair_id=pair_id
                )
            )
    return games


def main() -> None:
    """Prints a row for each size and way."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--leagues", type=int, default=300, help="simulated for each row")
    num_leagues = parser.parse_args().leagues
    table = Table(title=f"{num_leagues} leagues a row")
    for column in (
        "networks",
        "game pairs",
        "schedule",
        "best first",
        "rank error",
        "Elo RMSE",
        "coverage",
    ):
        table.add_column(column, justify="right")
    for size, rounds in SIZES:
        for informative in (False, True):
            rows = [simulate(k, size, rounds, informative=informative) for k in range(num_leagues)]
            first, error, rmse, covered = np.mean(rows, axis=0)
            kind = "1 round, then informative" if informative else f"{rounds} rounds"
            num_pairs = rounds * size * (size - 1) // 2
            table.add_row(
                str(size),
                str(num_pairs),
                kind,
                f"{first:.2f}",
                f"{error:.2f}",
                f"{rmse:.0f}",
                f"{covered:.3f}",
            )
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
