"""What is exported and imported again is what it was, as far as the format can hold it."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golois.constants import PASS
from golois.errors import DataFormatError
from golois.go.coords import WHITE
from golois.records.exporting import FORMATS, export_games
from golois.records.importing import import_games
from golois.records.packed_file import DRAW, GameFile, Record
from golois.records.packing import write_games
from tests.random_records import records


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("export")


def has_positions(record: Record) -> bool:
    labelled = np.isfinite(record.values) | np.isnan(record.values).all()
    return bool((labelled & (record.points < PASS)).any())


def again(folder, source, format: str) -> GameFile:
    """The games of a packed file, exported and imported once more."""
    export_games(folder / source, folder / "text", format)
    summary = import_games([folder / "text"], folder / f"again_{source}")
    assert dict(summary.dropped) == {}
    return GameFile.open(summary.path)


def in_sgf(record: Record) -> Record:
    """The record as SGF can hold it."""
    values = record.values
    if record.result == DRAW and np.isnan(values).all():
        values = np.full_like(values, 0.5)
    rules, source = (re.sub("[\r\n]", " ", text) for text in (record.rules, record.source))
    return replace(record, rules=rules, source=source or "text", values=values)


def in_games_data(record: Record) -> Record:
    """The record as games.data can hold it."""
    values = record.values
    if np.isnan(values).all():
        values = np.full_like(values, record.winner == WHITE)
    return replace(record, rules="", source="text", result=record.result[:2], values=values)


def assert_same(left: Record, right: Record) -> None:
    for name in ("komi", "rules", "result", "source"):
        assert getattr(left, name) == getattr(right, name)
    for name in ("points", "colours", "values"):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name))


def assert_settled(folder, games: GameFile, format: str) -> None:
    """Once imported, a second round changes no byte of words and rows."""
    once_more = again(folder, games.path.name, format)
    np.testing.assert_array_equal(games.words, once_more.words)
    np.testing.assert_array_equal(games.rows, once_more.rows)


GAMES = st.lists(records().filter(has_positions), min_size=1, max_size=4)


@settings(max_examples=20, deadline=None)
@given(written=GAMES)
def test_sgf_holds_records(folder, written):
    write_games(written, folder / "a.games")
    games = again(folder, "a.games", "sgf")
    for before, after in zip(written, games, strict=True):
        assert_same(in_sgf(before), after)
    assert (folder / "text").read_bytes().count(b"\n") == len(written)
    assert_settled(folder, games, "sgf")


@settings(max_examples=20, deadline=None)
@given(written=GAMES)
def test_games_data_holds_moves_and_values(folder, written):
    write_games(written, folder / "a.games")
    kept = [r for r in written if r.komi is not None and r.result != DRAW]
    if not kept:
        with pytest.raises(DataFormatError, match="games.data can hold none of the games"):
            export_games(folder / "a.games", folder / "text", "games.data")
        return
    games = again(folder, "a.games", "games.data")
    for before, after in zip(kept, games, strict=True):
        assert_same(in_games_data(before), after)
    assert_settled(folder, games, "games.data")


def test_every_format_is_tested():
    assert set(FORMATS) == {"sgf", "games.data"}
