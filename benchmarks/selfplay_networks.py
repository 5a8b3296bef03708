"""Networks of random weights for benchmarks of self-play: as arrays, as ONNX, and on OpenVINO."""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tournament.intake.graph.onnx import OnnxModel, encode_node


@dataclass(frozen=True)
class Shape:
    """Of a network: blocks and filters, and what it reads and answers."""

    blocks: int
    filters: int
    size: int
    planes: int
    policy_size: int


def weights(shape: Shape) -> Iterator[np.ndarray]:
    """Kernels [out, in, 3, 3] of the stem and of the blocks, each of about unit gain."""
    rng = np.random.default_rng(0)
    for index in range(1 + 2 * shape.blocks):
        num_in = shape.filters if index else shape.planes
        kernel = rng.normal(0, np.sqrt(1 / (9 * num_in)), (shape.filters, num_in, 3, 3))
        yield kernel.astype(np.float32)


def head_weights(shape: Shape) -> dict[str, np.ndarray]:
    """Of the heads: policy by point, pass by the mean of the board, value by the mean too."""
    rng = np.random.default_rng(1)
    sizes = {
        "point": (1, shape.filters, 1, 1),
        "pass": (shape.filters, 1),
        "hidden": (shape.filters, 32),
        "value": (32, 1),
    }
    return {name: rng.normal(0, 0.1, size).astype(np.float32) for name, size in sizes.items()}


def by_channels_last(kernel: np.ndarray) -> np.ndarray:
    """A kernel [out, in, h, w] as [h, w, in, out]."""
    return np.ascontiguousarray(kernel.transpose(2, 3, 1, 0))


def onnx_network(shape: Shape) -> bytes:
    """The network from planes [B, n, n, p] to policy and value, as ONNX."""
    nodes: list[bytes] = []
    constants: dict[str, np.ndarray] = {}

    def add(operation: str, inputs: list[str], name: str, **attributes: Any) -> str:
        nodes.append(encode_node(operation, inputs, name, name, **attributes))
        return name

    def constant(name: str, array: np.ndarray) -> str:
        constants[name] = array
        return name

    x = add("Transpose", ["planes"], "boards", perm=[0, 3, 1, 2])
    skipped = x
    for index, kernel in enumerate(weights(shape)):
        kernel_name = constant(f"kernel{index}", kernel)
        y = add("Conv", [x, kernel_name], f"conv{index}", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        ends_block = index > 0 and index % 2 == 0
        y = add("Add", [y, skipped], f"sum{index}") if ends_block else y
        x = add("Relu", [y], f"relu{index}")
        skipped = x if index % 2 == 0 else skipped
    heads = {name: constant(f"{name}_head", array) for name, array in head_weights(shape).items()}
    points = add("Conv", [x, heads["point"]], "point_logits", kernel_shape=[1, 1])
    logits = add("Flatten", [points], "flat_logits")
    pooled = add("Flatten", [add("GlobalAveragePool", [x], "pool")], "means")
    if shape.policy_size > shape.size**2:
        pass_logit = add("MatMul", [pooled, heads["pass"]], "pass_logit")
        logits = add("Concat", [logits, pass_logit], "logits", axis=1)
    add("Softmax", [logits], "policy", axis=1)
    hidden = add("Relu", [add("MatMul", [pooled, heads["hidden"]], "hidden")], "hidden_relu")
    add("Sigmoid", [add("MatMul", [hidden, heads["value"]], "value_logit")], "value")
    planes = (shape.size, shape.size, shape.planes)
    outputs = {"policy": (shape.policy_size,), "value": (1,)}
    return OnnxModel("resnet", nodes, constants, {"planes": planes}, outputs).encode()


class Network:
    """The network on OpenVINO in one thread, for batches of one size; it adds up its time."""

    def __init__(self, shape: Shape, batch_size: int):
        sys.modules.setdefault("openvino.tools.ovc", None)  # not needed, and sends telemetry
        import openvino

        self.planes = np.zeros((batch_size, shape.size, shape.size, shape.planes), np.float32)
        self.seconds = 0.0
        self._policy = np.empty((batch_size, shape.policy_size), np.float32)
        self._value = np.empty((batch_size, 1), np.float32)
        core = openvino.Core()
        model = core.read_model(onnx_network(shape))
        model.reshape({"planes": list(self.planes.shape)})
        settings = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 0, "INFERENCE_PRECISION_HINT": "f32"}
        self._request = core.compile_model(model, "CPU", settings).create_infer_request()
        arrays = {"planes": self.planes, "policy": self._policy, "value": self._value}
        for name, array in arrays.items():
            self._request.set_tensor(name, openvino.Tensor(array, shared_memory=True))
        self._core = core

    def __call__(self) -> tuple[np.ndarray, np.ndarray]:
        """Policy and value of what `planes` holds, valid until the next call."""
        started = time.process_time()
        self._request.infer()
        self.seconds += time.process_time() - started
        return self._policy, self._value[:, 0]
