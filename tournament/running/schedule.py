"""Who plays whom, with which opening and which colour: rounds of game pairs by the circle method.

At any time two entrants differ by at most one pair and one bye. A game's id depends on the seed,
its entrants and the round. Opening, colours and seed depend on the entrants' `luck` (a name).
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from tournament.game.job import Entrant, GameJob, digest

Seed = int | Mapping[str, str]
"""One for all, or that of each entrant's draw by its `luck` (tournament.league.draws)."""


def pairings(
    entrants: Sequence[Entrant], rounds: int, seed: Seed, openings: Sequence[tuple[int, ...]]
) -> list[GameJob]:
    """Return all games of an event in the order to play them, the two of a pair side by side.

    The order of `entrants` has no influence. A pair repeats an opening only after `len(openings)`
    rounds; openings are points, Black first.
    """
    openings, of_all = tuple(openings), joint_seed(seed, entrants)
    jobs = []
    for number in range(rounds):
        circle = sorted(entrants, key=lambda entrant: entrant.luck)
        random.Random(f"round {of_all} {number}").shuffle(circle)
        for step in circle_steps(circle):
            for first, second in step:
                jobs += game_pair(first, second, number, seed, openings)
    return jobs


def circle_steps(entrants: Sequence[Entrant]) -> Iterator[list[tuple[Entrant, Entrant]]]:
    """Return steps in which each entrant meets one opponent or has the bye, until all have met.

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


def joint_seed(seed: Seed, entrants: Iterable[Entrant]) -> int | str:
    """Return the seed of these entrants' games, or all of theirs: nobody foresees later draws."""
    if isinstance(seed, int):
        return seed
    seeds = sorted({seed[entrant.luck] for entrant in entrants})
    return seeds[0] if len(seeds) == 1 else digest(*seeds)


@lru_cache(maxsize=256)
def seeded_book(
    openings: tuple[tuple[int, ...], ...], seed: int | str
) -> tuple[tuple[int, ...], ...]:
    """Return the openings in the order in which pairs of this seed go through them."""
    book = list(openings)
    random.Random(f"openings {seed}").shuffle(book)
    return tuple(book)


def game_pair(
    one: Entrant, other: Entrant, number: int, seed: Seed, openings: tuple[tuple[int, ...], ...]
) -> list[GameJob]:
    """Return the two games of a pair, in either order; `number` pairs of the two come before."""
    joint = joint_seed(seed, (one, other))
    book = seeded_book(openings, joint)
    meeting = digest(joint, *sorted((one.luck, other.luck)))
    opening = book[(int(meeting, 16) + number) % len(book)]
    drawn = pair_id = digest(meeting, number)
    identities = sorted((one.identity, other.identity))
    if identities != sorted((one.luck, other.luck)):
        pair_id = digest(drawn, *identities)
    jobs = []
    for black, white in sorted(
        ((one, other), (other, one)), key=lambda colours: digest(drawn, colours[0].luck)
    ):
        game_id = digest(pair_id, black.identity)
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
                seed=int(digest("seed", digest(drawn, black.luck))[:12], 16),
                black_options=black.options,
                white_options=white.options,
            )
        )
    return jobs
