"""`selfplay.py league`: networks of a run rated by games among them, the untrained one at 0."""

import csv
import io
from collections.abc import Mapping, Sequence
from math import comb
from pathlib import Path

from rich.console import Console
from rich.table import Table

from golois.files import write_whole
from models.training.command_line import UsageError
from models.training.steps import StopRequest
from selfplay.arguments import Matches
from selfplay.journal import Elo, draw_curves, read_elo, read_journal
from selfplay.layout import Layout
from selfplay.page import write_page
from selfplay.reporter import Reporter
from selfplay.round_robin import Entrant, LeagueGame, RoundRobin, elo_over_first, results_of
from tournament.ratings.elo_update import update_elo

RATED_BY_DEFAULT = 8


def rate_networks(matches: Matches, every: int, stop: StopRequest) -> None:
    """Play a round robin, print the ratings, and write them to league.csv, curves and page.

    Games that were played before with the same settings are not played again.

    Args:
        matches: of each two networks.
        every: rate each so many iterations, and the last one; 0 for an eighth of all.
        stop: a request to stop.

    Raises:
        UsageError: fewer than two networks have been baked.
        Stopped: by a signal; the same command goes on from here.
    """
    layout, options = matches.layout, matches.options
    iterations = rated_iterations(layout, every)
    entrants = [Entrant(f"{one:04}", layout.artefact(one), options) for one in iterations]
    round_robin = RoundRobin(
        layout.league_games, matches.games, matches.simulations, options.workers
    )
    reporter, num_pairs = Reporter(), comb(len(entrants), 2)
    with reporter.bar("pairs of networks", num_pairs) as advance:
        games = round_robin.play(entrants, stop, advance)
    elo = elo_over_first([entrant.name for entrant in entrants], games)
    _write(layout.league, elo, games)
    if rows := read_journal(layout.journal):
        draw_curves(layout.run.curves, rows, read_elo(layout.league))
    write_page(layout, options)
    _show(layout, elo, games, matches.simulations)
    reporter.warn({"collapse": text} if (text := fallen(iterations, games)) else {})


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


def fallen(iterations: Sequence[int], games: Sequence[LeagueGame]) -> str:
    """What to say where the last network is worse than an earlier one; empty if it may not be."""
    last, *others = [f"{number:04}" for number in reversed(iterations)]
    over_last = elo_over_first([last, *others], games)
    best = max(others, key=lambda name: over_last[name].rating)
    gap = over_last[best]
    if gap.rating <= gap.halfwidth:
        return ""
    return (
        f"the network is worse than it was: that of iteration {int(best)} is {gap.rating:.0f} ± "
        f"{gap.halfwidth:.0f} Elo over the last one, {int(last)}; go on from the better one with "
        f"--init-from, or play with nets/{best}.h5"
    )


def _write(path: Path, elo: Mapping[str, Elo], games: Sequence[LeagueGame]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("iteration", "elo", "elo_halfwidth", "games", "won", "elo_of_updates"))
    updated = _updated(elo, games)
    for name, one in elo.items():
        results = list(results_of(name, games))
        cells = [f"{value:.1f}" for value in (one.rating, one.halfwidth)]
        writer.writerow(
            (int(name), *cells, len(results), sum(results), f"{updated[name]:.1f}")
        )
    write_whole(path, text.getvalue().encode(), durable=False)


def _updated(elo: Mapping[str, Elo], games: Sequence[LeagueGame]) -> dict[str, float]:
    """NoGoZero+'s Elo, over the first network's."""
    updated = update_elo(elo, games)
    first = updated[next(iter(elo))]
    return {name: updated[name] - first for name in elo}


def _show(
    layout: Layout, elo: Mapping[str, Elo], games: Sequence[LeagueGame], simulations: int
) -> None:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    table = Table("network", "Elo", "95 %", "games won", "NoGoZero+'s Elo")
    updated = _updated(elo, games)
    for name, one in sorted(elo.items(), key=lambda item: -item[1].rating):
        results = list(results_of(name, games))
        table.add_row(
            f"{int(name)}, the first" if name == next(iter(elo)) else str(int(name)),
            f"{one.rating:+.0f}",
            f"± {one.halfwidth:.0f}",
            f"{sum(results)} of {len(results)}",
            f"{updated[name]:+.0f}",
        )
    console.print(table)
    best = int(max(elo, key=lambda name: elo[name].rating))
    console.print(
        f"{simulations} simulations a move; the best by the league is {layout.network(best)}; "
        f"all ratings are in {layout.league}, games to replay in {layout.page}"
    )
