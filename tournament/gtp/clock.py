"""The controller's clock: time settings and time left to the seconds that a move may take.

GTP counts wall time, thinking and transport alike, so a reserve is kept. Without time settings the
arena's limit (`--seconds`) counts CPU time of the process.
"""

import math
from dataclasses import dataclass

from golois.go.coords import BLACK, WHITE

# A game that is played out by area has about 200 moves for each side; how many are left is
# unknown, so some time is always kept for more.
EXPECTED_MOVES, LEAST_MOVES_LEFT = 200, 40
# What is kept back of a move's time for transport and for the controller itself.
RESERVED_SHARE, RESERVED_SECONDS = 0.1, 0.1
LEAST_SECONDS = 0.01


@dataclass(frozen=True)
class TimeSettings:
    """A time system: main time, then byo-yomi periods of `num_stones` stones, in wall seconds.

    With `num_periods` 0 byo-yomi is Canadian: periods follow one another. In Japanese byo-yomi a
    stone that takes longer than a period uses one up.
    """

    main: float
    period: float = 0.0
    num_stones: int = 0
    num_periods: int = 0

    @property
    def has_no_limit(self) -> bool:
        """GTP 2: byo-yomi time without stones, or no time at all, means that it does not matter."""
        return self.num_stones == 0 and (self.period > 0 or self.main == 0)

    @property
    def seconds_in_byo_yomi(self) -> float:
        """What a stone in byo-yomi may take."""
        return self.period / self.num_stones if self.num_stones else 0.0


class GameClock:
    """Both sides' time, by the settings (None: no clock) and by what the controller says."""

    def __init__(self, settings: TimeSettings | None = None):
        if settings is not None and settings.period == 0:
            settings = TimeSettings(settings.main)
        self._settings = None if settings is None or settings.has_no_limit else settings
        self._left: dict[int, tuple[float, int]] = {}
        self.reset()

    @property
    def matters(self) -> bool:
        """Whether the game has a clock."""
        return self._settings is not None

    def reset(self) -> None:
        """Start a game: all time is left."""
        if self._settings is not None:
            main = (self._settings.main, 0)
            start = main if self._settings.main > 0 else _next_period(self._settings)
            self._left = dict.fromkeys((BLACK, WHITE), start)

    def set_left(self, colour: int, seconds: float, num_stones: int) -> None:
        """Take over what the controller says, where there is a clock; 0 stones mean main time.

        In Japanese byo-yomi, as on KGS, the stones are the periods left.
        """
        if self._settings is not None:
            self._left[colour] = (seconds, num_stones)

    def spend(self, colour: int, seconds: float) -> None:
        """Count a move's time, for controllers that do not say what is left.

        Byo-yomi pays what main time lacks. When the time is up, the last Japanese period stays and
        the next Canadian period begins: the controller decides whether the game is over.
        """
        settings = self._settings
        if settings is None:
            return
        left, num_stones = self._left[colour]
        left -= seconds
        if num_stones == 0:
            if left > 0 or not settings.num_stones:
                self._left[colour] = (left, 0)
                return
            period, num_stones = _next_period(settings)
            left += period
        if settings.num_periods:
            num_used = math.ceil(max(0.0, -left) / settings.period)
            self._left[colour] = (settings.period, max(1, num_stones - num_used))
        elif left > 0 and num_stones > 1:
            self._left[colour] = (left, num_stones - 1)
        else:
            self._left[colour] = _next_period(settings)

    def seconds_for(self, colour: int, num_own_moves: int) -> float | None:
        """Return the wall seconds for this colour's next move; None where time does not matter."""
        if self._settings is None:
            return None
        left, num_stones = self._left[colour]
        if num_stones == 0:
            moves_left = max(LEAST_MOVES_LEFT, EXPECTED_MOVES - num_own_moves)
            byo_yomi = self._settings.seconds_in_byo_yomi
            share = min(left, left / moves_left + byo_yomi)
            if _usable(share) == LEAST_SECONDS:  # main time is as good as over
                share = byo_yomi
        elif self._settings.num_periods:
            share = left
        else:
            share = left / num_stones
        return _usable(share)


def _usable(share: float) -> float:
    return max(LEAST_SECONDS, (1 - RESERVED_SHARE) * share - RESERVED_SECONDS)


def _next_period(settings: TimeSettings) -> tuple[float, int]:
    return settings.period, settings.num_periods or settings.num_stones
