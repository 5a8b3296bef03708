import os
import sqlite3
import stat
import subprocess
import sys
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from tests.data import ROOT
from tests.fake_arena import (
    OPTIONS,
    FakeManifest,
    file_network,
    league_of,
    record_of,
    tiny_network,
)
from tournament.errors import LeagueError, OptionsError, SubmissionError
from tournament.game.options import EventOptions
from tournament.game.play import void_record
from tournament.league.games import Effort, Target, row_of
from tournament.league.journal import Journal
from tournament.league.league import League
from tournament.league.names import message_of
from tournament.report.league_zip import export_leagues, import_leagues
from tournament.running.plan import scheduled_jobs


@pytest.fixture
def league(tmp_path):
    league = league_of(tmp_path)
    league.fix_options(OPTIONS)
    return league


@pytest.fixture
def jobs(league):
    return scheduled_jobs(league, OPTIONS, 1)


def test_a_submission_is_filed_under_its_digest(league):
    ada = league.submissions.all()[0]
    assert (ada.name, ada.active, ada.manifest["sha256"]) == ("Ada", True, ada.sha256)
    assert (league.folder / "submissions" / f"{ada.sha256}.h5").read_bytes() == tiny_network(0)
    artefact = league.submissions.artefact_path(ada.sha256)
    assert artefact.read_bytes() == tiny_network(0)
    assert ada.sha256 in artefact.with_suffix(".json").read_text()


def test_the_names_of_files_are_on_the_disk_before_the_row(league, tmp_path, monkeypatch):
    flushed = []

    def flush(folder) -> None:
        assert "Emmy" not in {entrant.name for entrant in league.submissions.entrants()}
        flushed.append(folder.name)

    monkeypatch.setattr("tournament.league.submissions.flush_folder", flush)
    file_network(league, "Emmy", tiny_network(9), tmp_path)
    assert flushed == ["submissions", "artefacts"]


def test_filing_again_changes_nothing(league, tmp_path):
    before = league.submissions.all()
    file_network(league, "Ada", tiny_network(0), tmp_path)
    assert league.submissions.all() == before


def test_a_message_stays_with_its_network_and_in_an_archive(league, tmp_path):
    for number, message in enumerate(("tried SE blocks", "", "deeper"), start=10):
        file_network(
            league, "Ada", tiny_network(number), tmp_path, replace=True, message=message
        )
    file_network(league, "Ada", tiny_network(12), tmp_path)  # again, without a message
    export_leagues([league], tmp_path / "league.zip")
    (again,) = import_leagues(tmp_path / "league.zip", tmp_path / "restored")
    for one in (league, League(again)):
        said = [filed.message for filed in one.submissions.all() if filed.name == "Ada"]
        assert said == ["", "tried SE blocks", "", "deeper"]


@pytest.mark.parametrize("text", ["a" * 201, "two\nlines", "\x1b[2J", "tab\there", "a\u2028b"])
def test_a_message_is_one_short_line(text):
    with pytest.raises(SubmissionError, match="a message is one line of at most 200 characters"):
        message_of(text)
    assert message_of(" é\u202e\u00a0!\n") == "é !"


def test_a_new_network_of_a_name_takes_the_place_of_the_old_one(league, jobs, tmp_path):
    league.games.record(record_of(jobs[0]))
    assert len(league.games.all()) == 1
    new = file_network(league, jobs[0].black, tiny_network(9), tmp_path, replace=True)
    assert new.sha256 in {entrant.sha256 for entrant in league.submissions.entrants()}
    assert jobs[0].black_sha256 not in {entrant.sha256 for entrant in league.submissions.entrants()}
    assert league.games.all() == [], "games of the old one count no more"
    assert len(league.games.missing(scheduled_jobs(league, OPTIONS, 1))) == 6


def test_going_back_to_an_old_network_brings_its_games_back(league, jobs, tmp_path):
    seed = ("Ada", "Grace", "Kurt").index(jobs[0].black)
    league.games.record(record_of(jobs[0]))
    file_network(league, jobs[0].black, tiny_network(9), tmp_path, replace=True)
    file_network(league, jobs[0].black, tiny_network(seed), tmp_path, replace=True)
    assert len(league.games.all()) == 1
    assert len(league.submissions.entrants()) == 3


@pytest.mark.parametrize("name", ["", "../Ada", "Ada Lovelace", "-rf", ".hidden", "x" * 65, "<b>"])
def test_names_that_are_no_names_are_refused(league, tmp_path, name):
    file_network(league, "Emmy", tiny_network(8), tmp_path)
    path = tmp_path / "Emmy.h5"
    manifest = SimpleNamespace(sha256="0")
    verdict = SimpleNamespace(accepted=True, faults=(), manifest=manifest, onnx_path=path)
    with pytest.raises(SubmissionError, match="a name must have"):
        league.submissions.add(name, path, verdict)


def test_a_name_that_looks_like_another_is_refused(league, tmp_path):
    for name in ("ada", "Ada.", "A_da"):
        with pytest.raises(SubmissionError, match=f"{name} looks like Ada, which is filed"):
            file_network(league, name, tiny_network(9), tmp_path, replace=True)
    league.submissions.withdraw("Ada")
    with pytest.raises(SubmissionError, match="looks like Ada"):
        file_network(league, "ADA", tiny_network(9), tmp_path)


def test_names_that_a_league_has_already_stay_as_they_are(league, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("tournament.league.submissions.skeleton", str)  # as in leagues of before
        file_network(league, "ada", tiny_network(8), tmp_path)
    file_network(league, "ada", tiny_network(9), tmp_path, replace=True)
    assert {entrant.name for entrant in league.submissions.entrants()} >= {"Ada", "ada"}


def test_only_its_user_reads_what_others_could_copy(tmp_path):
    before = os.umask(0o022)
    try:
        league = league_of(tmp_path)
        with league.coordinate():
            pass
        league.games.record(record_of(scheduled_jobs(league, OPTIONS, 1)[0]))
    finally:
        os.umask(before)
    private = {"submissions", "artefacts", "league.sqlite", "league.sqlite-wal",
               "league.sqlite-shm", "coordinator.lock", "secrets"}
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in league.folder.iterdir()}
    assert private <= modes.keys()
    for name, mode in modes.items():
        assert (mode & 0o077 == 0) is (name in private), name
    assert stat.S_IMODE(league.folder.stat().st_mode) == 0o755, "a web server reads the site"


def test_the_same_network_under_two_names_is_refused(league, tmp_path):
    with pytest.raises(SubmissionError, match="already in the league under another name") as error:
        file_network(league, "Emmy", tiny_network(0), tmp_path)
    assert "Ada" not in str(error.value)


def test_bytes_that_change_nothing_make_no_other_network_and_bring_none_back(league, tmp_path):
    before = league.submissions.all()
    padded = tiny_network(0) + b"more"
    with pytest.raises(SubmissionError, match="already in the league under another name"):
        file_network(league, "Emmy", tiny_network(0), tmp_path, file=padded)
    file_network(league, "Ada", tiny_network(0), tmp_path, file=padded)
    file_network(league, "Ada", tiny_network(0), tmp_path, file=padded, replace=True)
    assert league.submissions.all() == before
    league.submissions.withdraw("Ada")
    with pytest.raises(SubmissionError, match="Ada no longer plays: it was withdrawn"):
        file_network(
            league, "Ada", tiny_network(0), tmp_path, file=tiny_network(0) + b"more", replace=True
        )


def test_a_withdrawn_name_hands_in_nothing_until_it_is_reinstated(league, tmp_path):
    league.submissions.withdraw("Ada")
    withdrawn = pytest.raises(
        SubmissionError, match="Ada no longer plays: it was withdrawn .* reinstate"
    )
    with withdrawn:
        file_network(league, "Ada", tiny_network(9), tmp_path, replace=True)
    with withdrawn:  # already when a server asks, before the deadline
        league.submissions.check("Ada", {"sha256": "another", "onnx_sha256": "another"})
    league.submissions.reinstate("Ada")
    assert file_network(league, "Ada", tiny_network(9), tmp_path, replace=True).active


def test_a_clock_set_back_changes_no_order(league, tmp_path, monkeypatch):
    days = iter(range(28, 0, -1))
    monkeypatch.setattr(
        "tournament.league.submissions.utc_now", lambda: f"2026-03-{next(days):02}T00:00:00Z"
    )
    filed = [
        file_network(league, "Emmy", tiny_network(7), tmp_path).sha256,
        file_network(league, "Emmy", tiny_network(8), tmp_path, replace=True).sha256,
    ]
    assert [one.sha256 for one in league.submissions.all() if one.name == "Emmy"] == filed


def test_another_version_of_the_kit_does_not_change_a_filed_network(league, tmp_path):
    """The same file, baked to other bytes: its artefact and what follows from it stay."""
    ada = league.submissions.all()[0]
    path, onnx_path = tmp_path / "again.h5", tmp_path / "again.onnx"
    path.write_bytes(tiny_network(0))
    onnx_path.write_bytes(tiny_network(9))
    manifest = TunedManifest(ada.sha256, "another digest")
    verdict = SimpleNamespace(accepted=True, faults=(), manifest=manifest, onnx_path=onnx_path)
    filed = league.submissions.add("Ada", path, verdict)
    assert filed.manifest == {**ada.manifest, "tuning": {"runtime": "newer"}}
    assert league.submissions.artefact_path(ada.sha256).read_bytes() == tiny_network(0)


@dataclass(frozen=True)
class TunedManifest(FakeManifest):
    tuning: dict = field(default_factory=lambda: {"runtime": "newer"})


def test_games_follow_from_what_a_network_computes(tmp_path):
    """Nobody can choose openings by bytes that change nothing."""
    schedules = []
    for number in range(2):
        league = League(tmp_path / f"league{number}")
        for seed, name in enumerate(("Ada", "Grace")):
            artefact = tiny_network(seed)
            file_network(league, name, artefact, tmp_path, file=artefact + bytes(5 * number))
        schedules.append(scheduled_jobs(league, OPTIONS, 3))
        league.fix_options(OPTIONS)
        assert scheduled_jobs(league, OPTIONS, 3) == schedules[-1]
    one, other = (
        [(job.game_id, job.opening, job.seed) for job in jobs] for jobs in schedules
    )
    assert one == other and schedules[0][0].black_sha256 != schedules[1][0].black_sha256


def test_an_event_that_went_by_files_still_does(tmp_path):
    """Its games have their ids and openings from the digests of files."""
    league = League(tmp_path / "league")
    for seed, name in enumerate(("Ada", "Grace")):
        file_network(league, name, tiny_network(seed), tmp_path, file=b"%d" % seed)
    league.fix_options(OPTIONS)
    assert all(one.identity != one.sha256 for one in league.submissions.entrants())
    league.close()
    with sqlite3.connect(league.folder / "league.sqlite") as journal:
        journal.execute("DELETE FROM header WHERE key = 'networks_known_by'")
    old = League(league.folder)
    assert all(one.identity == one.sha256 for one in old.submissions.entrants())


ANSWERS = (0.4, 0.5, 0.02, 0.9)
NEARLY = (0.4005, 0.5001, 0.02001, 0.8999)


def test_a_network_that_answers_nearly_alike_is_a_copy(league, tmp_path):
    file_network(league, "Emmy", tiny_network(7), tmp_path, answers=ANSWERS)
    with pytest.raises(SubmissionError, match="plays nearly the same") as error:
        file_network(league, "Lise", tiny_network(8), tmp_path, answers=NEARLY)
    assert "Emmy" not in str(error.value)
    file_network(league, "Lise", tiny_network(8), tmp_path, answers=(0.3, 0.5, 0.04, 0.9))


def test_a_league_of_ones_own_takes_networks_that_are_nearly_alike(league, tmp_path):
    file_network(league, "Emmy", tiny_network(7), tmp_path, answers=ANSWERS)
    file_network(league, "Lise", tiny_network(8), tmp_path, answers=NEARLY, allow_alike=True)
    with pytest.raises(SubmissionError, match="already in the league under another name"):
        file_network(league, "Otto", tiny_network(8), tmp_path, file=b"x", allow_alike=True)


def test_a_name_may_hand_in_its_own_network_nearly_alike(league, tmp_path):
    file_network(league, "Emmy", tiny_network(7), tmp_path, answers=ANSWERS)
    newer = file_network(league, "Emmy", tiny_network(8), tmp_path, answers=NEARLY, replace=True)
    assert newer.active and newer.manifest["answers"] == list(NEARLY)


def test_a_refused_or_changed_file_is_not_filed(league, tmp_path):
    path = tmp_path / "net.h5"
    path.write_bytes(b"changed")
    refused = SimpleNamespace(accepted=False, faults=(SimpleNamespace(text="too large"),))
    with pytest.raises(SubmissionError, match="too large"):
        league.submissions.add("Emmy", path, refused)
    manifest = SimpleNamespace(sha256="0" * 64)
    checked = SimpleNamespace(accepted=True, faults=(), manifest=manifest, onnx_path=path)
    with pytest.raises(SubmissionError, match="has changed since"):
        league.submissions.add("Emmy", path, checked)


def test_a_game_counts_once_and_its_first_result_stays(league, jobs):
    first = record_of(jobs[0])
    assert league.games.record(first)
    sgf = league.games.path_of(jobs[0].game_id).read_text()
    assert not league.games.record(replace(first, result="W+F", winner="white", kind="forfeit"))
    assert league.games.all() == [first]
    assert league.games.path_of(jobs[0].game_id).read_text() == sgf
    assert [job.game_id for job in league.games.missing(jobs)] == [job.game_id for job in jobs[1:]]


def test_rows_are_the_games_without_their_moves(league, jobs):
    records = [record_of(job, cpu_model="Abacus 1", opening=(60, 300, 72)) for job in jobs[:2]]
    for record in records:
        league.games.record(record)
    assert league.games.rows() == [row_of(record) for record in records]
    row = league.games.rows()[0]
    assert (row.white_effort, row.black_effort) == (Effort(1, 4, 0.01), Effort(1, 4, 0.02))
    assert (row.num_plies, row.cpu_model) == (5, "Abacus 1")
    assert league.games.one(jobs[1].game_id) == records[1]
    assert list(league.games.each()) == records
    with pytest.raises(LeagueError, match="has no game 'nowhere' with a result"):
        league.games.one("nowhere")


def test_every_schedule_that_was_run_is_kept_once(league, jobs):
    assert league.schedules.last() is None
    for target in (Target(1), Target(1), Target(2, 8.0)):
        league.schedules.note(jobs, target)
    assert league.schedules.last().target == Target(2, 8.0)
    assert (league.schedules.last().num_games, len(league.schedules.last().hash)) == (6, 16)
    with sqlite3.connect(league.folder / "league.sqlite") as database:
        assert database.execute("SELECT rounds FROM schedules").fetchall() == [(1,), (2,)]


def test_a_full_disk_is_a_sentence_and_loses_nothing(league, jobs):
    first = record_of(jobs[0])
    league.games.record(first)
    journal = league._journal
    (used,) = journal.execute("PRAGMA page_count").fetchone()
    journal.execute(f"PRAGMA max_page_count = {used}")
    with pytest.raises(LeagueError, match="cannot write to .*: database or disk is full; "):
        for job in jobs[1:] * 20:
            league.games.record(record_of(job, reason=300 * "because"))
    written = league.games.all()
    assert written[0] == first and len(written) < len(jobs)
    journal.execute("PRAGMA max_page_count = 1000000")
    for job in league.games.missing(jobs):
        assert league.games.record(record_of(job))
    assert len(league.games.all()) == len(jobs)


def test_a_void_or_a_result_that_is_none_is_no_result(league, jobs):
    league.games.record(void_record(jobs[0], OPTIONS, "the worker died"))
    assert league.games.all() == [] and league.games.missing(jobs) == jobs
    assert [void.reason for void in league.games.voids()] == ["the worker died"]
    with pytest.raises(sqlite3.IntegrityError):
        league.games.record(record_of(jobs[0], winner=None))
    assert league.games.all() == [] and not league.games.path_of(jobs[0].game_id).exists()


def test_a_league_read_again_is_the_same_and_takes_no_other_options(league, jobs):
    league.games.record(record_of(jobs[0]))
    again = League(league.folder, create=False)
    assert again.games.all() == league.games.all()
    assert again.submissions.all() == league.submissions.all()
    assert again.options() == OPTIONS
    with pytest.raises(OptionsError, match=": visits 4 → 8, komi 7.5 → 6.5; use a new league"):
        league.fix_options(EventOptions(visits=8, komi=6.5, seed=0))


def test_one_process_at_a_time_runs_the_games_and_the_league_says_which(league):
    before = set(league.folder.iterdir())
    assert league.coordinator() is None
    assert set(league.folder.iterdir()) == before, "asking makes no file"
    with (
        league.coordinate(),
        pytest.raises(LeagueError, match="another tournament is running on"),
        League(league.folder).coordinate(),
    ):
        pass
    with league.coordinate():
        pass
    another = League(league.folder)
    assert another.coordinator() is None
    for _ in range(2):
        with league.coordinate():
            assert another.coordinator() == os.getpid()
        assert another.coordinator() is None


def test_a_folder_without_a_league_and_one_network_are_said(tmp_path):
    with pytest.raises(LeagueError, match="there is no league in"):
        League(tmp_path, create=False)
    assert not any(tmp_path.iterdir())
    with pytest.raises(LeagueError, match="two networks or more"):
        scheduled_jobs(league_of(tmp_path, ("Ada",)), OPTIONS, 1)


def test_opening_a_journal_twice_leaves_the_first_ones_locks(league):
    """SQLite removes its log when the last process closes, which this one is not."""
    League(league.folder).close()
    script = "import sys; from tournament.league.league import League; League(sys.argv[1]).close()"
    subprocess.run([sys.executable, "-c", script, str(league.folder)], check=True, cwd=ROOT)
    assert (league.folder / "league.sqlite-wal").exists()


def test_a_journal_of_another_version_or_none_is_said(league, tmp_path):
    with sqlite3.connect(league.folder / "league.sqlite") as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(LeagueError, match="version 99, and this kit reads 3:"):
        League(league.folder)
    (tmp_path / "league.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(LeagueError, match="is not a league's journal"):
        League(tmp_path)


def test_a_journal_on_a_full_disk_is_not_called_another_file(tmp_path, monkeypatch):
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    monkeypatch.setattr(Journal, "_open", Mock(side_effect=full))
    with pytest.raises(LeagueError, match="^cannot use .*league.sqlite: database or disk is full"):
        League(tmp_path)
