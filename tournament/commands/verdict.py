"""The verdict of the intake in words, and the options that decide it: for check and submit.py."""

import argparse
from dataclasses import asdict
from pathlib import Path

from golois.kit.options import Parser
from tournament.commands.rules import given_fields
from tournament.game.presets import KIT, PRESETS
from tournament.intake import JudgeOptions, Manifest, Verdict
from tournament.intake.faults import printable


def add_budget_arguments(parser: Parser) -> None:
    """Add the options that decide what is accepted; what is not given is None."""
    parser.add_fields(JudgeOptions)


def add_seed_argument(parser: argparse.ArgumentParser) -> None:
    """Add the seed of a verdict, to repeat it."""
    parser.add_argument(
        "--seed", type=int, metavar="N",
        help="try the network on the positions of an earlier verdict (default: new positions)",
    )


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """Add whether a program reads the verdict."""
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")


def judge_options(arguments: argparse.Namespace, rules: str | None) -> JudgeOptions:
    """Return the options of `add_budget_arguments`; options that were not given follow the rules.

    A value out of range raises an OptionsError.
    """
    given = given_fields(arguments, JudgeOptions)
    return JudgeOptions(**{**PRESETS[rules or KIT].judging, **given})


def print_verdict(path: Path, verdict: Verdict) -> None:
    """Print one verdict: a green summary, or the numbered faults with their remedies."""
    from rich.text import Text

    from golois.kit.console import Console  # here, so that --help answers at once

    console = Console(highlight=False, soft_wrap=True)
    name = printable(path.name)
    if verdict.manifest:
        console.print(Text(f"{name}: accepted", "bold green"))
        for label, value in _summary(verdict.manifest):
            console.print(Text(f"  {label:<12} {value}"))
        if verdict.manifest.warning:
            console.print(Text(f"  warning: {verdict.manifest.warning}", "yellow"))
        return
    console.print(Text(f"{name}: refused", "bold red"))
    for number, fault in enumerate(verdict.faults, start=1):
        console.print(Text(f"  {number}. {fault.text}"))
        console.print(Text(f"     → {fault.remedy}", "cyan"))


def verdict_json(path: Path, verdict: Verdict) -> dict:
    """Return a verdict as JSON values."""
    return {
        "file": str(path),
        "accepted": verdict.accepted,
        "faults": [asdict(fault) for fault in verdict.faults],
        "manifest": verdict.manifest.to_json() if verdict.manifest else None,
    }


def gradescope_json(path: Path, verdict: Verdict) -> dict:
    """Return a verdict as Gradescope's `results.json`: 1 point for an accepted file.

    Source: https://gradescope-autograders.readthedocs.io/en/latest/specs/
    """
    tests = [
        {"name": printable(fault.text), "status": "failed", "output": printable(fault.remedy)}
        for fault in verdict.faults
    ]
    found = verdict.manifest
    if found is None:
        return {"score": 0, "output": f"{printable(path.name)}: refused", "tests": tests}
    numbers = {
        "Parameters": found.parameters_total,
        "Trainable parameters": found.parameters_trainable,
        "Milliseconds a position": round(found.ms_per_evaluation, 2),
    }
    summary = "\n".join(f"{label}: {value}" for label, value in _summary(found))
    return {
        "score": 1,
        "output": f"{printable(path.name)}: accepted",
        "tests": [{"name": "The network is accepted", "status": "passed", "output": summary}],
        "leaderboard": [
            {"name": name, "value": value, "order": "asc"} for name, value in numbers.items()
        ],
    }


def _summary(manifest: Manifest) -> list[tuple[str, str]]:
    layers = ", ".join(f"{number} {name}" for name, number in manifest.layers.items())
    total, trainable = manifest.parameters_total, manifest.parameters_trainable
    tuning, speed = manifest.tuning, manifest.tuning.evaluations_per_second
    tuned = [] if speed is None else [
        ("plays with", f"{tuning.runtime} in batches of {tuning.batch_size}: "
         f"{speed:,.0f} evaluations a second")
    ]
    return [
        ("parameters", f"{total:,} ({trainable:,} trainable); the artefact holds "
         f"{manifest.artefact_numbers:,} numbers"),
        ("evaluation", f"{manifest.ms_per_evaluation:.2f} ms a position in batches of "
         f"{manifest.batch_size}, one core; {manifest.flops / 1e6:.1f} MFLOP"),
        ("memory", f"{manifest.memory_bytes / 1e6:.0f} MB to evaluate such batches"),
        *tuned,
        ("difference", f"{manifest.max_difference:.0e} at most from the exact evaluation"),
        *_rounding(manifest),
        ("tried on", f"{manifest.num_positions} positions of real games, seed {manifest.seed}"),
        ("layers", layers),
        *([("left out", manifest.left_out)] if manifest.left_out else []),
        ("written by", f"Keras {manifest.keras_version}"),
        ("sha256", manifest.sha256),
        ("sandbox", manifest.sandbox),
    ]


def _rounding(manifest: Manifest) -> list[tuple[str, str]]:
    if not manifest.significant_bits:
        return []
    return [(
        "rounding", f"each number to {manifest.significant_bits} significant bits, which changes "
        f"the outputs by {manifest.rounding_difference:.1%} on average"
    )]
