"""The state of a run: games done, speed, time left, and changing ratings."""

import time
from collections.abc import Callable, Sequence

from tournament.game.record import FORFEIT, VOID, GameRecord
from tournament.league.games import GameRow, row_of
from tournament.ratings.bradley_terry import rate
from tournament.ratings.ranking import Ranked, ranked
from tournament.running.plan import Plan

# Ratings take at most this share of the coordinator's time.
RATING_SHARE = 0.02


class Tally:
    """Counts the games of a run and of earlier runs, towards what a plan has left to do."""

    def __init__(
        self,
        plan: Plan,
        games: Sequence[GameRow],
        clock: Callable[[], float] = time.monotonic,
    ):
        self._plan, self._games, self._clock = plan, list(games), clock
        self._num_played = 0
        self._sha256_of = {
            name: sha256 for game in games for name, sha256 in _networks_of(game).items()
        }
        self._out: set[str | None] = set()  # networks that have failed, or were replaced
        self._begun_at = clock()
        self._rate_again_at = 0.0
        self._standing = self._ranked()
        self._elo_before = {row.name: row.elo for row in self._standing}

    @property
    def num_done(self) -> int:
        """Games with a result."""
        return len(self._games)

    @property
    def num_games(self) -> int:
        """Games with a result, and planned games."""
        return max(self._plan.num_games, self.num_done)

    @property
    def games_per_hour(self) -> float:
        """Speed of this run."""
        elapsed = max(self._clock() - self._begun_at, 1e-9)
        return 3600 * self._num_played / elapsed

    def add(self, record: GameRecord) -> None:
        """Count a result; not a void, and in a league no game of a failed or replaced network."""
        if record.kind == VOID:
            return
        self._num_played += 1
        game = row_of(record)
        if self._plan.takes_out_failures:
            for name, sha256 in _networks_of(game).items():
                before = self._sha256_of.setdefault(name, sha256)
                if sha256 != before and sha256 not in self._out:
                    self._take_out(before)
                    self._sha256_of[name] = sha256
            if record.kind == FORFEIT:
                self._take_out(record.loser_sha256)
        if self._out.isdisjoint(_networks_of(game).values()):
            self._games.append(game)

    def seconds_left(self) -> float | None:
        """Return the time to the end of the budget, else at the current speed; None if unknown."""
        by_budget = self._plan.seconds_left()
        num_left = self.num_games - self.num_done
        if by_budget is None and num_left and self.games_per_hour:
            return 3600 * num_left / self.games_per_hour
        return by_budget

    def headline(self) -> str:
        """Return games done, speed and time left, in words."""
        text = f"{self.num_done}/{self.num_games} games"
        if self._plan.seconds_left() is not None and self.num_done == self.num_games:
            text = f"{self.num_done} games"
        if self.games_per_hour:
            text += f", {self.games_per_hour:.0f} an hour"
        left = self.seconds_left()
        return text if not left else f"{text}, {duration_text(left)} left"

    def standing(self) -> list[Ranked]:
        """Return the networks that have played, best first, rating them again if that is cheap."""
        now = self._clock()
        if now >= self._rate_again_at:
            self._standing = self._ranked()
            self._rate_again_at = now + (self._clock() - now) / RATING_SHARE
        return self._standing

    def elo_moved(self, row: Ranked) -> float:
        """Return how much this run has changed a rating."""
        return row.elo - self._elo_before.get(row.name, 0)

    def _take_out(self, sha256: str | None) -> None:
        self._out.add(sha256)
        self._games = [
            game for game in self._games if sha256 not in _networks_of(game).values()
        ]

    def _ranked(self) -> list[Ranked]:
        names = {name for game in self._games for name in (game.black, game.white)}
        return ranked(rate(names, self._games), self._games)


def _networks_of(game: GameRow) -> dict[str, str]:
    return {game.black: game.black_sha256, game.white: game.white_sha256}


def duration_text(seconds: float) -> str:
    """Return a readable duration: 42 s, 13 min, 5 h 07 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"
