"""games.data in all of its eras."""

import numpy as np
import pytest

from golois.constants import PASS
from golois.go.coords import BLACK, WHITE
from golois.records.packed_file import GameFile
from tests.games import TEXT_GAME, import_bytes, moves_of, read_games

PAIRS = "72 1 60 0 361 1 41 0"
MOVES = [(BLACK, 72), (WHITE, 60), (BLACK, PASS), (WHITE, 41)]
NONE = np.nan


def test_the_31_plane_era_has_komi_and_values(tmp_path):
    (record,) = read_games(tmp_path, f"1\n{TEXT_GAME}\n")
    assert (record.komi, record.result, record.winner) == (6.5, "W+", WHITE)
    assert moves_of(record) == MOVES[:3]
    np.testing.assert_array_equal(record.values, np.float32([NONE, 0.53, 0.07]))
    assert GameFile.open(tmp_path / "out.games").num_positions == 1  # no label, a label, a pass


def test_2021_labels_moves_from_the_first_move_on(tmp_path):
    (record,) = read_games(tmp_path, f"1\nW 4 2 {PAIRS}\n")
    assert (record.komi, record.result) == (None, "W+")
    assert moves_of(record) == MOVES
    np.testing.assert_array_equal(record.values, np.float32([NONE, NONE, 1, 1]))


def test_2021_from_the_start_leaves_the_label_to_the_result(tmp_path):
    (record,) = read_games(tmp_path, f"1\nB 4 0 {PAIRS}\n")
    assert np.isnan(record.values).all()
    assert GameFile.open(tmp_path / "out.games").num_positions == 3


def test_2020_has_pairs_alone(tmp_path):
    (record,) = read_games(tmp_path, f"1\nB 4 {PAIRS}\n")
    assert (record.komi, record.result, moves_of(record)) == (None, "B+", MOVES)
    assert np.isnan(record.values).all()


@pytest.mark.parametrize("game", [TEXT_GAME, f"W 4 2 {PAIRS}\n", f"B 4 {PAIRS}\n"])
@pytest.mark.parametrize("count", ["", "3\n"])
def test_line_breaks_and_the_count_do_not_matter(tmp_path, game, count):
    as_lines = read_games(tmp_path, count + f"{game}\n" * 3)
    as_words = read_games(tmp_path, count + "\n".join((game * 3).split()))
    assert len(as_lines) == len(as_words) == 3
    for left, right in zip(as_lines, as_words, strict=True):
        assert moves_of(left) == moves_of(right)


# name, game, reason, words of the report
BAD_GAMES = [
    ("a number too few", TEXT_GAME.rstrip().rpartition(" ")[0] + " ", "malformed", "moves need 4"),
    ("a number too many", TEXT_GAME + "1.00 ", "malformed", "3 moves need 4"),
    ("a point beyond the pass", TEXT_GAME.replace("361", "362"), "malformed", "out of range"),
    ("a third colour", TEXT_GAME.replace("60 0", "60 2"), "malformed", "out of range"),
    ("a value above 1", TEXT_GAME.replace("0.53", "1.01"), "malformed", "out of range"),
    ("a value of 1.27", TEXT_GAME.replace("0.53", "1.27"), "malformed", "out of range"),
    ("a word", TEXT_GAME.replace("0.40", "lead"), "malformed", "is not a number"),
    ("a huge number", TEXT_GAME.replace("3 72", "99999999999999999999 72"), "malformed", "number"),
    ("an occupied point", TEXT_GAME.replace("60 0", "72 0"), "illegal move", "move 2"),
    ("an odd komi", TEXT_GAME.replace("6.5", "6.6"), "komi", "1/4"),
    ("no label", TEXT_GAME.replace("0.53", "-1.00"), "no positions", "no labelled move"),
]


@pytest.mark.parametrize(
    ("name", "game", "reason", "words"), BAD_GAMES, ids=[row[0] for row in BAD_GAMES]
)
def test_a_bad_game_is_counted_and_costs_no_other(tmp_path, name, game, reason, words):
    summary = import_bytes(tmp_path, f"3\n{TEXT_GAME}\n{game}\n{TEXT_GAME}\n", name="games.data")
    assert (summary.num_games, dict(summary.dropped)) == (2, {reason: 1})
    (report,) = summary.first_drops
    assert report.startswith(f"games.data:3: {reason}: ")
    assert words in report
