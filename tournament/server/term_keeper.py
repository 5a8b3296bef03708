"""A term that runs by itself: at each deadline a week is closed, played and kept.

Each step asks the journal where the term is and does what comes next, so it may be repeated, and a
server that was off goes through the weeks that it has missed, one after the other.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

from tournament.errors import LeagueError
from tournament.league.deadline import BEFORE_ALL, Deadline, deadline_of
from tournament.league.league import League
from tournament.league.weeks import Week
from tournament.server.calendar import Calendar
from tournament.server.desk import Desk
from tournament.server.inbox import Inbox
from tournament.server.processes import run_apart
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
        self._closed = league.weeks.last()

    def files_until(self) -> Deadline | None:
        """Return the deadline before which uploads become networks of the league now."""
        if self._calendar.term is None:
            return self._calendar.deadline
        return deadline_of(self._closed.first_late) if self._closed else BEFORE_ALL

    async def step(self) -> None:
        """Do what comes next in the term, if anything is due."""
        if self._calendar.term is None:
            return
        week = self._closed = await self._for_league(self._league.weeks.last)
        if week is None or week.kept_at is not None:
            await self._close_next()
        elif await self._writing(self._is_open, week):
            return  # files that came in time have no verdict yet, or are not in the league
        elif not await self._run.has_played():
            await self._run.want_for(week.label)
        else:
            await self._keep(self._league.folder)

    async def _close_next(self) -> None:
        assert self._calendar.term is not None
        closed = self._closed.first_late if self._closed else None
        due = self._calendar.term.due(self._calendar.now(), closed)
        if due is not None:
            await self._for_league(self._league.weeks.close, due)
            self._closed = await self._for_league(self._league.weeks.last)

    def _is_open(self, week: Week) -> bool:
        """Return whether files of a closed week are still on their way into the league."""
        waiting = self._inbox.waiting()
        if any(upload.received_at < week.first_late for upload in waiting):
            return True
        return bool(self._inbox.to_file(deadline_of(week.first_late)))
