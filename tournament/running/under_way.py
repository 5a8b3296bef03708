"""The games under way in a file of the site, for the front page's boards and clocks."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import override

from golois.kit.files import write_whole
from tournament.game.record import GameRecord
from tournament.league.games import GameRow
from tournament.league.league import League
from tournament.running.engine_protocol import MovePlayed
from tournament.running.plan import Plan
from tournament.running.views import QuietView

EVERY_SECONDS = 2.0
MAX_GAMES = 8
COLOURS = ("black", "white")


@dataclass
class _Game:
    """The moves of a game so far, and the CPU seconds of each move, Black's and White's."""

    players: tuple[str, str]
    points: list[int]
    spent: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))

    def to_json(self, game_id: str, written: Mapping[str, str]) -> dict[str, Any]:
        sides = {
            colour: {
                "name": written.get(name, name),
                "cpu_seconds": round(sum(spent), 2),
                "last_seconds": round(spent[-1], 2) if spent else None,
            }
            for colour, name, spent in zip(COLOURS, self.players, self.spent, strict=True)
        }
        return {"id": game_id, "points": self.points, **sides}


class GamesUnderWay(QuietView):
    """Another view, and beside it the file of a league's games under way, rewritten as they go on.

    It lists no games while they are hidden, and after the run.
    """

    def __init__(
        self, view: QuietView, league: League, clock: Callable[[], float] = time.monotonic
    ):
        self._view, self._league, self._clock = view, league, clock
        self._games: dict[str, _Game] = {}
        self._written: Mapping[str, str] = {}
        self._next_at = 0.0

    def __enter__(self):
        self._view.__enter__()
        return self

    def __exit__(self, *exception):
        self._games.clear()
        self._write()
        self._view.__exit__(*exception)

    @override
    def begin(self, plan: Plan, games: Sequence[GameRow]) -> None:
        self._written = self._league.written_names.all()
        self._view.begin(plan, games)

    @override
    def progress(self, event: MovePlayed) -> None:
        job = event.job
        if event.point is None or job.game_id not in self._games:  # it begins, maybe once more
            self._games[job.game_id] = _Game((job.black, job.white), list(job.opening))
        if event.point is not None:
            game = self._games[job.game_id]
            game.spent[len(game.points) % 2].append(event.cpu_seconds)
            game.points.append(event.point)
        self._write_if_due()
        self._view.progress(event)

    @override
    def result(self, record: GameRecord) -> None:
        self._games.pop(record.game_id, None)
        self._write_if_due()
        self._view.result(record)

    def _write_if_due(self) -> None:
        if (now := self._clock()) < self._next_at:
            return
        self._next_at = now + EVERY_SECONDS
        self._write()

    def _write(self) -> None:
        is_hidden = self._league.hidden.may_be_on()
        games = [] if is_hidden else list(self._games.items())[:MAX_GAMES]
        told = {"games": [game.to_json(game_id, self._written) for game_id, game in games]}
        content = json.dumps(told, separators=(",", ":")).encode()
        with suppress(OSError):  # a full disk stops no games
            write_whole(self._league.live_path, content, durable=False, public=True)
