"""An iteration's shards on this process's GPU: games in lockstep, the network by Keras."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from golois.kit.command import UsageError
from golois.kit.signals import Stopped, StopRequest
from models.catalogue.saved import open_network
from models.contract import OUTPUTS
from models.training.precision import Precision, with_precision
from selfplay.machines import PlaysShards
from selfplay.options import Options
from selfplay.shards import TimedNetwork, num_parallel, play_games
from tournament.networks.evaluator import Evaluator


def require_gpu() -> None:
    """Do nothing if Keras has a GPU. Raises UsageError: it sees none."""
    import keras

    if not keras.distribution.list_devices("gpu"):
        raise UsageError(
            f"--device cuda needs a GPU, and {keras.backend.backend()} finds none: install its "
            "CUDA version, or leave out --device"
        )


class CompiledNetwork(Evaluator):
    """A network by Keras, an .h5 compiled for one size of a batch; fewer positions cost as much."""

    def __init__(
        self, path: Path, batch_size: int, precision: Precision = "mixed_bfloat16"
    ) -> None:
        import keras

        network = with_precision(open_network(path), precision)
        self.batch_size = batch_size
        self.planes = np.zeros((batch_size, *network.input_shape[1:]), np.float32)
        self._network = network
        self._plays = keras.Model(network.inputs, network.outputs[: len(OUTPUTS)])
        self._plays.compile(jit_compile="auto")  # by XLA, but not where TensorFlow adds up in order

    def take(self, path: Path) -> None:
        """Compute with the weights of another network of the same layers from now on."""
        self._network.set_weights(open_network(path).get_weights())

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See Evaluator."""
        num_rows = len(planes)
        if not np.shares_memory(planes, self.planes):
            self.planes[:num_rows] = planes
        policy, value = (np.asarray(one) for one in self._plays.predict_on_batch(self.planes))
        return policy[:num_rows].copy(), value[:num_rows, 0].copy()


class Gpu(PlaysShards):
    """The GPU of this machine; a request to stop is looked at before each batch."""

    def __init__(self, options: Options, stop: StopRequest) -> None:
        self._options = options
        self._stop = stop
        self._networks: dict[str, CompiledNetwork] = {}

    def __enter__(self) -> "Gpu":
        return self

    def __exit__(self, *_error: Any) -> None:
        self._networks.clear()

    def play(self, jobs: Sequence[dict[str, Any]], on_evaluated: Callable[[int], None]) -> None:
        """See PlaysShards; the .h5 files lie beside the artefacts."""
        network = self._opened("artefact", jobs[0])
        victim = self._opened("victim", jobs[0]) if jobs[0].get("victim") else None
        clock = time.monotonic  # the processor waits for the GPU
        for job in jobs:
            timed = TimedNetwork(network, victim, clock)
            place = (job["first_game"], job["num_games"], Path(job["out"]))
            for count in play_games(timed, self._options, *place, threads=self._options.workers):
                if self._stop.signal:
                    raise Stopped
                on_evaluated(count)

    def _opened(self, role: str, job: dict[str, Any]) -> CompiledNetwork:
        path = Path(job[role]).with_suffix(".h5")
        if role in self._networks:
            self._networks[role].take(path)
        else:
            size = num_parallel(self._options, self._options.games_per_shard)
            self._networks[role] = CompiledNetwork(path, size)
        return self._networks[role]
