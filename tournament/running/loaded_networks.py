"""The networks that a worker has loaded, and the memory that they may take."""

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from golois.katago.reading import SUFFIXES
from tournament.errors import NetworkMemoryError
from tournament.game.options import EventOptions
from tournament.networks.evaluator import Evaluator, SymmetricEvaluator
from tournament.networks.tuning import read_memory

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]  # where there is no such module

CACHE_BYTES = 400_000_000
PROCESS_BYTES = 4 << 30  # 256 MB in batches of 8 are 1 GB in batches of 32, and two play


def limit_memory() -> None:
    """Limit this process's memory, where possible, so that only a network that wants more fails."""
    if resource is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = PROCESS_BYTES if hard == resource.RLIM_INFINITY else min(hard, PROCESS_BYTES)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


class LoadedNetworks:
    """Evaluators of artefacts within `cache_bytes`, at least one; drops the least recently used."""

    def __init__(
        self,
        artefacts: Path,
        open_network: Callable[..., Evaluator],
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self._artefacts, self._open_network = artefacts, open_network
        self._cache_bytes = cache_bytes
        self._loaded: OrderedDict[tuple, tuple[Evaluator, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._loaded)

    def get(self, sha256: str, options: EventOptions) -> Evaluator:
        """Return the evaluator of a network, as these options want it.

        Raises:
            NetworkMemoryError: it does not fit into the memory, even alone.
            NetworkError: it cannot be opened.
        """
        key = sha256, options.batch_size, options.tta, options.precision
        if key not in self._loaded:
            path = self._path(sha256)
            network = self._open(path, options)
            size = read_memory(path, network.batch_size)
            self._make_room(size)
            self._loaded[key] = (SymmetricEvaluator(network) if options.tta else network), size
        self._loaded.move_to_end(key)
        return self._loaded[key][0]

    def _path(self, sha256: str) -> Path:
        """Return where an artefact is, or would be if none of its name is there."""
        of_katago = (self._artefacts / f"{sha256}{suffix}" for suffix in SUFFIXES)
        return next(filter(Path.exists, of_katago), self._artefacts / f"{sha256}.onnx")

    def _open(self, path: Path, options: EventOptions) -> Evaluator:
        try:
            return self._open_network(path, options.batch_size, precision=options.precision)
        except NetworkMemoryError:
            self._loaded.clear()  # the memory may be full of others
        return self._open_network(path, options.batch_size, precision=options.precision)

    def _make_room(self, size: int) -> None:
        while self._loaded and size + sum(each for _, each in self._loaded.values()) > (
            self._cache_bytes
        ):
            self._loaded.popitem(last=False)
