"""One game of SGF: names, komi, set-up and moves as they stand in the file, and their replay."""

from dataclasses import replace

import pytest

from golois.errors import DataFormatError, IllegalMoveError
from golois.go.coords import BLACK, WHITE, gtp_to_point
from golois.records.exporting import to_sgf_line
from golois.records.packed_file import GameFile
from golois.sgf.reading import read_sgf
from golois.sgf.writing import game_root, tree_text
from tests.data import EMBEDDED_GAMES

HANDICAP = (
    b"\xef\xbb\xbf(;FF[4]SZ[19]PB[A\\]da]PW[Gr\nace \xff]DT[2020-02-02]RE[Void]KM[0.5]HA[2]"
    b"RU[Chinese]AB[dd][pp](;W[dp]C[a (;B[aa\\])];B[])(;W[aa]))(;B[cc])"
)


def points(text: str) -> list[int]:
    return [gtp_to_point(vertex) for vertex in text.split()]


def test_a_game_is_read_in_the_files_own_words():
    game = read_sgf(HANDICAP)
    assert (game.black, game.white, game.date) == ("A]da", "Gr ace ÿ", "2020-02-02")
    assert (game.result, game.rules, game.komi) == ("Void", "Chinese", 0.5)
    assert game.set_up == tuple((BLACK, point) for point in points("D16 Q4"))
    assert game.moves == tuple(zip((WHITE, BLACK), points("D4 pass"), strict=True))


def test_a_replay_stops_where_it_is_told_with_the_turn_of_the_next_move():
    game = read_sgf(HANDICAP)
    assert [game.replay(n).to_play for n in (0, 1)] == [WHITE, BLACK]
    assert game.replay(0).moves == list(game.set_up)
    assert game.replay().moves == [*game.set_up, *game.moves]
    out_of_turn = read_sgf(b"(;AW[dd];W[dp])")
    assert out_of_turn.replay(0).to_play == WHITE
    assert out_of_turn.komi is None and out_of_turn.black == ""


@pytest.mark.parametrize(
    ("text", "to_play"),
    [
        ("(;AB[dd]AW[pp]PL[W])", WHITE),
        ("(;PL[W]AB[dd][pp]AW[dp])", WHITE),
        ("(;AB[dd][pp]PL[B])", BLACK),
        ("(;PL[white])", WHITE),
        ("(;PL[2])", WHITE),
        ("(;AB[dd];PL[B])", BLACK),
        ("(;B[dd];PL[B])", BLACK),
        ("(;B[dd];W[pp]PL[W])", WHITE),
        ("(;PL[W];B[dd])", WHITE),
        ("(;PL[B]AB[dd];W[dp])", BLACK),
        ("(;AB[dd]PL[])", WHITE),
    ],
)
def test_the_file_may_say_whose_turn_it_is_at_the_end(text, to_play):
    game = read_sgf(text.encode())
    assert game.replay().to_play == to_play
    *_, last = game.boards()
    assert last.to_play == to_play
    root = game_root(game, 7.5)
    if not game.moves and game.to_play:
        assert read_sgf(tree_text(root).encode()) == replace(game, komi=7.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no game tree of SGF"),
        ("(;GM[2])", "the game is not Go: its GM is 2"),
        ("(;SZ[9];B[dd])", "the board must have 19×19 points: its SZ is 9"),
        ("(;KM[7.3];B[dd])", r"the komi must be a multiple of 1/4 .*, not KM\[7\.3\]"),
        ("(;B[dd]AE[dd])", "set-up that removes stones"),
        ("(;B[dd];AB[cc])", "set-up stones after the first move"),
        ("(;B[zz])", "'zz' is not a point of a 19×19 board"),
        ("(;B[dd", "a property's value has no end"),
    ],
)
def test_what_is_no_game_of_ours_is_refused_in_a_sentence(text, message):
    with pytest.raises(DataFormatError, match=message):
        read_sgf(text.encode())


def test_an_illegal_move_is_found_by_the_replay():
    game = read_sgf(b"(;B[dd];W[dd])")
    assert game.replay(1).num_moves == 1
    with pytest.raises(IllegalMoveError, match="cannot play D16 as move 2: occupied"):
        game.replay()


def test_what_the_export_writes_is_read_again():
    record = GameFile.open(EMBEDDED_GAMES)[0]
    game = read_sgf(to_sgf_line(record).encode())
    assert [point for _, point in game.moves] == record.points.tolist()
    assert (game.komi, game.result) == (record.komi, record.result)
