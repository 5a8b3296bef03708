"""Runs of train.py beside each other: what they reached, what they differ in, and a page of all."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from golois.kit.command import UsageError
from golois.kit.console import Console
from golois.kit.files import write_whole
from golois.kit.options import flag
from golois.kit.run_folder import CheckpointError
from models.sweeps.results import (
    Result,
    draw_overlay,
    markdown_table,
    measured_apart,
    results_of,
    show,
    write_csv,
)
from models.sweeps.runs import TrainedRun
from models.training.options import Options
from models.training.run_folder import TrainingFolder

PICTURES = {"curves.png": "curves", "worst.png": "worst mistakes"}

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 1rem auto; max-width: 75rem; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #8886;
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
img { max-width: 100%; height: auto; background: #fff; }
"""


def runs_in(paths: Sequence[Path]) -> list[TrainedRun]:
    """Return the trainings of some folders, each a run's or of runs; CheckpointError: neither."""
    found = []
    for path in paths:
        configs = [path / "config.json"]
        if not configs[0].is_file():
            configs = sorted(path.glob("*/config.json"))
        runs = [config.parent for config in configs if _is_training(config.parent)]
        if not runs:
            raise CheckpointError(
                f"{path} is not the folder of a run of train.py, and has none in it"
            )
        found += runs
    names = [path.resolve().name for path in found]
    return [
        TrainedRun(name if names.count(name) == 1 else str(path), path)
        for name, path in zip(names, found, strict=True)
    ]


def _is_training(path: Path) -> bool:
    """Return whether a run is of train.py, and not of selfplay.py, which has no epochs."""
    try:
        return "epochs" in TrainingFolder(path).read_config()["options"]
    except (CheckpointError, KeyError, TypeError):  # a damaged file, which a sentence names later
        return True


@dataclass(frozen=True)
class Comparison:
    """Runs that have ended an epoch, what they reached, notes, and the options they differ in."""

    runs: Sequence[TrainedRun]
    results: Sequence[Result]
    notes: Sequence[str]
    options: Mapping[str, Sequence[str]]


def compare(paths: Sequence[Path], out: Path | None, console: Console) -> None:
    """Print a table of runs and of the options they differ in; `out` gets a page and its files.

    Runs that have not ended an epoch are left out. Raises CheckpointError: a folder without a run,
    a damaged file, or no run that has ended an epoch; UsageError: `out` has the files of a run.
    """
    if out is not None and (out / "config.json").exists():
        raise UsageError(
            f"--out {out} is the folder of a run, and its curves.png would be overwritten: "
            "choose another folder"
        )
    found = _compared(paths)
    show(console, found.results, found.notes)
    if found.options:
        rows = [(name, *cells) for name, cells in found.options.items()]
        heads = ("option", *(run.name for run in found.runs))
        console.print(f"\n{markdown_table(heads, rows)}")
    if out is not None:
        _write(found, out)
        console.print(f"written: {out / 'index.html'}, table.csv and curves.png")


def refresh(folder: Path) -> Path:
    """Bring the page of all runs in a folder up to date; raises as `compare`, and OSError."""
    _write(_compared([folder]), folder)
    return folder / "index.html"


def _compared(paths: Sequence[Path]) -> Comparison:
    runs, notes = [], []
    for run in runs_in(paths):
        if run.folder.history.is_file() and run.history():
            runs.append(run)
        else:
            notes.append(f"{run.name} has not ended an epoch yet.")
    if not runs:
        raise CheckpointError("no run has ended an epoch yet: train for longer")
    try:
        results = results_of(runs, [])
        notes += measured_apart(runs)
        options = differing_options(runs)
    except (KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(
            f"a config.json is not that of a run ({type(error).__name__}: {error})"
        ) from error
    return Comparison(runs, results, notes, options)


def _write(found: Comparison, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    write_csv(out / "table.csv", found.results)
    draw_overlay(out / "curves.png", {run.name: run.history() for run in found.runs}, "epochs")
    page = "\n".join(_page(found, out))
    write_whole(out / "index.html", page.encode(errors="replace"), durable=False)


def differing_options(runs: Sequence[TrainedRun]) -> dict[str, list[str]]:
    """Return the options that are not alike in all runs, each with its value in every run."""
    spelt = [_spelt(run.folder.read_config()) for run in runs]
    names = list(dict.fromkeys(name for options in spelt for name in options))
    rows = {name: [options.get(name, "") for options in spelt] for name in names}
    return {name: cells for name, cells in rows.items() if len(set(cells)) > 1}


def _spelt(config: Mapping[str, Any]) -> dict[str, str]:
    """Spell the options of a run; those of its network as `--set KEY`."""
    options = {**asdict(Options()), **config["options"]}
    network = {f"--set {key}": value for key, value in config["model_options"].items()}
    own = {flag(name): value for name, value in options.items() if name != "set"}
    files = options["data"].items()
    own["--data"] = ", ".join(f"{Path(path).name}={weight:g}" for path, weight in files)
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in {**own, **network}.items()
    }


def _page(found: Comparison, out: Path) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><meta charset="utf-8"><title>Runs</title>'
    yield '<meta name="viewport" content="width=device-width">'
    yield f"<style>{STYLE}</style><h1>Runs</h1>"
    heads = (
        "run", "parameters", "trainable", "accuracy", "value MSE", "value MAE", "", "minutes",
        "positions",
    )  # fmt: skip
    yield _html_table(heads, [result.cells()[: len(heads)] for result in found.results])
    yield from (f"<p>{escape(note)}</p>" for note in found.notes)
    yield '<p><img src="curves.png" alt="Held-out accuracy and value error of all runs"></p>'
    if found.options:
        yield "<h2>Options that differ</h2>"
        rows = [(name, *cells) for name, cells in found.options.items()]
        yield _html_table(("option", *(run.name for run in found.runs)), rows)
    for run in found.runs:
        yield f"<h2>{escape(run.name)}</h2>"
        for name, title in PICTURES.items():
            picture = run.folder.path / name
            if picture.is_file():
                source = escape(_relative(picture, out))
                yield f'<p><img src="{source}" alt="{escape(run.name)}: {title}"></p>'
    yield "</html>"


def _html_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(tag: str, cells: Sequence[str]) -> str:
        texts = (f"<{tag}>{escape(cells[place])}</{tag}>" for place in shown)
        return f"<tr>{''.join(texts)}</tr>"

    shown = [place for place, head in enumerate(heads) if head]  # runs have no ms
    lines = [line("th", heads), *(line("td", row) for row in rows)]
    return f'<div class="wide"><table>{"".join(lines)}</table></div>'


def _relative(path: Path, folder: Path) -> str:
    try:
        return quote(os.fsencode(path.resolve().relative_to(folder.resolve()).as_posix()))
    except ValueError:
        return path.resolve().as_uri()
