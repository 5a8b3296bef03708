"""The protocol of engines, which play games on some machines, and the events that they yield.

An engine is anything with `play(pairs)` that yields what happens to the games, in any order, until
all have ended; it asks for the next pair only when a worker is free, and keeps a pair together.
"""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tournament.game.job import GameJob
from tournament.game.record import GameRecord
from tournament.game.rules import EventOptions

# How often a game is attempted if it is interrupted through no fault of its players.
ATTEMPTS = 3


@dataclass(frozen=True)
class MovePlayed:
    """A game under way, with the plies played so far, its opening included."""

    job: GameJob
    num_plies: int


Events = Generator[MovePlayed | GameRecord, None, None]


class Engine(Protocol):
    """Plays games, on this machine or on a cluster."""

    def play(self, pairs: Iterable[Sequence[GameJob]]) -> Events:
        """Play all games, both of a pair one after the other on one core.

        A void record means that an attempt was interrupted. The same call may still play the game,
        and gives it up after too many attempts. Closing the generator ends all games.
        """
        ...


def patience(options: EventOptions) -> float:
    """Return the wall time, in seconds, without a move after which a worker is presumed hung.

    Ten times the CPU limit and a minute, or ten minutes under a limit of visits.
    """
    return 600.0 if options.seconds is None else 60 + 10 * options.seconds
