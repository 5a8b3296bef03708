"""What servers leave out of SGF or write in their own way: handicap stones, komi in hundredths."""

import pytest

from golois.__main__ import main
from golois.constants import PASS
from golois.go.coords import BLACK, WHITE, gtp_to_point, sgf_to_point
from golois.records.packed_file import GameFile
from golois.sgf.reading import read_sgf
from tests.games import import_bytes, moves_of, read_games
from tournament.gtp.game import fixed_points

MOVES = ";B[pd];W[dc];B[pp];W[eq])"


def sgf(properties: str, moves: str = MOVES, result: str = "W+R") -> str:
    return f"(;GM[1]FF[4]SZ[19]RE[{result}]{properties}{moves}"


def komi_of(folder, properties: str, moves: str = MOVES) -> float | None:
    (record,) = read_games(folder, sgf(properties, moves))
    return record.komi


FOX = "AP[GNU Go:3.8]AP[foxwq]"

# properties, komi as it is meant
KOMI = [
    # of Fox, by its name
    (f"KM[375]RU[Chinese]{FOX}", 7.5),
    (f"KM[650]RU[Japanese]{FOX}", 6.5),
    (f"{FOX}RU[korean]KM[650]", 6.5),
    (f"KM[650]RU[Chinese]{FOX}", 6.5),
    (f"KM[750]RU[Chinese]{FOX}", 7.5),
    (f"KM[550]RU[Japanese]{FOX}", 5.5),
    (f"KM[325]RU[Chinese]{FOX}", 6.5),
    (f"KM[275]RU[Chinese]{FOX}", 5.5),
    (f"KM[350]RU[Chinese]{FOX}", 7),
    (f"KM[350]RU[Japanese]{FOX}", 3.5),
    (f"KM[50]{FOX}HA[0]", 0.5),
    (f"KM[50]RU[Chinese]{FOX}", 0.5),
    (f"KM[25]RU[Chinese]{FOX}", 0.5),
    (f"KM[100]{FOX}", 1),
    (f"KM[-650]RU[Japanese]{FOX}", -6.5),
    (f"KM[375.00]RU[Chinese]{FOX}", 7.5),
    ("KM[50]AP[FoxWQ:2]", 0.5),
    ("KM[50]PC[野狐围棋]", 0.5),
    ("KM[50]PC[Fox Weiqi]", 0.5),
    # of Fox, but in points already
    (f"KM[7.5]RU[Chinese]{FOX}", 7.5),
    (f"KM[6]{FOX}", 6),
    # without a name: what no komi in points can be
    ("KM[375]RU[Chinese]", 7.5),
    ("KM[375]", 7.5),
    ("KM[650]AP[Sabaki:0.52.2]", 6.5),
    ("KM[750]", 7.5),
    # of Fox by the property that other programs keep
    ("KM[50]HA[0]AP[Sabaki:0.43.3]TM[1200]TC[3]TT[30]RL[0]", 0.5),
    ("KM[7.50]AP[CGoban:3]RL[0]", 7.5),
    # in stones, as only Chinese rules have quarters
    ("KM[3.75]RU[Chinese]", 7.5),
    ("KM[2.75]RU[中国规则]", 5.5),
    ("KM[3.75]RU[Japanese]", 3.75),
    ("KM[6.25]RU[Chinese]", 6.25),
    # of others, as it stands
    ("KM[0]", 0),
    ("KM[0]PC[Foxborough]AP[CGoban:3]", 0),
    ("KM[0]AP[CGoban:3]HA[0]RU[Chinese]", 0),
    ("KM[50]", 50),
    ("KM[100]", 100),
    ("KM[25]SO[foxwq]", 25),
    ("KM[6.5]RU[Chinese]", 6.5),
    # in words
    ("KM[6目半]", 6.5),
    ("KM[6,5]", 6.5),
    ("KM[６．５]", 6.5),
    ("KM[黑贴3又3/4子]", 7.5),
    ("KM[3又3/4子]", 7.5),
    ("KM[덤 6집반]", 6.5),
]


@pytest.mark.parametrize(("properties", "komi"), KOMI, ids=[row[0] for row in KOMI])
def test_komi_as_it_is_meant(tmp_path, properties, komi):
    assert komi_of(tmp_path, properties) == komi


@pytest.mark.parametrize("rules", ["Chinese", "Japanese"])
def test_no_komi_of_an_even_game_on_fox_is_unknown(tmp_path, rules):
    assert komi_of(tmp_path, f"KM[0]HA[0]RU[{rules}]{FOX}") is None
    assert komi_of(tmp_path, f"RU[{rules}]{FOX}KM[0]") is None
    assert komi_of(tmp_path, f"RU[{rules}]AP[Sabaki:0.43.3]RL[0]KM[0]") is None


@pytest.mark.parametrize(
    ("properties", "moves"),
    [
        ("HA[2]AB[pd][dp]", ";W[dc];B[pp])"),
        ("HA[1]", MOVES),
        ("HA[0]", ";B[pd];B[dp];W[dc];B[pp])"),
    ],
    ids=["handicap", "no komi by HA[1]", "handicap as moves"],
)
def test_no_komi_of_another_game_on_fox_is_none(tmp_path, properties, moves):
    assert komi_of(tmp_path, f"KM[0]{properties}{FOX}", moves) == 0


@pytest.mark.parametrize(
    "properties", ["KM[300]", "KM[380]", "KM[1200]", "KM[-375]", "KM[37500]", f"KM[4000]{FOX}"]
)
def test_a_komi_that_nobody_gives_is_refused(tmp_path, properties):
    summary = import_bytes(tmp_path, sgf("KM[6.5]") + sgf(properties))
    assert dict(summary.dropped) == {"komi": 1}


def test_the_report_says_what_was_assumed_once(tmp_path, capsys):
    games = [sgf(f"KM[375]RU[Chinese]{FOX}")] * 3 + [sgf(f"KM[0]HA[0]{FOX}"), sgf("KM[6.5]")]
    source, packed = tmp_path / "fox.sgf", tmp_path / "fox.games"
    source.write_text("\n".join(games))
    assert main(["import", str(source), "-o", str(packed)]) == 0
    text = capsys.readouterr().out
    assert text.count("KM[375]") == text.count("KM[0]") == 1
    assert (
        "assumed in 3 games: KM[375] is read as hundredths: 7.5 points, such as fox.sgf:1" in text
    )
    assert "assumed in 1 game: KM[0] of an even game on Fox is read as an unknown komi" in text
    assert sum(GameFile.open(packed).provenance["assumed"].values()) == 4
    assert main(["info", str(packed)]) == 0
    assert "assumed: KM[375] is read as hundredths" in capsys.readouterr().out


def test_dropped_games_are_not_assumed_to_mean_anything(tmp_path):
    summary = import_bytes(tmp_path, sgf("KM[6.5]") + sgf(f"KM[375]{FOX}", result="?"))
    assert summary.assumptions == ()


@pytest.mark.parametrize(
    ("properties", "text", "result"),
    [
        (f"KM[375]RU[Chinese]{FOX}", "W+0.25", "W+"),
        (f"KM[0]HA[0]RU[Chinese]{FOX}", "B+2.5", "B+"),
        (f"KM[650]RU[Japanese]{FOX}", "B+7.5", "B+7.5"),
        (f"KM[375]RU[Chinese]{FOX}", "B+R", "B+R"),
        ("KM[7.5]RU[Chinese]", "B+2.5", "B+2.5"),
    ],
)
def test_fox_counts_chinese_games_in_stones(tmp_path, properties, text, result):
    (record,) = read_games(tmp_path, sgf(properties, result=text))
    assert record.result == result


def stones_of(record) -> list[int]:
    return [point for colour, point in moves_of(record) if colour == BLACK]


@pytest.mark.parametrize("handicap", [2, 4, 5, 6, 7, 8, 9])
def test_a_handicap_without_its_stones_stands_on_the_fixed_points(tmp_path, handicap):
    (record,) = read_games(tmp_path, sgf(f"KM[0.5]HA[{handicap}]", ";W[qf])"))
    assert sorted(stones_of(record)) == sorted(fixed_points(handicap))
    assert moves_of(record)[-1] == (WHITE, sgf_to_point("qf"))
    assert GameFile.open(tmp_path / "out.games").num_positions == 1
    game = read_sgf(sgf(f"HA[{handicap}]", ";W[qf])").encode())
    assert [point for _, point in game.set_up] == stones_of(record)


def test_a_handicap_before_the_first_move_is_on_the_board():
    assert len(read_sgf(b"(;HA[4]PL[W])").set_up) == 4
    assert read_sgf(b"(;HA[4])").set_up == read_sgf(b"(;HA[4]PL[B])").set_up == ()


@pytest.mark.parametrize(("white", "third"), [("qq", "D16"), ("pp", "D16"), ("dd", "Q4")])
def test_three_stones_leave_the_corner_empty_in_which_white_plays(tmp_path, white, third):
    """KGS leaves the upper left one empty, GTP and IGS the lower right one."""
    (record,) = read_games(tmp_path, sgf("HA[3]", f";W[{white}])"))
    assert set(stones_of(record)) == {gtp_to_point(name) for name in ("D4", "Q16", third)}


def test_a_pass_of_black_before_white_is_no_stone(tmp_path):
    (record,) = read_games(tmp_path, sgf("HA[2]", ";B[];W[qf];B[cc])"))
    assert moves_of(record)[2:4] == [(BLACK, PASS), (WHITE, sgf_to_point("qf"))]
    assert set(stones_of(record)) >= set(fixed_points(2))


@pytest.mark.parametrize(
    ("properties", "moves"),
    [
        ("HA[2]AB[pd][dp]", ";W[qf])"),
        ("HA[2]", ";B[pd];B[dp];W[qf])"),
        ("HA[3]", ";B[pd];W[];B[dp];W[];B[dd];W[qf])"),
        ("HA[2]", ";B[pd];W[qf])"),
        ("HA[1]", ";W[qf])"),
        ("HA[0]", ";W[qf])"),
        ("HA[]", ";W[qf])"),
        ("", ";W[qf])"),
    ],
    ids=["AB", "as moves", "with passes", "Black first", "HA[1]", "HA[0]", "HA[]", "no HA"],
)
def test_stones_that_are_in_the_record_are_not_placed_again(tmp_path, properties, moves):
    summary = import_bytes(tmp_path, sgf(properties, moves))
    (record,) = GameFile.open(summary.path)
    assert len(moves_of(record)) == moves.count("[") + properties.count("][") + ("AB" in properties)
    assert summary.assumptions == ()


@pytest.mark.parametrize(
    ("properties", "moves", "words"),
    [
        ("HA[10]", ";W[qf])", "HA[10] without AB: there are no fixed points for it"),
        ("HA[many]", ";W[qf])", "HA[many] without AB is no number of stones"),
        ("HA[4]", ";W[qf];B[nc];W[dd])", "HA[4] without AB does not fit the fixed points: move 7"),
    ],
)
def test_a_handicap_that_cannot_be_placed_is_a_reason(tmp_path, properties, moves, words):
    summary = import_bytes(tmp_path, sgf("KM[0.5]") + sgf(properties, moves))
    assert dict(summary.dropped) == {"handicap": 1}
    assert words in summary.first_drops[0]


def test_a_handicap_in_words_is_a_number(tmp_path):
    (record,) = read_games(tmp_path, sgf("HA[四子]", ";W[qf])"))
    assert sorted(stones_of(record)) == sorted(fixed_points(4))


def test_another_board_is_named_before_its_handicap(tmp_path):
    small = "(;GM[1]SZ[9]HA[12]RE[B+R];W[cc])"
    assert dict(import_bytes(tmp_path, sgf("") + small).dropped) == {"board size": 1}
