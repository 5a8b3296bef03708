"""Check a network as the arena will, say why not, and file it.

    python submit.py runs/mine/best.h5 --name Ada_Lovelace

Your file is read and never changed; no code of it is run.
"""

import argparse
import json
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

try:
    from golois.command_line import Parser
    from golois.errors import GoloisError
    from tournament.check import add_budget_arguments, judge_options, print_verdict, verdict_json
    from tournament.errors import SubmissionError, TournamentError
    from tournament.evaluator import open_evaluator
    from tournament.game import PLAYED, GameRecord, play_game
    from tournament.intake import MAX_TUNE_SECONDS, Fault, Verdict, judge
    from tournament.league import League
    from tournament.options import EventOptions
    from tournament.players import make_player
    from tournament.registry import NAME
    from tournament.schedule import GameJob
except ImportError as error:  # the native core is not built, or a package is missing
    print(f"submit.py: {error}", file=sys.stderr)
    sys.exit(2)

TRIAL_VISITS, TRIAL_PLIES = 8, 24
EXIT_FILED, EXIT_REFUSED, EXIT_INTERRUPTED = 0, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; what is wrong is said in words, with exit code 2."""
    options = _parser().parse_args(arguments)
    try:
        return submit(options)
    except (TournamentError, GoloisError, OSError, sqlite3.Error) as error:
        print(f"submit.py: {error}", file=sys.stderr)
        return EXIT_REFUSED
    except KeyboardInterrupt:
        print("stopped; nothing was filed", file=sys.stderr)
        return EXIT_INTERRUPTED


def submit(options: argparse.Namespace) -> int:
    """Judge the file, try it in a short game, and file it unless that is not wanted."""
    if not options.check_only and not NAME.fullmatch(options.name or ""):
        raise SubmissionError(
            "expected --name with up to 64 letters, digits, '_', '.' and '-', such as "
            f"Ada_Lovelace: got {options.name!r}"
        )
    with tempfile.TemporaryDirectory() as work_dir:
        tune_seconds = 0.0 if options.check_only else MAX_TUNE_SECONDS
        how = replace(judge_options(options), tune_seconds=tune_seconds)
        verdict = judge(options.network, work_dir=work_dir, options=how)
        if verdict.accepted:
            verdict = _tried_out(verdict)
        filed = verdict.accepted and not options.check_only
        if filed:
            League(options.league).add_submission(
                options.name, options.network, verdict, replace=options.replace
            )
    if options.json:
        print(json.dumps({**verdict_json(options.network, verdict), "filed": filed}, indent=2))
    else:
        print_verdict(options.network, verdict)
        if filed:
            print(f"filed as {options.name} in {options.league}")
    return EXIT_FILED if verdict.accepted else EXIT_REFUSED


def _tried_out(verdict: Verdict) -> Verdict:
    """Return the verdict after a short game of the network against itself."""
    record = _trial_game(verdict.onnx_path, verdict.manifest.sha256)
    if record.kind == PLAYED:
        return verdict
    fault = Fault(
        f"the network fails in a game: {record.reason}",
        "look at the outputs of the model on positions of real games before saving it",
    )
    return Verdict(False, (fault,), None, None)


def _trial_game(onnx_path: Path, sha256: str) -> GameRecord:
    options = EventOptions(visits=TRIAL_VISITS, max_plies=TRIAL_PLIES, opening_plies=0)
    job = GameJob("trial", "trial", 0, "black", "white", sha256, sha256, (), 0)
    evaluator = open_evaluator(onnx_path, options.batch_size)
    black, white = (
        make_player(name, evaluator, options, seed)
        for seed, name in enumerate(("black", "white"))
    )
    return play_game(job, black, white, options)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(description=__doc__.partition("\n")[0])
    parser.add_argument("network", type=Path, metavar="NET.h5", help="as model.save wrote it")
    parser.add_argument("--name", help="the network's public name, such as Ada_Lovelace")
    parser.add_argument(
        "--league", type=Path, default=Path("league"), metavar="DIR",
        help="where to file it (default league)",
    )
    parser.add_argument(
        "--replace", action="store_true",
        help="take the place of the network filed under this name; its games count no more",
    )
    parser.add_argument("--check-only", action="store_true", help="say what is wrong, file nothing")
    add_budget_arguments(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
