"""How fast this machine is, in evaluations of one fixed network a CPU second."""

import statistics
import time
from collections.abc import Callable, Sequence

import numpy as np

from golois.constants import NUM_PLANES, NUM_POINTS, PLANES_SHAPE
from tournament.game.options import EventOptions
from tournament.intake.graph.onnx import INPUT, POLICY, VALUE, OnnxModel, encode_node
from tournament.networks.evaluator import NetworkEvaluator

MEASURED_SECONDS = 1.5
CONVOLUTIONS, FILTERS = 5, 48  # about 100,000 parameters, as a submission of the course has


def measure_speed(
    seconds: float = MEASURED_SECONDS, clock: Callable[[], float] = time.thread_time
) -> float:
    """Measure evaluations per CPU second of the fixed network, on ONNX Runtime in batches of 8.

    It runs on one core, so it doesn't show how busy cores slow each other down.
    """
    evaluator = NetworkEvaluator(fixed_network())
    evaluator.planes[:] = np.random.default_rng(0).random(evaluator.planes.shape, np.float32)
    batches: list[float] = []
    while sum(batches) < seconds:
        started = clock()
        evaluator.evaluate(evaluator.planes)
        batches.append(clock() - started)
    return round(evaluator.batch_size / statistics.median(batches), 1)


def speed_under(options: EventOptions) -> float | None:
    """Return this machine's speed if games depend on it, or None under a limit of visits."""
    return None if options.seconds is None else measure_speed()


def fixed_network() -> bytes:
    """Return an artefact of 3×3 convolutions with ReLU, untrained; equal bytes on every machine."""
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
