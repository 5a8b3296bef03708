"""All parts behind the pages, put together; they live as long as the server."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from golois.kit.files import lock
from tournament.errors import LeagueError
from tournament.game.options import EventOptions
from tournament.intake import MAX_TUNE_SECONDS, JudgeOptions
from tournament.league.league import League
from tournament.league.settings import Deadline, Term
from tournament.league.work import Work
from tournament.server import limits
from tournament.server.challenges import Challenges
from tournament.server.desk import Desk, repeat
from tournament.server.guard import Limiter
from tournament.server.inbox import Inbox
from tournament.server.judging import Judges
from tournament.server.ledger import exact_now, hand_in_folder, open_ledger
from tournament.server.live_site import LiveSite
from tournament.server.mail import deliver
from tournament.server.term import Calendar, TermKeeper
from tournament.server.tokens import Tokens
from tournament.server.tournament_run import TournamentRun
from tournament.server.words import View


@dataclass(frozen=True)
class ServerOptions:
    """How a league is served.

    judge: how uploads are judged; no larger file than its `file_limit` is taken.
    rules: the word that the league keeps for its rules, if any.
    deadline: until when files count; None for ever, and in a term.
    run_arguments: of `python -m tournament run`, besides the league.
    games: returns the rules of a league's first run.
    refresh_seconds: at least this long between two builds of the site.
    now: returns the time as the ledger writes it.
    """

    league: Path
    judge: JudgeOptions = field(
        default_factory=lambda: JudgeOptions(tune_seconds=MAX_TUNE_SECONDS)
    )
    rules: str | None = None
    deadline: Deadline | None = None
    term: Term | None = None
    run_arguments: tuple[str, ...] = ()
    games: Callable[[], EventOptions] = EventOptions
    refresh_seconds: float = 10.0
    now: Callable[[], str] = exact_now


class Service:
    """The parts of a server, for its pages.

    Tables are used at desks, outside the event loop's thread: `reading` has `tokens` and `view`,
    `writing` has `inbox` and `challenges`, `for_league` has the league, `for_work` has the pairs
    that are lent. So no question waits for a flush.
    """

    def __init__(self, options: ServerOptions):
        self.options = options
        self.reading, self.writing, self.for_league = Desk(), Desk(), Desk()
        self.for_work = Desk()
        self.league = League(options.league)
        self.title = self.league.settings().title
        self._ledgers = [open_ledger(options.league) for _ in range(3)]
        to_read, to_write, of_run = self._ledgers
        folder = hand_in_folder(options.league)
        self.calendar = Calendar(options.now, options.deadline, options.term)
        self.tokens = Tokens(to_read)
        self.work = Work(options.league)
        self.worker_tokens = Tokens(self.work.journal)
        self._uploads_read = Inbox(to_read, folder, options.now)
        self.inbox = Inbox(to_write, folder, options.now)
        self.run = TournamentRun(self.league, of_run, self.for_league, options.run_arguments)
        self.challenges = Challenges(
            to_write, self.writing, options.league, self.run, options.now, options.games
        )
        self.term = TermKeeper(
            self.league, self.for_league, self.inbox, self.writing, self.run, self.calendar
        )
        self.judges = Judges(
            self.inbox, self.writing, options.league, options.judge, self.term.files_until
        )
        self.site = LiveSite(self.league, self.for_league, options.refresh_seconds)
        self.uploads, self.wrong_tokens = Limiter(limits.UPLOADS), Limiter(limits.WRONG_TOKENS)
        self.receiving: list[str] = []  # owners whose files are being received

    def view(self) -> View:
        """Return the uploads as they are now, to be read at the desk for questions."""
        judges = self.judges
        return View(self._uploads_read, judges.being_judged, self.calendar, judges.must_wait)

    async def _send_mails(self) -> None:
        await asyncio.to_thread(deliver, self.options.league)

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """Judge, file, play and refresh the site while the body runs."""
        self.inbox.tidy()
        self.challenges.tidy()
        judging = "no verdict was written, the file keeps its place"
        steps = [
            *[(self.judges.judge_next, 0.0, judging)] * limits.NUM_JUDGES,
            (self.judges.file_what_counts, 0.0, "what counts is not filed yet"),
            (self.term.step, limits.LOOK_SECONDS, "the term does not go on"),
            (self.site.refresh, limits.LOOK_SECONDS, "the site is not up to date"),
            (self.challenges.step, limits.LOOK_SECONDS, "a challenge is not played"),
            (self._send_mails, limits.MAIL_SECONDS, "the students are not told"),
        ]
        tasks = [asyncio.create_task(repeat(*step)) for step in steps]
        tasks.append(asyncio.create_task(self.run.keep()))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for desk in (self.reading, self.writing, self.for_league, self.for_work):
                desk.close()
            for ledger in self._ledgers:
                ledger.close()
            self.work.close()
            self.league.close()


@contextmanager
def alone_on(league: Path) -> Iterator[None]:
    """Lock a league for serving; raise LeagueError if another server has it."""
    with open(hand_in_folder(league) / "server.lock", "w", encoding="utf-8") as file:
        if not lock(file):
            raise LeagueError(f"another server is running on {league}: stop it first")
        yield
