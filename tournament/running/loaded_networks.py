"""The networks that a worker has loaded, and the memory that they may take."""

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from tournament.errors import NetworkMemoryError
from tournament.networks.evaluator import Evaluator, NetworkEvaluator
from tournament.networks.symmetric_evaluator import SymmetricEvaluator
from tournament.networks.tuning import read_memory

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]  # where there is no such module

CACHE_BYTES = 400_000_000
PROCESS_BYTES = 4 << 30  # 256 MB in batches of 8 are 1 GB in batches of 32, and two play


def limit_memory() -> None:
    """Limit what this process may have, so that a network that wants more fails and no other one.

    Otherwise the system would kill processes of its choice. Systems without such a limit have none.
    """
    if resource is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = PROCESS_BYTES if hard == resource.RLIM_INFINITY else min(hard, PROCESS_BYTES)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


class LoadedNetworks:
    """Evaluators of artefacts; the least recently used are dropped where memory is needed.

    Args:
        artefacts: the folder of SHA256.onnx files.
        open_network: opens an artefact for a batch size.
        cache_bytes: what they may take, by what the intake measured; one is kept in any case.
    """

    def __init__(
        self,
        artefacts: Path,
        open_network: Callable[[Path, int | None], NetworkEvaluator],
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self._artefacts, self._open_network = artefacts, open_network
        self._cache_bytes = cache_bytes
        self._loaded: OrderedDict[tuple, tuple[Evaluator, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._loaded)

    def get(self, sha256: str, batch_size: int | None, tta: bool) -> Evaluator:
        """Return the evaluator of a network.

        Raises:
            NetworkMemoryError: it does not fit into the memory, even alone.
            NetworkError: it cannot be opened.
        """
        key = sha256, batch_size, tta
        if key not in self._loaded:
            network = self._open(self._artefacts / f"{sha256}.onnx", batch_size)
            size = read_memory(self._artefacts / f"{sha256}.onnx", network.batch_size)
            self._make_room(size)
            self._loaded[key] = (SymmetricEvaluator(network) if tta else network), size
        self._loaded.move_to_end(key)
        return self._loaded[key][0]

    def _open(self, path: Path, batch_size: int | None) -> NetworkEvaluator:
        try:
            return self._open_network(path, batch_size)
        except NetworkMemoryError:
            self._loaded.clear()  # the memory may be full of others
        return self._open_network(path, batch_size)

    def _make_room(self, size: int) -> None:
        while self._loaded and size + sum(each for _, each in self._loaded.values()) > (
            self._cache_bytes
        ):
            self._loaded.popitem(last=False)
