"""selfplay.py learns a solved game from nothing: the share of won positions whose win it keeps."""

import re
from math import isnan
from pathlib import Path

import pytest

from models.training.quiet import import_keras_quietly

import_keras_quietly()

from selfplay.command import main  # noqa: E402
from selfplay.journal import read_journal  # noqa: E402

pytestmark = pytest.mark.usefixtures("order_of_sums_as_before", "without_curves")


def kept(folder: Path, *arguments: str) -> list[float]:
    """The share of wins that the policy alone keeps, after each iteration of a run."""
    assert main([*arguments, "--out", str(folder / "run")], "") == 0
    rows = read_journal(folder / "run" / "journal.csv")
    assert not any(isnan(row["kept"]) for row in rows)
    return [row["kept"] for row in rows]


def test_nogo_3x3_is_learned_from_nothing(tmp_path):
    shares = kept(tmp_path, "--preset", "nogo3", "--iterations", "4")
    assert shares[0] < 0.75 and shares[-1] > 0.82


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["0", "1"])
def test_nogo_3x3_is_learned_to_nearly_all_wins(seed, tmp_path):
    assert kept(tmp_path, "--preset", "nogo3", "--seed", seed)[-1] >= 0.99


@pytest.mark.slow
def test_nogo_4x4_is_learned_beyond_its_beginnings(tmp_path):
    shares = kept(tmp_path, "--preset", "nogo4", "--iterations", "8")
    assert shares[0] < 0.56 and max(shares) > 0.7


@pytest.mark.slow
def test_hex_4x4_is_learned_to_nearly_all_wins(tmp_path):
    assert kept(tmp_path, "--preset", "hex4")[-1] >= 0.95


@pytest.mark.slow
def test_hex_5x5_beats_random_moves(tmp_path, capsys):
    arguments = ["--preset", "hex4", "--size", "5", "--iterations", "4"]
    assert main([*arguments, "--out", str(tmp_path / "run")], "") == 0
    capsys.readouterr()
    match = ["--against", "random", "--games", "100", "--simulations", "16"]
    assert main(["measure", str(tmp_path / "run"), *match], "") == 0
    share = re.search(r"16 simulations a move: ([\d.]+)% of 100 games", capsys.readouterr().out)
    assert share and float(share[1]) >= 95
