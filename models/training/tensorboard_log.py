"""The measures of a run for TensorBoard, written by the callback of Keras."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from golois.kit.command import UsageError

PACKAGE = "tensorboard"


def require_tensorboard() -> None:
    """Check that the package is there, which writes too; UsageError: it is not installed."""
    if find_spec(PACKAGE) is None:
        raise UsageError(f"--tensorboard needs another package: pip install {PACKAGE}")


@contextmanager
def opened(folder: Path | None, model: Any) -> Iterator[Callable[[Mapping[str, float]], None]]:
    """Give what writes a row of the history into a folder; without a folder nothing is written."""
    if folder is None:
        yield lambda row: None
        return
    import keras

    callback = keras.callbacks.TensorBoard(str(folder), write_graph=False)
    callback.set_model(model)
    try:
        yield lambda row: callback.on_epoch_end(
            int(row["epoch"]), {name: value for name, value in row.items() if name != "epoch"}
        )
    finally:
        callback.on_train_end()
