"""The games of the kit are those that data/README.md describes."""

import hashlib

import numpy as np
import pytest

from golois.constants import PASS
from golois.data.dataset import Dataset
from golois.records.importing import import_games
from golois.records.packed_file import GameFile
from tests.data import EMBEDDED_GAMES, GOLDEN_FOLDERS, LABELLED_GAMES, ROOT

NUM_MOVES = 604_202


@pytest.mark.parametrize(
    ("path", "num_games", "num_positions", "sha256"),
    [
        (EMBEDDED_GAMES, 2029, 588_676,
         "5c10c906dd7b568c2d1cedb5e9dd4aa3778c687c05441317e3362556061ef6a3"),
        (LABELLED_GAMES, 321, 89_033,
         "16248023538dd196800b101b0b0462bb20ae125d65bed2ff78155ac795430091"),
    ],
    ids=["embedded", "labelled"],
)  # fmt: skip
def test_a_file_is_the_one_described(path, num_games, num_positions, sha256):
    data = path.read_bytes()
    assert hashlib.sha256(data).hexdigest() == sha256
    readme = (ROOT / "data" / "README.md").read_text()
    for number in (num_games, num_positions, len(data)):
        assert f" {number:,} |" in readme
    assert f"`{sha256}`" in readme
    games = GameFile.open(path)
    games.verify()
    assert (len(games), games.num_positions) == (num_games, num_positions)
    assert games.num_valued_positions() == num_positions
    assert games.komi_histogram() == {7.5: num_games}


def test_the_embedded_games():
    games = GameFile.open(EMBEDDED_GAMES)
    assert int(games.rows["num_moves"].sum()) == NUM_MOVES
    assert f" {NUM_MOVES:,} |" in (ROOT / "data" / "README.md").read_text()
    first = games[0]
    assert (first.result, first.rules) == ("B+29.5", "koPOSITIONALscoreAREAtaxNONEsui0")
    assert (first.source, first.played_out) == ("katago_b6.sgfs.xz", True)
    assert first.points[:4].tolist() == [53, 72, 73, 287]
    np.testing.assert_array_equal(first.values[:4], np.float32([0.53, 0.49, 0.52, 0.49]))
    assert first.points[-2:].tolist() == [361, 361]


def test_the_courses_text_has_as_many_positions_as_labels_on_the_board(tmp_path):
    source = GOLDEN_FOLDERS[0] / "games.data"
    num_games, *games = source.read_text().splitlines()
    num_positions = 0
    for game in games:
        moves = np.array(game.split()[3:], float).reshape(-1, 4)
        num_positions += int(((moves[:, 0] < PASS) & (moves[:, 2] >= 0)).sum())
    summary = import_games([source], tmp_path / "out.games")
    assert (summary.num_games, dict(summary.dropped)) == (int(num_games), {})
    assert summary.num_positions == num_positions


def test_the_teacher_often_prefers_the_move_that_was_played():
    data = Dataset(LABELLED_GAMES, threads=1)
    assert GameFile.open(LABELLED_GAMES).num_soft_positions() == 89_033
    batch = data.walk(2000, 0, "train", targets=("policy", "played", "value_white"))
    agreement = np.mean(batch.policy.argmax(axis=1) == batch.played.argmax(axis=1))
    assert 0.5 < agreement < 0.9
    assert np.mean((batch.policy * batch.played).sum(axis=1) > 0) > 0.9
    assert 0.3 < batch.value_white.mean() < 0.7
