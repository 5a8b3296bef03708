"""Networks on OpenVINO."""

import sys
from functools import cache

import numpy as np

# Its converter, which is not needed here, sends telemetry when it is imported.
sys.modules.setdefault("openvino.tools.ovc", None)  # type: ignore[arg-type]  # None: not found
import openvino  # noqa: E402

from tournament.networks.runtimes import require_input  # noqa: E402

_PROPERTIES = {
    "INFERENCE_NUM_THREADS": 1,
    "NUM_STREAMS": 0,  # the caller's thread does the work, and no other is kept
    "ENABLE_CPU_PINNING": False,
    "INFERENCE_PRECISION_HINT": "f32",  # otherwise some processors would use bfloat16
    "CPU_DENORMALS_OPTIMIZATION": True,
}


class _Program:
    """A request whose inputs and outputs are our own arrays."""

    def __init__(self, compiled: openvino.CompiledModel, planes: np.ndarray) -> None:
        size = len(planes)
        num_moves = compiled.output("policy").shape[1]
        self._arrays = {  # a tensor keeps no array alive
            "planes": planes,
            "policy": np.empty((size, num_moves), np.float32),
            "value": np.empty((size, 1), np.float32),
        }
        self._request = compiled.create_infer_request()
        for name, array in self._arrays.items():
            self._request.set_tensor(name, openvino.Tensor(array, shared_memory=True))

    def __call__(self) -> tuple[np.ndarray, np.ndarray]:
        self._request.infer()
        return self._arrays["policy"], self._arrays["value"]


def compile_network(model: bytes, planes: np.ndarray) -> _Program:
    """See `compile_network` of this package; shapes that are fixed make it much faster."""
    network = _core().read_model(model)
    _, *shape = network.input("planes").partial_shape
    require_input([dimension.get_length() for dimension in shape], planes)
    network.reshape({"planes": list(planes.shape)})
    return _Program(_core().compile_model(network, "CPU", _PROPERTIES), planes)


@cache
def _core() -> openvino.Core:
    """Return this process's only core, which lives until the process exits.

    A core sets the thread's signal stack and frees it when it is destroyed. If two cores are
    destroyed in the order of their creation, the thread keeps a freed stack, and the next Ctrl-C
    crashes.
    """
    return openvino.Core()
