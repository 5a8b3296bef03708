"""RE in the words of many countries: who won, and by how much."""

import pytest

from golois.__main__ import main
from golois.go.coords import BLACK, EMPTY, WHITE
from golois.records.packed_file import GameFile, Record
from tests.games import SHORT_GAME, import_bytes, read_games


def result_of(folder, text: str) -> Record:
    (record,) = read_games(folder, SHORT_GAME.replace("B+R", text))
    return record


# text, result as a record has it
RESULTS = [
    # SGF's own forms, in small and in full-width letters
    ("b+r", "B+R"),
    ("w+3.5", "W+3.5"),
    ("w+t", "W+T"),
    ("b+forfeit", "B+F"),
    ("black+r", "B+R"),
    ("B + 3.5", "B+3.5"),
    ("B+3,5", "B+3.5"),
    ("Ｗ＋３．５", "W+3.5"),
    ("W+3.5 points", "W+3.5"),
    ("Black wins by 3.5 points", "B+3.5"),
    ("White wins by resignation", "W+R"),
    ("white won on time", "W+T"),
    ("Black resigns", "W+R"),
    ("White lost on time", "B+T"),
    ("White forfeits", "B+F"),
    ("Black by resignation", "B+R"),
    ("w by 3.5", "W+3.5"),
    ("White by forfeit", "W+F"),
    ("white on time", "W+T"),
    ("JIGO", "0"),
    ("draw", "0"),
    ("０", "0"),
    # Chinese
    ("黑中盤勝", "B+R"),
    ("白中盘胜", "W+R"),
    ("黑胜", "B+"),
    ("白勝", "W+"),
    ("黑胜3.5目", "B+3.5"),
    ("白胜43.5目", "W+43.5"),
    ("黑胜7点半", "B+7.5"),
    ("黑3.5目勝", "B+3.5"),
    ("白七目半胜", "W+7.5"),
    ("白超时负", "B+T"),
    ("黑超时", "W+T"),
    ("黑胜（超时）", "B+T"),
    ("黑超时，白胜", "W+T"),
    ("白认输", "B+R"),
    ("黑中盘负", "W+R"),
    ("黑输半目", "W+0.5"),
    ("白胜（黑超时）", "W+T"),
    ("黑负", "W+"),
    ("白胜黑", "W+"),
    ("胜者：白", "W+"),
    ("白弃权", "B+F"),
    ("白胜 214手", "W+"),
    ("214手 黑中盘胜", "B+R"),
    ("黑后半盘胜", "B+"),
    ("B+中盘", "B+R"),
    ("黑+R", "B+R"),
    ("和棋", "0"),
    ("和局", "0"),
    ("平局", "0"),
    # Japanese
    ("黒中押し勝ち", "B+R"),
    ("白中押し勝", "W+R"),
    ("黒の中押し勝ち", "B+R"),
    ("白番中押し勝ち", "W+R"),
    ("白6目半勝ち", "W+6.5"),
    ("白６目半勝ち", "W+6.5"),
    ("白1.5目勝ち!", "W+1.5"),
    ("白半目勝ち", "W+0.5"),
    ("白両目半勝", "W+2.5"),
    ("黒十二目半勝", "B+12.5"),
    ("先番3目勝ち", "B+3"),
    ("黒時間切れ負け", "W+T"),
    ("白時間切れ勝ち", "W+T"),
    ("白不戦勝", "W+F"),
    ("黒反則負け", "W+F"),
    ("ジゴ", "0"),
    ("持碁", "0"),
    ("持ち碁", "0"),
    # Korean
    ("흑 불계승", "B+R"),
    ("백불계승", "W+R"),
    ("흑 불계패", "W+R"),
    ("백 3집반승", "W+3.5"),
    ("백 3집 반 승", "W+3.5"),
    ("백 반집승", "W+0.5"),
    ("흑 6.5집승", "B+6.5"),
    ("흑 시간승", "B+T"),
    ("흑 시간패", "W+T"),
    ("백 기권승", "W+F"),
    ("흑승", "B+"),
    ("무승부", "0"),
    ("흑백 무승부", "0"),
    ("빅", "0"),
]


@pytest.mark.parametrize(("text", "result"), RESULTS, ids=[row[0] for row in RESULTS])
def test_results_in_words(tmp_path, text, result):
    record = result_of(tmp_path, text)
    assert record.result == result
    assert record.winner == {"B": BLACK, "W": WHITE}.get(result[0], EMPTY)


IN_STONES = [
    "B+2 3/4",
    "B+2 1/2",
    "B+1/4",
    "B+0.25",
    "B+2 3⁄4",
    "B+1¾",
    "B+2 stones",
    "黑胜一又四分之三子",
    "黑胜1又3/4子",
    "黑胜2子",
    "黑 3/4 子 勝",
    "黑2.75子胜",
]


@pytest.mark.parametrize("text", IN_STONES)
def test_a_margin_in_chinese_stones_is_unknown(tmp_path, text):
    assert result_of(tmp_path, text).result == "B+"


@pytest.mark.parametrize(("text", "winner"), [("B+-3", BLACK), ("W+2-3", WHITE), ("B+many", BLACK)])
def test_what_is_no_amount_is_no_margin(tmp_path, text, winner):
    record = result_of(tmp_path, text)
    assert (record.winner, record.margin) == (winner, None)


# neither a winner nor a draw, though some have the word for winning in them
UNKNOWN = [
    "?",
    "Void",
    "無勝負",
    "无胜负",
    "胜负未定",
    "打ち掛け",
    "黑白双负",
    "黒白両負け",
    "時間切れ",
    "무효",
    "胜",
    "B",
    "黑",
    "Unfinished",
    "Unfinished, Black is winning",
    "黑182子",
    "双方负",
    "양패",
    "win",
]


@pytest.mark.parametrize("text", UNKNOWN)
def test_a_result_that_is_not_understood_is_shown(tmp_path, capsys, text):
    source = tmp_path / "week.sgfs"
    source.write_text(SHORT_GAME + "\n" + SHORT_GAME.replace("B+R", text), encoding="utf-8")
    assert main(["import", str(source), "-o", str(tmp_path / "out.games")]) == 0
    assert f"week.sgfs:2: no result: RE[{text}] is neither" in capsys.readouterr().out


def test_every_cut_of_a_result_is_read_or_dropped(tmp_path):
    """Characters of several bytes that end in the middle, and words that lose their end."""
    texts = [text.encode() for text, _ in RESULTS]
    cuts = [text[:end] for text in texts for end in range(1, len(text))]
    games = b"\n".join(SHORT_GAME.encode().replace(b"B+R", cut) for cut in cuts)
    summary = import_bytes(tmp_path, games)
    assert summary.num_games + summary.dropped["no result"] == len(cuts)
    assert len(GameFile.open(summary.path)) == summary.num_games
