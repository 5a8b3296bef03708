"""All parts behind the pages, put together; they live as long as the server."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from golois.files import lock
from tournament.errors import LeagueError
from tournament.league.league import League
from tournament.server.inbox import Inbox
from tournament.server.judging import Judges
from tournament.server.ledger import hand_in_folder, open_ledger
from tournament.server.limits import UPLOADS, WRONG_TOKENS, Limiter
from tournament.server.live_site import LiveSite
from tournament.server.loops import repeat
from tournament.server.options import ServerOptions
from tournament.server.running import LOOK_SECONDS, TournamentRun
from tournament.server.tokens import Tokens


class Service:
    """The parts of a server, for its pages; belongs to the thread that made it."""

    def __init__(self, options: ServerOptions):
        self.options = options
        self.league = League(options.league)
        self.ledger = open_ledger(options.league)
        self.tokens = Tokens(self.ledger)
        self.inbox = Inbox(self.ledger, hand_in_folder(options.league))
        self.judges = Judges(self.inbox, options.league, options.judge, options.deadline)
        self.run = TournamentRun(self.league, self.ledger, options.run_arguments)
        self.site = LiveSite(self.league, options.refresh_seconds)
        self.uploads, self.wrong_tokens = Limiter(UPLOADS), Limiter(WRONG_TOKENS)
        self.receiving: list[str] = []  # owners whose files are being received

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """Judge, file, play and refresh the site while the body runs."""
        self.inbox.tidy()
        judging = "no verdict was written, the file keeps its place"
        steps = [
            *[(self.judges.judge_next, 0.0, judging)] * self.options.num_judges,
            (self.judges.file_what_counts, 0.0, "what counts is not filed yet"),
            (self.site.refresh, LOOK_SECONDS, "the site is not up to date"),
        ]
        tasks = [asyncio.create_task(repeat(*step)) for step in steps]
        tasks.append(asyncio.create_task(self.run.keep()))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.ledger.close()
            self.league.close()


@contextmanager
def alone_on(league: Path) -> Iterator[None]:
    """Lock a league for serving.

    Raises:
        LeagueError: another server has it.
    """
    with open(hand_in_folder(league) / "server.lock", "w", encoding="utf-8") as file:
        if not lock(file):
            raise LeagueError(f"another server is running on {league}: stop it first")
        yield
