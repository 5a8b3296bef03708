"""The tournament beside the server: `python -m tournament run`, started, paused and restarted."""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

from golois.kit.command import one_line
from golois.kit.processes import last_line
from tournament.errors import EXIT_GIVEN_UP, LeagueError
from tournament.league.journal import Journal
from tournament.league.league import League
from tournament.league.settings import Deadline
from tournament.server import limits
from tournament.server.desk import PASSING, Desk, repeat

WANTED = "run_wanted"
WANTED_AFTER = "run_wanted_after"  # the last deadline that has ended a pause


class TournamentRun:
    """A run of the league in a separate process, which the teacher starts and pauses.

    The wish survives the server. A wanted run begins again after a restart, and when the active
    networks change, but not while it is held.
    """

    def __init__(
        self, league: League, ledger: Journal, desk: Desk, arguments: Sequence[str] = ()
    ):
        self._league, self._ledger, self._arguments = league, ledger, tuple(arguments)
        self._desk = desk
        self._process: asyncio.subprocess.Process | None = None
        self._attempted: list[tuple[str, str]] = []
        self._num_attempts = 0
        self._tried_at = -limits.PATIENCE_SECONDS
        self._played: list[tuple[str, str]] | None = None
        self._problem = ""
        self._is_held = False

    async def wanted(self) -> bool:
        """Return whether games are to be played."""
        return bool(await self._desk(self._ledger.header, WANTED))

    async def is_running(self) -> bool:
        """Return whether games of the league are played from this machine."""
        return await self._pid() is not None

    async def state(self) -> dict[str, object]:
        """Return the run's state for the teacher's page, as plain data."""
        is_running = await self.is_running()
        return {"wanted": await self.wanted(), "running": is_running, "problem": self._problem}

    async def want(self, wanted: bool) -> None:
        """Store whether games are to be played; raise LeagueError if the disk is full or fails."""
        await self._desk(self._store, wanted)
        self._num_attempts = 0

    async def want_after(self, deadline: Deadline) -> None:
        """Want games from a deadline on, but only once; raise LeagueError if the disk fails."""
        first_late = deadline.first_late
        if await self._desk(self._ledger.header, WANTED_AFTER) != first_late:
            await self._desk(self._store, True, first_late)
            self._num_attempts = 0

    def hold(self) -> None:
        """Begin no run until `release`, even if games are wanted."""
        self._is_held = True

    def release(self) -> None:
        """Play again, if games are wanted."""
        self._is_held = False

    async def has_played(self) -> bool:
        """Return whether all games of the networks that play now are played, or given up."""
        entrants = await self._desk(self._entrants)
        return len(entrants) < 2 or entrants == self._played

    async def interrupt(self) -> None:
        """Stop games, which are replayed later; raise LeagueError if the run is another user's."""
        pid = await self._pid()
        if pid is None:
            return
        try:
            os.kill(pid, signal.SIGINT)
        except ProcessLookupError:
            return
        except PermissionError as error:
            raise LeagueError(
                f"the run is process {pid} of another user: stop it as that user"
            ) from error

    async def keep(self) -> None:
        """Keep the run in the wanted state forever; the run ends with this call."""
        try:
            await repeat(self._run_if_due, limits.LOOK_SECONDS, "no games are played")
        finally:
            await self._end()

    def _store(self, wanted: bool, after: str | None = None) -> None:
        with self._ledger.transaction():
            self._ledger.set_header(WANTED, wanted)
            if after is not None:
                self._ledger.set_header(WANTED_AFTER, after)

    async def _may_play(self) -> bool:
        return not self._is_held and await self.wanted()

    async def _pid(self) -> int | None:
        """Return the run's process: the server's own, or a process that was started elsewhere."""
        if self._process is not None:
            return self._process.pid
        return await self._desk(self._league.coordinator)

    def _is_due(self, entrants: list[tuple[str, str]]) -> bool:
        """Return whether the last run missed anything; a run with nothing to play ends at once."""
        has_failed = entrants != self._played
        if entrants != self._attempted or (
            has_failed and time.monotonic() - self._tried_at > limits.PATIENCE_SECONDS
        ):
            self._num_attempts = 0
        return len(entrants) > 1 and self._num_attempts < limits.MAX_ATTEMPTS

    def _entrants(self) -> list[tuple[str, str]]:
        return [(entrant.name, entrant.sha256) for entrant in self._league.submissions.entrants()]

    async def _run_if_due(self) -> None:
        if not await self._may_play() or await self._pid() is not None:
            return
        entrants = await self._desk(self._entrants)
        if not self._is_due(entrants):
            return
        self._attempted, self._problem = entrants, ""
        self._num_attempts += 1
        command = ("-m", "tournament", "run", "--quiet", "--league", str(self._league.folder))
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, *command, *self._arguments, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            may_go_on = await self._may_play()
        except PASSING:  # as long as nobody waits for its end, no other run could begin
            may_go_on = False
        if not may_go_on:  # paused or held while it was starting
            await self.interrupt()
        _, errors = await self._process.communicate()
        code, self._process = self._process.returncode, None
        self._tried_at = time.monotonic()
        if code == 0:
            self._num_attempts = limits.MAX_ATTEMPTS
        if code == 0 or (code == EXIT_GIVEN_UP and self._num_attempts == limits.MAX_ATTEMPTS):
            self._played = entrants
            self._problem = await self._desk(self._stopped_by)
        elif await self._may_play():
            said = one_line(last_line(errors))
            self._problem = said or f"the run ended with exit status {code}"

    def _stopped_by(self) -> str:
        """Return what ended the last run early, such as its budget; nothing without a summary."""
        with suppress(OSError, ValueError):
            return str(json.loads(self._league.summary_path.read_bytes())["stopped_by"])
        return ""

    async def _end(self) -> None:
        """Stop the server's own run as a pause would, and wait for it."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)
        with suppress(TimeoutError):
            async with asyncio.timeout(limits.STOP_SECONDS):
                await self._process.communicate()  # reads its errors: a full pipe would block it
