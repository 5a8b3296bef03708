"""A term that runs by itself: at each deadline a week is closed, played and kept.

Each step asks the journal where the term is and does what comes next, so it may be repeated, and a
server that was off goes through the weeks that it has missed, one after the other.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

from golois.kit.processes import run_apart
from tournament.errors import LeagueError
from tournament.league.deadline import BEFORE_ALL, Deadline, deadline_of
from tournament.league.league import League
from tournament.league.term import Term
from tournament.league.weeks import Week
from tournament.server.calendar import Calendar
from tournament.server.desk import Desk
from tournament.server.inbox import Inbox
from tournament.server.running import TournamentRun


async def keep_apart(league: Path) -> None:
    """Keep the table and the page of the week under way, in a separate process.

    Raises:
        LeagueError: they are not kept.
    """
    command = ("-m", "tournament", "report", "--quiet", "--keep", "--league", str(league))
    ended = await run_apart(*command)
    if ended.code:
        raise LeagueError(ended.said)


class TermKeeper:
    """Leads a league through its term.

    Args:
        league: which.
        for_league: the desk where it is used.
        inbox: its uploads.
        writing: the desk where these are used.
        run: plays the games.
        calendar: the term, and the time.
        keep: keeps the table and the page of the week under way.
    """

    def __init__(
        self, league: League, for_league: Desk, inbox: Inbox, writing: Desk, run: TournamentRun,
        calendar: Calendar, keep: Callable[[Path], Awaitable[None]] = keep_apart,
    ):
        self._league, self._for_league = league, for_league
        self._inbox, self._writing = inbox, writing
        self._run, self._calendar, self._keep = run, calendar, keep
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
        else:
            await self._keep(self._league.folder)

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
        await self._for_league(self._league.weeks.close, due)

    def _awaits_verdicts(self, week: Week) -> bool:
        return any(upload.received_at < week.first_late for upload in self._inbox.waiting())
