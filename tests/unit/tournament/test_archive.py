"""A league as one file, and back: nothing is lost, and nothing else is taken for one."""

import csv
import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from golois.sgf.reading import read_sgf
from tests.fake_arena import OPTIONS, file_network, league_of, record_of, tiny_network
from tests.runs import tournament
from tournament.errors import LeagueError
from tournament.game.play import void_record
from tournament.league.games import Target
from tournament.league.league import League
from tournament.players.protocol import Choice
from tournament.report.archive import sgf_entry
from tournament.report.history import current_week, placings_of
from tournament.report.league_zip import export_leagues, import_leagues
from tournament.report.snapshot import snapshot_of
from tournament.report.standings import Standings
from tournament.running.plan import scheduled_jobs

GAME_ID = b'"game_id": "'


@pytest.fixture
def league(tmp_path) -> League:
    """Played, failed, void and superseded; withdrawn, anchored, and with a week behind it."""
    league = league_of(tmp_path, ("Ada", "Grace", "Kurt", "Emmy"))
    league.fix_options(OPTIONS)
    jobs = scheduled_jobs(league, OPTIONS, 2)
    league.schedules.note(jobs, Target(2, 8.0))
    moves = (Choice(60, 400, 1.9876, 0.1234), Choice(361, 7, 0.0001, 0.5))
    for job in jobs[:12]:
        league.games.record(record_of(job, moves=moves))
    forfeit = {"result": "W+F", "winner": "white", "kind": "forfeit", "reason": "a ] and \\ é"}
    failed = next(job for job in jobs[12:] if job.black == "Emmy")
    league.games.record(record_of(failed, moves=(), **forfeit))
    league.games.record(void_record(jobs[13], OPTIONS, "the worker died"))
    league.schedules.note_run_seconds(1234.5)
    league.submissions.set_anchor("Ada", 100.0)
    league.submissions.withdraw("Kurt")
    file_network(league, "Grace", tiny_network(9), tmp_path, replace=True)
    standings = Standings(snapshot_of(league))
    league.weeks.note_placings(current_week(standings.snapshot), placings_of(standings))
    return league


def journal_of(league: League) -> dict[str, list]:
    with league.at_one_moment() as journal:
        return {table: list(journal.rows_of(table)) for table in journal.tables()}


def files_of(folder: Path) -> dict[str, bytes]:
    kinds = ("submissions", "artefacts", "games")
    found = (path for kind in kinds for path in (folder / kind).iterdir())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.mark.skipif(os.name != "posix", reason="no such permissions on this system")
def test_hidden_games_are_nobody_else_s_to_read_elsewhere_too(league, tmp_path):
    (league.folder / "league.toml").write_text("hidden = true\n")
    export_leagues([league], tmp_path / "week.zip")
    [folder] = import_leagues(tmp_path / "week.zip", tmp_path / "elsewhere")
    assert (folder / "games").stat().st_mode & 0o077 == 0


def test_a_league_comes_back_as_it_was(league, tmp_path):
    export_leagues([league], tmp_path / "week.zip")
    [folder] = import_leagues(tmp_path / "week.zip", tmp_path / "elsewhere")
    assert folder == tmp_path / "elsewhere" / "league"
    again = League(folder)
    assert journal_of(again) == journal_of(league)
    assert len(journal_of(again)["games"]) == 13 and len(journal_of(again)["voids"]) == 1
    assert [one.name for one in snapshot_of(again).taken_out] == ["Emmy"]
    kept = {f"games/{game.game_id}.sgf" for game in league.games.kept()}
    assert files_of(folder) == {
        name: content
        for name, content in files_of(league.folder).items()
        if not name.startswith("games/") or name in kept
    }
    export_leagues([again], tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "week.zip").read_bytes()


def test_others_can_read_it_too(league, tmp_path):
    export_leagues([league], tmp_path / "week.zip")
    with zipfile.ZipFile(tmp_path / "week.zip") as archive:
        rows = list(csv.DictReader(io.StringIO(archive.read("league/games.csv").decode())))
        games = {game.game_id: game for game in league.games.all()}
        assert {row["game_id"]: row["result"] for row in rows} == {
            game_id: game.result for game_id, game in games.items()
        }
        entries = {entry.comment.decode(): entry for entry in archive.infolist()}
        for game_id, game in games.items():
            sgf = read_sgf(archive.read(entries[game_id]))
            points = [*game.opening, *(move.point for move in game.moves)]
            assert [point for _, point in sgf.moves] == points
            assert (sgf.black, sgf.white, sgf.result) == (game.black, game.white, game.result)
        ranking = csv.DictReader(io.StringIO(archive.read("league/ranking.csv").decode()))
        assert {row["name"] for row in ranking} == {"Ada", "Grace", "Kurt"}
        assert entries.keys() >= {row.game_id for row in league.games.struck()}
        names = [name for name in archive.namelist() if name.startswith("league/games/")]
        day = games[game_id].started_at[:10]
        assert len(names) == len(set(names)) == len(list(league.games.kept()))
        assert f"league/games/{day}_ada_vs_kurt_B+3.5.sgf" in names


def test_games_of_one_name_are_numbered():
    taken: set[str] = set()
    for expected in ("games/a.sgf", "games/a_2.sgf", "games/a_3.sgf"):
        entry = sgf_entry("g01", "games/a.sgf", taken)
        assert (entry.filename, entry.comment) == (expected, b"g01")
        taken.add(entry.filename)


def test_a_season_is_one_file(league, tmp_path):
    (tmp_path / "b").mkdir()
    other = league_of(tmp_path / "b", ("Emmy", "Carl"))
    with pytest.raises(LeagueError, match="different plain names: rename 'league'"):
        export_leagues([league, other], tmp_path / "season.zip")
    other.close()
    other.folder.rename(tmp_path / "week2")
    export_leagues([league, League(tmp_path / "week2")], tmp_path / "season.zip")
    folders = import_leagues(tmp_path / "season.zip", tmp_path / "elsewhere")
    assert [folder.name for folder in folders] == ["league", "week2"]
    entrants = League(folders[1]).submissions.entrants()
    assert [entrant.name for entrant in entrants] == ["Carl", "Emmy"]
    with pytest.raises(LeagueError, match="already exists"):
        import_leagues(tmp_path / "season.zip", tmp_path / "elsewhere")


def repacked(path: Path, change) -> Path:
    """The archive with the content of each entry changed."""
    other = path.with_name("changed.zip")
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(other, "w") as changed:
        for name in archive.namelist():
            changed.writestr(name, change(name, archive.read(name)))
    return other


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda n, c: c[:-1] if n.endswith(".h5") else c, "is damaged"),
        (lambda n, c: b'{"version": 99}' if n.endswith("league.json") else c, "of version 99"),
        (lambda n, c: b"{}" if n.endswith("league.json") else c, "version"),
        (lambda n, c: b"[]" if n.endswith("league.json") else c, "is not an archive"),
        (lambda n, c: c[:-9] if n.endswith("games.jsonl") else c, "is not an archive"),
        (lambda n, c: c + b'{"x": 1}' if n.endswith("voids.jsonl") else c, "other columns"),
        (lambda n, c: c + b"[1]" if n.endswith("voids.jsonl") else c, "is not an archive"),
        (lambda n, c: c.replace(GAME_ID, GAME_ID + b"../"), "league has the game id"),
    ],
)
def test_a_damaged_archive_is_said_and_leaves_nothing(league, tmp_path, change, said):
    export_leagues([league], tmp_path / "week.zip")
    with pytest.raises(LeagueError, match=said):
        import_leagues(repacked(tmp_path / "week.zip", change), tmp_path / "elsewhere")
    assert not any((tmp_path / "elsewhere").iterdir())


def test_bytes_that_do_not_unpack_are_damage(league, tmp_path):
    path = tmp_path / "week.zip"
    export_leagues([league], path)
    name = b"league/journal/moves.jsonl"
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo(name.decode())
    begin = entry.header_offset + 30 + len(name) + int.from_bytes(
        whole[entry.header_offset + 28 : entry.header_offset + 30], "little"
    )
    path.write_bytes(whole[:begin] + b"\xff" + whole[begin + 1 :])  # no kind of a deflated block
    with pytest.raises(LeagueError, match="is not an archive of leagues"):
        import_leagues(path, tmp_path / "elsewhere")
    assert not any((tmp_path / "elsewhere").iterdir())


def test_what_is_no_archive_is_said(tmp_path):
    with pytest.raises(FileNotFoundError):
        import_leagues(tmp_path / "missing.zip", tmp_path / "elsewhere")
    (tmp_path / "no.zip").write_bytes(b"no archive")
    with pytest.raises(LeagueError, match="is not an archive of leagues"):
        import_leagues(tmp_path / "no.zip", tmp_path / "elsewhere")
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("../../league.json", json.dumps({"version": 3}))
    with pytest.raises(LeagueError, match="it holds no league"):
        import_leagues(tmp_path / "bad.zip", tmp_path / "elsewhere")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("output", [".", "/", "", "folder"])
def test_an_archive_is_a_file_and_no_folder(league, tmp_path, monkeypatch, output):
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    said = tournament("export", league.folder, "-o", output).refusal
    assert "it must be a file, not the folder" in said
