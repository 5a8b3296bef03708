"""What a running tournament shows: a live table on a terminal, plain lines elsewhere."""

import time
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from tournament.game import PLAYED, VOID, GameRecord
from tournament.schedule import GameJob
from tournament.workers import Progress

LAST_RESULTS = 5
STANDING_ROWS = 12


class View(Protocol):
    """Is shown an event; a context, so that it can leave the terminal in order."""

    def __enter__(self): ...

    def __exit__(self, *exception): ...

    def begin(self, jobs: Sequence[GameJob], games: Sequence[GameRecord]) -> None:
        """All games of the schedule, and those that have a result already."""

    def progress(self, event: Progress) -> None:
        """A move was played."""

    def result(self, record: GameRecord) -> None:
        """A game ended, or an attempt at it broke off."""


class QuietView:
    """Shows nothing."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def begin(self, jobs: Sequence[GameJob], games: Sequence[GameRecord]) -> None:
        pass

    def progress(self, event: Progress) -> None:
        pass

    def result(self, record: GameRecord) -> None:
        pass


class Tally:
    """Counts of an event so far: games done, speed, wins of each network."""

    def __init__(self):
        self.num_jobs = self.num_done = self.num_new = 0
        self.wins: dict[str, int] = defaultdict(int)
        self.games: dict[str, int] = defaultdict(int)
        self._started = time.monotonic()

    def begin(self, jobs: Sequence[GameJob], games: Sequence[GameRecord]) -> None:
        """Counts what the league has before the run."""
        self.num_jobs = len(jobs)
        scheduled = {job.game_id for job in jobs}
        for game in games:
            self._count(game)
            self.num_done += game.game_id in scheduled
        self._started = time.monotonic()

    def add(self, record: GameRecord) -> None:
        """Counts a result; not a void."""
        if record.kind != VOID:
            self._count(record)
            self.num_done += 1
            self.num_new += 1

    @property
    def games_per_hour(self) -> float:
        """Speed of this run."""
        return 3600 * self.num_new / max(time.monotonic() - self._started, 1e-9)

    def headline(self) -> str:
        """Done, speed and the time left, in words."""
        text = f"{self.num_done}/{self.num_jobs} games"
        num_left = self.num_jobs - self.num_done
        if self.num_new and num_left:
            seconds = 3600 * num_left / self.games_per_hour
            text += f", {self.games_per_hour:.0f} an hour, {duration_text(seconds)} left"
        return text

    def standing(self) -> list[tuple[str, int, int]]:
        """Name, wins and games of each network, the best share of wins first."""
        rows = [(name, self.wins[name], num_games) for name, num_games in self.games.items()]
        return sorted(rows, key=lambda row: (-row[1] / row[2], row[0]))

    def _count(self, record: GameRecord) -> None:
        self.games[record.black] += 1
        self.games[record.white] += 1
        self.wins[record.black if record.winner == "black" else record.white] += 1


class PlainView(QuietView):
    """One line a result."""

    def __init__(self, console: Console):
        self._console = console
        self._tally = Tally()

    def begin(self, jobs: Sequence[GameJob], games: Sequence[GameRecord]) -> None:
        self._tally.begin(jobs, games)
        self._print(self._tally.headline())

    def result(self, record: GameRecord) -> None:
        self._tally.add(record)
        self._print(f"{result_text(record)}  [{self._tally.headline()}]")

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class LiveView:
    """A table that follows the games as they run."""

    def __init__(self, console: Console):
        self._tally = Tally()
        self._running: dict[str, Progress] = {}
        self._last: deque[GameRecord] = deque(maxlen=LAST_RESULTS)
        self._live = Live(console=console, refresh_per_second=4, get_renderable=self._render)

    def __enter__(self):
        self._live.start()
        return self

    def __exit__(self, *exception):
        self._live.stop()

    def begin(self, jobs: Sequence[GameJob], games: Sequence[GameRecord]) -> None:
        self._tally.begin(jobs, games)

    def progress(self, event: Progress) -> None:
        self._running[event.job.game_id] = event

    def result(self, record: GameRecord) -> None:
        self._running.pop(record.game_id, None)
        self._tally.add(record)
        self._last.append(record)

    def _render(self) -> Group:
        headline = self._tally.headline()
        games = Table("running", "move", box=None, title=headline, title_justify="left")
        for event in list(self._running.values()):
            games.add_row(escape(f"{event.job.black} – {event.job.white}"), str(event.num_plies))
        last = Table("last results", box=None)
        for record in list(self._last):
            last.add_row(escape(result_text(record)))
        standing = Table("standing", "wins", "games", box=None)
        for name, wins, num_games in self._tally.standing()[:STANDING_ROWS]:
            standing.add_row(escape(name), str(wins), str(num_games))
        return Group(games, last, standing)


def view_for(console: Console, quiet: bool) -> View:
    """The view that suits where the output goes."""
    if quiet:
        return QuietView()
    return LiveView(console) if console.is_terminal else PlainView(console)


def result_text(record: GameRecord) -> str:
    """A result in a line: who played, how it ended, and why when it was no game."""
    text = f"{record.black} – {record.white}: {record.result}"
    if record.kind == PLAYED:
        return f"{text} after {len(record.opening) + len(record.moves)} moves"
    return f"{text} ({record.kind}: {record.reason})"


def duration_text(seconds: float) -> str:
    """A duration as people say it: 42 s, 13 min, 5 h 07 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"
