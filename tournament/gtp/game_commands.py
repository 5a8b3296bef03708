"""Commands about the game: board, komi, moves, handicap, files, score."""

from collections.abc import Callable, Iterable
from pathlib import Path

from golois.board import NAMES
from golois.coords import point_to_gtp
from golois.errors import GoloisError
from golois.sgf import read_sgf
from golois.shapes import BOARD_SIZE
from tournament.gtp.game import GtpGame
from tournament.gtp.handicap import MAX_FIXED_STONES, fixed_points
from tournament.gtp.protocol import SYNTAX_ERROR, Arguments, GtpError
from tournament.gtp.session import Handler
from tournament.gtp.status import STATUSES, chains_by_status


class GameCommands:
    """What a controller asks about the game itself; nobody thinks.

    Args:
        game: the game that the engine is in.
        begin: called when another game begins.
    """

    def __init__(self, game: GtpGame, begin: Callable[[], None] = lambda: None):
        self._game = game
        self._begin = begin

    def handlers(self) -> dict[str, Handler]:
        """Return the commands by name."""
        return {
            "boardsize": self.boardsize,
            "clear_board": self.clear_board,
            "komi": self.komi,
            "play": self.play,
            "undo": self.undo,
            "fixed_handicap": self.fixed_handicap,
            "place_free_handicap": self.place_free_handicap,
            "set_free_handicap": self.set_free_handicap,
            "loadsgf": self.loadsgf,
            "showboard": self.showboard,
            "final_score": self.final_score,
            "final_status_list": self.final_status_list,
        }

    def boardsize(self, arguments: Arguments) -> str:
        """Clear the board, of the one size that networks know; refuse any other.

        Some controllers give both sides.
        """
        sides = [arguments.integer()]
        if arguments:
            sides.append(arguments.integer())
        if arguments or any(side != BOARD_SIZE for side in sides):
            raise GtpError("unacceptable size")
        return self.clear_board(arguments)

    def clear_board(self, arguments: Arguments) -> str:
        """Start a new game."""
        self._game.clear()
        self._begin()
        return ""

    def komi(self, arguments: Arguments) -> str:
        """Set the komi, in points for White."""
        self._game.komi = arguments.number()
        return ""

    def play(self, arguments: Arguments) -> str:
        """Play a move of either colour, in turn or not."""
        colour, point = arguments.colour(), arguments.point()
        self._game.play(colour, point)
        return ""

    def undo(self, arguments: Arguments) -> str:
        """Take the last move back."""
        self._game.undo()
        return ""

    def fixed_handicap(self, arguments: Arguments) -> str:
        """Place handicap stones on GTP's own points and return these."""
        points = fixed_points(arguments.integer())
        self._game.place_handicap(points)
        return vertices(points)

    def place_free_handicap(self, arguments: Arguments) -> str:
        """Place handicap stones; GTP allows the engine to place fewer than it was offered."""
        num_stones = arguments.integer()
        points = fixed_points(min(num_stones, MAX_FIXED_STONES))
        self._game.place_handicap(points)
        return vertices(points)

    def set_free_handicap(self, arguments: Arguments) -> str:
        """Place handicap stones on the points given."""
        points = []
        while arguments:
            points.append(arguments.point())
        self._game.place_handicap(points)
        return ""

    def loadsgf(self, arguments: Arguments) -> str:
        """Load the position before a given move, or the last one; the name may contain spaces."""
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
        return ""

    def showboard(self, arguments: Arguments) -> str:
        """Return a diagram, who is to play, the komi and the number of moves."""
        board = self._game.board
        facts = f"{NAMES[board.to_play]} to play, komi {self._game.komi:g}"
        return f"\n{board}\n{facts}, {board.num_moves} moves"

    def final_score(self, arguments: Arguments) -> str:
        """Return the result by area as the board stands, such as "B+3.5"."""
        lead_black = self._game.board.score_black() - self._game.komi
        if lead_black == 0:
            return "0"
        return f"{'B' if lead_black > 0 else 'W'}+{abs(lead_black):g}"

    def final_status_list(self, arguments: Arguments) -> str:
        """Return one line for each chain of the status asked for."""
        status = arguments.word().lower()
        if status not in STATUSES:
            raise GtpError(SYNTAX_ERROR)
        chains = chains_by_status(self._game.board)[status]
        return "\n".join(vertices(chain) for chain in chains)


def vertices(points: Iterable[int]) -> str:
    """Return points as GTP lists them in one line."""
    return " ".join(map(point_to_gtp, points))
