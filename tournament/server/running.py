"""The tournament beside the server: `python -m tournament run`, started, paused and kept going."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from tournament.child_processes import last_line
from tournament.errors import LeagueError
from tournament.game.record import one_line
from tournament.league.journal import Journal
from tournament.league.league import League
from tournament.server.loops import repeat

LOOK_SECONDS = 2.0
MAX_ATTEMPTS = 3  # with the same networks
STOP_SECONDS = 60
WANTED = "run_wanted"


class TournamentRun:
    """A run of the league as a process of its own, which the teacher starts and pauses.

    What is wanted outlives the server: a run that is wanted is started again after a restart, and
    whenever other networks play than those of the last run.

    Args:
        league: which.
        ledger: where it is written down what is wanted.
        arguments: of `python -m tournament run`, besides the league.
    """

    def __init__(self, league: League, ledger: Journal, arguments: Sequence[str] = ()):
        self._league, self._ledger, self._arguments = league, ledger, tuple(arguments)
        self._process: asyncio.subprocess.Process | None = None
        self._attempted: list[tuple[str, str]] = []
        self._num_attempts = 0
        self._problem = ""

    @property
    def wanted(self) -> bool:
        """Whether games are to be played."""
        return bool(self._ledger.header(WANTED))

    def state(self) -> dict[str, object]:
        """What the teacher sees of it, as plain data."""
        return {
            "wanted": self.wanted, "running": self._pid() is not None, "problem": self._problem
        }

    def start(self) -> None:
        """Has games played from now on."""
        self._want(True)
        self._num_attempts = 0

    def pause(self) -> None:
        """Has no more games played; those under way are played again later.

        Raises:
            LeagueError: the run belongs to somebody else.
        """
        self._want(False)
        self._interrupt()

    async def keep(self) -> None:
        """Sees to it for ever that what is wanted is done; the run ends with this call."""
        try:
            await repeat(self._run_if_due, LOOK_SECONDS, "no games are played")
        finally:
            await self._end()

    def _want(self, wanted: bool) -> None:
        with self._ledger.transaction():
            self._ledger.set_header(WANTED, wanted)

    def _pid(self) -> int | None:
        """The run's process: the server's own, or one that was started elsewhere."""
        if self._process is not None:
            return self._process.pid
        return self._league.coordinator()

    def _is_due(self) -> bool:
        """Whether there is something that the last run could not know, or did not bring to an end.

        A run with nothing left to play ends at once.
        """
        entrants = self._entrants()
        if entrants != self._attempted:
            self._num_attempts = 0
        return len(entrants) > 1 and self._num_attempts < MAX_ATTEMPTS

    def _entrants(self) -> list[tuple[str, str]]:
        return [(entrant.name, entrant.sha256) for entrant in self._league.submissions.entrants()]

    async def _run_if_due(self) -> None:
        if not self.wanted or self._pid() is not None or not self._is_due():
            return
        self._attempted, self._problem = self._entrants(), ""
        self._num_attempts += 1
        command = ("-m", "tournament", "run", "--quiet", "--league", str(self._league.folder))
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, *command, *self._arguments, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        if not self.wanted:  # paused while it was begun
            self._interrupt()
        _, errors = await self._process.communicate()
        code, self._process = self._process.returncode, None
        if code == 0:
            self._num_attempts = MAX_ATTEMPTS
        elif self.wanted:
            said = one_line(last_line(errors))
            self._problem = said or f"the run ended with exit status {code}"

    def _interrupt(self) -> None:
        pid = self._pid()
        if pid is None:
            return
        try:
            os.kill(pid, signal.SIGINT)
        except ProcessLookupError:
            return
        except PermissionError as error:
            raise LeagueError(
                f"expected a run of this user: process {pid} is another one's; stop it there"
            ) from error

    async def _end(self) -> None:
        """Ends the server's own run as a pause would, and waits for it."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                await self._process.wait()
