"""How fast this machine is, in evaluations of one fixed network a CPU second."""

import statistics
import time
from collections.abc import Callable

import numpy as np

from tournament.game.rules import EventOptions
from tournament.intake.fixed_network import fixed_network
from tournament.networks.evaluator import NetworkEvaluator

MEASURED_SECONDS = 1.5


def measure_speed(
    seconds: float = MEASURED_SECONDS, clock: Callable[[], float] = time.thread_time
) -> float:
    """Measure evaluations per CPU second of the fixed network, on ONNX Runtime in batches of 8.

    It runs on one core and doesn't show how much a core slows down when all of them are busy.

    Args:
        seconds: CPU seconds to measure for, after a quarter of a second for loading.
        clock: CPU seconds of this thread.
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
