"""What an import says of dropped games: the value, how many, one of them, what helps."""

import pytest

from golois.__main__ import main
from golois.records.importing import import_analysis
from tests.games import HEAD, SHORT_GAME, TEXT_GAME, import_bytes


def with_result(text: str) -> str:
    return SHORT_GAME.replace("B+R", text)


def report_of(folder, capsys, games, *options) -> str:
    source = folder / "week.sgfs"
    source.write_text("\n".join([SHORT_GAME, *games]), encoding="utf-8")
    assert main(["import", str(source), "-o", str(folder / "out.games"), *options]) == 0
    return capsys.readouterr().out


def test_games_are_counted_by_the_value_with_one_example(tmp_path, capsys):
    games = [with_result("?")] * 2 + [with_result("Void")] * 30 + [SHORT_GAME.replace("7.5", "7.3")]
    text = report_of(tmp_path, capsys, games)
    lines = [line for line in text.splitlines() if line.startswith("dropped ")]
    neither = "is neither a winner nor a draw"
    assert lines == [
        f"dropped 30 games: week.sgfs:4: no result: RE[Void] {neither}",
        f"dropped 2 games: week.sgfs:2: no result: RE[?] {neither}",
        "dropped 1 game: week.sgfs:34: komi: KM[7.3] is no multiple of 1/4 from -100 to 100",
    ]


def test_illegal_moves_are_counted_by_what_is_wrong(tmp_path, capsys):
    games = [f"{HEAD};B[{point}];W[{point}])" for point in ("aa", "pd", "dd")]
    text = report_of(tmp_path, capsys, games)
    assert (
        "dropped 3 games: week.sgfs:2: illegal move: move 2: an occupied point: W[aa], A19" in text
    )


@pytest.mark.parametrize(
    ("trees", "report"),
    [
        ([";B[pd];AE[pd])", ";W[dd];AB[dd])"], "set-up that removes stones: AE[pd], Q16"),
        ([";B[pd];W[zz])"] * 2, "'zz' is not a point of a 19×19 board"),
        ([";B[pd];W)"] * 2, "a property's name must be followed by '[': W"),
    ],
)
def test_malformed_games_are_counted_by_what_is_wrong(tmp_path, capsys, trees, report):
    text = report_of(tmp_path, capsys, [HEAD + tree for tree in trees])
    assert f"dropped 2 games: week.sgfs:2: malformed: {report}" in text


def test_numbers_of_games_data_are_shown(tmp_path):
    far = [TEXT_GAME.replace("60 0", f"{point} 0") for point in ("362", "400")]
    short = [TEXT_GAME.replace("3 72", f"{n} 72") for n in ("4", "5")]
    drops = import_bytes(tmp_path, "\n".join(["5", TEXT_GAME, *far, *short])).drops
    assert [drop.num_games for drop in drops] == [2, 2]
    assert drops[0].example.endswith("out of range: 362.00 0.00 0.53")
    assert drops[1].example.endswith("4 moves need 4 numbers each: there are 12 numbers")


def test_values_of_a_teachers_lines_are_shown(tmp_path):
    query = '{"id":"a","moves":[["B","Q16"],["W","D4"]]}'
    policy = f"[{','.join(['0.0028'] * 362)}]"
    answer = '{"id":"%s","turnNumber":%s,"rootInfo":{"winrate":%s},"policy":%s}'
    lines = [
        answer % ("a", 0, 0.5, policy),
        *(answer % ("a", turn, 0.5, policy) for turn in (0, 7, 8)),
        answer % ("a", 1, 1.5, policy),
        *(answer % (name, 0, 0.5, policy) for name in ("other", "another")),
        *(f'{{"id":"{name}","moves":x}}' for name in ("b", "longer")),
    ]
    unanswered = (query.replace('"a"', f'"{name}\\u001b"') for name in ("c", "d"))
    (tmp_path / "a.jsonl").write_text("\n".join([query, *unanswered, *lines]))
    summary = import_analysis([tmp_path / "a.jsonl"], tmp_path / "a.games")
    assert [(drop.num_games, drop.example.partition(": ")[2]) for drop in summary.drops] == [
        (1, "duplicate: a second answer to turn 0 of a"),
        (2, "malformed: turn 7 of a, which ends before"),
        (1, "malformed: rootInfo needs a winrate from 0 to 1, not 1.5"),
        (2, "no such query: other"),
        (2, "malformed: expected '[' at byte 18 of the line: x}"),
        (2, "no positions: no answer to query c "),
    ]


def test_many_causes_of_a_reason_are_counted_together(tmp_path, capsys):
    games = [with_result(f"unknown {i}") for i in range(100)] + [with_result("unknown 0")] * 3
    text = report_of(tmp_path, capsys, games)
    assert "dropped 4 games: week.sgfs:2: no result: RE[unknown 0]" in text
    assert "others" not in text and text.count("RE[unknown") == 10
    numbers = [int(line.split()[1]) for line in text.splitlines() if line.startswith("dropped ")]
    assert sum(numbers) == 103


def test_the_summary_has_every_drop(tmp_path):
    games = [with_result(f"unknown {i}") for i in range(100)]
    summary = import_bytes(tmp_path, "\n".join([SHORT_GAME, *games]))
    assert sum(drop.num_games for drop in summary.drops) == 100
    assert len(summary.drops) == 51 and summary.drops[-1].cause == "others"
    assert summary.drops[0].example.startswith("games:2: no result: RE[unknown 0]")


def test_a_value_is_shown_in_one_line_and_cut_between_characters(tmp_path):
    text = with_result("?\n" + "棋" * 50)
    (drop,) = import_bytes(tmp_path, SHORT_GAME + text).drops
    assert drop.cause == f"RE[? {'棋' * 19}…] is neither a winner nor a draw"


RANKED = SHORT_GAME.replace("KM", "BR[3d]WR[业余]KM")

# games, options that drop them, the report
BY_OPTION = [
    ([SHORT_GAME], ["--dedupe"], "turned or not, which --dedupe leaves out"),
    ([RANKED], ["--min-rank", "4d"], "rank: Black is weaker than asked by --min-rank: 3d"),
    ([RANKED], ["--max-rank", "1d"], "rank: Black is stronger than asked by --max-rank: 3d"),
    ([RANKED], ["--min-rank", "1d"], "White has no rank that is known, which --min-rank"),
    ([RANKED], ["--min-rank", "1d"], "ask for: 业余"),
    (
        [SHORT_GAME.replace("KM", "HA[2]KM")],
        ["--no-handicap"],
        "handicap: HA[2] is a handicap, which --no-handicap leaves out",
    ),
    (
        [SHORT_GAME.replace("KM", "AB[aa][bb]KM")],
        ["--no-handicap"],
        "handicap: 2 set-up stones (AB, AW), which --no-handicap leaves out",
    ),
]


@pytest.mark.parametrize(("games", "options", "words"), BY_OPTION)
def test_the_option_that_helps_is_named(tmp_path, capsys, games, options, words):
    kept = SHORT_GAME.replace("KM", "BR[2d]WR[2d]KM").replace("pd", "aa")
    if "--min-rank" in options:
        kept = kept.replace("2d", "9d")
    if "--max-rank" in options:
        kept = kept.replace("2d", "1d")
    assert words in report_of(tmp_path, capsys, [kept, *games], *options)


def test_lines_of_json_need_an_option(tmp_path, capsys):
    source = tmp_path / "queries.jsonl"
    source.write_text('{"id":"a","moves":[["B","Q16"]]}\n')
    assert main(["import", str(source), "-o", str(tmp_path / "out.games")]) == 2
    assert "lines of JSON are read with --analysis" in capsys.readouterr().err


def test_an_import_without_games_names_the_most_frequent_cause(tmp_path, capsys):
    source = tmp_path / "week.sgfs"
    games = [with_result("?"), *[with_result("Void")] * 3]
    source.write_text("\n".join(games))
    assert main(["import", str(source), "-o", str(tmp_path / "out.games")]) == 2
    error = capsys.readouterr().err
    assert "(4 dropped, 3 of them as week.sgfs:2: no result: RE[Void]" in error
    assert error.count("\n") == 1


def test_a_komi_of_games_data_is_shown_as_it_stands(tmp_path):
    odd = TEXT_GAME.replace("6.5", "6.3")
    (drop,) = import_bytes(tmp_path, f"2\n{TEXT_GAME}\n{odd}\n").drops
    assert drop.cause == "6.3 is no multiple of 1/4 from -100 to 100"
