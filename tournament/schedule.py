"""Who plays whom, with which opening and which colour: rounds of game pairs by the circle method.

A round holds one game pair of every two entrants: one opening, both colours. Within a round the
circle method forms steps in which everybody plays at most one opponent, so that after any prefix
of the schedule no two entrants differ by more than one game pair and one bye. The identity of a
game depends on the seed, the two networks and the round only: when an entrant joins, the others'
games keep their ids.
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Entrant:
    """A network that takes part: its public name and the digest that identifies it."""

    name: str
    sha256: str


@dataclass(frozen=True)
class GameJob:
    """One game to play, as pure data; `opening` is played before the players choose."""

    game_id: str
    pair_id: str
    round: int
    black: str
    white: str
    black_sha256: str
    white_sha256: str
    opening: tuple[int, ...]
    seed: int

    def to_json(self) -> dict:
        """The job as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict) -> "GameJob":
        """The job that `to_json` wrote."""
        return cls(**{**data, "opening": tuple(data["opening"])})


def pairings(
    entrants: Sequence[Entrant], rounds: int, seed: int, openings: Sequence[tuple[int, ...]]
) -> list[GameJob]:
    """All games of an event in the order to play them, the two of a pair side by side.

    The order of `entrants` has no influence. A pair meets the same opening again only after
    `len(openings)` rounds.

    Args:
        entrants: the networks, with distinct digests.
        rounds: how many game pairs every two entrants play.
        seed: decides orders, colours and openings.
        openings: at least one sequence of points, Black first.
    """
    book = list(openings)
    random.Random(f"openings {seed}").shuffle(book)
    jobs = []
    for number in range(rounds):
        circle = sorted(entrants, key=lambda entrant: entrant.sha256)
        random.Random(f"round {seed} {number}").shuffle(circle)
        for step in circle_steps(circle):
            for first, second in step:
                jobs += _game_pair(first, second, number, seed, book)
    return jobs


def circle_steps(entrants: Sequence[Entrant]) -> Iterator[list[tuple[Entrant, Entrant]]]:
    """Steps in which everybody meets one opponent (or has the bye), and all meet in the end.

    Source: the circle method, W. B. Kirkman 1850; see Anderson, Combinatorial Designs (1997).
    """
    circle: list[Entrant | None] = list(entrants)
    if len(circle) % 2:
        circle.append(None)
    half = len(circle) // 2
    for _ in range(len(circle) - 1):
        facing = zip(circle[:half], reversed(circle), strict=False)
        yield [(one, other) for one, other in facing if one and other]
        circle.insert(1, circle.pop())


def schedule_hash(jobs: Sequence[GameJob]) -> str:
    """A digest of the whole schedule: equal digests mean the same games in the same order."""
    return _digest(*(f"{job.game_id} {job.opening}" for job in jobs))


def _game_pair(
    one: Entrant, other: Entrant, number: int, seed: int, book: list[tuple[int, ...]]
) -> list[GameJob]:
    meeting = _digest(seed, *sorted((one.sha256, other.sha256)))
    opening = book[(int(meeting, 16) + number) % len(book)]
    pair_id = _digest(meeting, number)
    jobs = []
    for black, white in sorted(
        ((one, other), (other, one)), key=lambda colours: _digest(pair_id, colours[0].sha256)
    ):
        game_id = _digest(pair_id, black.sha256)
        jobs.append(
            GameJob(
                game_id=game_id,
                pair_id=pair_id,
                round=number,
                black=black.name,
                white=white.name,
                black_sha256=black.sha256,
                white_sha256=white.sha256,
                opening=opening,
                seed=int(_digest("seed", game_id)[:12], 16),
            )
        )
    return jobs


def _digest(*parts: object) -> str:
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:16]
