"""Until when files count, and a term that runs by itself.

At each deadline a week is closed, played and kept. Each step asks the journal for the state, so a
server that was off goes through the missed weeks one after the other.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tournament.league.league import League
from tournament.league.settings import BEFORE_ALL, Deadline, Term, deadline_of
from tournament.league.weeks import Week
from tournament.server.desk import Desk, report_apart
from tournament.server.inbox import Inbox
from tournament.server.tournament_run import TournamentRun


@dataclass(frozen=True)
class Calendar:
    """The deadlines of a league, one or a term's, and the time as the ledger writes it."""

    now: Callable[[], str]
    deadline: Deadline | None = None
    term: Term | None = None

    def last(self) -> Deadline | None:
        """Return the deadline before which files have counted so far, by the clock."""
        if self.term is None:
            return self.deadline
        return self.term.passed(self.now()) or BEFORE_ALL

    def next(self) -> Deadline | None:
        """Return the deadline until which a file counts that comes now; None without one."""
        return self.deadline if self.term is None else self.term.next(self.now())

    def is_over(self) -> bool:
        """Return whether the last deadline of a term has passed."""
        return self.term is not None and self.next() is None

    def words_of_waiting(self, received_at: str) -> str:
        """Return what a student is told of an accepted file that came after `last`."""
        if self.term is None:
            return "Accepted: it came after the deadline and waits for the next week."
        deadline = self.term.next(received_at)
        if deadline is None:
            return "Accepted, but it came after the last deadline: it doesn't play."
        return f"Accepted: it plays after the deadline, {deadline}, unless you send a later file."

    def when_it_plays(self, received_at: str) -> str:
        """Return when a file plays that came after `last`: the end of a sentence."""
        if self.term is None:
            return "waits for the next week"
        deadline = self.term.next(received_at)
        if deadline is None:
            return "came after the last deadline and doesn't play"
        return f"plays at the deadline, {deadline}"

    def weeks(self, closed: list[Week]) -> list[dict[str, Any]]:
        """Return the weeks of a term for the teacher's page, as plain data."""
        if self.term is None:
            return []
        late = closed[-1].first_late if closed else ""
        to_come = [one for one in self.term.deadlines if one.first_late > late]
        return [
            *({"ends": week.label, "state": "kept" if week.kept_at else "playing"}
              for week in closed),
            *({"ends": str(one), "state": self._state(one)} for one in to_come),
        ]

    def _state(self, deadline: Deadline) -> str:
        if deadline == self.next():
            return "open"
        return "to come" if deadline.includes(self.now()) else "due"


class TermKeeper:
    """Leads a league through its term; `report` runs the command of this name on a league."""

    def __init__(
        self, league: League, for_league: Desk, inbox: Inbox, writing: Desk, run: TournamentRun,
        calendar: Calendar, report: Callable[[Path, str], Awaitable[None]] = report_apart,
    ):
        self._league, self._for_league = league, for_league
        self._inbox, self._writing = inbox, writing
        self._run, self._calendar, self._report = run, calendar, report
        self._judged: Week | None = None  # the last closed week, once its files have verdicts
        if calendar.term is not None:
            run.hold()  # until a step has seen that no files are on their way into the league

    def files_until(self) -> Deadline | None:
        """Return the deadline before which uploads become networks of the league now."""
        if self._calendar.term is None:
            return self._calendar.deadline
        return deadline_of(self._judged.first_late) if self._judged else BEFORE_ALL

    async def step(self) -> None:
        """Do what comes next in the term, if anything is due."""
        if self._calendar.term is None:
            return
        week = await self._for_league(self._league.weeks.last)
        await self._end_pause(self._calendar.term, week)
        if week is not None and await self._writing(self._awaits_verdicts, week):
            return
        self._judged = week
        if week is None or week.kept_at is not None:
            await self._close_next(self._calendar.term, week)
        elif await self._writing(self._inbox.to_file, deadline_of(week.first_late)):
            return  # files that came in time are not in the league yet
        elif not await self._run.has_played():
            self._run.release()
        elif await self._for_league(self._league.hidden.last_shown) is None:
            await self._report(self._league.folder, "--keep")  # the week's table and page

    async def _end_pause(self, term: Term, week: Week | None) -> None:
        """Want games from a deadline on until its week is kept, even if an earlier one is not."""
        passed = term.passed(self._calendar.now())
        if passed is None:
            return
        if week is None or week.kept_at is None or week.first_late < passed.first_late:
            await self._run.want_after(passed)

    async def _close_next(self, term: Term, closed: Week | None) -> None:
        """Close the next week if it is due; until its files are frozen no games are played."""
        due = term.due(self._calendar.now(), closed.first_late if closed else None)
        if due is None:
            self._run.release()
            return
        self._run.hold()
        await self._run.interrupt()
        await self._for_league(self._league.weeks.close, due, due == term.deadlines[-1])

    def _awaits_verdicts(self, week: Week) -> bool:
        return any(upload.received_at < week.first_late for upload in self._inbox.waiting())
