"""Packed copies in the user's cache: one for each file, whatever the names of its folders."""

import os
from pathlib import Path

import pytest

from golois.records import importing as module
from golois.records.importing import import_games, packed_copy
from golois.records.packed_file import GameFile
from golois.records.packing import write_games
from tests.games import HEAD, SHORT_GAME


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    """A cache that is used, since no copy may stand beside a file."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(module.os, "access", lambda path, mode: False)
    return tmp_path / "cache" / "golois"


def written(path: Path, game: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(game)
    os.utime(path, (1, 1))
    return path


PAIRS = [("a-b/c", "a/b-c"), ("a/b/c", "a-b-c"), ("a/c", "b/c"), ("x" * 200, "x" * 201)]


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=["dashes", "flat", "folders", "long"])
def test_two_files_have_two_copies(tmp_path, cache, first, second):
    """Of the same size and age: only their paths tell them apart."""
    games = [SHORT_GAME, f"{HEAD};B[dd];W[pp];B[aa])"]
    assert len(games[0]) == len(games[1])
    paths = [
        written(tmp_path / "games" / name, game)
        for name, game in zip((first, second), games, strict=True)
    ]
    copies = [packed_copy(path) for path in paths]
    assert copies == [packed_copy(path) for path in paths]
    assert all(copy.parent == cache for copy in copies)
    assert [int(GameFile.open(copy)[0].points[0]) for copy in copies] == [72, 60]


def test_the_same_file_by_two_paths_has_one_copy(tmp_path, cache):
    path = written(tmp_path / "games" / "week.sgf", SHORT_GAME)
    link = tmp_path / "link"
    link.symlink_to(path.parent)
    assert packed_copy(path) == packed_copy(link / "week.sgf")
    assert packed_copy(path).name.startswith("week.sgf-")


def test_a_name_of_wide_characters_fits_into_the_file_system(tmp_path, cache):
    assert packed_copy(written(tmp_path / ("棋" * 80), SHORT_GAME)).exists()


@pytest.mark.parametrize("kind", ["filtered", "labelled", "of another file", "text"])
def test_a_file_that_the_user_made_is_neither_read_nor_replaced(tmp_path, monkeypatch, kind):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = written(tmp_path / "week.sgf", SHORT_GAME + SHORT_GAME.replace("HA[0]", ""))
    theirs, other = tmp_path / "week.sgf.games", written(tmp_path / "other.sgf", SHORT_GAME)
    if kind == "filtered":
        import_games([source], theirs, dedupe=True)
    elif kind == "labelled":
        write_games([GameFile.open(packed_copy(source))[0]], theirs)
    elif kind == "of another file":
        import_games([other], theirs)
    else:
        theirs.write_text("games of the week")
    before = theirs.read_bytes()
    for age in (1, 2**31):
        os.utime(source, (age, age))
        copy = packed_copy(source)
        assert copy.is_relative_to(tmp_path / "cache") and len(GameFile.open(copy)) == 2
        assert theirs.read_bytes() == before


def test_a_copy_by_another_import_is_made_again(tmp_path, monkeypatch):
    source = written(tmp_path / "week.sgf", SHORT_GAME)
    monkeypatch.setattr(module, "TOOL", "golois import 0")
    before = packed_copy(source).read_bytes()
    monkeypatch.undo()
    assert packed_copy(source) == tmp_path / "week.sgf.games"
    assert packed_copy(source).read_bytes() != before
