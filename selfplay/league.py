"""`selfplay.py league`: networks of a run rated by games among them, the first one at 0."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import NormalDist

from rich.table import Table

from golois.kit.command import UsageError
from golois.kit.console import Reporter
from golois.kit.run_folder import write_table
from golois.kit.signals import StopRequest
from selfplay.arguments import (
    GOES_ON,
    Matches,
    matches_of_run,
    parser_of,
    required_number,
    until_stopped,
)
from selfplay.journal import playing_now, read_journal
from selfplay.layout import Layout
from selfplay.networks import rival
from selfplay.options import Options
from selfplay.page import show_run
from tournament.matches.games import MatchGame
from tournament.matches.match import results_of
from tournament.matches.round_robin import Elo, Rival, RoundRobin, elo_over_first
from tournament.ratings.bradley_terry import Z95
from tournament.ratings.elo_update import update_elo

RATED_BY_DEFAULT = 8
ERROR_RATE = 0.025
"""Of the note that the network has got worse, on the one side where it can be wrong."""


def rate_run(argv: Sequence[str]) -> int:
    """Rate the networks of a run by games among them.

        python selfplay.py league runs/nogo4 --every 5 --games 40

    The Elo of iteration 0 is 0. The ratings are in league.csv, and curves.png and page.html show
    them; a league that was stopped goes on.
    """
    parser = parser_of(rate_run, "league")
    parser.add_argument("--every", type=int, help="rate every Nth network [an eighth of all]")
    matches, given = matches_of_run(parser, argv, "for every two networks [20]", games=20, least=2)
    every = required_number(given, "every", 0, least=1)
    return until_stopped(lambda stop: rate_networks(matches, every, stop), GOES_ON)


def rate_networks(matches: Matches, every: int, stop: StopRequest) -> None:
    """Play a round robin, print the ratings, and write them to league.csv, curves and page.

    Networks of `every` so many iterations play, besides the last network and the one that plays; 0
    for an eighth of all. Games with the same settings are not played again. Raises UsageError:
    fewer than two networks have been baked; Stopped: by a signal; the same command goes on from
    here.
    """
    layout, options = matches.layout, matches.options
    baked = baked_iterations(layout)
    playing = playing_now(read_journal(layout.journal), baked)
    iterations = rated_iterations(baked, playing, every)
    rivals = [
        rival(f"{one:04}", layout.artefact(one), options, matches.simulations)
        for one in iterations
    ]
    elo, games = play_round_robin(layout.league_games, options, rivals, matches.games, stop)
    _write(layout.league, elo, games)
    show_run(layout, options)
    _show(layout, elo, games, matches.simulations)
    Reporter().warn({"collapse": text} if (text := fallen(iterations, playing, games)) else {})


def play_round_robin(
    folder: Path, options: Options, rivals: Sequence[Rival], num_games: int, stop: StopRequest
) -> tuple[dict[str, Elo], list[MatchGame]]:
    """Let each two networks meet, with a bar; return their Elo over the first one, and the games.

    Games with the same settings are not played again. Raises Stopped: by a signal; the same call
    goes on; NetworkError: a network cannot be opened.
    """
    meeting = RoundRobin(folder, options.rules(), num_games, options.seed, options.workers)
    games = meeting.play(rivals, stop)
    return elo_over_first([rival.name for rival in rivals], games), games


def baked_iterations(layout: Layout) -> list[int]:
    """The networks that can play, in order; UsageError: fewer than two."""
    baked = layout.baked()
    if len(baked) < 2:
        raise UsageError(f"{layout.path} has fewer than two networks to rate: let it run on")
    return baked


def rated_iterations(baked: Sequence[int], playing: int, every: int) -> list[int]:
    """The first network, each so many iterations, the last one and the one that plays."""
    step = every or max(1, -(-baked[-1] // RATED_BY_DEFAULT))
    return [number for number in baked if number % step == 0 or number in (playing, baked[-1])]


def fallen(iterations: Sequence[int], playing: int, games: Sequence[MatchGame]) -> str:
    """Say where the network that plays is worse than an earlier network, or "" (Bonferroni)."""
    earlier = [f"{number:04}" for number in iterations if number < playing]
    if not earlier:
        return ""
    others = [f"{number:04}" for number in iterations if number != playing]
    over_playing = elo_over_first([f"{playing:04}", *others], games)
    best = max(earlier, key=lambda name: over_playing[name].rating)
    gap = over_playing[best]
    halfwidth = gap.halfwidth * NormalDist().inv_cdf(1 - ERROR_RATE / len(earlier)) / Z95
    if gap.rating <= halfwidth:
        return ""
    return (
        f"the network that plays, {playing}, is worse than the network of iteration {int(best)}: "
        f"the difference is {gap.rating:.0f} ± {halfwidth:.0f} Elo, with 95 % for all "
        f"{len(earlier)} comparisons; play with nets/{best}.h5, or begin with it by --init-from"
    )


def _write(path: Path, elo: Mapping[str, Elo], games: Sequence[MatchGame]) -> None:
    titles = ("iteration", "elo", "elo_halfwidth", "games", "won", "elo_of_updates")
    updated, rows = _updated(elo, games), []
    for name, one in elo.items():
        results = list(results_of(name, games))
        cells = [f"{value:.1f}" for value in (one.rating, one.halfwidth)]
        rows.append((int(name), *cells, len(results), f"{sum(results):g}", f"{updated[name]:.1f}"))
    write_table(path, titles, rows)


def _updated(elo: Mapping[str, Elo], games: Sequence[MatchGame]) -> dict[str, float]:
    """NoGoZero+'s Elo, over the first network's."""
    updated = update_elo(elo, games)
    first = updated[next(iter(elo))]
    return {name: updated[name] - first for name in elo}


def _show(
    layout: Layout, elo: Mapping[str, Elo], games: Sequence[MatchGame], simulations: int
) -> None:
    reporter = Reporter()
    table = Table("network", "Elo", "95 %", "games won", "NoGoZero+'s Elo")
    updated = _updated(elo, games)
    for name, one in sorted(elo.items(), key=lambda item: -item[1].rating):
        results = list(results_of(name, games))
        table.add_row(
            f"{int(name)}, the first" if name == next(iter(elo)) else str(int(name)),
            f"{one.rating:+.0f}",
            f"± {one.halfwidth:.0f}",
            f"{sum(results):g} of {len(results)}",
            f"{updated[name]:+.0f}",
        )
    reporter.say(table)
    best = int(max(elo, key=lambda name: elo[name].rating))
    reporter.say(
        f"{simulations} simulations a move; the best by the league is {layout.network(best)}; "
        f"all ratings are in {layout.league}, games to replay in {layout.page}"
    )
