"""What the page of one network tells of its games: the forfeits, and the games by opponent."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tournament.league.games import GameRow
from tournament.ratings.ranking import Score
from tournament.report.standings import Standing, Standings


@dataclass(frozen=True)
class Opponent:
    """Another network as one network met it.

    score: the network's wins and losses against this one.
    better_with: P(the network is better than this one).
    games: of the two, in their order.
    """

    name: str
    rank: int
    score: Score
    better_with: float
    games: Sequence[GameRow]


def opponents_of(standings: Standings, row: Standing, games: Iterable[GameRow]) -> list[Opponent]:
    """Return a network's opponents, best first, given its own games."""
    met: dict[str, list[GameRow]] = defaultdict(list)
    for game in games:
        met[game.white if game.black == row.name else game.black].append(game)
    return [
        Opponent(
            name=other.name,
            rank=other.rank,
            score=standings.between(row.name, other.name),
            better_with=standings.superiority[row.rank - 1, other.rank - 1],
            games=met[other.name],
        )
        for other in standings.rows
        if other.name in met
    ]


def forfeits_of(name: str, games: Iterable[GameRow]) -> list[GameRow]:
    """Return the games that a network lost by its own failure."""
    return [game for game in games if game.kind == "forfeit" and game.winner_name != name]
