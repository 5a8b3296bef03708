"""`play`: a match between two networks, or between two ways to play with one."""

import argparse
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
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
from tournament.commands.arguments import add_rule_arguments, event_options, finite, positive
from tournament.commands.output import exit_code
from tournament.commands.rules import given_fields
from tournament.errors import OptionsError
from tournament.game.job import Entrant, GameJob
from tournament.game.options import EventOptions
from tournament.game.record import GameRecord
from tournament.game.sgf import sgf_name, to_sgf
from tournament.intake import MAX_TUNE_SECONDS
from tournament.league.league import League
from tournament.ratings.sprt import Sprt, SprtResult
from tournament.running.calibration import speed_under
from tournament.running.coordinator import Outcome, play_plan
from tournament.running.engine_protocol import patience
from tournament.running.local_engine import LocalEngine
from tournament.running.match import MatchResult, SideResult, check_games, entrants_of, result_of
from tournament.running.opening_book import load_openings
from tournament.running.plan import Plan
from tournament.running.schedule import pairings
from tournament.running.sequential import SequentialPlan, sprt_result
from tournament.running.sides import PROGRAM, options_of_side, parse_side, require_playable
from tournament.running.views import view_for

PROGRAM_PATIENCE = 600.0  # a program thinks for as long as it likes, but not forever
GAMES, MOST_GAMES_OF_A_TEST = 20, 1000


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
        "--games", type=positive,
        help=f"number of games, even (default {GAMES}); with --sprt the most games "
        f"(default {MOST_GAMES_OF_A_TEST})",
    )
    parser.add_argument(
        "--sprt", type=finite, nargs=2, metavar=("ELO0", "ELO1"),
        help="play until it is decided whether the first side's normalised Elo is at most ELO0 "
        "(H0) or at least ELO1 (H1), as in --sprt 0 50",
    )
    parser.add_fields(Sprt)
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
    sprt = _sprt(arguments)
    if arguments.games is None:
        arguments.games = GAMES if sprt is None else MOST_GAMES_OF_A_TEST
    if arguments.games % 2:
        raise OptionsError(
            "--games must be even, so that the sides have each colour equally often, "
            f"not {arguments.games}"
        )
    kept = arguments.folder
    with tempfile.TemporaryDirectory() if kept is None else nullcontext(kept) as folder:
        league = League(folder)
        with league.coordinate():
            outcome = _play(arguments, league, sprt)
    return exit_code(outcome)


def _sprt(arguments: argparse.Namespace) -> Sprt | None:
    given = given_fields(arguments, Sprt)
    if arguments.sprt is not None:
        return Sprt(*arguments.sprt, **given)
    if given:
        raise OptionsError(f"--{next(iter(given))} needs --sprt ELO0 ELO1")
    return None


def _play(arguments: argparse.Namespace, league: League, sprt: Sprt | None) -> Outcome:
    options = event_options(arguments, league.options())
    if options.seed is None:
        options = options.changed({"seed": 0})
    entrants, jobs = _match(arguments, options, league)
    changes = [entrant.options for entrant in entrants]
    engine = match_engine(arguments, league.folder / "artefacts", options, changes)
    view = view_for(Console(stderr=arguments.json), quiet=arguments.quiet)
    if arguments.sgf is not None:
        arguments.sgf.mkdir(parents=True, exist_ok=True)  # before the games, since it may fail
    league.fix_options(options)
    plan = (
        Plan(league, jobs) if sprt is None
        else SequentialPlan(league, jobs, sprt, entrants[0].name)
    )  # fmt: skip
    try:
        return play_plan(league, plan, engine, view)
    except KeyboardInterrupt as stop:
        if arguments.folder is None:
            stop.args = ("stopped; with --folder DIR the same command could continue from here",)
        raise
    finally:
        _show(arguments, league, entrants, jobs, sprt)


def match_engine(
    arguments: argparse.Namespace, artefacts: Path, options: EventOptions,
    changes: Iterable[Mapping[str, Any]],
) -> LocalEngine:
    """Return what plays games between sides, as patient as the slowest needs it.

    `changes` are the sides' own options.
    """
    speed = speed_under(options)
    slowest = max(
        PROGRAM_PATIENCE if PROGRAM in own
        else patience(options_of_side(options, own), speed)
        for own in changes
    )
    return LocalEngine(artefacts, options, arguments.workers, speed=speed, hang_seconds=slowest)


def _match(
    arguments: argparse.Namespace, options: EventOptions, league: League
) -> tuple[list[Entrant], list[GameJob]]:
    sides = [parse_side(text) for text in (arguments.first, arguments.second)]
    for side in sides:
        require_playable(options, side)
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
        raise OptionsError(f"--openings must be from 1 to {len(book)} of the book, not {wanted}")
    return book[: int(wanted)]


def _show(
    arguments: argparse.Namespace,
    league: League,
    entrants: list[Entrant],
    jobs: list[GameJob],
    sprt: Sprt | None,
) -> None:
    games = {game.game_id: game for game in league.games.all()}
    if not games:
        if not arguments.json:
            print("No games yet.")
        return
    result = result_of(entrants, jobs, list(games.values()))
    test = sprt and sprt_result(sprt, jobs, list(games.values()), entrants[0].name)
    if arguments.json:
        print(json.dumps(asdict(result) | ({"sprt": asdict(test)} if test else {}), indent=2))
    else:
        console = Console(highlight=False, soft_wrap=True)
        console.print(_table(result.sides))
        console.print(Text(_verdict(result)))
        if test:
            console.print(Text(_decision(test, entrants[0].name)))
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


def _decision(test: SprtResult, first: str) -> str:
    counts = ", ".join(map(str, test.pentanomial))
    elo = "unknown while all pairs have the same points"
    if test.normalised_elo is not None:
        elo = f"{test.normalised_elo:+.0f} ± {test.normalised_elo_halfwidth:.0f}"
    words = {
        "H1": f"{first} is stronger: H1 accepted, its normalised Elo is above {test.elo0:g}",
        "H0": f"{first} is not that strong: H0 accepted, its normalised Elo is below {test.elo1:g}",
        None: "undecided: with --folder DIR, the same command with more --games goes on",
    }
    if test.elo0 < 0:
        words["H1"] = f"{first} is not that weak" + words["H1"].removeprefix(f"{first} is stronger")
    return (
        f"{test.pairs} pairs with 0, ½, 1, 1½, 2 points: {counts}; normalised Elo {elo}\n"
        f"log-likelihood ratio {test.llr:.2f}, bounds {test.low:.2f} and {test.high:.2f}\n"
        f"{words[test.accepted]}"
    )
