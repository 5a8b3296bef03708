"""The embedded games are those that data/README.md describes."""

import hashlib

import numpy as np

from golois.constants import PASS
from golois.records.importing import import_games
from golois.records.packed_file import GameFile
from tests.data import EMBEDDED_GAMES, GOLDEN_FOLDERS, ROOT

NUM_GAMES, NUM_MOVES, NUM_POSITIONS = 2029, 604_202, 588_676
SHA256 = "5c10c906dd7b568c2d1cedb5e9dd4aa3778c687c05441317e3362556061ef6a3"


def test_the_file_is_the_one_described():
    data = EMBEDDED_GAMES.read_bytes()
    assert hashlib.sha256(data).hexdigest() == SHA256
    readme = (ROOT / "data" / "README.md").read_text()
    for number in (NUM_GAMES, NUM_MOVES, NUM_POSITIONS, len(data)):
        assert f" {number:,} |" in readme
    assert f"`{SHA256}`" in readme


def test_its_games():
    games = GameFile.open(EMBEDDED_GAMES)
    games.verify()
    assert (len(games), games.num_positions) == (NUM_GAMES, NUM_POSITIONS)
    assert int(games.rows["num_moves"].sum()) == NUM_MOVES
    assert games.num_valued_positions() == NUM_POSITIONS
    assert games.komi_histogram() == {7.5: NUM_GAMES}
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
