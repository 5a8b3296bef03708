"""`selfplay.py league`: networks of a run rated by games among them, the untrained one at 0."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from golois.coords import BLACK, EMPTY
from golois.files import write_whole
from models.training.command_line import UsageError
from models.training.steps import StopRequest
from selfplay.journal import Elo, draw_curves, read_elo, read_journal
from selfplay.layout import Layout
from selfplay.match import MatchGame, play_match
from selfplay.options import Options
from selfplay.players import Searching
from selfplay.reporter import Reporter
from selfplay.shards import open_network
from tournament.ratings.bradley_terry import Z95, rate
from tournament.ratings.elo_update import update_elo

RATED_BY_DEFAULT = 8


@dataclass(frozen=True)
class LeagueGame:
    """A game as `tournament.ratings` reads it; a draw, which only Go has, doesn't count.

    Attributes:
        black, white: iterations of the networks, as four digits.
        winner: "black", "white" or None.
        kind: "played" or "void".
        pair_id: the same for two games with one opening and the colours swapped.
    """

    black: str
    white: str
    winner: str | None
    kind: str
    pair_id: str


def rate_networks(
    layout: Layout,
    options: Options,
    every: int,
    num_games: int,
    simulations: int,
    stop: StopRequest,
) -> None:
    """Play a round robin, print the ratings, and write them to league.csv and the curves.

    Games that were played before with the same settings are not played again.

    Args:
        layout: of the run.
        options: of the run.
        every: rate each so many iterations, and the last one; 0 for an eighth of all.
        num_games: of each two networks, even.
        simulations: of their searches.
        stop: a request to stop.

    Raises:
        UsageError: fewer than two networks have been baked.
        Stopped: by a signal; the same command goes on from here.
    """
    iterations = rated_iterations(layout, every)
    pairs = list(combinations(iterations, 2))
    reporter = Reporter()

    def play(pair: tuple[int, int]) -> list[LeagueGame]:
        return _play_pair(layout, options, pair, num_games, simulations, stop)

    games: list[LeagueGame] = []
    with (
        ThreadPoolExecutor(options.workers) as pool,
        reporter.bar("pairs of networks", len(pairs)) as advance,
    ):
        for played in pool.map(play, pairs):
            games += played
            advance()
    elo = ratings_of(iterations, games)
    _write(layout.league, elo, games)
    if rows := read_journal(layout.journal):
        draw_curves(layout.run.curves, rows, read_elo(layout.league))
    _show(layout, elo, games, simulations)


def rated_iterations(layout: Layout, every: int) -> list[int]:
    """The untrained network, each so many iterations, and the last one.

    Raises:
        UsageError: there are fewer than two.
    """
    baked = sorted(int(path.stem) for path in (layout.path / "nets").glob("*.onnx"))
    if len(baked) < 2:
        raise UsageError(f"{layout.path} has fewer than two networks to rate: let it run on")
    step = every or max(1, -(-baked[-1] // RATED_BY_DEFAULT))
    return [number for number in baked if number % step == 0 or number == baked[-1]]


def ratings_of(iterations: Sequence[int], games: Sequence[LeagueGame]) -> dict[int, Elo]:
    """The Elo of each network over the first, with half of the 95 % interval of the difference."""
    names = [_name(number) for number in iterations]
    ratings = rate(names, games)
    places = {name: ratings.names.index(name) for name in names}
    first = places[names[0]]
    halves = Z95 * np.sqrt(np.maximum(ratings.difference_variance()[first], 0))
    return {
        number: Elo(float(ratings.elo[place] - ratings.elo[first]), float(halves[place]))
        for number, place in zip(iterations, places.values(), strict=True)
    }


def _play_pair(
    layout: Layout,
    options: Options,
    pair: tuple[int, int],
    num_games: int,
    simulations: int,
    stop: StopRequest,
) -> list[LeagueGame]:
    """Read the games of two networks, or play them and write them down."""
    path = layout.league_games(*pair)
    settings = {"games": num_games, "simulations": simulations}
    if path.exists() and (known := json.loads(path.read_text()))["settings"] == settings:
        return [LeagueGame(**game) for game in known["played"]]
    first, second = (
        Searching(
            open_network(layout.artefact(number), options), options.of_matches(), simulations
        )
        for number in pair
    )
    games = play_match((first, second), options.rules(), num_games, options.seed, stop)
    played = [_league_game(pair, game) for game in games]
    text = json.dumps({"settings": settings, "played": [vars(game) for game in played]}) + "\n"
    path.parent.mkdir(exist_ok=True)
    write_whole(path, text.encode(), durable=False)
    return played


def _league_game(pair: tuple[int, int], game: MatchGame) -> LeagueGame:
    black, white = pair if game.first_is_black else pair[::-1]
    return LeagueGame(
        black=_name(black),
        white=_name(white),
        winner=None if game.winner == EMPTY else "black" if game.winner == BLACK else "white",
        kind="void" if game.winner == EMPTY else "played",
        pair_id=f"{_name(pair[0])}-{_name(pair[1])}-{game.number // 2}",
    )


def _name(iteration: int) -> str:
    return f"{iteration:04}"


def _results(number: int, games: Sequence[LeagueGame]) -> Iterator[bool]:
    """Whether a network has won each of its games."""
    for game in games:
        if game.winner and _name(number) in (game.black, game.white):
            yield (game.black if game.winner == "black" else game.white) == _name(number)


def _write(path: Path, elo: dict[int, Elo], games: Sequence[LeagueGame]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("iteration", "elo", "elo_halfwidth", "games", "won", "elo_of_updates"))
    updated = _updated(elo, games)
    for number, one in elo.items():
        results = list(_results(number, games))
        cells = [f"{value:.1f}" for value in (one.rating, one.halfwidth)]
        writer.writerow(
            (number, *cells, len(results), sum(results), f"{updated[number]:.1f}")
        )
    write_whole(path, text.getvalue().encode(), durable=False)


def _updated(elo: dict[int, Elo], games: Sequence[LeagueGame]) -> dict[int, float]:
    """NoGoZero+'s Elo, over the first network's."""
    updated = update_elo(map(_name, elo), games)
    first = updated[_name(next(iter(elo)))]
    return {number: updated[_name(number)] - first for number in elo}


def _show(
    layout: Layout, elo: dict[int, Elo], games: Sequence[LeagueGame], simulations: int
) -> None:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    table = Table("network", "Elo", "95 %", "games won", "NoGoZero+'s Elo")
    updated = _updated(elo, games)
    for number, one in sorted(elo.items(), key=lambda item: -item[1].rating):
        results = list(_results(number, games))
        table.add_row(
            f"{number}, the first" if number == next(iter(elo)) else str(number),
            f"{one.rating:+.0f}",
            f"± {one.halfwidth:.0f}",
            f"{sum(results)} of {len(results)}",
            f"{updated[number]:+.0f}",
        )
    console.print(table)
    best = max(elo, key=lambda number: elo[number].rating)
    console.print(
        f"{simulations} simulations a move; the best by the league is {layout.network(best)}; "
        f"all ratings are in {layout.league}"
    )
