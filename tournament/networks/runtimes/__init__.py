"""The runtimes that evaluate networks, by their names on PyPI, which a tuning stores.

A runtime is a module with `compile_network(model, planes, precision)`. It runs on the calling
thread alone, flushes denormals to zero and writes no file.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from tournament.errors import NetworkError, NetworkMemoryError, OptionsError

if TYPE_CHECKING:  # submit.py --help answers before NumPy is there
    import numpy as np

    from golois.katago.network import Network

T = TypeVar("T")
Run = Callable[[], "tuple[np.ndarray, np.ndarray]"]

_NO_MEMORY = re.compile(r"bad_?\s?alloc|allocate|out of memory", re.IGNORECASE)
DEFAULT_RUNTIME = "onnxruntime"
PRECISIONS = FLOAT32, BF16 = ("float32", "bf16")
INT8 = "int8"  # only for networks of KataGo that label
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
    """Raise OptionsError if this machine lacks a precision, such as bf16."""
    if precision == FLOAT32:
        return
    module = _load(BF16_RUNTIME)
    if module is None:
        raise OptionsError(f"--precision {precision} needs OpenVINO: pip install {BF16_RUNTIME}")
    if precision == BF16 and not module.has_bfloat16():
        raise OptionsError(
            f"--precision {BF16} needs a processor with AVX512_BF16 or AMX, and this one has "
            f"neither; every processor has {FLOAT32}"
        )


def best_precision() -> str:
    """Return bf16 where this machine has it, otherwise float32."""
    module = _load(BF16_RUNTIME)
    return BF16 if module is not None and module.has_bfloat16() else FLOAT32


def compile_network(
    runtime: str, model: bytes, planes: "np.ndarray", precision: str = FLOAT32
) -> Run:
    """Compile an artefact's bytes for batches of len(planes) positions, with an installed runtime.

    `planes` is float32 [batch, size, size, planes], contiguous; each run reads it in place. A run
    returns (policy [batch, moves], value [batch, 1]), which the next run overwrites.

    Raises:
        NetworkError: the runtime is missing or refuses the model, or the model reads planes of
            another shape; NetworkMemoryError if the memory does not suffice. Runs raise both too.
    """
    module = _load(runtime)
    if module is None:
        names = ", ".join(installed_runtimes())
        raise NetworkError(f"the runtime {runtime!r} is not installed; use one of {names}")
    return _in_words(runtime, lambda: module.compile_network(model, planes, precision))


def compile_katago(
    network: "Network",
    planes: "np.ndarray",
    global_inputs: "np.ndarray",
    precision: str = FLOAT32,
    ranges: Sequence[tuple[float, float]] = (),
    measures: bool = False,
) -> "Callable[[], dict[str, np.ndarray]]":
    """Compile a KataGo network on OpenVINO for batches of len(planes) positions.

    `planes` is float32 [batch, 19, 19, 22], `global_inputs` float32 [batch, 19], both contiguous;
    each run reads them in place. A run returns what `golois.katago.walk.outputs` names, float32,
    which the next run overwrites. int8 needs the `ranges` of `katago.build_model`; a program that
    `measures` returns what `katago.build_extremes` says, so that the caller finds them.

    Raises:
        NetworkError: OpenVINO is missing or refuses the network; NetworkMemoryError if the memory
            does not suffice. Runs raise both too.
        OptionsError: this machine lacks the precision.
    """
    module = _load(BF16_RUNTIME)
    if module is None:
        raise NetworkError(f"KataGo's networks need OpenVINO: pip install {BF16_RUNTIME}")
    require_precision(precision)
    inputs = {"planes": planes, "globals": global_inputs}

    def compiled() -> "Callable[[], dict[str, np.ndarray]]":
        katago = import_module("tournament.networks.runtimes.katago")
        if measures:
            model = katago.build_extremes(network, len(planes))
        else:
            model = katago.build_model(network, len(planes), ranges)
        return module.compile_model(model, inputs, precision)

    return _in_words(BF16_RUNTIME, compiled)


def _in_words(runtime: str, compiled: Callable[[], Callable[[], T]]) -> Callable[[], T]:
    """Return what a runtime compiled; its errors, then and in each run, become NetworkErrors."""
    try:
        run = compiled()
    except Exception as error:  # runtimes raise classes of their own without a common root
        raise _failure(error, f"{runtime} cannot open the network") from error

    def checked_run() -> T:
        try:
            return run()
        except Exception as error:  # as above
            raise _failure(error, f"{runtime} cannot evaluate the network") from error

    return checked_run


def require_input(found: Sequence[object], planes: "np.ndarray") -> None:
    """Raise NetworkError where a model reads planes of another shape; a reshape could hide this."""
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
