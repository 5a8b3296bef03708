"""A term that runs by itself: weeks are closed, played and kept, on a clock that moves.

The games are made up, and the files are judged by nobody; everything between them is the server's.
"""

import csv
import io
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.fake_arena import OPTIONS, file_network, record_of
from tests.runs import tournament
from tests.serving import Serving, issue_tokens, network, serving, wait_for
from tests.terms import (
    STUDENTS,
    TERM,
    WEEKS,
    Clock,
    Machine,
    after_the_first_deadline,
    sha256,
)
from tournament import report
from tournament.errors import LeagueError
from tournament.league.league import League
from tournament.league.settings import read_settings
from tournament.report.formats import network_page
from tournament.running.plan import scheduled_jobs
from tournament.server import judging
from tournament.server.inbox import Upload

pytestmark = pytest.mark.usefixtures("filed_at_once", "played")

NUMBERS = [name[-2:] for name in STUDENTS]
MOODLE = "Last name;First name;ID number;Institution\n" + "".join(
    f"{number};Student;2200{number};Université\n" for number in NUMBERS
)
CANVAS = "Student,ID,SIS User ID,Section\n    Points Possible,,,\n" + "".join(
    f'"{number}, Étudiant",{number},2200{number},A\n' for number in NUMBERS  # known by number
)
BLACKBOARD = "Last Name\tFirst Name\tUsername\tAvailability\n" + "".join(
    f'"{number}"\t"Student"\t"s{number}"\t"Yes"\n' for number in NUMBERS  # known by name
)


def test_a_term_of_four_weeks_needs_nobody(folder, played):
    clock = Clock("2026-10-05 08:00")
    moodle = write(folder.parent / "moodle.csv", MOODLE, "utf-8-sig")
    assert tournament("tokens", moodle, "--league", folder)[0] == 0
    machine = Machine(folder, clock)
    machine.hand_in_all(len(STUDENTS), 1)
    machine.steps(2)
    assert machine.networks() == {}, "before the deadline nothing is played"
    (told,) = machine.words("Student_07")
    assert told[0] == "waits" and "Friday, 09 October 2026, 23:59:00 Europe/Paris" in told[1]
    clock.set("2026-10-09 21:59")
    machine.hand_in("Student_07", "Student_07 in the last second")
    clock.set("2026-10-09 22:00")
    machine.hand_in("Student_08", "Student_08 too late")
    machine.steps()
    assert played == [machine.networks()]
    assert len(machine.networks()) == len(STUDENTS)
    assert machine.networks()["Student_07"] == sha256("Student_07 in the last second")
    assert machine.networks()["Student_08"] == sha256("Student_08 1")
    standing, words = machine.words("Student_08")[0]
    assert standing == "waits" and "16 October" in words
    first_page = folder / "site" / "weeks" / WEEKS[0] / "index.html"
    as_it_was = first_page.read_text()
    assert "The week that ended on 2026-10-09, as it was" in as_it_was

    clock.set("2026-10-12 10:00")
    machine.hand_in_all(10, 2)
    machine.steps(2)
    clock.set("2026-10-20 07:00")  # off at the deadline of the second week, and long after it
    machine = Machine(folder, clock)
    machine.hand_in("Student_11", "for the third week")
    machine.steps()
    assert [week.label for week in machine.league.weeks.all()] == WEEKS[:2]
    assert machine.networks()["Student_09"] == sha256("Student_09 2")
    assert machine.networks()["Student_08"] == sha256("Student_08 2")
    assert machine.networks()["Student_11"] == sha256("Student_11 1")

    clock.set("2026-10-30 22:59")  # winter time
    machine.steps(3)
    assert machine.league.weeks.under_way() is None
    clock.set("2026-11-20 00:00")  # two weeks are due at once
    machine.hand_in("Student_12", "after the last deadline")
    machine.steps()
    assert [week.label for week in machine.league.weeks.all()] == WEEKS
    assert machine.league.weeks.under_way() is None
    assert machine.networks()["Student_11"] == sha256("for the third week")
    assert machine.words("Student_12")[0] == (
        "waits", "Accepted, but it came after the last deadline: it doesn't play."
    )
    placings = machine.league.weeks.placings()
    assert [p.week for p in placings] == [week for week in WEEKS for _ in STUDENTS]
    assert first_page.read_text() == as_it_was
    front_page = (folder / "site" / "index.html").read_text()
    assert "<h1>Go, autumn 2026</h1>" in front_page
    for week in WEEKS:
        assert f'href="weeks/{week}/index.html"' in front_page
        page = folder / "site" / "weeks" / week
        assert (page / network_page("Student_00")).exists()
        ranking = list(csv.DictReader((page / "ranking.csv").open()))
        assert [row["name"] for row in ranking] == [p.name for p in placings if p.week == week]
    ranks: dict[str, list[int]] = {}
    for placing in placings:
        ranks.setdefault(placing.name, []).append(placing.rank)
    last = len(STUDENTS)
    expected = [
        round(20 * sum(last - r for r in ranks[name]) / (last - 1) / 4, 2) for name in STUDENTS
    ]
    for path, encoding, delimiter in (
        (moodle, "utf-8-sig", ";"),
        (write(folder.parent / "canvas.csv", CANVAS, "latin-1"), "latin-1", ","),
        (write(folder.parent / "blackboard.csv", BLACKBOARD, "utf-16"), "utf-16", "\t"),
    ):
        code, out, errors = tournament(
            "season", folder, "--grades", "rank", "--scale", "0", "20", "--roster", path
        )
        assert (code, errors) == (0, "")
        joined = path.with_suffix(".grades.csv").read_text(encoding=encoding)
        rows = list(csv.DictReader(io.StringIO(joined), delimiter=delimiter))
        rows = [row for row in rows if "    Points Possible" not in row.values()]
        assert [float(row["grade"]) for row in rows] == pytest.approx(expected, abs=0.006)
        assert [row["league network"] for row in rows] == list(STUDENTS)


def write(path: Path, text: str, encoding: str) -> Path:
    path.write_text(text, encoding=encoding)
    return path


def test_kills_between_the_steps_lose_nothing(folder):
    """No server lives for more than two steps; the second one keeps what the first one played."""
    clock = Clock("2026-10-05 08:00")
    for name in STUDENTS[:3]:
        Machine(folder, clock).hand_in(name, f"{name} 1")
    clock.set("2026-10-17 12:00")
    kept = [(WEEKS[0], True), (WEEKS[1], True)]
    for _ in range(12):
        Machine(folder, clock).steps(2)
        if (machine := Machine(folder, clock)).weeks() == kept:
            break
    assert machine.weeks() == kept
    assert [p.week for p in machine.league.weeks.placings()] == 3 * WEEKS[:1] + 3 * WEEKS[1:2]


def test_a_kill_while_a_page_is_kept_leaves_a_week_that_is_kept_whole(folder, monkeypatch):
    machine = after_the_first_deadline(folder, 3)

    def die(*arguments: object) -> None:
        raise LeagueError("killed")

    for patched in ("rename", "mkdir"):
        with monkeypatch.context() as patch:
            patch.setattr(Path if patched == "rename" else report.site.os, patched, die)
            with pytest.raises(LeagueError, match="killed"):
                machine.steps()
        assert machine.league.weeks.under_way().label == WEEKS[0]
    with monkeypatch.context() as patch:  # between the page and the journal's row
        patch.setattr(machine.league.weeks, "keep", die)
        with pytest.raises(LeagueError, match="killed"):
            machine.steps()
    machine.steps()
    assert machine.league.weeks.under_way() is None
    assert [path.name for path in (folder / "site" / "weeks").iterdir()] == [WEEKS[0]]
    assert len(machine.league.weeks.placings()) == 3


def test_a_second_process_does_no_step_twice(folder):
    clock = Clock("2026-10-05 08:00")
    one, other = Machine(folder, clock), Machine(folder, clock)
    for name in STUDENTS[:3]:
        one.hand_in(name, f"{name} 1")
    clock.set("2026-10-10 12:00")
    deadline = one.calendar.term.deadlines[0]
    assert one.league.weeks.close(deadline) and not other.league.weeks.close(deadline)
    for _ in range(6):
        one.steps(1)
        other.steps(1)
    assert [week.label for week in other.league.weeks.all()] == WEEKS[:1]
    assert len(other.league.games.rows()) == len({row.game_id for row in one.league.games.rows()})
    with pytest.raises(LeagueError, match="no week of a term waits for its table"):
        report.keep(other.league)


def test_a_week_in_which_nobody_plays_is_kept_too(folder):
    machine = Machine(folder, Clock("2026-10-20 07:00"))
    machine.steps(6)
    assert [bool(week.kept_at) for week in machine.league.weeks.all()] == [True, True]
    assert machine.league.weeks.placings() == []
    machine.clock.set("2026-10-31 07:00")
    for name in STUDENTS[:2]:
        machine.hand_in(name, f"{name}, too late for three weeks")
    machine.steps(6)
    assert (folder / "site" / "weeks" / WEEKS[2] / "index.html").exists()
    assert machine.networks() == {}
    machine.clock.set("2026-11-07 07:00")
    machine.steps(6)
    assert {placing.week for placing in machine.league.weeks.placings()} == {WEEKS[3]}


def test_a_deadline_that_is_moved_later_on_its_day_is_another_week(folder):
    machine = Machine(folder, Clock("2026-10-09 22:30"))
    machine.steps(4)
    (folder / "league.toml").write_text(
        "[term]\nzone = 'UTC'\ndeadlines = ['2026-10-09 23:00', '2026-10-16 23:00']"
    )
    machine = Machine(folder, machine.clock)
    machine.clock.set("2026-10-10 07:00")
    machine.steps(4)
    assert [week.label for week in machine.league.weeks.all()] == [WEEKS[0], f"{WEEKS[0]}+"]


def test_a_term_may_be_tried_out_in_an_afternoon(folder):
    deadlines = ["2026-10-02 14:00", "2026-10-02 14:30", "2026-10-02 15:00"]
    (folder / "league.toml").write_text(f"[term]\nzone = 'UTC'\ndeadlines = {deadlines}")
    clock = Clock("2026-10-02 13:50")
    machine = Machine(folder, clock)
    for number, deadline in enumerate(deadlines):
        machine.hand_in_all(3, number)
        machine.steps(3)
        assert len(machine.league.weeks.all()) == number, "its deadline is still to come"
        clock.set(f"{deadline}:01")
        machine.steps()
    labels = ["2026-10-02", "2026-10-02+", "2026-10-02++"]
    assert [week.label for week in machine.league.weeks.all()] == labels
    weeks = [placing.week for placing in machine.league.weeks.placings()]
    assert weeks == [label for label in labels for _ in STUDENTS[:3]]
    front_page = (folder / "site" / "index.html").read_text()
    for label in labels:
        assert f'href="weeks/{quote(label)}/index.html"' in front_page
        kept = folder / "site" / "weeks" / label / "index.html"
        assert f"The week that ended on {label}, as it was" in kept.read_text()
    code, out, _ = tournament("season", folder)
    assert code == 0 and all(label in out for label in labels)


def test_what_is_kept_changes_no_more(folder):
    machine = after_the_first_deadline(folder, 4)
    machine.steps()
    kept = machine.league.weeks.placings()
    file_network(machine.league, "Late", b"another", folder.parent)
    machine.league.games.record(record_of(scheduled_jobs(machine.league, OPTIONS, 1)[-1]))
    report.build(machine.league)
    assert machine.league.weeks.placings() == kept


@pytest.mark.slow
def test_a_real_server_leads_through_two_weeks(tmp_path, monkeypatch, quick):
    """With its run and its report, each a process; the clock alone is the test's."""
    monkeypatch.undo()
    monkeypatch.setattr(judging, "COMMAND", quick)
    folder, clock = tmp_path / "league", Clock("2026-10-05 08:00")
    tokens = issue_tokens(folder)
    (folder / "league.toml").write_text(TERM)
    how = ("--visits", "2", "--max-plies", "20", "--workers", "1")
    term = read_settings(folder).term
    asked = {"term": term, "now": clock, "run_arguments": how, "builds_site": True}
    with serving(folder, tokens, **asked) as server:
        for number, name in enumerate(("Ada", "Grace")):
            upload = server.as_(name).hand_in(network(number)).data
            assert server.as_(name).verdict(upload["id"])["standing"] == "waits"
        assert "09 October" in server.anybody.get("/api/league").data["deadline"]
        clock.set("2026-10-10 08:00")
        wait_for(lambda: states(server)[:2] == ["kept", "open"])
        assert server.anybody.get(f"/site/weeks/{WEEKS[0]}/index.html").status == 200
        upload = server.as_("Kurt").hand_in(network(3)).data
        assert server.as_("Kurt").verdict(upload["id"])["standing"] == "waits"
    clock.set("2026-11-20 00:00")
    with serving(folder, tokens, **asked) as server:
        wait_for(lambda: states(server) == 4 * ["kept"])
        assert server.anybody.get("/api/league").data["is_over"]
    weeks = [(p.week, p.name) for p in League(folder).weeks.placings()]
    assert [week for week, _ in weeks] == 2 * WEEKS[:1] + [w for w in WEEKS[1:] for _ in "AGK"]


def states(server: Serving) -> list[str]:
    return [week["state"] for week in server.as_("Emmy").get("/api/teacher").data["weeks"]]


def test_everybody_is_told_what_plays_at_the_deadline(folder):
    clock = Clock("2026-10-05 08:00")
    machine = Machine(folder, clock)
    assert machine.plays("Ada") == ["No file plays."]
    machine.hand_in("Ada", "one")
    assert machine.plays("Ada") == [
        "The file net.h5 of 2026-10-05 08:00 UTC plays at the deadline, Friday, 09 October 2026, "
        "23:59:00 Europe/Paris (21:59:00 UTC)."
    ]
    machine.inbox.refuse(machine.receive("Ada", "two"), [])
    _, words = machine.words("Ada")[0]
    assert words.startswith("Refused") and words.endswith(machine.plays("Ada")[0])
    machine.hand_in("Kurt", "of Kurt")
    clock.set("2026-10-09 22:00")
    machine.steps()
    assert machine.plays("Ada") == ["In the league: net.h5 of 2026-10-05 08:00 UTC."]
    machine.hand_in("Ada", "three")
    now, coming = machine.plays("Ada")
    assert now.endswith("of 2026-10-05 08:00 UTC.") and "at the deadline, Friday, 16" in coming
    machine.league.submissions.withdraw("Ada")
    assert machine.plays("Ada")[0].startswith("The network no longer plays: it was withdrawn on")
    clock.set("2026-11-20 00:00")
    machine.steps()
    machine.hand_in("Ada", "four")
    assert machine.plays("Ada")[-1].endswith("came after the last deadline and doesn't play.")


def test_of_two_copies_the_one_that_came_first_plays(folder):
    """Also when the deadline finds it without a verdict, and the other one with its own."""
    clock = Clock("2026-10-05 08:00")
    machine = Machine(folder, clock)
    machine.hand_in("Zoe", "one")
    uploads = [machine.receive("Student_03", "two")]
    clock.set("2026-10-09 08:00")
    for name, content in (("Ada", "one"), ("Bob", "two"), ("Kurt", "three")):
        machine.hand_in(name, content)
    clock.set("2026-10-10 12:00")
    machine.steps()
    assert machine.networks() == {}, "one file has no verdict yet"
    machine.accept(uploads[0])
    machine.steps()
    assert machine.networks() == {
        "Student_03": sha256("two"), "Zoe": sha256("one"), "Kurt": sha256("three")
    }
    assert [machine.words(name)[0][0] for name in ("Ada", "Bob")] == [None, None]
    assert machine.weeks() == [(WEEKS[0], True)]


def test_the_next_deadline_ends_a_pause(folder, played):
    clock = Clock("2026-10-05 08:00")
    machine = Machine(folder, clock)
    machine.hand_in_all(3, 1)
    late = machine.receive(STUDENTS[3], f"{STUDENTS[3]} 1")
    clock.set("2026-10-10 12:00")
    machine.steps(2)
    machine.want(False)  # while a file waits for its verdict
    machine.accept(late)
    machine.steps()
    machine = Machine(folder, clock)
    machine.steps()
    assert (machine.weeks(), played) == ([(WEEKS[0], False)], [])
    assert len(machine.networks()) == 4, "files are frozen all the same"
    clock.set("2026-10-15 12:00")
    machine.hand_in(STUDENTS[0], f"{STUDENTS[0]} 2")
    machine.steps()
    assert played == []
    clock.set("2026-10-17 12:00")
    machine.steps()
    assert machine.weeks() == [(WEEKS[0], True), (WEEKS[1], True)]
    assert [run[STUDENTS[0]] for run in played] == [
        sha256(f"{STUDENTS[0]} 1"), sha256(f"{STUDENTS[0]} 2")
    ]
    assert machine.words(STUDENTS[0])[0][0] == "counts"


@pytest.mark.parametrize("is_killed", [False, True])
def test_no_game_is_played_before_all_files_are_frozen(folder, played, monkeypatch, is_killed):
    """Even if one of them can't be filed at first, and the teacher starts the run."""
    machine = after_the_first_deadline(folder, 3)
    machine.steps()
    assert machine.weeks() == [(WEEKS[0], True)] and played == [machine.networks()]
    machine.hand_in_all(3, 2)
    machine.clock.set("2026-10-17 12:00")
    file = judging._file

    def fail_once(league: Path, upload: Upload, *paths: Path) -> None:
        if upload.owner == STUDENTS[1]:
            monkeypatch.setattr(judging, "_file", file)
            raise LeagueError("the disk is full")
        file(league, upload, *paths)

    monkeypatch.setattr(judging, "_file", fail_once)
    for _ in range(16):
        machine = Machine(folder, machine.clock) if is_killed else machine
        machine.want(True)
        machine.steps(2)
        if machine.weeks()[1:] == [(WEEKS[1], True)]:
            break
    frozen = {name: sha256(f"{name} 2") for name in STUDENTS[:3]}
    assert machine.networks() == frozen
    assert machine.weeks() == [(WEEKS[0], True), (WEEKS[1], True)]
    assert all(run == frozen for run in played[1:])


def test_between_weeks_the_teacher_may_have_games_played(folder, played):
    """Such as those of a network that plays again."""
    machine = after_the_first_deadline(folder, 3)
    machine.steps()
    machine.league.submissions.withdraw(STUDENTS[0])
    machine.steps(2)
    assert [len(run) for run in played] == [3, 2]
