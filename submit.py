"""Check a network as the tournament does, and file it or say what to fix.

    python submit.py runs/mine/best.h5 --name Ada_Lovelace
    python submit.py runs/mine/best.h5 --to https://go.example.edu --token-file my_token

Your file is read and never changed; none of its code is run.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shlex import quote

from golois.kit.command import imports_in_words

with imports_in_words("submit.py"):
    from golois.kit.command import run_in_words
    from golois.kit.files import sha256_of
    from golois.kit.options import Parser
    from golois.kit.run_folder import network_file
    from tournament.commands.own_token import add_token_arguments, token_of
    from tournament.commands.rules import add_rules_argument, in_effect, rules_of_league
    from tournament.commands.verdict import (
        add_budget_arguments,
        add_json_argument,
        add_seed_argument,
        judge_options,
        print_verdict,
        verdict_json,
    )
    from tournament.errors import SubmissionError
    from tournament.intake import MAX_TUNE_SECONDS
    from tournament.league.names import message_of, network_of
    from tournament.league.settings import DEFAULT_LEAGUE

EXIT_FILED, EXIT_REFUSED = 0, 2
OF_A_TOKEN = {"token", "token_file"}
OF_FILING = {"replace", "allow_alike", "message"}
BESIDE_TO = {"network", "to", "json", "message"} | OF_A_TOKEN


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; errors are one sentence on stderr and exit code 2."""
    return run_in_words("submit.py", lambda: run(arguments), "stopped; nothing was filed")


def run(arguments: Sequence[str] | None) -> int:
    """Do what the command line says; return the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    options.network = network_file(options.network)
    refuse_idle(parser, options)
    options.message = message_of(options.message)
    return submit(options) if options.to is None else submit_to_server(options)


def refuse_idle(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Raise SubmissionError for options that have no effect beside the others."""
    given = {name for name, value in vars(options).items() if value != parser.get_default(name)}
    idle = given & OF_A_TOKEN if options.to is None else given - BESIDE_TO
    flags = _flags(idle)
    if flags and options.to is not None:
        raise SubmissionError(
            f"{flags} cannot be given with --to: the server has its own rules, and your token "
            "decides the name; to check the file here first, leave out --to"
        )
    if options.to is None and options.check_only and (unused := given & OF_FILING):
        raise SubmissionError(
            f"{_flags(unused)} cannot be given with --check-only, which files nothing"
        )
    if flags:
        raise SubmissionError(f"{flags} needs --to, the address of the server")


def _flags(names: set[str]) -> str:
    return ", ".join(sorted(f"--{name.replace('_', '-')}" for name in names))


def submit(options: argparse.Namespace) -> int:
    """Judge the file, try it in a short game, and file it unless told not to."""
    from tournament.intake.trial import judge_and_try  # here, so that --help answers at once
    from tournament.league.league import League

    network = "" if options.check_only else network_of(options.name)
    if network and (options.league / "league.sqlite").exists():
        refuse_name(network, options)
    rules = options.rules or rules_of_league(options.league)
    tune_seconds = 0.0 if options.check_only else MAX_TUNE_SECONDS
    how = replace(judge_options(options, rules), tune_seconds=tune_seconds, seed=options.seed)
    if rules and not options.json:
        print(in_effect(rules, how))
    with tempfile.TemporaryDirectory() as work_dir:
        verdict = judge_and_try(options.network, work_dir=work_dir, options=how)
        filed = verdict.accepted and not options.check_only
        if filed:
            league = League(options.league)
            league.require_rules(options.rules)
            league.written_names.refuse_lookalikes({network: options.name})
            before = {one.name: one.anchor_elo for one in league.submissions.current()}
            entry = league.submissions.add(
                network, options.network, verdict, replace=options.replace,
                allow_alike=options.allow_alike, message=options.message,
            )
            league.written_names.note({network: options.name})
            league.keep_rules(options.rules)
    if options.json:
        print(json.dumps({**verdict_json(options.network, verdict), "filed": filed}, indent=2))
    else:
        print_verdict(options.network, verdict)
        if filed:
            print(f"filed as {network} in {options.league}")
            if entry.anchor_elo is None and before.get(network) is not None:
                league_at = quote(str(options.league))
                print(
                    f"{network} is no longer an anchor; to fix its rating again: "
                    f"python -m tournament anchor {network} --elo {before[network]:g} "
                    f"--league {league_at}"
                )
    return EXIT_FILED if verdict.accepted else EXIT_REFUSED


def refuse_name(network: str, options: argparse.Namespace) -> None:
    """Raise SubmissionError for a name that clashes with another one, before the file is judged."""
    from tournament.league.league import League

    may_replace = options.replace or not options.network.is_file()  # which the verdict says
    with closing(League(options.league)) as league:
        league.written_names.refuse_lookalikes({network: options.name})
        league.submissions.check_name(network, None if may_replace else sha256_of(options.network))


def submit_to_server(options: argparse.Namespace) -> int:
    """Hand the file in over the network, and wait for the verdict."""
    from tournament.server.client import hand_in

    handed_in = hand_in(options.network, options.to, token_of(options), options.message)
    verdict = handed_in.verdict
    if options.json:
        filed = verdict.accepted and handed_in.counts
        print(json.dumps({**verdict_json(options.network, verdict), "filed": filed}, indent=2))
    else:
        print_verdict(options.network, verdict)
        print(handed_in.words)
    return EXIT_FILED if verdict.accepted else EXIT_REFUSED


def _parser() -> argparse.ArgumentParser:
    parser = Parser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "network", type=Path, metavar="NET.h5",
        help="a network as model.save wrote it, .h5 or .keras, or the folder of a run",
    )
    parser.add_argument("--name", help="the network's public name, such as Ada_Lovelace")
    parser.add_argument(
        "--league", type=Path, default=DEFAULT_LEAGUE, metavar="DIR",
        help="league that gets the network (default %(default)s)",
    )
    parser.add_argument(
        "--replace", action="store_true",
        help="replace the network with this name; the games of the old network no longer count",
    )
    parser.add_argument(
        "--allow-alike", action="store_true",
        help="accept a network that plays almost like a network of another name; not with --to",
    )
    parser.add_argument(
        "-m", "--message", default="", metavar="TEXT",
        help="a line about the network, such as 'tried SE blocks'; the site shows it",
    )
    parser.add_argument(
        "--check-only", action="store_true", help="check the file and say what to fix; file nothing"
    )
    add_rules_argument(parser)
    add_budget_arguments(parser)
    add_seed_argument(parser)
    add_json_argument(parser)
    _add_server_arguments(parser)
    return parser


def _add_server_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for the server and the token."""
    parser.add_argument(
        "--to", metavar="URL",
        help="hand in to the server (`python -m tournament serve`) at this address",
    )
    add_token_arguments(parser)


if __name__ == "__main__":
    sys.exit(main())
