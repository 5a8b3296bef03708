"""`play`: a match between two networks, or between two ways to play with one."""

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from golois.go.coords import MOST_DIGITS
from golois.kit.console import Console
from golois.kit.files import write_whole
from golois.kit.options import Parser
from tournament.commands.arguments import add_rule_arguments, event_options, positive
from tournament.commands.output import exit_code
from tournament.errors import OptionsError
from tournament.game.job import Entrant, GameJob
from tournament.game.record import GameRecord
from tournament.game.rules import EventOptions
from tournament.game.sgf import sgf_name, to_sgf
from tournament.intake import MAX_TUNE_SECONDS
from tournament.league.league import League
from tournament.networks.runtimes import require_precision
from tournament.running.calibration import speed_under
from tournament.running.coordinator import Outcome, play_plan
from tournament.running.engine_protocol import patience
from tournament.running.local_engine import LocalEngine
from tournament.running.machine import options_here
from tournament.running.match import MatchResult, SideResult, check_games, entrants_of, result_of
from tournament.running.opening_book import load_openings
from tournament.running.plan import Plan
from tournament.running.schedule import pairings
from tournament.running.sides import PROGRAM, options_of_side, parse_side, refuse_idle
from tournament.running.views import view_for

PROGRAM_PATIENCE = 600.0  # a program thinks for as long as it likes, but not forever


def add_play_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    for side in ("first", "second"):
        parser.add_argument(
            side, metavar="NET[,OPTION=VALUE…]",
            help="a run's folder, an .h5, a .keras or a league's .onnx, optionally with options, "
            "as in net.h5,player=gumbel; katago:FILE, a network of KataGo, with the same options; "
            "or a player by name: gnugo:LEVEL, katago:VISITS, gtp:COMMAND, FILE.toml:NAME, random, "
            "averagelib, isn:FILE, alphabeta:FILE or scripted:SCRIPT",
        )
    parser.add_argument(
        "--games", type=positive, default=20, help="number of games, even (default 20)"
    )
    add_rule_arguments(parser)
    parser.add_argument(
        "--openings", metavar="N|FILE", help="the first N openings of the book, or another book"
    )
    parser.add_argument(
        "--workers", type=int, help="processes (default: one for each physical core)"
    )
    parser.add_argument(
        "--folder", type=Path, metavar="DIR",
        help="folder that keeps the match, to continue it later",
    )
    parser.add_argument("--sgf", type=Path, metavar="DIR", help="folder for the games")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--quiet", action="store_true", help="print the result only")


def play_command(arguments: argparse.Namespace) -> int:
    """Play the missing games of the match; print the result, even if it is stopped."""
    if arguments.games % 2:
        raise OptionsError(
            "expected an even number of games, so that the sides have each colour equally often: "
            f"got {arguments.games}"
        )
    kept = arguments.folder
    with tempfile.TemporaryDirectory() if kept is None else nullcontext(kept) as folder:
        league = League(folder)
        with league.coordinate():
            outcome = _play(arguments, league)
    return exit_code(outcome)


def _play(arguments: argparse.Namespace, league: League) -> Outcome:
    options = event_options(arguments, league.options())
    if options.seed is None:
        options = options.changed({"seed": 0})
    entrants, jobs = _match(arguments, options, league)
    speed = speed_under(options)
    slowest = max(patience_with(entrant.options, options, speed) for entrant in entrants)
    artefacts = league.folder / "artefacts"
    engine = LocalEngine(
        artefacts, options, arguments.workers, speed=speed, hang_seconds=slowest
    )
    view = view_for(Console(stderr=arguments.json), quiet=arguments.quiet)
    if arguments.sgf is not None:
        arguments.sgf.mkdir(parents=True, exist_ok=True)  # before the games, since it may fail
    league.fix_options(options)
    try:
        return play_plan(league, Plan(league, jobs), engine, view)
    except KeyboardInterrupt as stop:
        if arguments.folder is None:
            stop.args = ("stopped; with --folder DIR the same command could continue from here",)
        raise
    finally:
        _show(arguments, league, entrants, jobs)


def patience_with(
    changes: Mapping[str, Any], options: EventOptions, speed: float | None
) -> float:
    """Return the wall time, in seconds, without a move after which a side is presumed hung.

    `changes` are the side's own options.
    """
    if PROGRAM in changes:
        return PROGRAM_PATIENCE
    return patience(options_here(options_of_side(options, changes), speed))


def _match(
    arguments: argparse.Namespace, options: EventOptions, league: League
) -> tuple[list[Entrant], list[GameJob]]:
    sides = [parse_side(text) for text in (arguments.first, arguments.second)]
    for side in sides:
        own = options_of_side(options, side.options)
        require_precision(own.precision)
        refuse_idle(own, side.options)
    openings = _openings(arguments.openings, options.opening_plies)
    tune_seconds = 0 if options.visits else MAX_TUNE_SECONDS  # visits are to be reproducible
    entrants = entrants_of(sides, league.folder / "artefacts", tune_seconds)
    jobs = pairings(entrants, arguments.games // 2, options.seed or 0, openings)
    check_games(league, jobs)
    return entrants, jobs


def _openings(wanted: str | None, plies: int) -> list[tuple[int, ...]]:
    if wanted is not None and not wanted.isdecimal():
        return load_openings(plies, Path(wanted))
    book = load_openings(plies)
    if wanted is None:
        return book
    if len(wanted) > MOST_DIGITS or not 1 <= int(wanted) <= len(book):
        raise OptionsError(f"expected from 1 to {len(book)} openings of the book: got {wanted}")
    return book[: int(wanted)]


def _show(
    arguments: argparse.Namespace, league: League, entrants: list[Entrant], jobs: list[GameJob]
) -> None:
    games = {game.game_id: game for game in league.games.all()}
    if not games:
        if not arguments.json:
            print("No games yet.")
        return
    result = result_of(entrants, jobs, list(games.values()))
    if arguments.json:
        print(json.dumps(asdict(result), indent=2))
    else:
        console = Console(highlight=False, soft_wrap=True)
        console.print(_table(result.sides))
        console.print(Text(_verdict(result)))
    if arguments.sgf is not None:
        _write_games(arguments.sgf, jobs, games)


def _write_games(folder: Path, jobs: list[GameJob], games: dict[str, GameRecord]) -> None:
    """Write each game as SGF, numbered by its place in the match."""
    for number, job in enumerate(jobs, start=1):
        if job.game_id in games:
            game = games[job.game_id]
            name = sgf_name(game.started_at, game.black, game.white, game.result)
            write_whole(folder / f"{number:03}_{name}", to_sgf(game).encode())


def _table(sides: Sequence[SideResult]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False)
    table.add_column("side", overflow="fold")
    for title in ("W–L", "Black", "White", "forf", "visits", "CPU s"):
        table.add_column(f"  {title}", justify="right", no_wrap=True)
    for side in sides:
        visits, seconds = side.visits_per_move, side.cpu_seconds_per_move
        table.add_row(
            Text(side.name),
            f"{side.wins}–{side.losses}",
            f"{side.wins_as_black}–{side.losses_as_black}",
            f"{side.wins_as_white}–{side.losses_as_white}",
            str(side.forfeits),
            "" if visits is None else f"{visits:.0f}",
            "" if seconds is None else f"{seconds:.3f}",
        )
    return table


def _verdict(result: MatchResult) -> str:
    first = result.sides[0]
    return (
        f"{first.name} won {first.wins} of {result.games} games, {100 * result.win_rate:.1f} % "
        f"({100 * result.win_rate_low:.1f} to {100 * result.win_rate_high:.1f} %): "
        f"{result.elo:+.0f} ± {result.elo_halfwidth:.0f} Elo"
    )
