"""A saved network to be measured: loaded, asked, timed, and cut at its trunk."""

import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import keras
import numpy as np

from golois.constants import BOARD_SIZE, NUM_POINTS
from golois.planes.derived import derived_planes, num_planes
from models.catalogue.saved import open_network
from models.contract import POLICY_NAME, VALUE_NAME, output_names
from models.devices import devices
from models.errors import EvaluationError
from models.evaluation.positions import COURSE, config_beside, run_of
from models.evaluation.symmetric import Outputs
from models.training.auxiliary import trunk_of

OWNERSHIP_NAME = "ownership"
OUTPUT_SIZES = {POLICY_NAME: NUM_POINTS, VALUE_NAME: 1, OWNERSHIP_NAME: NUM_POINTS}
TIMED_SECONDS, TIMED_CALLS = 1.0, 5


class Network:
    """A Keras model with the outputs of the contract, and perhaps `ownership` besides.

    Ownership is `[361]` a position, from -1, the opponent's, to 1, the side to move's. `features`
    is a name of `golois.planes.derived.FEATURE_SETS`. Raises EvaluationError: other inputs or
    outputs.
    """

    def __init__(self, model: keras.Model, title: str, features: str = COURSE):
        self.model = model
        self.title = title
        self.features = features
        expected = (BOARD_SIZE, BOARD_SIZE, num_planes(features))
        shapes = [tuple(tensor.shape[1:]) for tensor in model.inputs]
        if shapes != [expected]:
            raise EvaluationError(
                f"expected one input of {expected}, the {features} planes, in {title}: got {shapes}"
            )
        outputs = output_names(model)
        names = [name for name in outputs if name in OUTPUT_SIZES]
        sizes = {
            name: int(np.prod(tensor.shape[1:]))
            for name, tensor in zip(outputs, model.outputs, strict=True)
        }
        wanted = {name: OUTPUT_SIZES[name] for name in {POLICY_NAME, VALUE_NAME, *names}}
        if {name: sizes.get(name) for name in wanted} != wanted:
            raise EvaluationError(
                f"expected outputs {POLICY_NAME} of 361 and {VALUE_NAME} of 1 number in {title}: "
                f"got {', '.join(f'{name} of {size}' for name, size in sizes.items())}"
            )
        self.has_ownership = OWNERSHIP_NAME in names

    def predict(self, planes: np.ndarray) -> Outputs:
        """Answer for course planes `[B, 19, 19, 31]`, in a batch; EvaluationError for NaN."""
        outputs = keras.tree.flatten(self.model.predict_on_batch(self.shown(planes)))
        answers = dict(zip(self.model.output_names, outputs, strict=True))
        if not all(np.isfinite(answer).all() for answer in answers.values()):
            raise EvaluationError(
                f"some answers of {self.title} are not finite: train with a lower --lr"
            )
        ownership = None
        if self.has_ownership:
            ownership = answers[OWNERSHIP_NAME].reshape(-1, NUM_POINTS)
        return Outputs(answers[POLICY_NAME], answers[VALUE_NAME].reshape(-1), ownership)

    def shown(self, planes: np.ndarray) -> np.ndarray:
        """Return the planes that the model reads, float32, of the course's `[B, 19, 19, 31]`."""
        if self.features != COURSE:
            planes = derived_planes(planes, self.features)
        return np.asarray(planes, np.float32)

    def milliseconds(self, batch_size: int) -> dict[str, float]:
        """Time a position in batches of this size; others' work on the same core shows.

        "wall" is median milliseconds of a position by the clock; "cpu" is mean milliseconds of the
        process's threads; "calls" is the number of batches.
        """
        planes = np.zeros((batch_size, *self.model.input_shape[1:]), np.float32)
        self.model.predict_on_batch(planes)
        walls: list[float] = []
        cpu, began = time.process_time(), time.perf_counter()
        while len(walls) < TIMED_CALLS or time.perf_counter() - began < TIMED_SECONDS:
            start = time.perf_counter()
            self.model.predict_on_batch(planes)
            walls.append(time.perf_counter() - start)
        cpu = (time.process_time() - cpu) / len(walls)
        return {
            "wall": 1000 * float(np.median(walls)) / batch_size,
            "cpu": 1000 * cpu / batch_size,
            "calls": len(walls),
        }

    def trunk(self) -> keras.Model:
        """Return the network up to both heads, `[B, 19, 19, C]`; EvaluationError: no board."""
        trunk = trunk_of(self.model)
        if trunk.shape[1:-1] != (BOARD_SIZE, BOARD_SIZE):
            raise EvaluationError(
                f"policy and value of {self.title} come from the shape {tuple(trunk.shape[1:])}, "
                "not from a board; take a network whose trunk keeps the 19×19 points"
            )
        return keras.Model(self.model.inputs, trunk)


def load_network(path: Path) -> Network:
    """Read an .h5 of `model.save`; the config.json of its run says which planes it reads.

    Raises EvaluationError: no such file, other inputs or outputs, or other planes than the course's
    without a config.json; SavedNetworkError: see `open_network`.
    """
    if not path.is_file():
        raise EvaluationError(f"there is no file {path}: give the .h5 of a network")
    model = open_network(path)
    run = run_of(path)
    try:
        return Network(model, str(path), run.get("features", COURSE))
    except EvaluationError as error:
        if run or model.inputs[0].shape[-1] == num_planes(COURSE):
            raise
        raise EvaluationError(
            f"{error}; for other planes, put the config.json of the run at {config_beside(path)}"
        ) from None


@contextmanager
def on_one_core() -> Iterator[int | None]:
    """Keep all threads of this process on one core, whose number it gives; None: it can't."""
    if not hasattr(os, "sched_setaffinity"):
        yield None
        return
    cores = os.sched_getaffinity(0)
    core = min(cores)
    try:
        _keep_threads_on({core})
        yield core
    finally:
        _keep_threads_on(cores)


def _keep_threads_on(cores: set[int]) -> None:
    for thread in os.listdir("/proc/self/task"):
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.sched_setaffinity(int(thread), cores)


def device() -> str:
    """Name what the network runs on."""
    names = ", ".join(devices())
    processor = platform.processor() or platform.machine()
    return f"{names} ({processor}), keras {keras.__version__} on {keras.backend.backend()}"
