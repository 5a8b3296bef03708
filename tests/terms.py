"""A term on a clock that moves: what a server does of it, step by step, with games made up."""

import asyncio
import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.fake_arena import OPTIONS, record_of
from tournament import report
from tournament.intake import JudgeOptions
from tournament.league.league import League
from tournament.league.settings import read_settings
from tournament.running.plan import scheduled_jobs
from tournament.server.desk import Desk
from tournament.server.inbox import Inbox, Upload
from tournament.server.judging import Judges
from tournament.server.ledger import hand_in_folder, open_ledger
from tournament.server.term import Calendar, TermKeeper
from tournament.server.tournament_run import TournamentRun
from tournament.server.words import View

STUDENTS = tuple(f"Student_{number:02d}" for number in range(20))
TERM = """
title = "Go, autumn 2026"
[term]
zone = "Europe/Paris"
first = "2026-10-09 23:59"
until = "2026-11-06"
without = ["2026-10-23"]
"""
WEEKS = ["2026-10-09", "2026-10-16", "2026-10-30", "2026-11-06"]


class Clock:
    """A time that goes on where a test says so."""

    def __init__(self, text: str):
        self.moment = datetime.fromisoformat(text).replace(tzinfo=UTC)

    def __call__(self) -> str:
        self.moment += timedelta(microseconds=1)
        return self.moment.isoformat(timespec="microseconds")

    def set(self, text: str) -> None:
        self.moment = datetime.fromisoformat(text).replace(tzinfo=UTC)


class Machine:
    """What a server does of a term, one step after the other; a new one is a server restarted."""

    def __init__(self, folder: Path, clock: Clock):
        self.league, self.clock, self._desk = League(folder), clock, Desk()
        self.inbox = Inbox(open_ledger(folder), hand_in_folder(folder), clock)
        self.inbox.tidy()
        self.run = TournamentRun(self.league, open_ledger(folder), self._desk)
        self.calendar = Calendar(clock, term=read_settings(folder).term)
        self.keeper = TermKeeper(
            self.league, self._desk, self.inbox, self._desk, self.run, self.calendar, self._report
        )

    async def _report(self, folder: Path, option: str) -> None:
        assert option == "--keep"
        report.keep(self.league)

    def hand_in(self, owner: str, content: str) -> None:
        self.accept(self.receive(owner, content))

    def hand_in_all(self, number: int, version: int) -> None:
        """The first so many students' files of a version."""
        for name in STUDENTS[:number]:
            self.hand_in(name, f"{name} {version}")

    def receive(self, owner: str, content: str) -> Upload:
        part = self.inbox.parts / "part"
        part.write_text(content)
        digest = hashlib.sha256(content.encode()).hexdigest()
        return self.inbox.add(owner, "net.h5", digest, len(content), part)

    def accept(self, upload: Upload) -> None:
        self.inbox.artefacts_of(upload).mkdir()
        self.inbox.accept(upload, {})

    def words(self, owner: str) -> list[tuple[str | None, str]]:
        """What a student is told, latest file first."""
        told, _ = View(self.inbox, set(), self.calendar).page(owner, None)
        return [(upload["standing"], upload["words"]) for upload in told]

    def plays(self, owner: str) -> list[str]:
        """Which file of a student plays, and which one will."""
        networks = {network.name: network for network in self.league.submissions.current()}
        return View(self.inbox, set(), self.calendar).plays(owner, networks.get(owner))

    def steps(self, number: int = 16) -> None:
        """So many steps, each with what else a server does meanwhile."""

        async def go() -> None:
            judges = Judges(
                self.inbox, self._desk, self.league.folder, JudgeOptions(), self.keeper.files_until
            )
            for _ in range(number):
                await self.keeper.step()
                await self.run._run_if_due()
                await judges.file_what_counts()
                await self.run._run_if_due()

        asyncio.run(go())

    def want(self, wanted: bool) -> None:
        """What the teacher's page does."""
        asyncio.run(self.run.want(wanted))

    def weeks(self) -> list[tuple[str, bool]]:
        """The closed weeks, and whether each is kept."""
        return [(week.label, week.kept_at is not None) for week in self.league.weeks.all()]

    def networks(self) -> dict[str, str]:
        return {one.name: one.sha256 for one in self.league.submissions.entrants()}


def after_the_first_deadline(folder: Path, number: int) -> Machine:
    """A machine that has so many students' files, and has done nothing since the deadline."""
    machine = Machine(folder, Clock("2026-10-05 08:00"))
    machine.hand_in_all(number, 1)
    machine.clock.set("2026-10-10 12:00")
    return machine


def make_up_games(league: League) -> None:
    """The earlier in the alphabet wins."""
    league.fix_options(OPTIONS)
    jobs = scheduled_jobs(league, OPTIONS, 1)
    for job in league.games.missing(jobs[:: max(1, len(jobs) // 90)]):
        winner = "black" if job.black < job.white else "white"
        league.games.record(record_of(job, winner=winner, result=f"{winner[0].upper()}+3.5"))


def sha256(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()
