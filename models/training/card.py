"""A model card: a run's network, its training, and its measurements."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from golois.kit.files import sha256_of
from golois.kit.options import flag, switch
from golois.kit.run_folder import CheckpointError, read_table
from models.catalogue.own import is_own
from models.catalogue.registry import find
from models.training.history import best_epoch, four_digits
from models.training.options import Options, complete
from models.training.run_folder import TrainingFolder

HEADS = (
    "held-out games of", "positions", "top-1", "×8", "top-5", "extended top-1", "value MSE",
    "of a constant", "value MAE", "Brier",
)  # fmt: skip
BEST = ("best.h5", "best_with_heads.h5")  # the same network
NOT_HELD_OUT = "may have been trained on these games"  # as evaluate.py remarks
SPELT_BELOW = ("model", "set", "data", "curriculum", "aux")


def card(folder: Path) -> str:
    """Describe a run with its evaluations in Markdown; CheckpointError: no epoch has ended."""
    run = TrainingFolder(folder)
    config, history = run.read_config(), _history(run.history)
    reports = {path: _report(path) for path in sorted(folder.glob("*/evaluation.json"))}
    try:
        files = _own_files(reports, run)
        parts = (
            f"# {folder.resolve().name}",
            _network(config),
            _training(config, history),
            f"    {command_of(config['options'])}",
            *([_measured([*reports.values()], files)] if reports else []),
            "![loss and accuracy by epoch](curves.png)\n",
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"cannot read what train.py and evaluate.py wrote into {folder} "
            f"({type(error).__name__}: {error})"
        ) from error
    return "\n\n".join(parts)


def command_of(options: Mapping[str, Any], whole_paths: bool = False) -> str:
    """Spell a run's options, as in config.json, as the command that repeats it, shortened.

    Without `whole_paths`, paths outside of the current folder are names alone.
    """
    shown = str if whole_paths else _shown
    words = ["python", "train.py", "--model", shown(options["model"])]
    usual = _usual(options)
    for item in fields(Options):
        value = options.get(item.name, item.default)
        if item.name not in SPELT_BELOW and value != usual.get(item.name, item.default):
            text = shown(_number(value))
            is_switch = isinstance(value, bool)
            words += [switch(item.name, value)] if is_switch else [flag(item.name), text]
    for key, value in options.get("set", {}).items():
        words += ["--set", f"{key}={value}"]
    for stage in options.get("curriculum", ()):
        words += ["--curriculum", stage]
    if heads := options.get("aux"):
        words += ["--aux", ",".join(f"{name}={_number(of)}" for name, of in heads.items())]
    for path, weight in options["data"].items():
        words += ["--data", f"{shown(path)}={_number(weight)}"]
    return shlex.join(words)


def _usual(options: Mapping[str, Any]) -> dict[str, Any]:
    """What train.py takes where the rest of a run's command leaves an option out."""
    left_out = {
        name: getattr(Options, name)
        for name in ("model", "init_from", "optimizer", "minutes", "epochs")
    }
    deciding = {name: options.get(name, default) for name, default in left_out.items()}
    left_out |= {"epochs": 0} if options["minutes"] else {}
    return {**complete(deciding), **left_out}


def _history(path: Path) -> list[dict[str, float]]:
    rows = read_table(path) if path.is_file() else []
    if not rows:
        raise CheckpointError(f"the run has not ended an epoch yet: there is no row in {path}")
    return rows


def _report(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text())
    except ValueError as error:
        raise CheckpointError(f"{path} is not a report of evaluate.py: {error}") from error


def _own_files(reports: Mapping[Path, Mapping[str, Any]], run: TrainingFolder) -> list[str]:
    """Name the file that each report is of; refuse a network that a longer run has replaced."""
    networks = (run.last, run.average, run.best_with_heads, run.best)
    own = {sha256_of(path): path.name for path in networks if path.is_file()}
    for path, report in reports.items():
        if report["network"]["sha256"] not in own:
            raise CheckpointError(
                f"{path} is of a network that is no longer in this folder: run evaluate.py again, "
                "or remove the report"
            )
    return [own[report["network"]["sha256"]] for report in reports.values()]


def _network(config: Mapping[str, Any]) -> str:
    name, sizes = config["options"]["model"], config["parameters"]
    source = "" if is_own(name) else f" ({find(name).source})"
    return (
        f"`{_shown(name)}`{source}: {sizes['total']:,} parameters, "
        f"{sizes['trainable']:,} of them trainable. config.json has the options."
    )


def _training(config: Mapping[str, Any], history: list[dict[str, float]]) -> str:
    options, last = config["options"], history[-1]
    of_processor = " of processor time" if options.get("clock") == "cpu" else ""
    best, _ = best_epoch(history)
    of = zip(options["data"], config["data"]["files"], strict=True)
    files = ", ".join(f"{data['num_games']:,} games of {_shown(path)}" for path, data in of)
    return (
        f"Trained on {int(last['positions']):,} positions drawn from {files}, in "
        f"{_duration(last['seconds'])}{of_processor}, validation included. `best.h5` is of "
        f"epoch {best['epoch']:.0f} of {last['epoch']:.0f}. Each game is held out with a chance "
        f"of {options['validation_fraction']}, by seed {options['seed']}."
    )


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} seconds"


def _measured(reports: Sequence[Mapping[str, Any]], files: Sequence[str]) -> str:
    rows = [f"| {' | '.join(row)} |" for row in (HEADS, *_rows(reports, files))]
    rows.insert(1, f"|---|{'---:|' * (len(HEADS) - 1)}")
    speed = reports[files.index("best.h5") if "best.h5" in files else 0]["speed"]
    shown = (f"{of['wall']:.1f} (batch of {n})" for n, of in speed["milliseconds"].items())
    return (
        "\n".join(rows)
        + "\n\ndocs/student/evaluate.md explains the columns. "
        + f"Milliseconds a position: {', '.join(shown)}, on {speed['device']}"
        + (", one core." if speed.get("core") is not None else ".")
    )


def _rows(
    reports: Sequence[Mapping[str, Any]], files: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    for report, file in zip(reports, files, strict=True):
        of_file = "" if file in BEST else f", {file}"
        is_unsure = NOT_HELD_OUT in report.get("split", {}).get("remark", "")
        of_split = ", perhaps trained on" if is_unsure else ""
        for source, found in report["by_source"].items():
            policy, value = found["policy"], found["value"]
            shares = (
                policy["one_view"]["top1"],
                policy["eight_views"]["top1"],
                policy["one_view"]["top5"],
                policy["one_view"]["extended_top1"],
            )
            view, constant = value["one_view"], value["constant"]
            errors = (view["mse"], constant["mse"], view["mae"], view["brier"])
            yield (
                f"{source}{of_file}{of_split}",
                f"{found['num_positions']:,}",
                *(f"{share:.1%}" for share in shares),
                *map(four_digits, errors),
            )


def _number(value: Any) -> str:
    return str(value).removesuffix(".0")


def _shown(path: str) -> str:
    there, here = Path(path), Path.cwd()
    if there.is_absolute():
        return str(there.relative_to(here) if there.is_relative_to(here) else there.name)
    return path
