"""Networks whose answers are wrong or dear."""

from pathlib import Path

import pytest
from spoil import late_bomb

from tests.integration.intake.hostile import said
from tests.integration.intake.parity import open_file, read
from tournament.intake import JudgeOptions, judge
from tournament.intake.bake import FLOPS_PER_PARAMETER
from tournament.intake.trial import judge_and_try
from tournament.networks.evaluator import sample_positions

pytestmark = pytest.mark.usefixtures("forked_children")

MAX_BYTES = 512 << 20


@pytest.fixture(name="late_bomb")
def late_bomb_file(keras_files, tmp_path) -> Path:
    return late_bomb(keras_files, tmp_path)


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


@pytest.mark.slow
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
