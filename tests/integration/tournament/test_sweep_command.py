"""sweep.py for real on two tiny networks: killed in its first training, and again in its league."""

import csv
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.data import ROOT
from tournament.league.league import League

pytestmark = pytest.mark.slow

CONFIG = """
model = "resnet"
epochs = 6
steps_per_epoch = 10
batch_size = 16
validation_positions = 64
set = { filters = 4 }

[grid]
set.blocks = [1, 2]

[league]
visits = 4
games = 8
"""


def start(folder: Path, name: str) -> subprocess.Popen:
    """Begin the sweep; its output goes into a file, which those that it leaves may go on with."""
    with (folder / name).open("w") as output:
        return subprocess.Popen(
            [sys.executable, "sweep.py", folder / "sweep.toml", "--out", folder / "out"],
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def kill_once(condition, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 300
    while not condition():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    process.kill()
    process.wait()


def test_a_killed_sweep_goes_on_to_its_table(tmp_path):
    (tmp_path / "sweep.toml").write_text(CONFIG)
    out, league = tmp_path / "out", tmp_path / "out" / "league"
    first, second = (out / "runs" / name for name in ("blocks1", "blocks2"))
    kill_once((first / "history.csv").exists, start(tmp_path, "killed in training.txt"))
    assert not (first / "verdict.json").exists() and not second.exists()

    def has_played() -> bool:
        return any(league.glob("games/*.sgf"))

    kill_once(has_played, start(tmp_path, "killed in the league.txt"))
    assert (first / "verdict.json").exists() and (second / "verdict.json").exists()
    trained_at = [(run / "checkpoint.npz").stat().st_mtime_ns for run in (first, second)]

    process = start(tmp_path, "whole.txt")
    assert process.wait(600) == 0, (tmp_path / "whole.txt").read_text()
    assert [(run / "checkpoint.npz").stat().st_mtime_ns for run in (first, second)] == trained_at
    assert len(list(League(league).games.all())) == 8
    with (out / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["name"] for row in rows} == {"blocks1", "blocks2"}
    for row in rows:
        assert float(row["value_mae"]) > float(row["value_mse"]) > 0
        assert float(row["ms_per_evaluation"]) > 0
        assert (row["positions"], row["games"]) == ("960", "8")
        assert float(row["elo_halfwidth"]) > 0
    table = (out / "table.md").read_text()
    assert table in (tmp_path / "whole.txt").read_text()
    assert "95 %" in table
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
