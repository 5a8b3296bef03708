"""`check`: judge files as the intake does; one verdict in words, or a table for several files."""

import argparse
import json
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.progress import track
from rich.table import Table
from rich.text import Text

from golois.kit.console import Console
from golois.kit.files import write_whole
from golois.kit.options import Parser
from golois.kit.processes import num_cpus
from tournament.commands.arguments import positive
from tournament.commands.output import output_file, refuse_to_overwrite
from tournament.commands.rules import add_rules_argument, in_effect
from tournament.commands.verdict import (
    add_budget_arguments,
    add_json_argument,
    add_seed_argument,
    gradescope_json,
    judge_options,
    print_verdict,
    verdict_json,
)
from tournament.errors import OptionsError
from tournament.intake import JudgeOptions, Manifest, Verdict, judge
from tournament.intake.child import Templates
from tournament.intake.faults import printable

EXIT_ACCEPTED, EXIT_REFUSED = 0, 2
MAX_JOBS = 8  # each may use 512 MB
SUFFIXES = (".h5", ".hdf5", ".keras")


def add_check_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="an .h5 or .keras, or a folder of them"
    )
    add_rules_argument(parser, of_league=False)
    add_budget_arguments(parser)
    add_seed_argument(parser)
    add_json_argument(parser)
    parser.add_argument(
        "--gradescope", type=output_file, metavar="FILE",
        help="also write the verdict of one file as Gradescope's results.json",
    )
    parser.add_argument(
        "--jobs", type=positive, default=min(num_cpus(), MAX_JOBS), metavar="N",
        help="files to judge at a time (default %(default)s)",
    )


def check_command(arguments: argparse.Namespace) -> int:
    """Judge the files and print the results; return 0 when all are accepted, else 2.

    Raises:
        OptionsError: an option out of range, or a folder without .h5 or .keras files.
        IntakeError: this machine cannot judge.
    """
    options = replace(judge_options(arguments, arguments.rules), seed=arguments.seed)
    if arguments.rules and not arguments.json:
        print(in_effect(arguments.rules, options))
    files = _expand(arguments.files)
    if arguments.gradescope is not None:
        if len(files) != 1:
            raise OptionsError(f"--gradescope must have one network, not {len(files)} files")
        refuse_to_overwrite("network", files[0], arguments.gradescope)
    verdicts = _judge_all(files, options, arguments.jobs)
    if arguments.gradescope is not None:
        results = json.dumps(gradescope_json(files[0], verdicts[0]), indent=2)
        write_whole(arguments.gradescope, results.encode())
    if arguments.json:
        reports = [verdict_json(*pair) for pair in zip(files, verdicts, strict=True)]
        print(json.dumps(reports, indent=2))
    elif len(files) == 1:
        print_verdict(files[0], verdicts[0])
    else:
        Console(highlight=False).print(_table(files, verdicts, options.count))
    return EXIT_ACCEPTED if all(verdict.accepted for verdict in verdicts) else EXIT_REFUSED


def _expand(paths: Sequence[Path]) -> list[Path]:
    """Return the files; a folder stands for its networks, also of other formats."""
    files: list[Path] = []
    for path in paths:
        found = [path]
        if path.is_dir():
            found = sorted(file for file in path.iterdir() if file.suffix.lower() in SUFFIXES)
        if not found:
            raise OptionsError(f"{path} has no .h5 or .keras file")
        files.extend(found)
    return files


def _judge_all(
    files: Sequence[Path], options: JudgeOptions, jobs: int
) -> list[Verdict]:
    console = Console(stderr=True)
    quiet = len(files) == 1 or not console.is_terminal
    with (
        tempfile.TemporaryDirectory() as work_dir,
        Templates() as templates,
        ThreadPoolExecutor(jobs) as pool,
    ):
        judge_one = partial(judge, work_dir=work_dir, options=options, templates=templates)
        judged = [pool.submit(judge_one, path) for path in files]
        try:
            shown = track(judged, "checking", console=console, transient=True, disable=quiet)
            return [future.result() for future in shown]
        except KeyboardInterrupt:
            raise KeyboardInterrupt("stopped") from None
        finally:
            pool.shutdown(cancel_futures=True)  # after Ctrl-C, or where this machine cannot judge


def _table(files: Sequence[Path], verdicts: Sequence[Verdict], count: str) -> Table:
    accepted = sum(verdict.accepted for verdict in verdicts)
    table = Table(
        caption=f"{accepted} of {len(files)} accepted", caption_justify="left", caption_style=""
    )
    table.add_column("file", overflow="fold")
    table.add_column("verdict")
    table.add_column("size and speed, or what to change", overflow="fold", min_width=36)
    alike = len({path.name for path in files}) < len(files)
    for path, verdict in zip(files, verdicts, strict=True):
        name = Text(printable(str(path) if alike else path.name))
        if manifest := verdict.manifest:
            table.add_row(name, Text("accepted", "green"), Text(
                f"{_parameters(manifest, count)}, "
                f"{manifest.ms_per_evaluation:.2f} ms a position"
                + f"\nwarning: {manifest.warning}" * bool(manifest.warning)
            ))
        else:
            table.add_row(name, Text("refused", "red"), Text("\n".join(
                f"{number}. {fault.text} → {fault.remedy}"
                for number, fault in enumerate(verdict.faults, start=1)
            )))
    return table


def _parameters(manifest: Manifest, count: str) -> str:
    if count == "trainable":
        return f"{manifest.parameters_trainable:,} trainable parameters"
    return f"{manifest.parameters_total:,} parameters"
