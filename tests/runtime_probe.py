"""What a runtime does to its process; run by test_runtimes.py, prints JSON."""

import json
import os
import signal
import sys
import time

import numpy as np

from tests.small_networks import artefact, random_artefact
from tournament.networks.evaluator import NetworkEvaluator


def seconds_of_evaluations(runtime: str) -> tuple[float, float]:
    """Processor seconds of the process and of this thread alone, for some evaluations."""
    evaluator = NetworkEvaluator(random_artefact(filters=64), 32, runtime)
    process, thread = time.process_time(), time.thread_time()
    for _ in range(30):
        evaluator.evaluate(evaluator.planes)
    return time.process_time() - process, time.thread_time() - thread


def value_behind_denormals(runtime: str) -> float:
    """The value of a network that has denormal activations on the way: 0.5 where they are 0."""
    first = np.zeros((1, 1, 31, 1))
    first[..., 0, 0] = 1e-20
    steps = [first, np.full((1, 1, 1, 1), 1e-20), np.full((1, 1, 1, 1), 1e38)]
    evaluator = NetworkEvaluator(artefact(steps), 1, runtime)
    evaluator.planes[:] = 100.0
    return float(evaluator.evaluate(evaluator.planes)[1][0])


def signals_heard_after_two_came_and_went(runtime: str) -> int:
    """Signals that find their handler when two networks have gone, the elder one first: 1."""
    heard = []
    signal.signal(signal.SIGTERM, lambda number, _frame: heard.append(number))
    evaluators = [NetworkEvaluator(random_artefact(filters=4), 1, runtime) for _ in range(2)]
    while evaluators:
        evaluators.pop(0)
    signal.raise_signal(signal.SIGTERM)
    return len(heard)


def main(runtime: str) -> None:
    affinity = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    process, thread = seconds_of_evaluations(runtime)
    report = {
        "process_seconds": process,
        "thread_seconds": thread,
        "value_behind_denormals": value_behind_denormals(runtime),
        "num_signals": signals_heard_after_two_came_and_went(runtime),
        "is_pinned": hasattr(os, "sched_getaffinity") and os.sched_getaffinity(0) != affinity,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1])
