"""What the search asks of a network, and the one runtime behind it."""

from pathlib import Path
from typing import Protocol

import numpy as np
import onnxruntime

from golois.shapes import PLANES_SHAPE
from tournament.errors import NetworkError


class Evaluator(Protocol):
    """Evaluates positions in batches of at most `batch_size`.

    A search may write its leaves straight into `planes`, float32 [batch_size, 19, 19, 31], and
    evaluate `planes[:k]`; the buffer is never changed by the evaluator.
    """

    batch_size: int
    planes: np.ndarray

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (policy, value_white) of float32 planes [k, 19, 19, 31], 1 ≤ k ≤ batch_size.

        `policy` is [k, 361], probabilities of the points without a pass; `value_white` is [k],
        P(White wins) in [0, 1]. Illegal moves are not masked.

        Raises:
            NetworkError: the runtime failed.
        """
        ...


class OnnxEvaluator:
    """An artefact of the intake on onnxruntime: one thread, no spinning, denormals flushed.

    All of its time is processor time of the calling thread, so that a CPU clock sees it. It is
    warm when the constructor returns. Not safe for two threads at once.
    """

    def __init__(self, onnx_path: str | Path, batch_size: int = 8) -> None:
        """Raises NetworkError when the artefact cannot be opened."""
        self.batch_size = batch_size
        self.planes = np.zeros((batch_size, *PLANES_SHAPE), np.float32)
        try:
            self._session = open_session(Path(onnx_path).read_bytes())
        except OSError as error:
            raise NetworkError(f"expected an artefact at {onnx_path}: {error.strerror}") from error
        for size in (batch_size, 1):
            self.evaluate(self.planes[:size])

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return run_session(self._session, planes)


def open_session(model: bytes) -> onnxruntime.InferenceSession:
    """Return a one-thread session for the bytes of an ONNX model.

    Raises:
        NetworkError: the runtime does not take the model.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.set_denormal_as_zero", "1")
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises classes of its own without a common root
        raise NetworkError(f"onnxruntime cannot open the network: {error}") from error


def run_session(
    session: onnxruntime.InferenceSession, planes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (policy [k, 361], value_white [k]) of planes [k, 19, 19, 31]; raises NetworkError."""
    try:
        policy, value = session.run(("policy", "value"), {"planes": planes})
    except Exception as error:  # as above
        raise NetworkError(f"onnxruntime cannot evaluate the network: {error}") from error
    return policy, value[:, 0]
