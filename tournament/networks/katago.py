"""A KataGo network on this machine's processor, for players, labels and measurements."""

from collections.abc import Callable

import numpy as np

from golois.constants import BOARD_SIZE
from golois.katago.inputs import Inputs
from golois.katago.network import Network
from golois.katago.reading import NUM_GLOBALS, NUM_PLANES
from tournament.networks.runtimes import FLOAT32, INT8, compile_katago, require_precision

_COST_ALONE = 1.15  # of a position in a batch


class KataGoNetwork:
    """A network on OpenVINO: a `golois.katago.answers.Predict` for any number of positions.

    The calling thread does all the work, in batches of `batch_size`. What is left is computed one
    by one if that is quicker than one more batch. Each of the two programs is compiled when it is
    first needed, which takes seconds. Not safe for two threads at once.
    """

    def __init__(
        self,
        network: Network,
        batch_size: int = 8,
        precision: str = FLOAT32,
        examples: Callable[[], Inputs] | None = None,
    ) -> None:
        """Raise OptionsError for a precision that this machine lacks.

        int8 needs `examples`, positions like those of later calls: in float32, they tell the range
        of the numbers that each convolution reads.
        """
        require_precision(precision)
        self.batch_size = batch_size
        self._network = network
        self._precision = precision
        self._ranges: list[tuple[float, float]] = []
        self._planes = np.zeros((batch_size, BOARD_SIZE, BOARD_SIZE, NUM_PLANES), np.float32)
        self._globals = np.zeros((batch_size, NUM_GLOBALS), np.float32)
        self._runs: dict[int, Callable[[], dict[str, np.ndarray]]] = {}
        if precision == INT8:
            assert examples is not None
            self._ranges = self._ranges_in(examples())

    def __call__(self, planes: np.ndarray, global_inputs: np.ndarray) -> dict[str, np.ndarray]:
        """Return the raw outputs of planes [B, 19, 19, 22] and globals [B, 19], B at least 1.

        The arrays, those of `golois.katago.walk.outputs`, belong to the caller.

        Raises:
            NetworkError: OpenVINO is missing, or fails.
        """
        parts, start = [], 0
        for size in self._sizes(len(planes)):
            if size not in self._runs:
                inputs = self._planes[:size], self._globals[:size]
                program = compile_katago(self._network, *inputs, self._precision, self._ranges)
                self._runs[size] = program
            count = self._show(planes, global_inputs, slice(start, start + size))
            answers = self._runs[size]()
            parts.append({name: answer[:count].copy() for name, answer in answers.items()})
            start += size
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _show(self, planes: np.ndarray, global_inputs: np.ndarray, rows: slice) -> int:
        """Copy rows to where programs read them; return how many there are."""
        count = len(planes[rows])
        self._planes[:count], self._globals[:count] = planes[rows], global_inputs[rows]
        return count

    def _ranges_in(self, examples: Inputs) -> list[tuple[float, float]]:
        """Return the least and the largest number that each convolution of a block reads."""
        run = compile_katago(self._network, self._planes, self._globals, measures=True)
        least, most = [], []
        for start in range(0, len(examples.planes), self.batch_size):
            rows = slice(start, start + self.batch_size)
            count = self._show(examples.planes, examples.globals, rows)
            found = run()
            least.append(found["least"][:, :count].min(axis=1))
            most.append(found["most"][:, :count].max(axis=1))
        columns = np.min(least, axis=0).tolist(), np.max(most, axis=0).tolist()
        return list(zip(*columns, strict=True))

    def _sizes(self, count: int) -> list[int]:
        """Return the batches for so many positions; the last may be larger than what is left."""
        whole, left = divmod(count, self.batch_size)
        alone = left * _COST_ALONE < self.batch_size
        return [self.batch_size] * whole + ([1] * left if alone else [self.batch_size])
