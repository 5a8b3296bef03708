"""The game that a controller and an engine are in: board, komi, handicap, undo, score."""

from collections.abc import Sequence

from golois.board import Board
from golois.coords import BLACK
from golois.errors import IllegalMoveError
from golois.sgf import SgfGame
from golois.shapes import PASS
from tournament.gtp.handicap import MIN_STONES
from tournament.gtp.protocol import GtpError


class GtpGame:
    """A 19×19 board with a past, as the controller's commands make it.

    Handicap and set-up stones are moves that cannot be taken back.

    Args:
        komi: points for White, until the controller names others.
    """

    def __init__(self, komi: float):
        self.komi = komi
        self.board = Board()
        self._num_set_up = 0

    def clear(self) -> None:
        """Return an empty board; komi stays."""
        self.board = Board()
        self._num_set_up = 0

    def load(self, game: SgfGame, num_moves: int | None) -> None:
        """Take over a game up to a number of moves, all when None, and its komi if it has one.

        Raises:
            IllegalMoveError: a move that docs/rules.md forbids; the game stays as it was.
        """
        self.board = game.replay(num_moves)
        self._num_set_up = len(game.set_up)
        if game.komi is not None:
            self.komi = game.komi

    def play(self, colour: int, point: int) -> None:
        """Play a move of either colour, regardless of whose turn it is.

        Raises:
            GtpError: docs/rules.md forbids it; the text says which rule.
        """
        try:
            self.board.play(point, colour)
        except IllegalMoveError as error:
            raise GtpError(f"illegal move: {error}") from None

    def undo(self) -> None:
        """Take the last move back; it is its colour's turn again.

        Raises:
            GtpError: there is none, or it is a handicap or set-up stone.
        """
        if self.board.num_moves == self._num_set_up:
            raise GtpError("cannot undo")
        *moves, (colour, _) = self.board.moves
        self.board = _replayed(moves)
        self.board.to_play = colour

    def place_handicap(self, points: Sequence[int]) -> None:
        """Set Black's stones on an empty board; it is White's turn then.

        Raises:
            GtpError: stones or moves before, too few stones, or passes or equal points among them.
            IllegalMoveError: so many stones that the last one has no liberty.
        """
        if self.board.num_moves:
            raise GtpError("board not empty")
        if len(points) < MIN_STONES or PASS in points or len(set(points)) < len(points):
            raise GtpError("bad vertex list")
        board = Board()
        for point in points:
            board.play(point, BLACK)
        self.board, self._num_set_up = board, len(points)

    @property
    def has_set_up(self) -> bool:
        """Whether the game began with handicap or set-up stones."""
        return self._num_set_up > 0

    def without_passes(self) -> Board:
        """Return the board as if nobody had passed after the last stone."""
        moves = list(self.board.moves)
        while moves and moves[-1][1] == PASS:
            moves.pop()
        return _replayed(moves)

    def is_over(self) -> bool:
        """Return whether the last two moves were passes."""
        last = [point for _, point in self.board.moves[-2:]]
        return last == [PASS, PASS]


def _replayed(moves: Sequence[tuple[int, int]]) -> Board:
    """Return a board after moves that were legal when they were made."""
    board = Board()
    for colour, point in moves:
        board.play_unchecked(point, colour)
    return board
