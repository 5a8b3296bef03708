"""SGF: what of a game tree becomes a record, and what becomes of bad ones."""

import re

import numpy as np
import pytest

from golois.constants import PASS
from golois.errors import DataFormatError
from golois.go.coords import BLACK, EMPTY, WHITE, sgf_to_point
from golois.records.importing import import_games
from golois.records.packed_file import GameFile
from golois.sgf.properties import sgf_properties
from golois.sgf.reading import read_sgf
from tests.games import HEAD, SHORT_GAME, import_bytes, moves_of, read_games

B, W = BLACK, WHITE


def moves(text: str) -> list[tuple[int, int]]:
    """ "Bpd Wdd B" as (colour, point) pairs; a letter alone is a pass."""
    return [({"B": B, "W": W}[m[0]], sgf_to_point(m[1:])) for m in text.split()]


# name, game tree after the head, moves
TREES = [
    ("plain", ";B[pd];W[dd];B[pq])", "Bpd Wdd Bpq"),
    ("passes", ";B[];W[tt];B[pd])", "B W Bpd"),
    ("the same colour twice", ";B[pd];B[dd];W[pq])", "Bpd Bdd Wpq"),
    ("white space", " ;\n B [pd]\t;W\r\n[dd] )", "Bpd Wdd"),
    ("long names of FF[3]", ";Black[pd];White[dd])", "Bpd Wdd"),
    ("first variations", ";B[pd](;W[dd](;B[pq])(;B[qq]))(;W[cc]))", "Bpd Wdd Bpq"),
    ("brackets in a comment", r";B[pd]C[a \] ) ( ; \\];W[dd])", "Bpd Wdd"),
    ("a tree in a comment", r";B[pd]C[see [1 (;B[aa\])];W[dd])", "Bpd Wdd"),
    ("lists of values", ";B[pd]TR[aa][bb]LB[cc:1];W[dd])", "Bpd Wdd"),
    ("unknown properties", ";B[pd]XYZ[1]BL[20];W[dd])", "Bpd Wdd"),
]


@pytest.mark.parametrize(("name", "tree", "expected"), TREES, ids=[row[0] for row in TREES])
def test_the_main_line_is_read(tmp_path, name, tree, expected):
    (record,) = read_games(tmp_path, HEAD + tree)
    assert moves_of(record) == moves(expected)


@pytest.mark.parametrize(
    ("text", "winner", "margin", "result"),
    [
        ("B+29.5", BLACK, 29.5, "B+29.5"),
        ("W+3", WHITE, 3.0, "W+3"),
        ("W+R", WHITE, None, "W+R"),
        ("B+Resign", BLACK, None, "B+R"),
        ("B+Time", BLACK, None, "B+T"),
        ("W+F", WHITE, None, "W+F"),
        ("W+", WHITE, None, "W+"),
        ("B+1.75", BLACK, None, "B+"),
        ("B+1/4", BLACK, None, "B+"),
        ("Draw", EMPTY, 0.0, "0"),
        ("0", EMPTY, 0.0, "0"),
    ],
)
def test_results(tmp_path, text, winner, margin, result):
    (record,) = read_games(tmp_path, SHORT_GAME.replace("B+R", text))
    assert (record.winner, record.margin, record.result) == (winner, margin, result)


@pytest.mark.parametrize(
    ("text", "komi"),
    [("KM[7.5]", 7.5), ("KM[0]", 0), ("KM[-6.25]", -6.25), ("", None), ("KM[]", None)],
)
def test_komi(tmp_path, text, komi):
    (record,) = read_games(tmp_path, SHORT_GAME.replace("KM[7.5]", text))
    assert record.komi == komi


def test_katago_comments_are_the_values_before_the_moves(tmp_path):
    nodes = [
        "B[pd]C[0.53 0.47 0.00 0.4 v=1]",
        "C[0.07 0.93 0.00 -12.0 v=9 weight=0.5]W[dd]",
        "B[pq]C[hello]",
    ]
    (record,) = read_games(tmp_path, HEAD + ";" + ";".join(nodes) + ")")
    np.testing.assert_array_equal(record.values, np.float32([0.53, 0.07, np.nan]))


def test_every_hundredth_is_exact(tmp_path):
    comments = [f"{i / 100:.2f} {1 - i / 100:.2f} 0.00 0.0 v=1" for i in range(101)]
    passes = "".join(f";{'BW'[i % 2]}[]C[{comment}]" for i, comment in enumerate(comments))
    (record,) = read_games(tmp_path, f"{HEAD}{passes};W[pd]C[{comments[10]}])")
    np.testing.assert_array_equal(record.values[:101], np.float32(np.arange(101) / 100))


@pytest.mark.parametrize(
    "comment", ["0.53", "0.53 0.47", "1.53 0.47 0.00 0.4", "0.5 0.9 0 0 v=1", "0.5x 0.5 0 0"]
)
def test_other_comments_are_no_values(tmp_path, comment):
    (record,) = read_games(tmp_path, f"{HEAD};B[pd]C[{comment}])")
    assert np.isnan(record.values).all()


def test_set_up_stones_are_moves_without_a_label(tmp_path):
    won_by_white = HEAD.replace("B+R", "W+R")
    (record,) = read_games(tmp_path, won_by_white + "AB[dd][pp]AW[aa:ba];W[cc];B[qq])")
    assert moves_of(record) == moves("Bdd Bpp Waa Wba Wcc Bqq")
    np.testing.assert_array_equal(record.values, np.float32([np.nan] * 4 + [1, 1]))


# name, game tree after the head, moves with the set-up first
SET_UPS = [
    ("no point", "AB[]AW[]AE[];B[pd];W[dd])", "Bpd Wdd"),
    ("a pass is no point", "AB[tt];B[pd];W[dd])", "Bpd Wdd"),
    ("removed where nothing is", "AE[cc][aa:bb];B[pd];AE[dd];W[dd])", "Bpd Wdd"),
    ("a point twice", "AB[dd][dd][cc:dd];W[pd])", "Bcc Bdc Bcd Bdd Wpd"),
    ("the last colour counts", "AB[dd][pp]AW[dd];B[pd])", "Bpp Wdd Bpd"),
    ("removed again", "AB[dd][pp];AE[dd];W[pd])", "Bpp Wpd"),
    ("removed and set again", "AB[dd]AE[aa:ss]AW[dd];B[pd])", "Wdd Bpd"),
    ("a rectangle", "AB[aa:ba];W[pd])", "Baa Bba Wpd"),
    ("a rectangle from its last corner", "AB[ba:aa];W[pd])", "Baa Bba Wpd"),
    ("a rectangle from its upper right", "AB[ba:ab];W[pd])", "Baa Bba Bab Bbb Wpd"),
    ("stones that are there, in a game", ";B[dd];AB[dd]AW[cc];W[pd])", "Bdd Wcc Wpd"),
    ("a point that was taken", ";W[aa];B[ba];W[pp];B[ab];AE[aa];W[qq])", "Waa Bba Wpp Bab Wqq"),
    ("at the end", ";B[dd];W[pd];AB[pp])", "Bdd Wpd Bpp"),
]


@pytest.mark.parametrize(("name", "tree", "expected"), SET_UPS, ids=[row[0] for row in SET_UPS])
def test_set_up_is_what_its_last_values_say(tmp_path, name, tree, expected):
    (record,) = read_games(tmp_path, HEAD + tree)
    assert sorted(moves_of(record)[:-1]) == sorted(moves(expected)[:-1])
    assert moves_of(record)[-1] == moves(expected)[-1]


def test_set_up_without_stones_is_no_handicap(tmp_path):
    (tmp_path / "a.sgf").write_text(HEAD + "AB[]AE[dd];B[pd])")
    assert import_games([tmp_path / "a.sgf"], tmp_path / "a.games", no_handicap=True).num_games == 1


@pytest.mark.parametrize("size", ["19", "19:19", " 19 ", "19 : 19", "019", ""])
def test_a_square_board_may_have_two_sides(tmp_path, size):
    assert len(read_games(tmp_path, SHORT_GAME.replace("SZ[19]", f"SZ[{size}]"))) == 1


@pytest.mark.parametrize(
    "size", ["19:13", "9:19", "19x13", "19x19", "nineteen", "19:", ":19", "19:19:19", "19.5", "-19",
             "0", "99999999999", "19 13"]
)  # fmt: skip
def test_another_board_is_dropped_by_its_size(tmp_path, size):
    summary = import_bytes(tmp_path, SHORT_GAME + SHORT_GAME.replace("SZ[19]", f"SZ[{size}]"))
    assert (summary.num_games, dict(summary.dropped)) == (1, {"board size": 1})
    assert f"'{size}'" in summary.first_drops[0]
    with pytest.raises(DataFormatError, match=f"its SZ is {re.escape(size)}"):
        read_sgf(f"(;SZ[{size}];B[dd])".encode())


LABELS = [
    ("set-up", HEAD + "AB[dd];W[cc]C[0.25 0.75 0.00 1 v=1];B[qq])", [np.nan, 0.25, np.nan]),
    ("handicap by moves", HEAD + "HA[2];B[dd];B[pp];B[aa];W[cc])", [np.nan, np.nan, 0, 0]),
    ("a draw", SHORT_GAME.replace("B+R", "Draw"), [0.5, 0.5, 0.5]),
]


@pytest.mark.parametrize(("name", "game", "values"), LABELS, ids=[row[0] for row in LABELS])
def test_moves_have_their_labels(tmp_path, name, game, values):
    (record,) = read_games(tmp_path, game)
    np.testing.assert_array_equal(record.values, np.float32(values))


def test_handicap_moves_have_no_label_whatever_their_comments_say(tmp_path):
    moves = "".join(f";{move}C[0.40 0.60 0.00 1.0]" for move in ("B[dd]", "B[pp]", "W[dp]"))
    (record,) = read_games(tmp_path, f"{HEAD}HA[2]{moves})")
    assert np.isnan(record.values).tolist() == [True, True, False]
    assert GameFile.open(tmp_path / "out.games").num_positions == 1


def test_a_handicap_without_its_stones_changes_nothing(tmp_path):
    (record,) = read_games(tmp_path, HEAD + "HA[2];B[dd];W[pp])")
    assert np.isnan(record.values).all()
    assert GameFile.open(tmp_path / "out.games").num_positions == 2


def test_rules_and_source_are_the_records_own(tmp_path):
    named = HEAD + r"RU[Chinese \[old\]]SO[a club];B[pd])"
    records = read_games(tmp_path, named + SHORT_GAME, name="club.sgf")
    assert [(r.rules, r.source) for r in records] == [("Chinese [old]", "a club"), ("", "club.sgf")]


VALUED_END = ";B[pd]C[0.50 0.50 0.00 0 v=1];W[]C[0.9 0.1 0 9 v=1];B[])"


@pytest.mark.parametrize(
    ("result", "tree", "played_out"),
    [
        ("B+3.5", VALUED_END, True),
        ("B+R", VALUED_END, False),
        ("B+T", VALUED_END, False),
        ("B+3.5", VALUED_END.replace("B[]", "B[dd]"), False),
        ("B+3.5", ";B[pd];W[];B[])", False),
        ("B+3.5", ";B[pd]C[0.00 1.00 0.00 0 v=1];W[]C[0 1 0 9 v=1];B[])", False),
        ("Draw", ";B[pd];W[];B[])", False),
        ("Draw", VALUED_END, True),
    ],
    ids=[
        "counted", "resigned", "on time", "no passes", "no values", "only results as values",
        "drawn without values", "drawn",
    ],
)
def test_played_out_asks_for_a_count_two_passes_and_a_search(tmp_path, result, tree, played_out):
    (record,) = read_games(tmp_path, HEAD.replace("B+R", result) + tree)
    assert record.played_out is played_out


def test_captures_and_ko(tmp_path):
    ko = ";B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb]"  # White takes cb
    legal = f"{HEAD}{ko};B[qq];W[qp];B[cb])"
    at_once = f"{HEAD}{ko};B[cb])"
    by_its_owner = f"{HEAD}{ko};W[cb])"  # the one who took may fill it
    summary = import_bytes(tmp_path, legal + at_once + by_its_owner)
    assert (summary.num_games, dict(summary.dropped)) == (2, {"illegal move": 1})


# name, game tree, reason of its drop, words of the report
BAD_GAMES = [
    ("occupied", f"{HEAD};B[pd];W[pd])", "illegal move", "move 2: an occupied point: W[pd], Q16"),
    ("suicide", f"{HEAD};B[ab];W[pd];B[ba];W[aa])", "illegal move", "move 4: suicide: W[aa], A19"),
    ("no end", f"{HEAD};B[pd]", "malformed", "no end"),
    ("an open value", f"{HEAD};B[pd]C[oops)", "malformed", "value has no end"),
    ("no bracket", f"{HEAD};B;W[dd])", "malformed", "must be followed by '['"),
    ("junk", f"{HEAD};B[pd]%)", "malformed", "'%'"),
    ("no point", f"{HEAD};B[zz])", "malformed", "'zz'"),
    ("removed stones", f"{HEAD};B[pd];AE[pd])", "malformed", "removes stones"),
    ("replaced stones", f"{HEAD};B[pd];AW[pd])", "malformed", "removes stones"),
    ("a rectangle off the board", f"{HEAD}AB[aa:zz];B[pd])", "malformed", "'zz'"),
    ("another game", SHORT_GAME.replace("GM[1]", "GM[2]"), "not Go", "GM is 2"),
    ("13×13", SHORT_GAME.replace("SZ[19]", "SZ[13]"), "board size", "13"),
    ("25×25", f"{HEAD};B[xy])".replace("SZ[19]", "SZ[25]"), "board size", "25"),
    ("odd komi", SHORT_GAME.replace("7.5", "7.3"), "komi", "KM[7.3]"),
    ("a komi too large", SHORT_GAME.replace("7.5", "380"), "komi", "KM[380]"),
    ("komi in words", SHORT_GAME.replace("7.5", "seven"), "komi", "KM[seven]"),
    ("no result", SHORT_GAME.replace("RE[B+R]", ""), "no result", "there is no RE"),
    ("void", SHORT_GAME.replace("B+R", "Void"), "no result", "RE[Void]"),
    ("no moves", f"{HEAD})", "no positions", "no labelled move"),
    ("only passes", f"{HEAD};B[];W[])", "no positions", "no labelled move"),
    ("endless", HEAD + ";B[];W[]" * 16384 + ")", "too long", "more than 32767 moves"),
]


@pytest.mark.parametrize(
    ("name", "tree", "reason", "words"), BAD_GAMES, ids=[row[0] for row in BAD_GAMES]
)
def test_a_bad_game_is_counted_and_costs_no_other(tmp_path, name, tree, reason, words):
    summary = import_bytes(tmp_path, f"{SHORT_GAME}\n{tree}\n{SHORT_GAME}\n", name="week.sgfs")
    assert (summary.num_games, dict(summary.dropped)) == (2, {reason: 1})
    (report,) = summary.first_drops
    assert report.startswith(f"week.sgfs:2: {reason}: ")
    assert words in report


def test_the_first_ten_drops_are_reported(tmp_path):
    bad = SHORT_GAME.replace("B+R", "?")
    summary = import_bytes(tmp_path, SHORT_GAME + f"\n{bad}" * 12)
    assert dict(summary.dropped) == {"no result": 12}
    lines = [int(report.split(":")[1]) for report in summary.first_drops]
    assert lines == list(range(2, 12))


@pytest.mark.parametrize("separator", ["", "\n", "\r\n\r\n", " comment ( of a mail ) \n", ")"])
def test_games_stand_one_a_line_or_not(tmp_path, separator):
    assert import_bytes(tmp_path, separator.join([SHORT_GAME] * 3)).num_games == 3


ROOT_PROPERTIES = [row.name for row in sgf_properties() if row.is_of_root]
CUT_SHORT = [HEAD + ";B[pd];W[dd]", HEAD + ";B[pd]C[never ends", HEAD + ";B[pd](;W[dd]", HEAD]


@pytest.mark.parametrize("cut", CUT_SHORT, ids=["a node", "a value", "a variation", "the root"])
@pytest.mark.parametrize("name", ROOT_PROPERTIES)
def test_a_root_ends_a_game_that_was_cut_short(tmp_path, name, cut):
    """Whatever property it begins with, and whatever stands before that one."""
    value = {"GM": "1", "SZ": "19", "HA": "0", "KM": "7.5", "RE": "B+R"}.get(name, "3d")
    for begin in (f"(;{name}[{value}]", f"( ;\n{name} [{value}]", f"(;C[a (b\\]]{name}[{value}]"):
        if "C[" in begin and "never" in cut:
            continue  # a comment within a comment
        root = f"{begin}RE[B+R];B[pd];W[dd];B[pq])"
        summary = import_bytes(tmp_path, f"{SHORT_GAME}\n{cut}\n{root}\n{SHORT_GAME}")
        assert (summary.num_games, dict(summary.dropped)) == (3, {"malformed": 1})
        assert summary.first_drops[0].startswith("games:2:")


@pytest.mark.parametrize("separator", ["", " ", "\r"])
def test_a_root_ends_a_game_on_its_own_line(tmp_path, separator):
    summary = import_bytes(tmp_path, HEAD + ";B[pd];W[dd]" + separator + SHORT_GAME)
    assert (summary.num_games, dict(summary.dropped)) == (1, {"malformed": 1})


@pytest.mark.parametrize(
    "tree",
    [
        ";B[pd](;PB[Ada]W[dd];B[pq])(;PB[Bob]W[cc]))",
        ";B[pd]\n(;W[dd]N[main];B[pq])\n(;W[cc]C[GM[1\\]]))",
        ";B[pd]C[\n(;GM[1\\]FF[4\\];B[aa\\])\n];W[dd];B[pq])",
        ";B[pd]C[see\n(;GM[1\\] there];W[dd];B[pq])",
        ";B[pd]C[\n(; GM\n(;];W[dd];B[pq])",
    ],
    ids=["merged games", "variations", "a quoted game", "a quoted root", "half a root"],
)
def test_what_looks_like_a_root_ends_no_game(tmp_path, tree):
    (record,) = read_games(tmp_path, HEAD + tree)
    assert moves_of(record) == moves("Bpd Wdd Bpq")


def test_a_byte_order_mark_is_skipped(tmp_path):
    assert import_bytes(tmp_path, b"\xef\xbb\xbf" + SHORT_GAME.encode()).num_games == 1


def test_text_without_a_charset_is_latin_1_unless_it_looks_like_another(tmp_path):
    game = SHORT_GAME.encode().replace(b"KM", b"RU[r\xe9gles]KM")
    (record,) = read_games(tmp_path, game)
    assert record.rules == "régles"


def test_nothing_to_keep_is_an_error_and_leaves_no_file(tmp_path):
    source = tmp_path / "empty.sgf"
    source.write_text(SHORT_GAME.replace("B+R", "?"))
    words = r"no games could be read from empty\.sgf \(1 dropped.*no result"
    with pytest.raises(DataFormatError, match=words):
        import_games([source], tmp_path / "out.games")
    assert [file.name for file in tmp_path.iterdir()] == ["empty.sgf"]


def test_points_and_passes_are_those_of_coords(tmp_path):
    letters = "abcdefghijklmnopqrs"
    every_point = [column + row for row in letters for column in letters]
    for first in (0, 1):
        names = every_point[first::2]
        (record,) = read_games(tmp_path, HEAD + "".join(f";B[{name}]" for name in names) + ";B[])")
        assert record.points.tolist() == [sgf_to_point(name) for name in names] + [PASS]
