"""The journal, and what its rows say: planted in rows and in files of games."""

from math import isnan

import pytest

from golois.games.game import after_moves
from golois.games.rules import Go, NoGo
from golois.go.coords import BLACK
from golois.records.finished_games import FinishedGame, write_finished_games
from selfplay.journal import (
    COLUMNS,
    best_row,
    double_pass_share,
    is_over,
    line,
    num_without_better,
    read_journal,
    repeated_share,
    warnings,
    write_journal,
)
from selfplay.options import Options

GOOD = dict(
    games=100, positions=700, moves_a_game=7.5, black_wins=0.5, policy_loss=1.0,
    value_mse=0.1, value_mse_of_a_constant=0.25, kept=0.9, kept_positions=300, in_network=0.9,
    seconds=3.0,
)  # fmt: skip


def rows(*changes: dict) -> list[dict]:
    """Iteration 0, and one iteration more for each change of a good row."""
    start = {"iteration": 0, "player": 0, "games": 0, "kept": 0.5, "kept_positions": 300}
    numbered = enumerate(changes, start=1)
    return [start, *({**GOOD, "iteration": i, "player": i, **one} for i, one in numbered)]


BAD_VALUE, WORSE, SLIGHTLY = {"value_mse": 0.249}, {"kept": 0.7}, {"kept": 0.88}
DISCARDED, WORSE_DISCARDED = {"player": 1}, {"kept": 0.7, "player": 1}
UNPLAYED_BEST = {"kept": 1.0, "player": 1}


def of_few(kept: float, positions: int) -> dict:
    return {"kept": kept, "kept_positions": positions}


@pytest.mark.parametrize(
    "changes",
    [
        [{}, {}, {}, {}],
        [],
        [{}, BAD_VALUE, BAD_VALUE],
        [{}, WORSE, WORSE],
        [{}, SLIGHTLY, SLIGHTLY, SLIGHTLY],
        [of_few(1.0, 5), *[of_few(0.8, 5)] * 3],  # four of five may be chance
        [of_few(1.0, 10), *[of_few(0.75, 8)] * 3],
        [{}, *[WORSE_DISCARDED] * 3],
        [{}, WORSE, WORSE_DISCARDED, WORSE],
        [{}, UNPLAYED_BEST, {}, {}, {}],
        [{}, *[DISCARDED] * 4],
        [{}, *[DISCARDED] * 5, {}],
    ],
)
def test_nothing_is_said_of_a_run_that_may_learn(changes):
    assert warnings(rows(*changes)) == {}


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ([{}, *[BAD_VALUE] * 3], "value", "0.249, and a constant's 0.250"),
        ([{}, {"double_passes": 0.3}], "double_passes", "30% of the games: in a new run, try"),
        ([{}, {"repeated": 0.21}], "repeated", "21% of the games have the same first 8"),
        ([{}, {"repeated": 0.21}], "repeated", "in a new run, raise --early-moves"),
        ([{}, {"in_network": 0.2}], "in_network", "only 20% of the processor time"),
        ([{}, *[WORSE] * 3], "collapse", "nets/0001.h5"),
        ([of_few(1.0, 10), *[of_few(0.0, 10)] * 3], "collapse", "nets/0001.h5"),
        ([{}, WORSE, WORSE_DISCARDED, WORSE, WORSE], "collapse", "nets/0001.h5"),
        ([{}, *[DISCARDED] * 5], "gate", "the last 5 networks"),
    ],
)
def test_what_goes_wrong_is_noticed(changes, kind, words):
    """What lasts after three iterations, a share at once; a collapse with the best network."""
    found = warnings(rows(*changes))
    assert set(found) == {kind} and words in found[kind]


def test_the_best_row_is_the_earliest_of_equals():
    assert best_row(rows({}, {}, {"kept": 0.8}))["iteration"] == 1
    assert best_row([{"iteration": 0, "player": 0}]) is None


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([{"kept": 0.8}, {"kept": 0.9}, {"kept": 0.9}], 1),
        ([{"kept": 0.4}, {"kept": 0.3}], 2),
        ([{"gate_share": 0.6, "player": 1}, {"gate_share": 0.4, "player": 1}], 1),
        ([{"gate_share": 0.4, "player": 0}, {"gate_share": 0.6, "player": 2}], 0),
    ],
)
def test_iterations_without_a_better_network_are_counted(changes, expected):
    assert num_without_better(rows(*changes)) == expected
    assert num_without_better(rows()) == 0


def played(moves: list[int], rules) -> FinishedGame:
    game = after_moves(rules, moves)
    winner = BLACK if game.winner is None else game.winner
    return FinishedGame(moves, winner, [{}] * len(moves), [0.5] * len(moves))


def test_repeated_games_are_counted_up_to_symmetry(tmp_path):
    rules = NoGo(5)
    moves = [0, 24, 2, 22, 4, 20, 12, 10]
    mirrored = [5 * (move // 5) + 4 - move % 5 for move in moves]
    other = [6, *moves[1:]]
    games = [played(one, rules) for one in (moves, mirrored, other, [*moves, 14])]
    write_finished_games(tmp_path / "a.games", rules, games[:3])
    write_finished_games(tmp_path / "b.games", rules, games[3:])
    assert repeated_share([tmp_path / "a.games"]) == pytest.approx(1 / 3)
    assert repeated_share([tmp_path / "a.games", tmp_path / "b.games"]) == pytest.approx(1 / 2)


def test_early_double_passes_are_counted(tmp_path):
    rules = Go(5, max_moves=50)
    early, late = [12, 25, 25], [*range(0, 14, 2), *range(15, 21, 2), 25, 25]
    stopped = [12, 13, 14]
    games = [played(one, rules) for one in (early, late, stopped, [25, 25])]
    write_finished_games(tmp_path / "a.games", rules, games)
    assert double_pass_share([tmp_path / "a.games"]) == 0.5


def test_shares_are_not_counted_where_repeats_are_natural(tmp_path):
    write_finished_games(tmp_path / "a.games", NoGo(3), [played([0, 1], NoGo(3))] * 2)
    assert isnan(repeated_share([tmp_path / "a.games"]))
    assert isnan(double_pass_share([tmp_path / "a.games"]))


def test_a_journal_comes_back(tmp_path):
    written = rows({}, {"gate_share": 0.25})
    write_journal(tmp_path / "journal.csv", written)
    read = read_journal(tmp_path / "journal.csv")
    assert [list(row) for row in read] == 3 * [list(COLUMNS)]
    for row, original in zip(read, written, strict=True):
        assert {name: row[name] for name in original} == original
        assert all(isnan(row[name]) for name in COLUMNS if name not in original)
    assert read_journal(tmp_path / "none.csv") == []


def test_a_line_has_what_was_measured():
    assert line(rows()[0]) == "iteration 0, keeps 50.0% of the wins"
    text = line({**GOOD, "iteration": 2, "player": 1, "gate_share": 0.25})
    assert "100 games of 7.5 moves" in text and "gate 25%, discarded" in text
    assert "gate 75%, kept" in line({**GOOD, "iteration": 1, "player": 1, "gate_share": 0.75})


def timed(*seconds: float) -> list[dict[str, float]]:
    """A journal in which each iteration took so many seconds, and the first network plays on."""
    return [
        {"iteration": number, "seconds": each, "player": 0, "gate_share": 0.4}
        for number, each in enumerate(seconds)
    ]


@pytest.mark.parametrize(
    ("options", "seconds", "over"),
    [
        (dict(minutes=1), [1, 20, 20], True),  # 41, and the next would end at 61
        (dict(minutes=1), [1, 20, 19], False),  # 40, and 59
        (dict(minutes=0), [1, 20, 2000], False),
        (dict(iterations=2), [1, 20], False),
        (dict(iterations=2), [1, 20, 20], True),
        (dict(patience=3), [1, 1, 1], False),
        (dict(patience=3), [1, 1, 1, 1], True),
        (dict(minutes=1), [], False),
        (dict(minutes=1), [40], False),  # learned from earlier games first
        (dict(minutes=1), [61], True),
        ({}, [1] * 9, False),
    ],
)
def test_a_run_is_over(options, seconds, over):
    assert is_over(Options(size=3, **options), timed(*seconds)) is over
