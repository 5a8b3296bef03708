"""A term's files are frozen at a deadline, in the order in which they came, and then played."""

from pathlib import Path

import pytest

from tests.terms import STUDENTS, WEEKS, Clock, Machine, sha256
from tournament.errors import LeagueError
from tournament.server import judging
from tournament.server.inbox import Upload

pytestmark = pytest.mark.usefixtures("filed_at_once", "played")


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
    for name in STUDENTS[:3]:
        machine.hand_in(name, f"{name} 1")
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
    clock = Clock("2026-10-05 08:00")
    machine = Machine(folder, clock)
    for name in STUDENTS[:3]:
        machine.hand_in(name, f"{name} 1")
    clock.set("2026-10-10 12:00")
    machine.steps()
    assert machine.weeks() == [(WEEKS[0], True)] and played == [machine.networks()]
    for name in STUDENTS[:3]:
        machine.hand_in(name, f"{name} 2")
    clock.set("2026-10-17 12:00")
    file = judging._file

    def fail_once(league: Path, upload: Upload, *paths: Path) -> None:
        if upload.owner == STUDENTS[1]:
            monkeypatch.setattr(judging, "_file", file)
            raise LeagueError("the disk is full")
        file(league, upload, *paths)

    monkeypatch.setattr(judging, "_file", fail_once)
    for _ in range(16):
        machine = Machine(folder, clock) if is_killed else machine
        machine.want(True)
        machine.steps(2)
    frozen = {name: sha256(f"{name} 2") for name in STUDENTS[:3]}
    assert machine.networks() == frozen
    assert machine.weeks() == [(WEEKS[0], True), (WEEKS[1], True)]
    assert all(run == frozen for run in played[1:])


def test_between_weeks_the_teacher_may_have_games_played(folder, played):
    """Such as those of a network that plays again."""
    machine = Machine(folder, Clock("2026-10-05 08:00"))
    for name in STUDENTS[:3]:
        machine.hand_in(name, f"{name} 1")
    machine.clock.set("2026-10-10 12:00")
    machine.steps()
    machine.league.submissions.withdraw(STUDENTS[0])
    machine.steps(2)
    assert [len(run) for run in played] == [3, 2]
