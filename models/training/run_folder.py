"""The files of a training run's folder, and how a run is resumed.

`config.json` is written once. `checkpoint.npz` is the source of truth; the others are rewritten on
resume: `history.csv`, `curves.png`, `last.h5`, perhaps `average.h5`, and `best.h5` and perhaps
`best_with_heads.h5`, the weights with the lowest validation loss of any epoch.
"""

import hashlib
import json
import platform
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from golois.kit.files import sha256_of
from golois.kit.run_folder import RunFolder
from models.catalogue.own import is_own
from models.contract import Count, count_parameters
from models.training.checkpoint import RunState, load_checkpoint, save_checkpoint, stage_of
from models.training.history import draw_curves, write_csv
from models.training.steps import save_network

BEFORE_THE_OPTION = {"optimizer": "adam", "weight_decay": 0.0, "warmup_epochs": 0.0}
"""What the oldest runs did, whose config.json does not have these options."""

if TYPE_CHECKING:
    import keras

    from models.training.unpacking import PackedInput


def describe_run(
    options: dict[str, Any], settings: dict[str, Any], network: "keras.Model", games: Any
) -> dict[str, Any]:
    """Collect what a reader of `config.json` needs; `settings` are the network's."""
    import keras

    libraries = ("numpy", "keras", keras.backend.backend())
    own = network.to_json() if is_own(options["model"]) else None
    return {
        "options": options,
        "model_options": settings,
        "own_network": own and hashlib.sha256(own.encode()).hexdigest(),
        "parameters": {count: count_parameters(network, count) for count in get_args(Count)},
        "data": {
            "files": [describe_file(dataset) for dataset in games.sources],
            "num_train_positions": games.num_positions("train"),
            "num_validation_positions": games.num_positions("validation"),
        },
        "features": games.features,
        "teacher": sha256_of(options["distill"]) if options["distill"] else None,
        "versions": {
            "python": platform.python_version(),
            **{name: sys.modules[name].__version__ for name in libraries},
        },
        "started_at": datetime.now().astimezone().isoformat(timespec="seconds"),
    }


def describe_file(dataset: Any) -> dict[str, Any]:
    """Describe what a `golois.Dataset` reads; equal games have equal checksums."""
    return {
        "sha256": sha256_of(dataset.file.path),
        "checksums": dataset.file.checksums,
        "sources": dataset.file.provenance.get("sources", []),  # none by write_games
        "num_games": len(dataset.file),
        "num_train_positions": dataset.num_positions("train"),
        "num_validation_positions": dataset.num_positions("validation"),
    }


def digests_of(described: Mapping[str, Any]) -> list[str]:
    """Return what tells the games of a file that `describe_file` has described.

    Files with a digest in common have the same games. The last one stays when a file gets its
    ladders; the oldest runs have the SHA-256 alone, which does not.
    """
    known = [described[name] for name in ("sha256", "checksums") if name in described]
    return [json.dumps(one, sort_keys=True) for one in known]


def have_same_games(
    files: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]
) -> bool:
    """Return whether described files have the same games, in the same order."""
    pairs = [(set(digests_of(a)), digests_of(b)) for a, b in zip(files, others, strict=False)]
    return len(files) == len(others) and not any(ours.isdisjoint(its) for ours, its in pairs)


class TrainingFolder(RunFolder):
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.history = path / "history.csv"
        self.best = path / "best.h5"
        self.best_with_heads = path / "best_with_heads.h5"
        self.average = path / "average.h5"
        self.last = path / "last.h5"
        self.worst = path / "worst.png"

    def read_config(self) -> dict[str, Any]:
        """See RunFolder; the oldest runs have the options that they could not choose."""
        config = super().read_config()
        if isinstance(config, dict) and isinstance(config.get("options"), dict):
            config["options"] = {**BEFORE_THE_OPTION, **config["options"]}
        return config

    def save(self, model: "PackedInput", state: RunState) -> None:
        """Save the run, and after an epoch that lowered its loss also the network in `best.h5`."""
        save_checkpoint(self.checkpoint, model, state)
        self._write_networks(model, state, is_best=state.best_epoch == len(state.history))

    def stage(self) -> int:
        """Read which stage of the curriculum the run has reached."""
        return stage_of(self.checkpoint)

    def restore(self, model: "PackedInput", first_rate: float) -> RunState:
        """Load the checkpoint and rewrite what follows from it; CheckpointError: it doesn't fit."""
        state = load_checkpoint(self.checkpoint, model)
        self._write_networks(model, state, is_best=True)
        if state.history:
            draw_curves(self.curves, state.history, first_rate)
        return state

    def _write_networks(self, model: "PackedInput", state: RunState, is_best: bool) -> None:
        save_network(self.last, model.network)
        others = {self.average: state.average_weights}
        if is_best:
            others[self.best] = state.best_weights
        current = model.get_weights()
        for path, weights in others.items():
            if weights:
                model.set_weights(weights)
                save_network(path, model.network)
                if path == self.best and model.auxiliary:
                    save_network(self.best_with_heads, model.trained)
        model.set_weights(current)
        if not state.average_weights:  # a longer run has begun its average anew
            self.average.unlink(missing_ok=True)
        write_csv(self.history, state.history)  # last: a row means that its best.h5 is there
