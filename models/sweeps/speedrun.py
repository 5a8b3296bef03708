"""A race: CPU minutes of training until a network reaches a goal on the kit's held-out games."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from golois.kit.command import UsageError
from golois.kit.console import Console
from golois.kit.files import write_whole
from golois.kit.run_folder import damaged, read_table
from golois.kit.signals import StopRequest
from models.catalogue.known import require_known
from models.catalogue.own import FILES
from models.contract import PARAM_BUDGET, count_parameters
from models.sweeps.config import Recipe, checked_options
from models.sweeps.entries import read_toml
from models.sweeps.results import markdown_table
from models.sweeps.runs import KIT, Children, Run, judge, only_sweep_of, training_command
from models.training.curriculum import stages_of
from models.training.history import best_epoch, write_csv
from models.training.options import EMBEDDED_GAMES, Options
from models.training.quiet import import_keras_quietly

ENTRIES = KIT / "data" / "speedrun"
SEEDS = "012"  # that count

FIXED = frozenset(
    {
        "seed", "data", "validation_positions", "validation_fraction", "features", "clock",
        "init_from", "distill", "over_budget",
    }
)  # fmt: skip
"""What an entry may not choose, for all entries need the same games, goal and clock."""

ONE_CORE = {
    "TF_NUM_INTRAOP_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "KERAS_BACKEND": "tensorflow",
}  # fmt: skip

OTHER_ARITHMETIC = 5e-4
"""What a network's file may miss of the goal, since training may compute in another order."""

Row = Mapping[str, float]
"""A check of a training: a row of its history."""


@dataclass(frozen=True)
class Goal:
    """What best.h5 must reach at one check, of so many held-out positions of the kit's games."""

    accuracy: float = 0.45
    value_mse: float = 0.06
    positions: int = 4096

    def is_reached(self, accuracy: float, value_mse: float) -> bool:
        """Return whether both numbers are reached."""
        return accuracy >= self.accuracy and value_mse <= self.value_mse

    def checks(self, history: Sequence[Row]) -> int:
        """Count the checks of a training until its best network reached the goal; 0: never."""
        counts = range(1, len(history) + 1)
        return next((n for n in counts if self.is_reached(*_of_best(history[:n]))), 0)


GOAL = Goal()


def race(entry: Path, seed: int, out: Path, console: Console, goal: Goal = GOAL) -> int:
    """Train an entry until it reaches the goal, judge it, and file its log and network beside it.

    `out` has the folders of the trainings; the same call goes on with a stopped one. Returns the
    exit code: 0 only where the entry is accepted. Raises UsageError: no such entry, or not allowed.
    """
    recipe = read_entry(entry, seed, goal)
    run = Run(recipe, out / recipe.name)
    parameters = parameters_of(recipe)
    if run.is_begun:
        run.require_same_options()
    with only_sweep_of(out, console.print) as lock, StopRequest() as stop:
        children, code = Children(lock, stop), 0
        if not _checks(run, goal):
            command = training_command(run.arguments, run.folder)
            is_over = partial(_checks, run, goal)
            code = children.run(command, until=is_over, env={**os.environ, **ONE_CORE})
        if stop.signal:
            console.print("stopped; the same command goes on from here")
            return 128 + stop.signal
        count = _checks(run, goal)
        if not count:
            return code or _missed(run, console)
        _require_best_of(run, count)
        fault = _fault(run, children, seed, goal)
    history = run.history()[:count]
    console.print(f"{_said(run.name, history)}; {parameters:,} parameters")
    if fault:
        console.print(f"{run.name} is not accepted: {fault}")
        return 1
    log = entry.with_name(f"{run.name}.csv")
    write_whole(log.with_suffix(".h5"), run.folder.best.read_bytes(), durable=False)
    write_csv(log, history)
    console.print(f"accepted; written: {log} and {log.stem}.h5")
    return 0


def read_entry(path: Path, seed: int, goal: Goal) -> Recipe:
    """Read an entry's file and hold it to the rules; UsageError: an option that isn't allowed."""
    given = read_toml(path)
    if fixed := sorted(FIXED & given.keys()):
        raise UsageError(f"{path} sets {fixed[0]}, which the rules of the race fix: leave it out")
    if str(given.get("model", "")).endswith(FILES):
        raise UsageError(
            f"{path} begins with a trained network: name a family, or a function of a file"
        )
    rules = {"seed": seed, "clock": "cpu", "validation_positions": goal.positions}
    recipe = Recipe(f"{path.stem}-seed{seed}", {**given, **rules})
    checked_options(recipe)
    return recipe


def parameters_of(recipe: Recipe) -> int:
    """Count the parameters of an entry's network; UsageError: over the budget."""
    options = recipe.options()
    require_known(options.model, options.set)
    import_keras_quietly()
    from models.catalogue.registry import outline

    total = count_parameters(outline(options.model, **stages_of(options)[-1]))
    if total > PARAM_BUDGET:
        raise UsageError(
            f"{recipe.name} has {total:,} parameters, and the race allows {PARAM_BUDGET:,}: "
            "take fewer blocks or filters"
        )
    return total


def table(folder: Path) -> str:
    """Lay out the entries of a folder as Markdown, the fastest first, by their logs.

    Raises UsageError: no entry in it; CheckpointError: a damaged log.
    """
    rows = []
    for path in sorted(folder.glob("*.toml")):
        its_log = re.compile(rf"{re.escape(path.stem)}-seed[{SEEDS}]")
        logs = sorted(log for log in folder.glob("*.csv") if its_log.fullmatch(log.stem))
        ends = [_end(log) for log in logs]
        minutes = [row["seconds"] / 60 for row in ends]
        size = f"{parameters_of(read_entry(path, 0, GOAL)):,}"
        seeds = ", ".join(log.stem.rpartition("-seed")[2] for log in logs)
        seen = [row["positions"] for row in ends]
        cells = (path.stem, size, seeds, _mean(minutes, ".1f"), _mean(seen, ",.0f"))
        rows.append((sum(minutes) / len(ends) if ends else inf, cells))
    if not rows:
        raise UsageError(f"{folder} has no entry: give a folder with .toml files")
    heads = ("entry", "parameters", "seeds", "CPU minutes", "positions")
    return markdown_table(heads, [cells for _, cells in sorted(rows)])


def _end(log: Path) -> dict[str, Any]:
    rows = read_table(log)
    if not rows or not {"seconds", "positions"} <= rows[-1].keys():
        raise damaged(log, "run its entry again")
    return rows[-1]


def _mean(values: Sequence[float], form: str) -> str:
    """Spell a mean, and the range of several values."""
    if not values:
        return ""
    mean = f"{sum(values) / len(values):{form}}"
    return mean if len(values) == 1 else f"{mean} ({min(values):{form}} – {max(values):{form}})"


def _of_best(history: Sequence[Row]) -> tuple[float, float]:
    """The held-out accuracy and value MSE of best.h5 after these checks."""
    row, prefix = best_epoch(history)
    return row[f"{prefix}policy_accuracy"], row[f"{prefix}value_mse"]


def _checks(run: Run, goal: Goal) -> int:
    return goal.checks(run.history()) if run.folder.history.is_file() else 0


def _said(name: str, history: Sequence[Row]) -> str:
    accuracy, value_mse = _of_best(history)
    return (
        f"{name}: {accuracy:.1%} and {value_mse:.4f} after {history[-1]['seconds'] / 60:.1f} "
        f"CPU minutes and {history[-1]['positions']:,.0f} positions"
    )


def _require_best_of(run: Run, count: int) -> None:
    """Raise UsageError where training went on past the goal, and best.h5 is of a later check."""
    history = run.history()
    if best_epoch(history) != best_epoch(history[:count]):
        raise UsageError(
            f"{run.folder.path} was trained past the goal, and its best.h5 is of a later epoch: "
            "remove the folder, and the race begins anew"
        )


def _missed(run: Run, console: Console) -> int:
    console.print(f"{_said(run.name, run.history())}: the training ended before the goal")
    return 1


def _fault(run: Run, children: Children, seed: int, goal: Goal) -> str:
    """Say what keeps a network from being accepted, by the intake and by its held-out positions."""
    if not judge(run, children, None):
        return "submit.py did not judge it; the same command tries it again"
    if faults := run.verdict()["faults"]:
        return "; ".join(fault["text"] for fault in faults)
    accuracy, value_mse = evaluated(run.folder.best, seed, goal.positions)
    if not goal.is_reached(accuracy + OTHER_ARITHMETIC, value_mse - OTHER_ARITHMETIC):
        return f"{run.folder.best} reaches {accuracy:.1%} and {value_mse:.4f}"
    return ""


def evaluated(path: Path, seed: int, count: int) -> tuple[float, float]:
    """Measure a network's file anew: accuracy and value MSE on the seed's held-out positions."""
    from models.evaluation.measure import BATCH_SIZE
    from models.evaluation.metrics import mean_squared_error
    from models.evaluation.network import load_network
    from models.evaluation.positions import Split, held_out_positions, open_datasets
    from models.evaluation.symmetric import Outputs

    split = Split((EMBEDDED_GAMES,), seed, Options.validation_fraction, "")
    positions, network = held_out_positions(open_datasets(split), count), load_network(path)
    rows = [slice(at, at + BATCH_SIZE) for at in range(0, len(positions), BATCH_SIZE)]
    answers = Outputs.joined([network.predict(positions.planes(part)) for part in rows])
    hits = answers.policy.argmax(axis=1) == positions.moves
    return float(hits.mean()), mean_squared_error(answers.value, positions.labels)
