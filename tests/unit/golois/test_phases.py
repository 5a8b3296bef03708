"""The stratified report, against counting one record at a time."""

from collections import Counter

import numpy as np
import pytest

from golois.constants import PASS
from golois.errors import DataFormatError
from golois.go.coords import BLACK, EMPTY, WHITE
from golois.records.packed_file import ROW, GameFile, Record
from golois.records.packing import write_games
from golois.records.phases import (
    MAX_SOURCES,
    OTHER_SOURCES,
    PHASE_STARTS,
    phase_report,
    total_phases,
)
from tests.data import EMBEDDED_GAMES
from tests.games import altered, record_of


def game(points, result="B+R", values=None, source="a") -> Record:
    n = len(points)
    labels = np.array([np.nan] * n if values is None else values, np.float32)
    colours = ([BLACK, WHITE] * n)[:n]
    return record_of(points, colours, result=result, values=labels, source=source)


def report_of(tmp_path, records):
    write_games(records, tmp_path / "a.games")
    return phase_report(GameFile.open(tmp_path / "a.games"))


def test_a_pass_and_a_move_without_a_value_are_no_positions(tmp_path):
    values = [0.1, np.nan, 0.25, 1.0]
    (opening, *rest) = report_of(tmp_path, [game([0, 2, PASS, 4], "W+R", values)])["a"]
    assert opening.num_positions == 2 and opening.valued_share == 1
    assert opening.mean_value_white == pytest.approx(0.55)
    assert opening.value_histogram().tolist() == [0, 1, 0, 0, 0, 0, 0, 0, 0, 1]
    assert [phase.num_positions for phase in rest] == [0] * (len(PHASE_STARTS) - 1)
    assert np.isnan(rest[0].mean_value_white)


def test_the_result_is_the_label_of_games_without_values(tmp_path):
    records = [game([0, 2], "W+R"), game([0], "B+R"), game([4], "0", [0.6])]
    (opening, *_) = report_of(tmp_path, records)["a"]
    assert opening.num_positions == 4 and opening.valued_share == 0.25
    assert opening.mean_value_white == pytest.approx((1 + 1 + 0 + 0.6) / 4)
    assert [opening.win_share(winner) for winner in (EMPTY, BLACK, WHITE)] == [0.25, 0.25, 0.5]
    assert opening.value_histogram()[[0, 6, 9]].tolist() == [1, 1, 2]


def test_a_value_that_is_the_results_is_not_a_games_own(tmp_path):
    values = {"W+R": 1, "B+R": 0, "0": 0.5}
    games = [game([0, 2, 4], result, [np.nan, v, v]) for result, v in values.items()]
    (opening, *_) = report_of(tmp_path, [*games, game([0, 2], "W+R", [0.9, 1])])["a"]
    assert opening.num_positions == 8 and opening.valued_share == 2 / 8
    assert GameFile.open(tmp_path / "a.games").num_valued_positions() == 2


def test_sources_are_kept_apart_and_the_smallest_put_together(tmp_path):
    points = list(range(0, 2 * (MAX_SOURCES + 2), 2))
    records = [game(points[: i + 1], source=f"s{i}") for i in range(MAX_SOURCES + 2)]
    report = report_of(tmp_path, [game([0], source="s3"), *records])
    assert list(report)[0] == f"s{MAX_SOURCES + 1}"
    assert list(report)[-1] == OTHER_SOURCES and len(report) == MAX_SOURCES
    assert report["s3"][0].num_positions == 5
    assert report[OTHER_SOURCES][0].num_positions == 1 + 2 + 3
    total = sum(range(1, MAX_SOURCES + 3)) + 1
    assert total_phases(report)[0].num_positions == total


@pytest.mark.parametrize(("field", "value"), [("text", 9), ("winner", 3)])
def test_a_row_that_names_what_there_is_not_is_refused(tmp_path, field, value):
    path = tmp_path / "a.games"
    write_games([game([0])], path)
    at = GameFile.open(path)._layout.games_offset + ROW.fields[field][1]
    with pytest.raises(DataFormatError, match=f"some games have a {field} that does not exist"):
        phase_report(GameFile.open(altered(path, at, bytes([value]))))


def test_embedded_games_against_counting(monkeypatch):
    games = GameFile.open(EMBEDDED_GAMES)
    monkeypatch.setattr("golois.records.packed_file.BLOCK_GAMES", 1000)
    (phases,) = phase_report(games).values()
    counted: Counter = Counter()
    for record in games:
        is_position = (record.points < PASS) & np.isfinite(record.values)
        for start, end in zip(PHASE_STARTS, (*PHASE_STARTS[1:], None), strict=True):
            counted[start, record.winner] += int(is_position[start:end].sum())
    for start, phase in zip(PHASE_STARTS, phases, strict=True):
        by_winner = [counted[start, winner] for winner in (EMPTY, BLACK, WHITE)]
        assert phase.by_label.sum(1).tolist() == by_winner
    assert sum(phase.num_positions for phase in phases) == games.num_positions
