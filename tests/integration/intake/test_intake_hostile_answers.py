"""Networks whose answers are wrong or dear."""

import h5py

from tournament.intake import judge

MAX_BYTES = 512 << 20



def test_a_policy_that_is_no_distribution_is_refused(victim, refusal):
    """Its softmax is taken away."""
    with h5py.File(victim, "r+") as file:
        config = file.attrs["model_config"]
        assert config.count('"activation": "softmax"') == 1
        file.attrs["model_config"] = config.replace('"softmax"', '"sigmoid"')
    assert "not a distribution" in refusal(victim)


def test_weights_that_overflow_are_refused(victim, refusal):
    """Each is finite, what they make of a position is not."""
    with h5py.File(victim, "r+") as file:
        file["model_weights/conv2d/conv2d/kernel"][...] = 1e38
    assert refusal(victim)


def test_the_dearest_evaluation_that_is_taken_is_within_the_limits(keras_files, tmp_path):
    verdict = judge(keras_files / "dear.h5", work_dir=tmp_path)
    assert verdict.accepted and verdict.manifest.flops > 300_000_000
    assert verdict.usage.peak_bytes <= MAX_BYTES
