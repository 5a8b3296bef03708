"""Says what the intake thinks of files: one verdict in words, or a table of many."""

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from tournament.errors import OptionsError
from tournament.intake import JudgeOptions, Verdict, judge
from tournament.intake.faults import printable

EXIT_ACCEPTED, EXIT_REFUSED = 0, 2


def add_budget_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that decide what is accepted."""
    default = JudgeOptions()
    parser.add_argument(
        "--max-params", type=int, default=default.max_params, metavar="N",
        help=f"the budget (default {default.max_params})",
    )
    parser.add_argument(
        "--count", choices=("total", "trainable"), default=default.count,
        help="what the budget counts: total is count_params(), moving statistics included "
        f"(default {default.count})",
    )
    parser.add_argument(
        "--max-bytes", type=int, default=default.max_bytes, metavar="N",
        help=f"the largest file that is opened (default {default.max_bytes})",
    )
    parser.add_argument(
        "--require-sandbox", action="store_true",
        help="work only where every layer of the sandbox holds",
    )
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")


def add_check_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `check`."""
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="an .h5, or a folder of them"
    )
    add_budget_arguments(parser)


def judge_options(arguments: argparse.Namespace) -> JudgeOptions:
    """Return the options of `add_budget_arguments`; raises OptionsError."""
    return JudgeOptions(
        max_params=arguments.max_params,
        count=arguments.count,
        max_bytes=arguments.max_bytes,
        require_sandbox=arguments.require_sandbox,
    )


def check_command(arguments: argparse.Namespace) -> int:
    """Judge the files and print what comes out.

    Returns:
        0 when all are accepted, else 2.
    Raises:
        OptionsError: an option out of range, or a folder without .h5 files.
        IntakeError: this machine cannot judge.
    """
    options = judge_options(arguments)
    files = _expand(arguments.files)
    verdicts = _judge_all(files, options)
    if arguments.json:
        reports = [verdict_json(*pair) for pair in zip(files, verdicts, strict=True)]
        print(json.dumps(reports, indent=2))
    elif len(files) == 1:
        print_verdict(files[0], verdicts[0])
    else:
        Console().print(_table(files, verdicts))
    return EXIT_ACCEPTED if all(verdict.accepted for verdict in verdicts) else EXIT_REFUSED


def print_verdict(path: Path, verdict: Verdict) -> None:
    """Print one verdict: a green summary, or the numbered faults with their remedies."""
    console = Console(highlight=False, soft_wrap=True)
    name = printable(path.name)
    if verdict.accepted:
        console.print(Text(f"{name}: accepted", "bold green"))
        for label, value in _summary(verdict):
            console.print(Text(f"  {label:<12} {value}"))
        return
    console.print(Text(f"{name}: refused", "bold red"))
    for number, fault in enumerate(verdict.faults, start=1):
        console.print(Text(f"  {number}. {fault.text}"))
        console.print(Text(f"     → {fault.remedy}", "cyan"))


def verdict_json(path: Path, verdict: Verdict) -> dict:
    """Return a verdict as JSON values."""
    return {
        "file": printable(str(path)),
        "accepted": verdict.accepted,
        "faults": [asdict(fault) for fault in verdict.faults],
        "manifest": verdict.manifest.to_json() if verdict.manifest else None,
    }


def _summary(verdict: Verdict) -> list[tuple[str, str]]:
    manifest = verdict.manifest
    layers = ", ".join(f"{number} {name}" for name, number in manifest.layers.items())
    total, trainable = manifest.parameters_total, manifest.parameters_trainable
    return [
        ("parameters", f"{total:,} ({trainable:,} trainable)"),
        ("evaluation", f"{manifest.ms_per_evaluation:.2f} ms a position in batches of "
         f"{manifest.batch_size}, one core; {manifest.flops / 1e6:.1f} MFLOP"),
        ("difference", f"{manifest.max_difference:.0e} at most from the exact evaluation"),
        ("layers", layers),
        ("written by", f"Keras {manifest.keras_version}"),
        ("sha256", manifest.sha256),
        ("sandbox", manifest.sandbox),
    ]


def _expand(paths: Sequence[Path]) -> list[Path]:
    """Return the files, each folder replaced by the .h5 files in it."""
    files: list[Path] = []
    for path in paths:
        found = sorted(path.glob("*.h5")) if path.is_dir() else [path]
        if not found:
            raise OptionsError(f"expected .h5 files in {path}: it has none")
        files.extend(found)
    return files


def _judge_all(files: Sequence[Path], options: JudgeOptions) -> list[Verdict]:
    console = Console(stderr=True)
    quiet = len(files) == 1 or not console.is_terminal
    with tempfile.TemporaryDirectory() as work_dir:
        return [
            judge(path, work_dir=work_dir, options=options)
            for path in track(files, "checking", console=console, transient=True, disable=quiet)
        ]


def _table(files: Sequence[Path], verdicts: Sequence[Verdict]) -> Table:
    accepted = sum(verdict.accepted for verdict in verdicts)
    table = Table(title=f"{accepted} of {len(files)} accepted", title_justify="left")
    for name, justify in (
        ("file", "left"), ("verdict", "left"), ("parameters", "right"), ("ms", "right"),
        ("what to change", "left"),
    ):
        table.add_column(name, justify=justify, overflow="fold")
    for path, verdict in zip(files, verdicts, strict=True):
        name = Text(printable(path.name))
        if verdict.accepted:
            manifest = verdict.manifest
            table.add_row(name, Text("accepted", "green"), f"{manifest.parameters_total:,}",
                          f"{manifest.ms_per_evaluation:.2f}", "")
        else:
            faults = "\n".join(
                f"{number}. {fault.text} → {fault.remedy}"
                for number, fault in enumerate(verdict.faults, start=1)
            )
            table.add_row(name, Text("refused", "red"), "", "", Text(faults))
    return table
