"""Random play for property tests; choices follow from lists of numbers, so failures shrink."""

import random
from collections.abc import Iterator

from tests.reference_board import ReferenceBoard, opponent

OUT_OF_TURN = 7


def chosen_move(board: ReferenceBoard, number: int) -> tuple[int, int]:
    """A legal move (colour, point) for a number ≥ 0; one in seven is out of turn."""
    colour = opponent(board.to_play) if number % OUT_OF_TURN == 1 else board.to_play
    legal = [point for point, is_legal in enumerate(board.legal_moves(colour)) if is_legal]
    return colour, legal[number // OUT_OF_TURN % len(legal)]


def fighting_game(seed: int, num_moves: int, size: int = 19) -> Iterator[tuple[int, int]]:
    """A legal game whose moves stay near the last: full of ataris, captures, kos and ladders."""
    rng = random.Random(seed)
    board = ReferenceBoard(size)
    centre = rng.randrange(size * size)
    for _ in range(num_moves):
        legal = [p for p in near(centre, size, rng.choice((1, 2, 3))) if board.is_legal(p)]
        point = rng.choice(legal) if legal else board.pass_point
        yield board.to_play, point
        board.play(point)
        wander = rng.random() < 0.1 or not legal
        centre = rng.randrange(size * size) if wander else point


def near(point: int, size: int, distance: int) -> list[int]:
    """The points at most `distance` rows and columns away."""
    row, column = divmod(point, size)
    rows = range(max(0, row - distance), min(size, row + distance + 1))
    columns = range(max(0, column - distance), min(size, column + distance + 1))
    return [r * size + c for r in rows for c in columns]
