"""Go, NoGo and Hex in plain Python, written from their rules: the slow oracles of `golois.Game`.

Nothing here is shared with the native core. Each game has the same few calls, so that one test
plays them all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from golois.games.rules import Go, Hex, NoGo, Rules
from tests.reference_board import (
    BLACK,
    EMPTY,
    WHITE,
    ReferenceBoard,
    Stones,
    all_chains,
    opponent,
    place,
)
from tests.reference_life import score_black
from tests.reference_planes import GamePosition
from tests.reference_planes import planes as course_planes

HISTORY_STATES = 8


class ReferenceGame(Protocol):
    """A game in progress; `states` are its boards, the newest last."""

    size: int
    states: list[Stones]
    to_play: int

    def legal_moves(self) -> set[int]:
        """The moves that the rules allow; none once the game is over."""

    def play(self, move: int) -> None:
        """Play a legal move."""

    def outcome_white(self) -> float | None:
        """1 if White has won, 0 if Black has, 0.5 after a draw, None while the game goes on."""


class ReferenceGo:
    """Go with free passes."""

    def __init__(self, rules: Go):
        self.size = rules.size
        self._rules = rules
        self._board = ReferenceBoard(rules.size)

    @property
    def states(self) -> list[Stones]:
        return self._board.history

    @property
    def to_play(self) -> int:
        return self._board.to_play

    def legal_moves(self) -> set[int]:
        if self.outcome_white() is not None:
            return set()
        return {move for move, legal in enumerate(self._board.legal_moves()) if legal}

    def play(self, move: int) -> None:
        self._board.play(move)

    def outcome_white(self) -> float | None:
        passes = [move == self.size**2 for _, move in self._board.moves]
        if passes[-2:] != [True, True] and len(passes) != self._rules.max_moves:
            return None
        lead = self._rules.komi - score_black(self._board.stones, self.size)
        return 1.0 if lead > 0 else 0.0 if lead < 0 else 0.5


class ReferenceNoGo:
    """NoGo: a move that would take a stone, one's own or the other's, is not allowed."""

    def __init__(self, rules: NoGo):
        self.size = rules.size
        self.states: list[Stones] = [(EMPTY,) * rules.size**2]
        self.to_play = BLACK

    def legal_moves(self) -> set[int]:
        return {move for move in range(self.size**2) if self._after(move) is not None}

    def _after(self, move: int) -> Stones | None:
        if self.states[-1][move] != EMPTY:
            return None
        placed = place(self.states[-1], self.size, move, self.to_play)
        return placed[0] if placed is not None and not placed[1] else None

    def play(self, move: int) -> None:
        after = self._after(move)
        assert after is not None
        self.states.append(after)
        self.to_play = opponent(self.to_play)

    def outcome_white(self) -> float | None:
        if self.legal_moves():
            return None
        return 1.0 if self.to_play == BLACK else 0.0


class ReferenceHex:
    """Hex: Black joins the left edge with the right one, White the top with the bottom."""

    def __init__(self, rules: Hex):
        self.size = rules.size
        self._swap = rules.swap
        self.states: list[Stones] = [(EMPTY,) * rules.size**2]
        self.to_play = BLACK

    def legal_moves(self) -> set[int]:
        if self.outcome_white() is not None:
            return set()
        may_swap = self._swap and len(self.states) == 2
        return {p for p, stone in enumerate(self.states[-1]) if may_swap or stone == EMPTY}

    def play(self, move: int) -> None:
        stones = list(self.states[-1])
        if stones[move] != EMPTY:
            stones[move] = EMPTY
            row, column = divmod(move, self.size)
            move = self.size * column + row
        stones[move] = self.to_play
        self.states.append(tuple(stones))
        self.to_play = opponent(self.to_play)

    def outcome_white(self) -> float | None:
        for colour, outcome in ((BLACK, 0.0), (WHITE, 1.0)):
            if self._joins(colour):
                return outcome
        return None

    def _joins(self, colour: int) -> bool:
        last = self.size - 1
        axis = 1 if colour == BLACK else 0  # of the coordinate that goes from edge to edge
        now = enumerate(self.states[-1])
        stones = {divmod(p, self.size) for p, stone in now if stone == colour}
        todo = [point for point in stones if point[axis] == 0]
        seen = set(todo)
        while todo:
            point = todo.pop()
            if point[axis] == last:
                return True
            for near in hex_neighbours(point):
                if near in stones and near not in seen:
                    seen.add(near)
                    todo.append(near)
        return False


def hex_neighbours(point: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The points that touch one, on the board or not."""
    row, column = point
    yield from ((row, column - 1), (row, column + 1), (row - 1, column), (row + 1, column))
    yield from ((row - 1, column + 1), (row + 1, column - 1))


def reference_game(rules: Rules) -> ReferenceGame:
    """The slow game of some rules, at its start."""
    kinds = {Go: ReferenceGo, NoGo: ReferenceNoGo, Hex: ReferenceHex}
    return kinds[type(rules)](rules)  # type: ignore[arg-type]


def reference_planes(game: ReferenceGame, rules: Rules) -> np.ndarray:
    """What a network sees of a slow game: float32 [size, size, planes]."""
    now, size, own = game.states[-1], game.size, game.to_play
    everywhere = np.ones(size * size, bool)
    turn = [everywhere & (own == BLACK), everywhere & (own == WHITE)]
    if isinstance(rules, Hex):
        shown = [np.array(now) == own, np.array(now) == opponent(own), *turn]
    elif rules.planes == "course":
        past = GamePosition(tuple(reversed(game.states)), own)
        return course_planes(past, rules.komi, size)
    else:
        empty = (EMPTY,) * size**2
        states = [empty] * HISTORY_STATES + game.states
        past = [np.array(state) for state in reversed(states[-HISTORY_STATES:])]
        shown = [state == colour for state in past for colour in (own, opponent(own))]
        shown += turn if rules.planes == "zero" else turn[:1] + liberty_planes(now, size, own)
    return np.stack(shown, -1).reshape(size, size, -1).astype(np.float32)


def liberty_planes(stones: Stones, size: int, own: int) -> list[np.ndarray]:
    """The liberties of own chains with one and with two, then of the opponent's, each [size²]."""
    shown = []
    for colour in (own, opponent(own)):
        for number in (1, 2):
            plane = np.zeros(size * size, bool)
            for chain in all_chains(stones, size):
                if chain.colour == colour and len(chain.liberties) == number:
                    plane[list(chain.liberties)] = True
            shown.append(plane)
    return shown
