"""Networks whose answers are wrong or dear."""

import shutil
from pathlib import Path

import h5py
import pytest

from tests.integration.intake.hostile import said
from tests.integration.intake.parity import open_file, read
from tournament.intake import JudgeOptions, judge
from tournament.intake.answers import sample_positions
from tournament.intake.bake import FLOPS_PER_PARAMETER
from tournament.intake.trial import judge_and_try

MAX_BYTES = 512 << 20
OWN_STONES, OPPONENTS, OPPONENTS_BEFORE = 11, 12, 14  # planes


@pytest.fixture
def late_bomb(keras_files, tmp_path) -> Path:
    """A network whose value leaves its range once there are more than thirty stones.

    Not in the eight fixed positions of the intake: no stone has just been played in them.
    """
    path = tmp_path / "late_bomb.h5"
    shutil.copy(keras_files / "late_bomb.h5", path)
    with h5py.File(path, "r+") as file:
        weights = file["model_weights"]
        seen = weights["seen/seen/kernel"]
        seen[...] = 0
        seen[0, 0, [OWN_STONES, OPPONENTS], 0] = 1
        seen[0, 0, OPPONENTS, 1], seen[0, 0, OPPONENTS_BEFORE, 1] = 1, -1
        for name, kernel, bias in (("many", (1, 0), -30 / 361), ("moved", (0, 1), 0)):
            weights[f"{name}/{name}/kernel"][:, 0] = kernel
            weights[f"{name}/{name}/bias"][...] = bias
    return path


def test_a_network_that_fails_late_in_a_game_is_refused(late_bomb, tmp_path):
    verdicts = [
        judge(late_bomb, work_dir=tmp_path / "work", options=JudgeOptions(seed=seed))
        for seed in (1, 2, 2)
    ]
    for seed, verdict in zip((1, 2, 2), verdicts, strict=True):
        text = said(verdict.faults)
        assert "the value is not a probability" in text
        assert text.endswith(f"on a position of a real game (seed {seed})")
    assert verdicts[1].faults == verdicts[2].faults != verdicts[0].faults


def test_fixed_positions_would_not_find_it(late_bomb, tmp_path, monkeypatch):
    fixed = sample_positions().astype("uint8")
    monkeypatch.setattr("tournament.intake.real_positions.draw_positions", lambda seed: fixed)
    monkeypatch.setattr("tournament.intake.trial.draw_opening", lambda seed: ())
    assert judge_and_try(late_bomb, work_dir=tmp_path, options=JudgeOptions()).accepted


def test_a_value_that_leaves_its_range_only_in_the_game_is_told_the_sigmoid(
    late_bomb, tmp_path, monkeypatch
):
    fixed = sample_positions().astype("uint8")
    monkeypatch.setattr("tournament.intake.real_positions.draw_positions", lambda seed: fixed)
    opening = tuple(range(0, 120, 3))
    monkeypatch.setattr("tournament.intake.trial.draw_opening", lambda seed: opening)
    verdict = judge_and_try(late_bomb, work_dir=tmp_path, options=JudgeOptions())
    (fault,) = verdict.faults
    assert "the network fails in a game" in fault.text and "the value must be" in fault.text
    assert "activation='sigmoid'" in fault.remedy


def test_each_judgement_draws_other_positions_and_the_verdict_has_their_seed(victim, tmp_path):
    first, second = (judge(victim, work_dir=tmp_path / "work").manifest for _ in range(2))
    assert first.seed != second.seed
    assert first.num_positions > 150


def test_a_network_is_read_that_costs_about_as_much_as_one_may(keras_files):
    most = FLOPS_PER_PARAMETER * JudgeOptions().max_params
    assert 0.6 * most < read(open_file(keras_files / "dear.h5")).graph.flops() <= most


@pytest.mark.slow
def test_the_dearest_evaluation_that_is_taken_is_within_the_limits(keras_files, tmp_path):
    verdict = judge(keras_files / "dear.h5", work_dir=tmp_path)
    assert verdict.accepted and verdict.manifest.flops > 300_000_000
    assert verdict.usage.peak_bytes <= MAX_BYTES
