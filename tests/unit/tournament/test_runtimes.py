"""Each runtime: one thread, no denormals, no files, and the answers where they belong."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.data import ROOT
from tests.small_networks import Writer, convolution, random_artefact
from tournament.errors import NetworkError
from tournament.intake.graph.graph import evaluate
from tournament.intake.graph.onnx import to_onnx
from tournament.intake.graph.ops import Dense, Pad, Pool, Reshape, Softmax, Unary
from tournament.networks.evaluator import NetworkEvaluator
from tournament.networks.runtimes import installed_runtimes

each_runtime = pytest.mark.parametrize("runtime", installed_runtimes())


@pytest.fixture(scope="module")
def probed(tmp_path_factory):
    """What runtime_probe.py prints of a runtime, and what it leaves in its home."""

    def probe(runtime: str) -> tuple[dict, list]:
        home = tmp_path_factory.mktemp(runtime)
        kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
        result = subprocess.run(
            [sys.executable, "-m", "tests.runtime_probe", runtime],
            cwd=home,
            text=True,
            env={**kept, "HOME": str(home), "PYTHONPATH": str(ROOT)},
            capture_output=True,
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout), list(home.iterdir())

    return {runtime: probe(runtime) for runtime in installed_runtimes()}


@pytest.mark.slow
@each_runtime
def test_a_runtime_works_in_the_calling_thread_without_denormals_or_files(probed, runtime):
    report, _ = probed[runtime]
    share = report["thread_seconds"] / report["process_seconds"]
    assert share > 0.8, "of two threads, each would have a half"
    assert not report["is_pinned"]
    assert probed[runtime][0]["value_behind_denormals"] == 0.5
    assert probed[runtime][0]["num_signals"] == 1
    assert probed[runtime][1] == []


@each_runtime
def test_any_number_of_positions_up_to_a_batch_is_answered(runtime):
    planes = np.random.default_rng(1).random((4, 19, 19, 31), np.float32)
    singly = NetworkEvaluator(random_artefact(), 1, runtime)
    evaluator = NetworkEvaluator(random_artefact(), 4, runtime)
    expected = [singly.evaluate(planes[i : i + 1]) for i in range(4)]
    policies, values = (np.concatenate(column) for column in zip(*expected, strict=True))
    evaluator.planes[:] = planes
    for given in (planes, planes[1:3], planes[3:], evaluator.planes[:2], evaluator.planes[2:]):
        evaluator.planes[:] = planes
        rows = [next(i for i in range(4) if np.array_equal(one, planes[i])) for one in given]
        policy, value_white = evaluator.evaluate(given)
        assert policy.dtype == value_white.dtype == np.float32
        np.testing.assert_allclose(policy, policies[rows], atol=1e-6)
        np.testing.assert_allclose(value_white, values[rows], atol=1e-6)


@each_runtime
def test_answers_are_not_overwritten_by_the_next(runtime):
    evaluator = NetworkEvaluator(random_artefact(), 2, runtime)
    evaluator.planes[:] = 1.0
    policy, value_white = evaluator.evaluate(evaluator.planes)
    before = policy.copy(), value_white.copy()
    evaluator.planes[:] = np.random.default_rng(2).random(evaluator.planes.shape)
    assert not np.array_equal(evaluator.evaluate(evaluator.planes)[0], before[0])
    assert np.array_equal(policy, before[0]) and np.array_equal(value_white, before[1])


@each_runtime
def test_zeros_around_a_board_count_in_a_maximum(runtime):
    writer = Writer()
    x = writer.add(convolution(np.full((1, 1, 31, 1), -1.0)), 0)
    x = writer.add(Pad(((1, 0), (1, 0))), x)
    x = writer.add(Pool("max", (2, 2), (1, 1), ((0, 0), (0, 0))), x)
    flat = writer.add(Reshape((361,)), x)
    policy = writer.add(Softmax(), flat)
    dense = writer.add(Dense(np.full((361, 1), 0.01, np.float32), None), flat)
    graph = writer.graph(policy, writer.add(Unary("sigmoid"), dense))
    planes = np.random.default_rng(3).random((1, 19, 19, 31), np.float32)
    answer = NetworkEvaluator(to_onnx(graph).encode(), 1, runtime).evaluate(planes)
    for found, expected in zip(answer, evaluate(graph, planes), strict=True):
        np.testing.assert_allclose(found.ravel(), expected.ravel(), atol=1e-6)


@each_runtime
def test_what_is_no_network_is_a_network_error(runtime):
    with pytest.raises(NetworkError, match=f"{runtime} cannot open"):
        NetworkEvaluator(b"no network", 1, runtime)
    with pytest.raises(NetworkError, match=f"{runtime} cannot open"):
        NetworkEvaluator(random_artefact()[:-100], 1, runtime)


def test_a_runtime_that_is_missing_is_named():
    with pytest.raises(NetworkError, match="'tea leaves' is not installed; use one of onnxruntime"):
        NetworkEvaluator(random_artefact(), 1, "tea leaves")
