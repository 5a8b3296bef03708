"""Reads a ladder to its end, beyond the 1,000 boards at which the core gives up."""

from collections.abc import Iterator

from golois.constants import BOARD_SIZE
from golois.go.board import Board
from golois.go.chains import chain_of, neighbours
from golois.go.coords import opponent

MAX_BOARDS = 20_000


class LadderTooLong(Exception):
    """More boards than `MAX_BOARDS` would have to be looked at."""


def escapes(board: Board, stone: int) -> bool:
    """Tell whether a chain in atari gets away, its owner moving first; the board stays as it is.

    The owner extends, or takes an attacker's chain in atari beside it. The attacker plays a liberty
    of the chain, until it has three, or none. Raises LadderTooLong: it could not be read out.
    """
    return not _Reader(board, stone).is_caught(board)


def ladder_line(board: Board, stone: int) -> list[int]:
    """Return a ladder's moves to its end, its owner's first; LadderTooLong: no end was found."""
    return _Reader(board, stone).line(board)


class _Reader:
    def __init__(self, board: Board, stone: int):
        self._defender = int(board.stones().flat[stone])
        self._stone = stone
        self._known: dict[tuple[int, int | None, bool], bool] = {}

    def is_caught(self, board: Board) -> bool:
        return self._remembered(board, True)

    def _remembered(self, board: Board, is_owners_turn: bool) -> bool:
        key = (board.key, board.ko_point, is_owners_turn)
        if key not in self._known:
            if len(self._known) >= MAX_BOARDS:
                raise LadderTooLong
            self._known[key] = self._defend(board) if is_owners_turn else self._attack(board)
        return self._known[key]

    def line(self, board: Board) -> list[int]:
        moves: list[int] = []
        is_caught = self.is_caught(board)
        is_owners_turn = True
        while True:
            chain, liberties = self._chain(board)
            if not chain or len(liberties) > (1 if is_owners_turn else 2):
                return moves
            if is_owners_turn:
                steps = list(self._answers(board, chain, liberties))
            else:
                steps = list(self._attacks(board, liberties))
            if is_caught is not is_owners_turn:  # the winner's turn
                steps = [
                    (move, after)
                    for move, after in steps
                    if self._remembered(after, not is_owners_turn) is is_caught
                ]
            if not steps:
                return moves
            move, board = steps[0]
            moves.append(move)
            is_owners_turn = not is_owners_turn

    def _defend(self, board: Board) -> bool:
        chain, liberties = self._chain(board)
        if not chain:
            return True
        if len(liberties) > 1:
            return False
        answers = self._answers(board, chain, liberties)
        return all(self._remembered(after, False) for _, after in answers)

    def _attack(self, board: Board) -> bool:
        chain, liberties = self._chain(board)
        if not chain:
            return True
        if len(liberties) > 2:
            return False
        return any(
            len(liberties) == 1 or self.is_caught(after)
            for _, after in self._attacks(board, liberties)
        )

    def _chain(self, board: Board) -> tuple[set[int], set[int]]:
        stones = stones_of(board)
        if stones[self._stone] != self._defender:
            return set(), set()
        return chain_of(stones, self._stone)

    def _answers(
        self, board: Board, chain: set[int], liberties: set[int]
    ) -> Iterator[tuple[int, Board]]:
        captures = _captures(stones_of(board), chain, opponent(self._defender))
        return _played(board, liberties | captures, self._defender)

    def _attacks(self, board: Board, liberties: set[int]) -> Iterator[tuple[int, Board]]:
        return _played(board, liberties, opponent(self._defender))


def _played(board: Board, points: set[int], colour: int) -> Iterator[tuple[int, Board]]:
    for point in sorted(points):
        if (after := played(board, point, colour)) is not None:
            yield point, after


def stones_of(board: Board) -> list[int]:
    """Return the colour of each point."""
    return board.stones().reshape(-1).tolist()


def played(board: Board, point: int, colour: int) -> Board | None:
    """Return the board after a move, or None where the rules forbid it."""
    if not board.is_legal(point, colour):
        return None
    after = board.copy()
    after.play_unchecked(point, colour)
    return after


def _captures(stones: list[int], chain: set[int], attacker: int) -> set[int]:
    around = neighbours(BOARD_SIZE)
    beside = {near for point in chain for near in around[point] if stones[near] == attacker}
    captures = set()
    while beside:
        enemies, liberties = chain_of(stones, beside.pop())
        beside -= enemies
        if len(liberties) == 1:
            captures |= liberties
    return captures
