"""The game that a network plays before it is filed, where it breaks off."""

import pytest

from tests.fake_arena import tiny_network
from tournament.game import play
from tournament.intake import IntakeError, JudgeOptions, Manifest, Verdict, trial


def test_a_game_that_breaks_off_is_no_fault_of_the_network(tmp_path, monkeypatch):
    path = tmp_path / "network.onnx"
    path.write_bytes(tiny_network(0))
    manifest = Manifest("a", "b", 1, 1, 1, "3", {}, 8, 0.5, 0.0, "none")

    def adjudicate(*arguments: object) -> None:
        raise MemoryError("of this machine")

    monkeypatch.setattr(trial, "judge", lambda *_, **__: Verdict(True, (), manifest, path))
    assert trial.judge_and_try("x.h5", work_dir=tmp_path, options=JudgeOptions()).accepted
    monkeypatch.setattr(play, "_decided", adjudicate)
    with pytest.raises(IntakeError, match="broke off: MemoryError: of this machine"):
        trial.judge_and_try("x.h5", work_dir=tmp_path, options=JudgeOptions())
