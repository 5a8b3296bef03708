"""`run`: play the missing games of a league, and write its report."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial

from golois.kit.cluster import ENGINES, ClusterError, named_engine, open_engine
from golois.kit.console import Console
from golois.kit.options import Parser
from tournament import report
from tournament.commands.arguments import (
    add_league_arguments,
    add_rule_arguments,
    event_options,
    positive,
)
from tournament.commands.output import exit_code
from tournament.commands.report import report_meanwhile, send_mails, write_report
from tournament.commands.rules import add_rules_argument, in_effect
from tournament.errors import EngineError, OptionsError
from tournament.game.options import EventOptions
from tournament.league.draws import Draw
from tournament.league.games import Target
from tournament.league.league import League
from tournament.networks.runtimes import DEFAULT_RUNTIME, require_precision
from tournament.networks.tuning import missing_runtimes
from tournament.report.downloads import summarise, write_summary
from tournament.report.text import draw_report
from tournament.running.calibration import speed_under
from tournament.running.cluster_engine import ClusterEngine
from tournament.running.coordinator import run_event
from tournament.running.engine_protocol import Engine
from tournament.running.lending_engine import LendingEngine
from tournament.running.local_engine import LocalEngine
from tournament.running.under_way import GamesUnderWay
from tournament.running.views import view_for

LENDING = "workers"


def add_run_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    add_league_arguments(parser)
    parser.add_argument(
        "--json", action="store_true", help="print JSON, one line per result, then the summary"
    )
    add_rules_argument(parser)
    add_rule_arguments(parser)
    much = parser.add_mutually_exclusive_group()
    much.add_argument(
        "--rounds", type=positive,
        help="game pairs of every two networks (default: as in the last run, at first 1)",
    )
    much.add_argument(
        "--games-per-pair",
        type=_even,
        metavar="GAMES",
        help="games of every two networks: twice --rounds",
    )
    parser.add_argument(
        "--budget-hours",
        type=float,
        metavar="HOURS",
        help="start no game pair after this time, counted over all runs of the league; time left "
        "after the rounds goes to the most informative game pairs",
    )
    parser.add_argument(
        "--engine",
        choices=(*ENGINES, LENDING),
        help="where games are played: on this machine, on a Ray cluster, or on this machine and "
        "on workers of a server (docs/teacher/cluster.md) (default local)",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--workers", type=int, help="processes (default: one for each physical core)"
    )
    where.add_argument(
        "--address",
        metavar="auto|HOST:PORT",
        help="play on the machines of this cluster; implies --engine ray (docs/teacher/cluster.md)",
    )


def run_command(arguments: argparse.Namespace) -> int:
    """Play the missing games, then write the report and the summary."""
    league = League(arguments.league, create=False)
    league.require_rules(arguments.rules)
    begun_with = league.options()
    rules = arguments.rules or (league.rules() if begun_with is None else None)
    options = event_options(arguments, begun_with, rules)
    engine = _engine(arguments, league, options)
    league.keep_rules(arguments.rules)
    _name_missing_runtimes(league)
    send_mails(league.folder)
    view = GamesUnderWay(
        view_for(Console(), quiet=arguments.quiet, as_json=arguments.json), league
    )
    try:
        with report_meanwhile(league.folder):
            target, announce = _target(arguments, league), _announcer(arguments, league, options)
            outcome = run_event(league, options, target, engine, view, announce=announce)
    except (KeyboardInterrupt, EngineError, ClusterError) as stop:
        _end(arguments, league, stopped_by=str(stop) or "an interrupt")
        raise
    spent = ""
    if outcome.is_cut_short:
        spent = (
            f"the budget of {target.budget_hours:g} hours is spent, and games of the rounds are "
            "missing: raise --budget-hours"
        )
        print(spent, file=sys.stderr)
    _end(arguments, league, outcome.given_up, spent)
    return exit_code(outcome)


def _engine(arguments: argparse.Namespace, league: League, options: EventOptions) -> Engine:
    name, artefacts = named_engine(arguments.engine, arguments.address), league.folder / "artefacts"
    if name not in ("local", LENDING) and arguments.workers is not None:
        raise OptionsError(
            "--workers is for --engine local or workers: a cluster plays on every core of its "
            "machines"
        )
    cluster = open_engine("local" if name == LENDING else name, arguments.address)
    if cluster is not None:
        return ClusterEngine(cluster, artefacts, options)
    require_precision(options.precision)
    speed = speed_under(options)
    here = LocalEngine(artefacts, options, arguments.workers, speed=speed)
    return LendingEngine(league.folder, options, here, speed) if name == LENDING else here


def _end(
    arguments: argparse.Namespace, league: League, given_up: Sequence[str] = (),
    stopped_by: str = "",
) -> None:
    """Write the report and the summary of a run, also of a run that was stopped."""
    last_report = partial(report.build, ends_run=True)
    written = write_report(league, arguments.quiet or arguments.json, last_report)
    summary = summarise(league, written.standings, given_up, stopped_by)
    write_summary(league, summary)
    if arguments.json:
        print(json.dumps({"event": "end", **summary}))


def _announcer(
    arguments: argparse.Namespace, league: League, options: EventOptions
) -> Callable[[Sequence[Draw]], None]:
    """Return what prints, at the start, the rules' word and the hashes of the draws."""

    def announce(draws: Sequence[Draw]) -> None:
        if arguments.quiet or arguments.json:
            return
        if (rules := league.rules()) is not None:
            print(in_effect(rules, options), flush=True)
        if options.seed is None:
            print(*draw_report(draws), sep="\n", flush=True)

    return announce


def _name_missing_runtimes(league: League) -> None:
    for runtime in missing_runtimes(one.manifest for one in league.submissions.all() if one.active):
        print(
            f"{runtime} is not installed: networks tuned to it play on {DEFAULT_RUNTIME}, slower; "
            f"pip install {runtime}",
            file=sys.stderr,
        )


def _target(arguments: argparse.Namespace, league: League) -> Target:
    last = league.schedules.last()
    before = last.target if last else Target()
    rounds = arguments.rounds or (arguments.games_per_pair or 0) // 2
    if not rounds and arguments.budget_hours is None:
        return before
    return Target(rounds or before.rounds, arguments.budget_hours)


def _even(text: str) -> int:
    number = positive(text)
    if number % 2:
        raise argparse.ArgumentTypeError(
            f"it must be even, since each network plays an opening with both colours, "
            f"not {number}"
        )
    return number
