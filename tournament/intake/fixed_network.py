"""A network that never changes, to compare the speed of machines by; it has learnt nothing."""

from collections.abc import Sequence

import numpy as np
from onnx import helper, numpy_helper

from golois.shapes import NUM_PLANES, NUM_POINTS, PLANES_SHAPE
from tournament.intake.onnx_graph import (
    INPUT,
    IR_VERSION,
    OPSET,
    POLICY,
    VALUE,
    described_tensor,
)

CONVOLUTIONS, FILTERS = 5, 48  # about 100,000 parameters, as a submission of the course has


def fixed_network() -> bytes:
    """Return an artefact of 3×3 convolutions with ReLU; equal bytes on every machine."""
    weights = np.random.Generator(np.random.PCG64(0))
    constants = [numpy_helper.from_array(np.array([-1, NUM_POINTS]), "flat")]
    nodes = [helper.make_node("Transpose", [INPUT], ["x0"], perm=(0, 3, 1, 2))]

    def convolve(source: str, result: str, shape: Sequence[int]) -> None:
        scale = np.sqrt(2 / np.prod(shape[1:]))
        kernel = (scale * weights.uniform(-1, 1, shape)).astype(np.float32)
        constants.append(numpy_helper.from_array(kernel, f"kernel of {result}"))
        nodes.append(
            helper.make_node(
                "Conv", [source, f"kernel of {result}"], [result], pads=[shape[-1] // 2] * 4
            )
        )

    for number in range(CONVOLUTIONS):
        channels = FILTERS if number else NUM_PLANES
        convolve(f"x{number}", f"y{number}", (FILTERS, channels, 3, 3))
        nodes.append(helper.make_node("Relu", [f"y{number}"], [f"x{number + 1}"]))
    convolve(f"x{CONVOLUTIONS}", "heights", (1, FILTERS, 1, 1))
    nodes += [
        helper.make_node("Reshape", ["heights", "flat"], ["logits"]),
        helper.make_node("Softmax", ["logits"], [POLICY]),
        helper.make_node("ReduceMean", ["logits"], ["mean"], axes=[1], keepdims=1),
        helper.make_node("Sigmoid", ["mean"], [VALUE]),
    ]
    graph = helper.make_graph(
        nodes,
        "fixed",
        [described_tensor(INPUT, PLANES_SHAPE)],
        [described_tensor(POLICY, (NUM_POINTS,)), described_tensor(VALUE, (1,))],
        constants,
    )
    opsets = [helper.make_opsetid("", OPSET)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION).SerializeToString()
