"""Adversaries that follow a script, to attack a network of Go with.

Such players lose to any sound opponent. A network that loses to one has a gap in what it has seen.
"""

from collections.abc import Sequence
from functools import cache

from golois.games.game import Game
from golois.games.rules import Go
from golois.go.chains import all_chains
from golois.go.coords import opponent
from tournament.errors import OptionsError
from tournament.players.registry import Kind, Opener, without_process
from tournament.players.simple import SimplePlayer, useful_points


class Edge(SimplePlayer):
    """Plays at random on the outermost line that has a useful point."""

    def _move(self, game: Game) -> int:
        points = useful_points(game)
        outermost = min((_line(point, game.size) for point in points), default=0)
        on_line = [point for point in points if _line(point, game.size) == outermost]
        return self._drawn(on_line or [game.pass_point], game)


class Spiral(SimplePlayer):
    """Plays on the first useful point of a spiral, clockwise from the top left to the centre."""

    def _move(self, game: Game) -> int:
        points = set(useful_points(game))
        return next((one for one in spiral(game.size) if one in points), game.pass_point)


class Mirror(SimplePlayer):
    """Turns the opponent's last move by 180°, or plays on the useful point nearest to there.

    After a pass, and as the first move of a game, it plays in the centre.
    """

    def _move(self, game: Game) -> int:
        centre = game.pass_point // 2
        last = game.moves[-1][1] if game.moves else centre
        wanted = centre if last == game.pass_point else game.pass_point - 1 - last
        points = useful_points(game)
        nearest = min((_distance(point, wanted, game.size) for point in points), default=0)
        equals = [point for point in points if _distance(point, wanted, game.size) == nearest]
        return self._drawn(equals or [game.pass_point], game)


class Ring(SimplePlayer):
    """Surrounds the opponent's largest chain that still has a useful liberty."""

    def _move(self, game: Game) -> int:
        points = set(useful_points(game))
        stones = game.stones().ravel().tolist()
        enemy = opponent(game.to_play)
        rings = [
            (len(chain), sorted(around & points))
            for chain, around in all_chains(stones)
            if stones[min(chain)] == enemy and around & points
        ]
        ring = max(rings)[1] if rings else sorted(points)
        return self._drawn(ring or [game.pass_point], game)


class Passing(SimplePlayer):
    """Passes always."""

    def _move(self, game: Game) -> int:
        return game.pass_point


ADVERSARIES: dict[str, type[SimplePlayer]] = {
    "edge": Edge, "pass": Passing, "spiral": Spiral, "mirror": Mirror, "ring": Ring,
}  # fmt: skip


def _found(name: str, size: int) -> Opener:
    if name not in ADVERSARIES:
        raise OptionsError(f"scripted takes one of {', '.join(ADVERSARIES)}, not {name!r}")
    return without_process(ADVERSARIES[name])


KINDS = {
    "scripted": Kind(
        f"an adversary that follows a script: {', '.join(ADVERSARIES)}",
        lambda rules: isinstance(rules, Go),
        _found,
        "script",
        None,
    ),
}
"""The players by name, for `tournament.players.registry`."""


@cache
def spiral(size: int) -> Sequence[int]:
    """All points of a board, clockwise from the top left corner to the centre."""
    rows = [list(range(row * size, (row + 1) * size)) for row in range(size)]
    points: list[int] = []
    while rows:
        points += rows[0]
        rows = [list(row) for row in zip(*rows[1:], strict=True)][::-1]
    return points


def _line(point: int, size: int) -> int:
    """How far a point is from the nearest side; 0 on the first line."""
    return min(min(place, size - 1 - place) for place in divmod(point, size))


def _distance(first: int, second: int, size: int) -> int:
    (row, column), (other_row, other_column) = divmod(first, size), divmod(second, size)
    return abs(row - other_row) + abs(column - other_column)
