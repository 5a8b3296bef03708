"""The resumable checkpoint: one file with weights, optimizer and the state of the run.

Everything else in a run's folder follows from it, so a kill between two files loses nothing.
"""

import json
import zipfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from models.errors import CheckpointError
from models.training.files import write_whole

if TYPE_CHECKING:
    import keras


@dataclass
class RunState:
    """Where a run stands, besides its weights.

    Attributes:
        step: batches trained on; with the seed it decides the next batch.
        seconds: wall time spent training and validating.
        last_loss: loss of the last batch.
        num_positions: positions of the epoch under way.
        sums: metrics of the epoch under way, summed over its positions.
        history: one row a complete epoch, see `models.training.history`.
        schedule: fields of the schedule.
        best_loss: lowest validation loss so far.
        best_weights: the weights that had it.
    """

    step: int = 0
    seconds: float = 0.0
    last_loss: float = float("nan")
    num_positions: int = 0
    sums: dict[str, float] = field(default_factory=dict)
    history: list[dict[str, float]] = field(default_factory=list)
    schedule: dict[str, Any] = field(default_factory=dict)
    best_loss: float = float("inf")
    best_weights: list[np.ndarray] = field(default_factory=list)

    def add_batch(self, means: dict[str, float], num_positions: int) -> None:
        """Count one batch more, given its mean metrics."""
        self.step += 1
        self.last_loss = means["loss"]
        self.num_positions += num_positions
        for name, mean in means.items():
            self.sums[name] = self.sums.get(name, 0.0) + mean * num_positions

    def end_epoch(
        self, learning_rate: float, batch_size: int, validation: dict[str, float]
    ) -> None:
        """Close the epoch under way with a row of history and begin the next."""
        self.history.append(
            {
                "epoch": len(self.history) + 1,
                "step": self.step,
                "seconds": round(self.seconds, 3),
                "learning_rate": learning_rate,
                "positions": self.step * batch_size,
                **self.means(),
                **{f"val_{name}": value for name, value in validation.items()},
            }
        )
        self.sums, self.num_positions = {}, 0

    def means(self) -> dict[str, float]:
        """Metrics of the epoch under way."""
        return {name: total / self.num_positions for name, total in self.sums.items()}


def save_checkpoint(path: Path, model: "keras.Model", state: RunState) -> None:
    """Write the model's variables, its optimizer's and the state; whole or not at all."""
    fields = {key: value for key, value in asdict(state).items() if key != "best_weights"}
    arrays = {
        "state": np.array(json.dumps(fields)),
        **_numbered("model", model.variables),
        **_numbered("optimizer", model.optimizer.variables),
        **_numbered("best", state.best_weights),
    }
    write_whole(path, lambda beside: np.savez(beside, **arrays))


def load_checkpoint(path: Path, model: "keras.Model") -> RunState:
    """Read a checkpoint into a compiled model of the same build.

    Raises:
        CheckpointError: missing, damaged, or of another network.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = dict(archive)
        state = RunState(**json.loads(str(arrays["state"])))
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise CheckpointError(
            f"expected a checkpoint in {path}: got {error}; start a new run without --resume"
        ) from error
    model.optimizer.build(model.trainable_variables)
    _assign(path, model.variables, _series(arrays, "model"))
    _assign(path, model.optimizer.variables, _series(arrays, "optimizer"))
    state.best_weights = _series(arrays, "best")
    return state


def _numbered(prefix: str, values: Any) -> dict[str, np.ndarray]:
    return {f"{prefix}_{index:04}": np.asarray(value) for index, value in enumerate(values)}


def _series(arrays: dict[str, np.ndarray], prefix: str) -> list[np.ndarray]:
    return [arrays[key] for key in sorted(arrays) if key.startswith(f"{prefix}_")]


def _assign(path: Path, variables: list, values: list[np.ndarray]) -> None:
    expected = [tuple(variable.shape) for variable in variables]
    if expected != [value.shape for value in values]:
        raise CheckpointError(
            f"expected the network of this run in {path}: got one of other shapes; "
            "start a new run without --resume"
        )
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value)
