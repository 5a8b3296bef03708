"""What plays games, whichever machines it has: the protocol, and what an engine tells meanwhile.

An engine is anything with `play(pairs)` that yields what happens to the games, in any order, until
all have ended; it asks for the next pair only when a worker is free, and keeps a pair together.
"""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tournament.game.job import GameJob
from tournament.game.record import GameRecord
from tournament.game.rules import EventOptions

# How often a game is tried that breaks off through no fault of its players.
ATTEMPTS = 3


@dataclass(frozen=True)
class MovePlayed:
    """A game under way, with the plies played so far, its opening included."""

    job: GameJob
    num_plies: int


Events = Generator[MovePlayed | GameRecord, None, None]


class Engine(Protocol):
    """Something that plays games: this machine here, a cluster elsewhere."""

    def play(self, pairs: Iterable[Sequence[GameJob]]) -> Events:
        """Plays all games, both of a pair one after the other on one core.

        A void record says that an attempt broke off; the game may still be played by the same
        call, and is given up when it breaks off too often. Closing the generator ends all games.
        """
        ...


def patience(options: EventOptions) -> float:
    """Wall time, in seconds, after which a worker that made no move is presumed to hang.

    Ten times the CPU limit and a minute, or ten minutes under a limit of visits.
    """
    return 600.0 if options.seconds is None else 60 + 10 * options.seconds
