"""A league that this user may read and not write."""

import os
import sqlite3
from pathlib import Path

import pytest

from tests.fake_arena import OPTIONS, league_of, record_of
from tests.runs import command, tournament
from tournament.errors import LeagueError
from tournament.league.league import League
from tournament.running.plan import scheduled_jobs


@pytest.fixture
def league(tmp_path, monkeypatch) -> League:
    """It has played; from here on the system says that it may not be written."""
    league = league_of(tmp_path)
    league.fix_options(OPTIONS)
    for job in scheduled_jobs(league, OPTIONS, 1):
        league.games.record(record_of(job))
    deny_writing(monkeypatch)
    return league


def deny_writing(monkeypatch):
    """Answer as the system does to most users; whoever runs the tests may be root."""
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("is_at_rest", [True, False])
def test_it_is_reported_and_nothing_in_it_changes(league, is_at_rest):
    if is_at_rest:
        league.close()
    before = contents(league.folder)
    assert any(path.name.endswith("-wal") for path in before) is not is_at_rest
    code, out, errors = command(league.folder, "report")
    assert (code, errors) == (0, "") and "Kurt" in out
    assert out.endswith("can't be written: its page and CSV stay as they are\n")
    assert command(league.folder, "report", "--quiet") == (0, "", "")
    after = contents(league.folder)
    assert {path for path in after if not path.name.endswith("-shm")} == {
        path for path in before if not path.name.endswith("-shm")
    }
    assert all(after[path] == before[path] for path in before if not path.name.endswith("-shm"))


def test_what_would_write_is_one_sentence(league):
    for arguments in (("withdraw", "Ada"), ("report", "--keep")):
        assert command(league.folder, *arguments).refusal
    with pytest.raises(LeagueError, match="cannot write to"):
        League(league.folder).submissions.withdraw("Ada")


def test_a_season_is_read_too(league, monkeypatch):
    monkeypatch.undo()
    assert command(league.folder, "report")[0] == 0
    deny_writing(monkeypatch)
    code, out, _ = tournament("season", league.folder)
    assert code == 0 and "Kurt" in out


def test_another_version_is_said(league):
    league.close()
    with sqlite3.connect(league.folder / "league.sqlite") as database:
        database.execute("PRAGMA user_version = 2")
    with pytest.raises(LeagueError, match="is of version 2"):
        League(league.folder)
