"""The game that a controller and an engine are in, and the commands about it."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from golois.constants import BOARD_SIZE
from golois.errors import GoloisError, IllegalMoveError
from golois.go.board import NAMES, Board
from golois.go.chains import all_chains
from golois.go.coords import BLACK, point_to_gtp
from golois.sgf.reading import SgfGame, read_sgf
from golois.sgf.writing import result_of_lead
from tournament.gtp.protocol import SYNTAX_ERROR, Arguments, GtpError, Handler

MIN_STONES, MAX_FIXED_STONES = 2, 9
STATUSES = ALIVE, DEAD, SEKI = ("alive", "dead", "seki")


def fixed_points(num_stones: int, size: int = BOARD_SIZE) -> list[int]:
    """Return the points of 2 … 9 handicap stones; raise GtpError if a board has no such number.

    Source: the specification of GTP, section 4.1.1.
    """
    most = 0 if size < 7 else MAX_FIXED_STONES if size % 2 and size > 7 else 4
    if not MIN_STONES <= num_stones <= most:
        raise GtpError("invalid number of stones")
    low = 3 if size >= 13 else 2
    middle, high = size // 2, size - 1 - low
    corners = ((high, low), (low, high), (low, low), (high, high))
    sides = ((middle, low), (middle, high), (high, middle), (low, middle))
    centre = ((middle, middle),) if num_stones in (5, 7, 9) else ()
    around = (*corners, *sides)[: num_stones - len(centre)]
    return [size * row + column for row, column in (*around, *centre)]


def chains_by_status(board: Board) -> dict[str, list[list[int]]]:
    """Return the chains of each status, every chain as its points.

    The count takes dead chains off the board. Of the rest, chains are in seki when their liberties
    count for nobody. All others are alive, since the arena's games end by the count.
    """
    stones, owners = board.stones().reshape(-1), board.area().reshape(-1)
    found: dict[str, list[list[int]]] = {status: [] for status in STATUSES}
    for points, liberties in all_chains(stones.tolist()):
        chain = sorted(points)
        first = chain[0]
        if owners[first] != stones[first]:
            found[DEAD].append(chain)
        elif not np.any(owners[list(liberties)]):
            found[SEKI].append(chain)
        else:
            found[ALIVE].append(chain)
    return found


class GtpGame:
    """A board with a past, as the controller's commands make it.

    Handicap and set-up stones are moves that cannot be taken back.
    """

    def __init__(self, komi: float):
        self.komi = komi
        self.clear(BOARD_SIZE)

    def clear(self, size: int) -> None:
        """Begin with an empty board; komi stays."""
        self.board = Board(size)
        self._num_set_up = 0

    def load(self, game: SgfGame, num_moves: int | None) -> None:
        """Take over a game up to a number of moves (None: all), and its komi if it has one.

        Raises:
            IllegalMoveError: a move that docs/teacher/rules.md forbids; the game stays as it was.
        """
        self.board = game.replay(num_moves)
        self._num_set_up = len(game.set_up)
        if game.komi is not None:
            self.komi = game.komi

    def play(self, colour: int, point: int) -> None:
        """Play a move of either colour at any turn.

        Raise GtpError if docs/teacher/rules.md forbids it.
        """
        try:
            self.board.play(point, colour)
        except IllegalMoveError as error:
            raise GtpError(f"illegal move: {error}") from None

    def undo(self) -> None:
        """Take back the last move and its turn; raise GtpError if there is none to take back."""
        if self.board.num_moves == self._num_set_up:
            raise GtpError("cannot undo")
        *moves, (colour, _) = self.board.moves
        self.board = _replayed(self.board.size, moves)
        self.board.to_play = colour

    def place_handicap(self, points: Sequence[int]) -> None:
        """Set Black's stones on an empty board; it is White's turn then.

        Raises:
            GtpError: stones or moves before, too few stones, or passes or equal points among them.
            IllegalMoveError: so many stones that the last one has no liberty.
        """
        if self.board.num_moves:
            raise GtpError("board not empty")
        board = Board(self.board.size)
        is_repeated = len(set(points)) < len(points)
        if len(points) < MIN_STONES or board.pass_point in points or is_repeated:
            raise GtpError("bad vertex list")
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
        while moves and moves[-1][1] == self.board.pass_point:
            moves.pop()
        return _replayed(self.board.size, moves)

    def is_over(self) -> bool:
        """Return whether the last two moves were passes, one of each colour."""
        last = self.board.moves[-2:]
        passes = [point == self.board.pass_point for _, point in last]
        return passes == [True, True] and last[0][0] != last[1][0]


def _replayed(size: int, moves: Sequence[tuple[int, int]]) -> Board:
    board = Board(size)
    for colour, point in moves:
        board.play_unchecked(point, colour)
    return board


class GameCommands:
    """What a controller asks about the game itself; `begin` is called when another game begins.

    `takes_size` says on which boards the engine plays; networks play on 19×19.
    """

    def __init__(
        self,
        game: GtpGame,
        begin: Callable[[], None] = lambda: None,
        takes_size: Callable[[int], bool] = BOARD_SIZE.__eq__,
    ):
        self._game = game
        self._begin = begin
        self._takes_size = takes_size

    def handlers(self) -> dict[str, Handler]:
        """Return the commands by name."""
        return {
            "boardsize": self._begin_on_a_board,
            "clear_board": lambda arguments: self._clear(self._game.board.size),
            "komi": self._set_komi,
            "play": lambda arguments: self._game.play(arguments.colour(), self._point(arguments)),
            "undo": lambda arguments: self._game.undo(),
            "fixed_handicap": lambda arguments: self._place(arguments.integer()),
            # GTP allows the engine to place fewer stones than it was offered.
            "place_free_handicap": lambda arguments: self._place(
                min(arguments.integer(), MAX_FIXED_STONES)
            ),
            "set_free_handicap": self._place_on_points,
            "loadsgf": self._load,
            "showboard": lambda arguments: self._diagram(),
            "final_score": lambda arguments: self._score(),
            "final_status_list": self._chains,
        }

    def _begin_on_a_board(self, arguments: Arguments) -> None:
        """Clear the board, which gets this size; some controllers give both sides."""
        size = arguments.integer()
        is_square = not arguments or arguments.integer() == size
        if arguments or not is_square or not self._takes_size(size):
            raise GtpError("unacceptable size")
        self._clear(size)

    def _clear(self, size: int) -> None:
        self._game.clear(size)
        self._begin()

    def _point(self, arguments: Arguments) -> int:
        return arguments.point(self._game.board.size)

    def _set_komi(self, arguments: Arguments) -> None:
        self._game.komi = arguments.number()

    def _place(self, num_stones: int) -> str:
        size = self._game.board.size
        points = fixed_points(num_stones, size)
        self._game.place_handicap(points)
        return vertices(points, size)

    def _place_on_points(self, arguments: Arguments) -> None:
        points = []
        while arguments:
            points.append(self._point(arguments))
        self._game.place_handicap(points)

    def _load(self, arguments: Arguments) -> None:
        words = arguments.rest()
        if not words:
            raise GtpError(SYNTAX_ERROR)
        num_moves = None
        if len(words) > 1 and words[-1].isdigit():
            num_moves = max(0, Arguments([words.pop()]).integer() - 1)
        try:
            self._game.load(read_sgf(Path(" ".join(words)).read_bytes()), num_moves)
        except (GoloisError, OSError) as error:
            raise GtpError(f"cannot load file: {error}") from None
        self._begin()

    def _diagram(self) -> str:
        board = self._game.board
        facts = f"{NAMES[board.to_play]} to play, komi {self._game.komi:g}"
        return f"\n{board}\n{facts}, {board.num_moves} moves"

    def _score(self) -> str:
        return result_of_lead(self._game.board.score_black() - self._game.komi)

    def _chains(self, arguments: Arguments) -> str:
        status = arguments.word().lower()
        if status not in STATUSES:
            raise GtpError(SYNTAX_ERROR)
        board = self._game.board
        return "\n".join(vertices(chain, board.size) for chain in chains_by_status(board)[status])


def vertices(points: Iterable[int], size: int = BOARD_SIZE) -> str:
    """Return points as GTP lists them in one line."""
    return " ".join(point_to_gtp(point, size) for point in points)
