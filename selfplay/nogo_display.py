"""Displays of strategy for NoGo: who may still play where, and which layouts are of no more use.

Source: Gao and Wu, "Efficiently Mastering the Game of NoGo with Deep Reinforcement Learning
Supported by Domain Knowledge", 2021, figures 7 and 9. nogo.js shows the same on a run's page.
"""

from collections.abc import Iterator, Sequence

from golois.games.game import Game
from golois.go.chains import chain_of, neighbours
from golois.go.coords import BLACK, EMPTY, GTP_COLUMNS, WHITE, opponent, point_to_gtp

LAYOUT = {BLACK: "▲", WHITE: "△"}
ALONE = {BLACK: "b", WHITE: "w"}
NOBODY = "×"
STONES = {BLACK: "X", WHITE: "O"}
LEGEND = (
    f"{LAYOUT[BLACK]} {LAYOUT[WHITE]} the centre of a layout of Black, of White; {ALONE[BLACK]} "
    f"{ALONE[WHITE]} where Black or White alone may play; {NOBODY} where nobody may play"
)


def marks_of(stones: Sequence[int]) -> dict[int, str]:
    """The marks of the empty points that not both colours may play on.

    A layout is a triangle or a diamond: all neighbours of its centre are stones of one colour, so
    the opponent may never play there. `stones` are the colours of the size² points.
    """
    found = {}
    for point, colour in enumerate(stones):
        may = [one for one in (BLACK, WHITE) if colour == EMPTY and may_play(stones, point, one)]
        if colour == EMPTY and len(may) < 2:
            found[point] = _mark(stones, point, may[0]) if may else NOBODY
    return found


def may_play(stones: Sequence[int], point: int, colour: int) -> bool:
    """Whether a colour may take an empty point by NoGo's rules, whoever is to move."""
    after = list(stones)
    after[point] = colour
    enemies = [near for near in _beside(stones, point) if after[near] == opponent(colour)]
    return all(chain_of(after, stone)[1] for stone in (point, *enemies))


def display(game: Game) -> str:
    """The board of a game of NoGo with its marks, row by row, and the names of its points."""
    stones = game.stones().ravel().tolist()
    marks = marks_of(stones)
    shown = [STONES.get(colour, marks.get(point, ".")) for point, colour in enumerate(stones)]
    rows = [
        f"{game.size - row:2} {' '.join(shown[row * game.size : (row + 1) * game.size])}"
        for row in range(game.size)
    ]
    return "\n".join([*rows, f"   {' '.join(GTP_COLUMNS[: game.size])}"])


def spoiled(game: Game, line: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Which layouts of the position the moves of `line` spoil: the centre, the ply and the move.

    A layout is spoiled when its owner may not play in its centre either: no reserve move is left.
    """
    later = game.copy()
    layouts = _layouts(later)
    for move in line:
        later.play(move)
        now = marks_of(later.stones().ravel().tolist())
        for point in [point for point in layouts if now.get(point) == NOBODY]:
            layouts.remove(point)
            yield point, later.num_moves, move


def prediction(game: Game, line: Sequence[int]) -> str:
    """What the moves of `line` come to, in words and as a board."""
    later = game.copy()
    for move in line:
        later.play(move)
    names = " ".join(point_to_gtp(move, game.size) for move in line) or "no move"
    words = [f"then it expects {names}:", display(later)]
    for point, ply, move in spoiled(game, line):
        at, by = point_to_gtp(point, game.size), point_to_gtp(move, game.size)
        words.append(f"move {ply}, {by}, spoils the layout at {at}")
    return "\n".join(words)


def _mark(stones: Sequence[int], point: int, colour: int) -> str:
    is_layout = all(stones[near] == colour for near in _beside(stones, point))
    return (LAYOUT if is_layout else ALONE)[colour]


def _layouts(game: Game) -> list[int]:
    marks = marks_of(game.stones().ravel().tolist())
    return [point for point, mark in marks.items() if mark in LAYOUT.values()]


def _beside(stones: Sequence[int], point: int) -> tuple[int, ...]:
    return neighbours(round(len(stones) ** 0.5))[point]
