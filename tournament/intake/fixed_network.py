"""A network that never changes, to compare the speed of machines by; it has learnt nothing."""

from collections.abc import Sequence

import numpy as np

from golois.shapes import NUM_PLANES, NUM_POINTS, PLANES_SHAPE
from tournament.intake.graph.onnx import INPUT, POLICY, VALUE, OnnxModel, encode_node

CONVOLUTIONS, FILTERS = 5, 48  # about 100,000 parameters, as a submission of the course has


def fixed_network() -> bytes:
    """Return an artefact of 3×3 convolutions with ReLU; equal bytes on every machine."""
    weights = np.random.Generator(np.random.PCG64(0))
    constants = {"flat": np.array([-1, NUM_POINTS], np.int64)}
    nodes = [encode_node("Transpose", [INPUT], "x0", perm=(0, 3, 1, 2))]

    def convolve(source: str, result: str, shape: Sequence[int]) -> None:
        scale = np.sqrt(2 / np.prod(shape[1:]))
        kernel = f"kernel of {result}"
        constants[kernel] = (scale * weights.uniform(-1, 1, shape)).astype(np.float32)
        nodes.append(encode_node("Conv", [source, kernel], result, pads=[shape[-1] // 2] * 4))

    for number in range(CONVOLUTIONS):
        channels = FILTERS if number else NUM_PLANES
        convolve(f"x{number}", f"y{number}", (FILTERS, channels, 3, 3))
        nodes.append(encode_node("Relu", [f"y{number}"], f"x{number + 1}"))
    convolve(f"x{CONVOLUTIONS}", "heights", (1, FILTERS, 1, 1))
    nodes += [
        encode_node("Reshape", ["heights", "flat"], "logits"),
        encode_node("Softmax", ["logits"], POLICY),
        encode_node("ReduceMean", ["logits"], "mean", axes=[1], keepdims=1),
        encode_node("Sigmoid", ["mean"], VALUE),
    ]
    outputs = {POLICY: (NUM_POINTS,), VALUE: (1,)}
    return OnnxModel("fixed", nodes, constants, {INPUT: PLANES_SHAPE}, outputs).encode()
