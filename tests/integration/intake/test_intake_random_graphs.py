"""Random small networks: what the intake makes of each answers as Keras does.

A few are among the files of every session (test_intake_parity.py); here are many, in this process.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from random_networks import SEED, build, steps
from small_networks import answers as keras_answers
from small_networks import randomise

from tests.integration.intake.parity import answers, bake, open_file, read

MAX_DIFFERENCE = 1e-4


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=steps(16), seed=SEED)
def test_many_random_networks_answer_as_keras_does(tmp_path_factory, steps, seed):
    path = tmp_path_factory.getbasetemp() / "random.h5"
    model, rng = build(steps, seed), np.random.default_rng(seed)
    randomise(model, rng)
    model.save(path)
    planes = (rng.random((2, 19, 19, 31)) < 0.4).astype(np.float32)
    expected_policy, expected_value = keras_answers(model, planes)
    network = read(open_file(path))
    assert network.parameters_total == model.count_params()
    for policy, value in answers(bake(network), planes):
        assert np.abs(policy - expected_policy).max() <= MAX_DIFFERENCE
        assert np.abs(value - expected_value[:, 0]).max() <= MAX_DIFFERENCE
