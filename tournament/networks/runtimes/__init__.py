"""The runtimes that evaluate networks, by the names that a tuning stores.

A runtime is a module with `compile_network(model, planes, precision)`; the name is that of its
package on PyPI. It runs on the calling thread alone, flushes denormals to zero and writes no file.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from tournament.errors import NetworkError, NetworkMemoryError, OptionsError

if TYPE_CHECKING:  # submit.py --help answers before NumPy is there
    import numpy as np

Run = Callable[[], "tuple[np.ndarray, np.ndarray]"]

_NO_MEMORY = re.compile(r"bad_?\s?alloc|allocate|out of memory", re.IGNORECASE)
DEFAULT_RUNTIME = "onnxruntime"
PRECISIONS = FLOAT32, BF16 = ("float32", "bf16")
BF16_RUNTIME = "openvino"
_MODULES = {
    "onnxruntime": "tournament.networks.runtimes.onnx_runtime",
    "openvino": "tournament.networks.runtimes.open_vino",
}


@cache
def installed_runtimes() -> tuple[str, ...]:
    """Return the names of the runtimes that can be imported, the default one first."""
    return tuple(name for name in _MODULES if _load(name) is not None)


def require_precision(precision: str) -> None:
    """Do nothing if networks can compute in a precision of `PRECISIONS` on this machine.

    Raises:
        OptionsError: it is bf16, and OpenVINO is missing or the processor doesn't compute in it.
    """
    if precision == FLOAT32:
        return
    module = _load(BF16_RUNTIME)
    if module is None:
        raise OptionsError(f"--precision {BF16} needs OpenVINO: pip install {BF16_RUNTIME}")
    if not module.has_bfloat16():
        raise OptionsError(
            f"--precision {BF16} needs a processor with AVX512_BF16 or AMX, and this one has "
            f"neither; every processor has {FLOAT32}"
        )


def compile_network(
    runtime: str, model: bytes, planes: "np.ndarray", precision: str = FLOAT32
) -> Run:
    """Compile a network for batches of len(planes) positions.

    Args:
        runtime: a name of `installed_runtimes`.
        model: an artefact's bytes, from `planes` [B, size, size, planes] to `policy` [B, moves] and
            `value` [B, 1].
        planes: float32 [batch, size, size, planes], contiguous; each run reads them where they are.
        precision: in which it computes, of `PRECISIONS`; only OpenVINO has bf16.

    Returns:
        a function that evaluates what `planes` holds; it returns (policy [batch, moves], value
        [batch, 1]) in arrays that its next call overwrites, and raises NetworkError.

    Raises:
        NetworkError: the runtime is missing, or does not take the model, or the model reads planes
            of another shape; a NetworkMemoryError if the memory does not suffice, here and in a
            run.
    """
    module = _load(runtime)
    if module is None:
        names = ", ".join(installed_runtimes())
        raise NetworkError(f"the runtime {runtime!r} is not installed; there are {names}")
    try:
        run = module.compile_network(model, planes, precision)
    except Exception as error:  # runtimes raise classes of their own without a common root
        raise _failure(error, f"{runtime} cannot open the network") from error

    def checked_run() -> "tuple[np.ndarray, np.ndarray]":
        try:
            return run()
        except Exception as error:  # as above
            raise _failure(error, f"{runtime} cannot evaluate the network") from error

    return checked_run


def require_input(found: Sequence[object], planes: "np.ndarray") -> None:
    """Raise NetworkError where a model reads planes of another shape than these; for runtimes.

    Otherwise a reshape in the model could take the numbers of some boards for those of others.
    """
    if tuple(found) != planes.shape[1:]:
        raise NetworkError(f"it reads planes {tuple(found)}, not {planes.shape[1:]}")


def _failure(error: Exception, what: str) -> NetworkError:
    """Return what to raise for an error of a runtime; each has its own words for want of memory."""
    if isinstance(error, MemoryError) or _NO_MEMORY.search(str(error)):
        return NetworkMemoryError(f"{what} in the memory of this process")
    return NetworkError(f"{what}: {error}")


def _load(name: str) -> ModuleType | None:
    try:
        return import_module(_MODULES[name]) if name in _MODULES else None
    except ImportError:
        return None
