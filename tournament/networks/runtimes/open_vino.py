"""Networks on OpenVINO."""

import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np

# Its converter, which is not needed here, sends telemetry when it is imported.
sys.modules.setdefault("openvino.tools.ovc", None)  # type: ignore[arg-type]  # None: not found
import openvino  # noqa: E402

from tournament.networks.runtimes import BF16, FLOAT32, INT8, Run, require_input  # noqa: E402

_PROPERTIES = {
    "INFERENCE_NUM_THREADS": 1,
    "NUM_STREAMS": 0,  # the caller's thread does the work, and no other is kept
    "ENABLE_CPU_PINNING": False,
    "CPU_DENORMALS_OPTIMIZATION": True,
}
_HINTS = {FLOAT32: "f32", BF16: "bf16", INT8: "f32"}  # int8 is in the model itself
_CPU_INFO = Path("/proc/cpuinfo")


class _Program:
    def __init__(self, compiled: openvino.CompiledModel, inputs: Mapping[str, np.ndarray]) -> None:
        self._answers = {}
        for output in compiled.outputs:  # one may have several names
            answer = np.empty(tuple(output.shape), np.float32)
            self._answers.update(dict.fromkeys(output.names, answer))
        self._inputs = inputs  # a tensor keeps no array alive
        self._request = compiled.create_infer_request()
        for name, array in {**self._inputs, **self._answers}.items():
            self._request.set_tensor(name, openvino.Tensor(array, shared_memory=True))

    def __call__(self) -> dict[str, np.ndarray]:
        self._request.infer()
        return self._answers


def has_bfloat16() -> bool:
    """Return whether the processor computes in bfloat16, by Linux: OpenVINO may emulate it."""
    if "BF16" not in _core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        return False
    return not _CPU_INFO.exists() or bool({"avx512_bf16", "amx_bf16"} & cpu_flags(_CPU_INFO))


def cpu_flags(info: Path) -> set[str]:
    """Return the abilities of the first processor in a file like /proc/cpuinfo."""
    lines = info.read_text().splitlines()
    return set(next((line for line in lines if line.startswith("flags")), "").split())


def compile_network(model: bytes, planes: np.ndarray, precision: str) -> Run:
    """See `compile_network` of this package; shapes that are fixed make it much faster."""
    network = _core().read_model(model)
    _, *shape = network.input("planes").partial_shape
    require_input([dimension.get_length() for dimension in shape], planes)
    network.reshape({"planes": list(planes.shape)})
    run = compile_model(network, {"planes": planes}, precision)

    def policy_and_value() -> tuple[np.ndarray, np.ndarray]:
        answers = run()
        return answers["policy"], answers["value"]

    return policy_and_value


def compile_model(
    model: openvino.Model, inputs: Mapping[str, np.ndarray], precision: str
) -> Callable[[], dict[str, np.ndarray]]:
    """Compile a model of fixed shapes for the calling thread, with its named inputs in place.

    Each run reads the arrays of `inputs`, float32 and contiguous, and returns the named outputs,
    float32, which the next run overwrites.
    """
    # Without a hint some processors would use bfloat16.
    properties = {**_PROPERTIES, "INFERENCE_PRECISION_HINT": _HINTS[precision]}
    return _Program(_core().compile_model(model, "CPU", properties), inputs)


@cache
def _core() -> openvino.Core:
    """Return this process's only core: a second one would leave a freed signal stack at exit."""
    return openvino.Core()
