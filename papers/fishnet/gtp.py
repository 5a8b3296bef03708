"""FishNet as a GTP engine, on any size of board."""

import sys

from golois.constants import TOURNAMENT_KOMI
from golois.errors import ArgumentError, IllegalMoveError
from golois.games.game import Game
from golois.games.rules import Go
from golois.go.board import Board
from golois.go.coords import gtp_to_point, point_to_gtp
from papers.fishnet.player import FishNetPlayer
from papers.fishnet.saved import SavedNetwork
from tournament.gtp.protocol import (
    SYNTAX_ERROR,
    Answers,
    Arguments,
    GtpError,
    Handler,
    Lines,
    Session,
)

VERSION = "1"


class FishNetCommands:
    """The commands of a game; FishNet, of `depth` plies, never resigns and takes its time."""

    def __init__(self, saved: SavedNetwork, size: int, depth: int, seed: int) -> None:
        self._saved = saved
        self._depth = depth
        self._seed = seed
        self._komi = TOURNAMENT_KOMI
        self._board = Board(size)
        self._player = FishNetPlayer(saved, size, depth, seed=seed)

    def handlers(self) -> dict[str, Handler]:
        """The commands by name."""
        return {
            "boardsize": self.boardsize,
            "clear_board": self.clear_board,
            "komi": self.komi,
            "play": self.play,
            "genmove": self.genmove,
            "undo": self.undo,
            "showboard": lambda arguments: f"\n{self._board}",
            "final_score": self.final_score,
        }

    def boardsize(self, arguments: Arguments) -> str:
        """Clear the board, which gets another size."""
        size = arguments.integer()
        if not 2 <= size <= 19 or (arguments and arguments.integer() != size) or arguments:
            raise GtpError("unacceptable size")
        self._board = Board(size)
        self._player = FishNetPlayer(self._saved, size, self._depth, seed=self._seed)
        return ""

    def clear_board(self, arguments: Arguments) -> str:
        """Begin a new game."""
        self._board = Board(self._board.size)
        return ""

    def komi(self, arguments: Arguments) -> str:
        """Set the komi, which only the final score counts."""
        self._komi = arguments.number()
        return ""

    def play(self, arguments: Arguments) -> str:
        """Play a move of either colour, in turn or not."""
        colour = arguments.colour()
        try:
            point = gtp_to_point(arguments.word(), self._board.size)
        except ArgumentError:
            raise GtpError(SYNTAX_ERROR) from None
        try:
            self._board.play(point, colour)
        except IllegalMoveError as error:
            raise GtpError(f"illegal move: {error}") from None
        return ""

    def genmove(self, arguments: Arguments) -> str:
        """Play a move of a colour, and return it; out of turn, the other one passes first."""
        board, colour = self._board, arguments.colour()
        if board.to_play != colour:
            board.play(board.pass_point)
        move = self._player.choose(Game(Go(board.size, self._komi), board)).point
        board.play(move)
        return point_to_gtp(move, board.size)

    def undo(self, arguments: Arguments) -> str:
        """Take the last move back."""
        if not self._board.moves:
            raise GtpError("cannot undo")
        *moves, _ = self._board.moves
        self._board = Board(self._board.size)
        for colour, move in moves:
            self._board.play(move, colour)
        return ""

    def final_score(self, arguments: Arguments) -> str:
        """The result by area as the board stands, such as "B+3.5"."""
        lead = self._board.score_black() - self._komi
        return f"{'B' if lead > 0 else 'W'}+{abs(lead):g}" if lead else "0"


def serve(saved: SavedNetwork, name: str, size: int, depth: int, seed: int) -> None:
    """Answer a controller on the standard input and output until it quits or goes away."""
    commands = FishNetCommands(saved, size, depth, seed)
    lines, answers = Lines(sys.stdin.fileno()), Answers(sys.stdout)
    Session(name, VERSION, lines, answers, commands.handlers()).run()
