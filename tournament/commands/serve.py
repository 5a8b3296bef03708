"""`serve`: hand-in over the network, the live site, and the teacher's page.

See docs/teacher/server.md.
"""

import argparse
from contextlib import closing
from dataclasses import replace

from golois.kit.options import Parser
from tournament.commands.arguments import add_league_argument, event_options
from tournament.commands.rules import add_rules_argument, in_effect, rules_of_league
from tournament.commands.run import add_run_arguments
from tournament.commands.verdict import add_budget_arguments, judge_options
from tournament.errors import OptionsError
from tournament.game.options import EventOptions
from tournament.intake import MAX_TUNE_SECONDS
from tournament.league.league import League
from tournament.league.settings import FILE, read_deadline, read_settings


def add_serve_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.epilog = (
        "Arguments after -- go to `python -m tournament run`, which the teacher's page starts: "
        "serve --league league -- --seconds 1 --rounds 2 --workers 3"
    )
    add_league_argument(parser)
    parser.add_argument("--host", default="127.0.0.1", help="address (default %(default)s)")
    parser.add_argument("--port", type=int, default=8000, help="port; 0: any (default %(default)s)")
    parser.add_argument(
        "--deadline", metavar="TIME",
        help="deadline, such as '2026-11-28 23:59 Europe/Paris'; later files wait; a term's "
        "deadlines are in league.toml",
    )
    add_rules_argument(parser)
    add_budget_arguments(parser)
    parser.add_argument("run_arguments", nargs="*", help=argparse.SUPPRESS)


def serve_command(arguments: argparse.Namespace) -> int:
    """Serve until it is stopped."""
    try:
        from tournament.server.service import ServerOptions
        from tournament.server.serving import serve
    except ImportError as error:
        raise OptionsError(
            f"the server needs the package {error.name}: pip install -e '.[server]'"
        ) from error
    term = read_settings(arguments.league).term
    if term is not None and arguments.deadline is not None:
        raise OptionsError(
            f"--deadline is for a league without a term: {arguments.league / FILE} has a term"
        )
    rules = arguments.rules or rules_of_league(arguments.league)
    judge = replace(judge_options(arguments, rules), tune_seconds=MAX_TUNE_SECONDS)
    games = _games(arguments, rules)
    options = ServerOptions(
        league=arguments.league,
        term=term,
        judge=judge,
        rules=rules,
        deadline=None if arguments.deadline is None else read_deadline(arguments.deadline),
        run_arguments=tuple(arguments.run_arguments),
        games=lambda: games,
    )
    if rules:
        print(in_effect(rules, judge), flush=True)
    serve(options, arguments.host, arguments.port)
    return 0


def _games(arguments: argparse.Namespace, rules: str | None) -> EventOptions:
    """Return the rules of the league's runs; OptionsError: an argument of theirs out of range."""
    parser = Parser(prog="python -m tournament run")
    add_run_arguments(parser)
    run = parser.parse_args(["--league", ".", *arguments.run_arguments])
    begun_with = None
    if (arguments.league / "league.sqlite").exists():
        with closing(League(arguments.league, create=False)) as league:
            begun_with = league.options()
    return event_options(run, begun_with, run.rules or (rules if begun_with is None else None))
