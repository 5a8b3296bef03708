"""How a network scored by colour and by opening, and which of these scores may differ by chance."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from golois.constants import BOARD_SIZE
from tournament.league.games import GameRow
from tournament.ratings.ranking import Score

# An opening with fewer games says nothing.
LEAST_GAMES = 5

Named = tuple[str, Score]


def by_opening(name: str, games: Iterable[GameRow]) -> list[Named]:
    """Return a network's score with each opening that it has often played, most games first.

    An opening is named by Black's first stone, as `opening_name` does.
    """
    played = Counter(
        (opening_name(game.opening[0]), game.winner_name == name)
        for game in games
        if game.opening and game.winner
    )
    scores = [
        (opening, Score(played[opening, True], played[opening, False]))
        for opening in sorted({opening for opening, _ in played})
    ]
    often = [(opening, score) for opening, score in scores if score.num_games >= LEAST_GAMES]
    return sorted(often, key=lambda named: -named[1].num_games)


def opening_name(point: int) -> str:
    """Return the lines of a point from the nearest edges, such as `3-4`; `pass` for a pass."""
    if point == BOARD_SIZE**2:
        return "pass"
    row, column = (min(place, BOARD_SIZE - 1 - place) + 1 for place in divmod(point, BOARD_SIZE))
    return f"{min(row, column)}-{max(row, column)}"


def not_separated(scores: Sequence[Named]) -> list[str]:
    """Return the pairs of scores whose 95 % intervals overlap, such as `Black and White`."""
    return [
        f"{one} and {other}"
        for (one, first), (other, second) in combinations(scores, 2)
        if first.num_games and second.num_games and _overlap(first.interval, second.interval)
    ]


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
