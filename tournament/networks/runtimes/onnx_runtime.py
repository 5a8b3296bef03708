"""Networks on ONNX Runtime."""

import os

import numpy as np

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # read when the library is loaded
import onnxruntime

from tournament.networks.runtimes import FLOAT32, require_input

_ENTRIES = {
    "session.intra_op.allow_spinning": "0",
    "session.set_denormal_as_zero": "1",
    # It turns zeros around a board into the padding of a max pooling, which does not count.
    "optimization.disable_specified_optimizers": "Pad_Fusion",
}


class _Program:
    def __init__(self, session: onnxruntime.InferenceSession, planes: np.ndarray) -> None:
        size = len(planes)
        num_moves = {output.name: output.shape[1] for output in session.get_outputs()}["policy"]
        self._arrays = {
            "planes": planes,
            "policy": np.empty((size, num_moves), np.float32),
            "value": np.empty((size, 1), np.float32),
        }
        self._session = session
        self._binding = session.io_binding()
        for name, array in self._arrays.items():
            bind = self._binding.bind_input if array is planes else self._binding.bind_output
            bind(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)

    def __call__(self) -> tuple[np.ndarray, np.ndarray]:
        self._session.run_with_iobinding(self._binding)
        return self._arrays["policy"], self._arrays["value"]


def compile_network(model: bytes, planes: np.ndarray, precision: str) -> _Program:
    """See `compile_network` of this package; the batch is fixed, which saves some work."""
    if precision != FLOAT32:
        raise ValueError(f"it has no {precision}")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_free_dimension_override_by_name("batch", len(planes))
    for key, value in _ENTRIES.items():
        options.add_session_config_entry(key, value)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    require_input(session.get_inputs()[0].shape[1:], planes)
    return _Program(session, planes)
