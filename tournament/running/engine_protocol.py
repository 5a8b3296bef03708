"""The protocol of engines, which play games on some machines, and the events that they yield.

An engine asks for the next pair only when a worker is free.
"""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tournament.game.job import GameJob
from tournament.game.options import EventOptions
from tournament.game.record import GameRecord
from tournament.running.machine import options_here

# How often a game is attempted if it is interrupted through no fault of its players.
ATTEMPTS = 3


@dataclass(frozen=True)
class MovePlayed:
    """A game under way, with the plies played so far, its opening included.

    point, cpu_seconds: of the last move; None and 0 before the players have chosen one.
    """

    job: GameJob
    num_plies: int
    point: int | None = None
    cpu_seconds: float = 0.0


Events = Generator[MovePlayed | GameRecord, None, None]


class Engine(Protocol):
    """Plays games, on this machine or on a cluster."""

    def play(self, pairs: Iterable[Sequence[GameJob]]) -> Events:
        """Play all games, the two of a pair in turn on one core; yield events in any order.

        A void record means an interrupted attempt, which the same call may repeat until it gives
        up. Closing the generator ends all games.
        """


def patience(options: EventOptions, speed: float | None) -> float:
    """Return the wall seconds without a move after which a worker is presumed hung.

    Ten times the CPU limit on a machine of this speed and a minute, or ten minutes under a limit of
    visits.
    """
    seconds = options_here(options, speed).seconds
    return 600.0 if seconds is None else 60 + 10 * seconds
