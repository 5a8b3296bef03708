"""`ladder`: how good a network is, by games against players of known ratings."""

import argparse
import json
import textwrap
from dataclasses import asdict
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from golois.kit.command import escaped
from golois.kit.console import Console
from golois.kit.options import Parser
from tournament.commands.arguments import positive
from tournament.commands.output import exit_code
from tournament.commands.play import match_engine
from tournament.errors import OptionsError
from tournament.game.job import Entrant, digest
from tournament.game.options import EventOptions
from tournament.intake import MAX_TUNE_SECONDS
from tournament.intake.artefact import place_artefact
from tournament.league.league import League
from tournament.running.coordinator import Outcome, play_plan
from tournament.running.ladder import (
    LADDER,
    Ladder,
    LadderPlan,
    LadderResult,
    Rung,
    ladder_result,
    read_ladder,
)
from tournament.running.match import entrant_of
from tournament.running.opening_book import load_openings
from tournament.running.sides import Side, parse_side, require_playable
from tournament.running.views import PlainView, QuietView

GAMES = 20
RULES = EventOptions(seconds=0.05, resign_plies=6, seed=0)
"""As in the games that the ratings of data/ladder.toml are from."""
FOLDER = Path("ladders")
WIDTH = 80


def add_ladder_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "network", metavar="NET[,OPTION=VALUE…]", help="a run's folder or a file, as for play"
    )
    parser.add_argument(
        "--games", type=positive, default=GAMES,
        help=f"number of games in all, even (default {GAMES}); more games narrow the interval",
    )
    parser.add_argument(
        "--top", metavar="SIDE",
        help="a further opponent of unknown rating for four of the games, such as katago:FILE",
    )
    parser.add_argument(
        "--rungs", type=Path, default=LADDER, metavar="FILE",
        help="another ladder; data/ladder.toml shows its form",
    )
    parser.add_argument(
        "--folder", type=Path, metavar="DIR",
        help=f"folder that keeps the games (default {FOLDER}/NAME-…)",
    )
    parser.add_argument(
        "--workers", type=int, help="processes (default: one for each physical core)"
    )
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument(
        "--seconds", type=float, default=RULES.seconds,
        help="CPU seconds a move (default %(default)s, as when the rungs were rated)",
    )
    limit.add_argument(
        "--visits", type=int, help="visits a move; every game is then reproducible"
    )
    parser.add_argument(
        "--max-plies", type=int, default=RULES.max_plies,
        help="plies after which a game is ended and scored (default %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--quiet", action="store_true", help="print the result only")


def ladder_command(arguments: argparse.Namespace) -> int:
    """Play the missing games; print the result, even if the command is stopped."""
    if arguments.games % 2:
        raise OptionsError(
            f"--games must be even, not {arguments.games}: games come in pairs"
        )
    names = ("seconds" if arguments.visits is None else "visits", "max_plies")
    options = RULES.changed({name: getattr(arguments, name) for name in names})
    side = parse_side(arguments.network)
    require_playable(options, side)
    ladder = read_ladder(arguments.rungs).without(entrant_of(side, side.name))
    if not ladder.rungs:
        raise OptionsError(f"{arguments.rungs} has no rung that differs from {side.name}")
    if arguments.top is not None:
        ladder = ladder.with_top(arguments.top)
    candidate = entrant_of(side, _name(side, ladder))
    if ladder.has(candidate):
        raise OptionsError(f"{side.name} plays against itself: leave out --top")
    folder = arguments.folder or FOLDER / _folder_name(candidate, ladder, options)
    league = League(folder)
    with league.coordinate():
        return exit_code(_play(arguments, league, side, candidate, ladder, options))


def _name(side: Side, ladder: Ladder) -> str:
    """Return what tables call the network: not as a rung is called."""
    names = (side.name, side.text, f"your {side.name}")
    return next(name for name in names if escaped(name) not in ladder.names)


def _folder_name(candidate: Entrant, ladder: Ladder, options: EventOptions) -> str:
    identities = [rung.entrant.identity for rung in ladder.rungs]
    told_apart = digest(candidate.identity, *identities, json.dumps(options.to_json()))[:8]
    return f"{candidate.name.replace('/', '-')[:40]}-{told_apart}"


def _play(
    arguments: argparse.Namespace,
    league: League,
    side: Side,
    candidate: Entrant,
    ladder: Ladder,
    options: EventOptions,
) -> Outcome:
    artefacts = league.folder / "artefacts"
    tune_seconds = 0 if options.visits else MAX_TUNE_SECONDS  # visits are to be reproducible

    def prepare(rung: Rung) -> None:
        _place(rung.side, artefacts, tune_seconds)

    openings = load_openings(options.opening_plies)
    plan = LadderPlan(
        league, candidate, ladder, arguments.games, options.seed or 0, openings, prepare
    )
    _place(side, artefacts, tune_seconds)
    changes = [side.options, *(rung.side.options for rung in ladder.rungs)]
    engine = match_engine(arguments, artefacts, options, changes)
    shows = not (arguments.quiet or arguments.json)
    if shows:
        print(*ladder.left_out, sep="\n", end="\n" if ladder.left_out else "", flush=True)
    view = QuietView() if arguments.quiet else PlainView(Console(stderr=arguments.json))
    league.fix_options(options)
    try:
        return play_plan(league, plan, engine, view)
    finally:
        _show(arguments, ladder_result(candidate.name, ladder, plan.rows()))


def _place(side: Side, artefacts: Path, tune_seconds: float) -> None:
    if side.path is not None:
        place_artefact(side.path, artefacts, tune_seconds)


def _show(arguments: argparse.Namespace, result: LadderResult) -> None:
    if arguments.json:
        print(json.dumps(asdict(result), indent=2))
    elif not result.games:
        print("No games yet.")
    else:
        Console(highlight=False, width=WIDTH).print(_table(result))
        owner = "kit" if arguments.rungs == LADDER else "ladder"
        print(textwrap.fill(_sentence(result, owner), WIDTH))


def _table(result: LadderResult) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False)
    table.add_column("opponent", overflow="fold")
    for title in ("rating", "won–lost", "won", "95 %"):
        table.add_column(f"  {title}", justify="right", no_wrap=True)
    for rung in result.rungs:
        rating = "unknown" if rung.elo is None else f"{rung.elo:+.0f} ± {rung.elo_halfwidth:.0f}"
        shares = ["", "", ""]
        if rung.win_rate is not None:
            low, high = 100 * rung.win_rate_low, 100 * rung.win_rate_high
            shares = [
                f"{rung.wins}–{rung.losses}", f"{100 * rung.win_rate:.0f} %",
                f"{low:.0f} to {high:.0f} %",
            ]
        table.add_row(Text(rung.name), rating, *shares)
    return table


def _sentence(result: LadderResult, owner: str) -> str:
    ranks = str(result.rank_low)
    if result.rank_high > result.rank_low:
        ranks += f" to {result.rank_high}"
    return (
        f"{result.name} is rated {result.elo:+.0f} ± {result.elo_halfwidth:.0f} Elo (95 %) on the "
        f"{owner}'s scale: rank {result.rank} of {result.of} beside the {owner}'s networks "
        f"({ranks} at 95 %)."
    )
