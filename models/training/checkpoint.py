"""The resumable checkpoint, one file, from which the rest of the run's folder follows."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from golois.kit.files import write_whole
from golois.kit.run_folder import DAMAGES, CheckpointError
from models.training.averaging import add_to_mean

if TYPE_CHECKING:
    import keras

ARRAYS = {"best": "best_weights", "average": "average_weights", "mean": "mean_weights"}
"""Fields of `RunState` that are lists of arrays, by their names in the file."""


@dataclass
class RunState:
    """Where a run stands, besides its weights.

    step: batches trained on; with the seed it decides the next batch.
    seconds: spent training and validating, by the run's clock.
    sums: metrics of the epoch under way, summed over its num_positions, or those that are `known`.
    known: rows that had a target, of the losses of auxiliary heads.
    history: one row a complete epoch, see `models.training.history`.
    best_loss: lowest validation loss so far, of last or averaged weights; best_epoch ended then.
    best_share: how much of the best weights is the average, if they are averaged.
    average_weights: averaged weights at the end of the last epoch, when there is an average.
    mean_weights: mean of the trained weights at the ends of mean_count epochs, for `--swa`.
    stage: of the curriculum, from 0, after stage_began complete epochs.
    """

    step: int = 0
    seconds: float = 0.0
    last_loss: float = float("nan")
    num_positions: int = 0
    sums: dict[str, float] = field(default_factory=dict)
    known: dict[str, float] = field(default_factory=dict)
    history: list[dict[str, float]] = field(default_factory=list)
    schedule: dict[str, Any] = field(default_factory=dict)
    best_loss: float = float("inf")
    best_epoch: int = 0
    best_is_averaged: bool = False
    best_share: float = 1.0
    best_weights: list[np.ndarray] = field(default_factory=list)
    average_weights: list[np.ndarray] = field(default_factory=list)
    mean_weights: list[np.ndarray] = field(default_factory=list)
    mean_count: int = 0
    stage: int = 0
    stage_began: int = 0

    def add_batch(
        self, means: dict[str, float], num_positions: int,
        known: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        """Count one batch more, given its mean metrics; those of `known` are of so many rows."""
        # A metric that begins within an epoch, after an update of the kit, has no mean over it.
        names = self.sums if self.num_positions else means
        rows = {name: known.get(name, num_positions) for name in names}
        self.sums = {name: self.sums.get(name, 0.0) + means[name] * rows[name] for name in names}
        self.known = {
            name: self.known.get(name, self.num_positions) + rows[name]
            for name in names if name in known
        }
        self.step += 1
        self.last_loss = means["loss"]
        self.num_positions += num_positions

    def add_to_mean(self, model: "keras.Model") -> None:
        """Count the weights of one epoch more into their mean."""
        self.mean_count += 1
        weights = model.trainable_variables
        self.mean_weights = add_to_mean(self.mean_weights, weights, self.mean_count)

    def forget_mean(self) -> None:
        """Begin the mean of weights anew with the next epoch that is counted."""
        self.average_weights, self.mean_weights, self.mean_count = [], [], 0

    def offer(
        self, model: "keras.Model", loss: float, is_averaged: bool = False, share: float = 1.0
    ) -> None:
        """Keep a model's current weights unless earlier ones had a lower held-out loss."""
        if is_averaged and share == 1:
            self.average_weights = [np.array(weight) for weight in model.get_weights()]
        if loss < self.best_loss:
            self.best_loss = loss
            self.best_epoch = len(self.history) + 1
            self.best_is_averaged, self.best_share = is_averaged, share
            self.best_weights = [np.array(weight) for weight in model.get_weights()]

    def begin_stage(self) -> None:
        """Continue with the next network of a curriculum; the best weights so far are discarded."""
        self.stage += 1
        self.stage_began = len(self.history)
        self.best_loss, self.best_epoch, self.best_is_averaged = float("inf"), 0, False
        self.best_weights = []
        self.forget_mean()

    @property
    def all_positions(self) -> int:
        """Positions of all batches so far."""
        before = self.history[-1]["positions"] if self.history else 0
        return int(before) + self.num_positions

    def end_epoch(self, learning_rate: float, measured: dict[str, float]) -> None:
        """Close the epoch with a row of history (last learning rate, measures); begin the next."""
        self.history.append(
            {
                "epoch": len(self.history) + 1,
                "step": self.step,
                "seconds": round(self.seconds, 3),
                "learning_rate": learning_rate,
                "positions": self.all_positions,
                **self.means(),
                **measured,
                **({"stage": self.stage} if self.stage else {}),
            }
        )
        self.sums, self.known, self.num_positions = {}, {}, 0

    @property
    def best_of(self) -> str:
        """Which weights the best ones are, in words."""
        if self.best_share < 1:
            return f"weights of epoch {self.best_epoch}, {self.best_share:.0%} averaged"
        weights = "averaged weights" if self.best_is_averaged else "weights"
        return f"{weights} of epoch {self.best_epoch}"

    def means(self) -> dict[str, float]:
        """Return metrics of the epoch under way; NaN of a head without a target."""
        rows = {name: self.known.get(name, self.num_positions) for name in self.sums}
        return {name: total / (rows[name] or nan) for name, total in self.sums.items()}


def save_checkpoint(path: Path, model: "keras.Model", state: RunState) -> None:
    """Write the model's variables, its optimizer's and the state; whole or not at all."""
    fields = {key: value for key, value in vars(state).items() if key not in ARRAYS.values()}
    arrays: dict[str, Any] = {
        "state": np.array(json.dumps(fields)),
        **_numbered("model", model.variables),
        **_numbered("optimizer", model.optimizer.variables),
    }
    for prefix, name in ARRAYS.items():
        arrays |= _numbered(prefix, getattr(state, name))
    write_whole(path, lambda beside: np.savez(beside, **arrays), durable=False)


def load_checkpoint(path: Path, model: "keras.Model") -> RunState:
    """Read a checkpoint into a compiled model; CheckpointError: damaged, or of another network."""
    state, arrays = _read(path)
    model.optimizer.build(model.trainable_variables)
    _assign(path, model.variables, _series(arrays, "model"))
    _assign(path, model.optimizer.variables, _series(arrays, "optimizer"))
    for prefix, name in ARRAYS.items():
        setattr(state, name, _series(arrays, prefix))
    return state


def stage_of(path: Path) -> int:
    """Read a checkpoint's stage of the curriculum, 0 without a file; CheckpointError if damaged."""
    return _read(path)[0].stage if path.exists() else 0


def _read(path: Path) -> tuple[RunState, dict[str, np.ndarray]]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = dict(archive)
        return RunState(**json.loads(str(arrays["state"]))), arrays
    except DAMAGES as error:
        raise CheckpointError(
            f"cannot read the checkpoint {path} ({error}); start a new run without --resume"
        ) from error


def _numbered(prefix: str, values: Any) -> dict[str, np.ndarray]:
    return {f"{prefix}_{index:04}": np.asarray(value) for index, value in enumerate(values)}


def _series(arrays: dict[str, np.ndarray], prefix: str) -> list[np.ndarray]:
    return [arrays[key] for key in sorted(arrays) if key.startswith(f"{prefix}_")]


def _assign(path: Path, variables: list, values: list[np.ndarray]) -> None:
    expected = [tuple(variable.shape) for variable in variables]
    if expected != [value.shape for value in values]:
        raise CheckpointError(
            f"the weights in {path} have other shapes than this run's network; "
            "start a new run without --resume"
        )
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value)
