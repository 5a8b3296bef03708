"""What a running tournament shows: a live table on a terminal, plain lines or JSON elsewhere."""

import json
from collections import deque
from collections.abc import Sequence

from rich.console import Group
from rich.live import Live
from rich.table import Table
from typing_extensions import override

from golois.kit.console import Console
from tournament.game.record import PLAYED, GameRecord
from tournament.league.games import GameRow
from tournament.running.engine_protocol import MovePlayed
from tournament.running.plan import Plan
from tournament.running.tally import Tally

LAST_RESULTS = 5
RUNNING_ROWS = 16
STANDING_ROWS = 12


class QuietView:
    """Shows nothing; the base of all views. A context, so that a view can restore the terminal."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def begin(self, plan: Plan, games: Sequence[GameRow]) -> None:
        """Begin, given what is planned and the games that already have a result."""

    def progress(self, event: MovePlayed) -> None:
        """Note that a move was played."""

    def result(self, record: GameRecord) -> None:
        """Note that a game ended, or that an attempt at it was interrupted."""


class PlainView(QuietView):
    """One line a result."""

    def __init__(self, console: Console):
        self._console = console

    @override
    def begin(self, plan: Plan, games: Sequence[GameRow]) -> None:
        self._tally = Tally(plan, games)
        self._print(self._tally.headline())

    @override
    def result(self, record: GameRecord) -> None:
        self._tally.add(record)
        self._print(f"{result_text(record)}  [{self._tally.headline()}]")

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False, soft_wrap=True)


class JsonView(QuietView):
    """One JSON object a line: how far it is at first, then each result."""

    def __init__(self, console: Console):
        self._console = console

    @override
    def begin(self, plan: Plan, games: Sequence[GameRow]) -> None:
        self._tally = Tally(plan, games)
        self._print(event="begin")

    @override
    def result(self, record: GameRecord) -> None:
        self._tally.add(record)
        names = ("game_id", "black", "white", "result", "kind", "reason", "num_plies", "host")
        self._print(event="result", **{name: getattr(record, name) for name in names})

    def _print(self, **message) -> None:
        left = self._tally.seconds_left()
        message["num_done"], message["num_games"] = self._tally.num_done, self._tally.num_games
        message["seconds_left"] = None if left is None else round(left)
        self._console.file.write(json.dumps(message) + "\n")
        self._console.file.flush()


class LiveView(QuietView):
    """A table that follows the games as they run."""

    def __init__(self, console: Console):
        self._running: dict[str, MovePlayed] = {}
        self._last: deque[GameRecord] = deque(maxlen=LAST_RESULTS)
        self._tally: Tally | None = None
        self._live = Live(console=console, refresh_per_second=4, get_renderable=self._render)

    def __enter__(self):
        self._live.start()
        return self

    def __exit__(self, *exception):
        self._live.stop()

    @override
    def begin(self, plan: Plan, games: Sequence[GameRow]) -> None:
        self._tally = Tally(plan, games)

    @override
    def progress(self, event: MovePlayed) -> None:
        self._running[event.job.game_id] = event

    @override
    def result(self, record: GameRecord) -> None:
        self._running.pop(record.game_id, None)
        if self._tally is not None:
            self._tally.add(record)
        self._last.append(record)

    def _render(self) -> Group:
        if self._tally is None:
            return Group()
        last = Table("last results", box=None)
        for record in list(self._last):
            last.add_row(result_text(record))
        return Group(self._running_games(self._tally), last, self._standing(self._tally))

    def _running_games(self, tally: Tally) -> Table:
        title = tally.headline()
        table = Table("running", "move", box=None, title=title, title_justify="left")
        running = list(self._running.values())
        for event in running[:RUNNING_ROWS]:
            table.add_row(f"{event.job.black} – {event.job.white}", str(event.num_plies))
        if len(running) > RUNNING_ROWS:
            table.add_row(f"and {len(running) - RUNNING_ROWS} more", "")
        return table

    def _standing(self, tally: Tally) -> Table:
        table = Table(box=None)
        for title in ("standing", "Elo", "±", "moved", "wins", "games"):
            table.add_column(title, justify="left" if title == "standing" else "right")
        for row in tally.standing()[:STANDING_ROWS]:
            table.add_row(
                row.name,
                f"{round(row.elo):+}",
                f"{row.elo_halfwidth:.0f}",
                f"{round(tally.elo_moved(row)):+}",
                str(row.score.num_wins),
                str(row.score.num_games),
            )
        return table


def view_for(console: Console, *, quiet: bool = False, as_json: bool = False) -> QuietView:
    """Return the requested view, by default a view that suits the output."""
    if quiet:
        return QuietView()
    if as_json:
        return JsonView(console)
    return LiveView(console) if console.is_terminal else PlainView(console)


def result_text(record: GameRecord) -> str:
    """Return a result in a line: who played, how it ended, and why when it was void."""
    text = f"{record.black} – {record.white}: {record.result}"
    if record.kind == PLAYED:
        return f"{text} after {record.num_plies} moves"
    return f"{text} ({record.kind}: {record.reason})"
