"""Commands that make the engine think about a move, and its clock."""

import time

from golois.coords import point_to_gtp
from golois.shapes import PASS
from tournament.gtp.clock import TimeSettings
from tournament.gtp.game import GtpGame
from tournament.gtp.protocol import SYNTAX_ERROR, Arguments, GtpError
from tournament.gtp.session import Handler
from tournament.gtp.thinking import Thinker
from tournament.players.search import GoOn, to_the_limit


class PlayCommands:
    """Moves of the engine, within its limit or the controller's clock.

    Args:
        game: the game that the engine is in.
        thinker: who chooses.
    """

    def __init__(self, game: GtpGame, thinker: Thinker):
        self._game = game
        self._thinker = thinker

    def handlers(self) -> dict[str, Handler]:
        """Return the commands by name."""
        return {
            "genmove": self.genmove,
            "reg_genmove": self.reg_genmove,
            "kgs-genmove_cleanup": self.genmove_cleanup,
            "time_settings": self.time_settings,
            "kgs-time_settings": self.kgs_time_settings,
            "time_left": self.time_left,
            "cputime": lambda arguments: f"{time.process_time():.3f}",
        }

    def generate(self, colour: int, go_on: GoOn = to_the_limit) -> str:
        """Play a move for a colour and return it; pass if the game has ended.

        It may resign instead, except in games that began with handicap or set-up stones.
        """
        board = self._game.board
        board.to_play = colour
        if self._game.is_over():
            return self._played(PASS)
        point = self._thinker.choose(board, self._game.komi, go_on).point
        if self._thinker.resigns(colour) and not self._game.has_set_up:
            return "resign"
        return self._played(point)

    def genmove(self, arguments: Arguments) -> str:
        """Play a move of the colour given, and return it."""
        return self.generate(arguments.colour())

    def reg_genmove(self, arguments: Arguments) -> str:
        """Return the move it would play, or a pass if the game has ended, without playing it."""
        board = self._game.board.copy()
        board.to_play = arguments.colour()
        if self._game.is_over():
            return point_to_gtp(PASS)
        return point_to_gtp(self._thinker.consider(board, self._game.komi).point)

    def genmove_cleanup(self, arguments: Arguments) -> str:
        """Play as if nobody had passed; pass only when no move is left that could matter."""
        board = self._game.without_passes()
        self._game.board.to_play = board.to_play = arguments.colour()
        return self._played(self._thinker.choose(board, self._game.komi).point)

    def time_settings(self, arguments: Arguments) -> str:
        """Set the main time, and the length and stones of a period of byo-yomi."""
        main, period, num_stones = (arguments.integer() for _ in range(3))
        self._thinker.set_time(TimeSettings(main, period, num_stones))
        return ""

    def kgs_time_settings(self, arguments: Arguments) -> str:
        """Set a time system by its KGS name: none, absolute, byoyomi (Japanese) or canadian."""
        system = arguments.word().lower()
        if system == "none":
            self._thinker.set_time(None)
        elif system == "absolute":
            self._thinker.set_time(TimeSettings(arguments.integer()))
        elif system == "byoyomi":
            main, period, num_periods = (arguments.integer() for _ in range(3))
            self._thinker.set_time(TimeSettings(main, period, 1, num_periods))
        elif system == "canadian":
            return self.time_settings(arguments)
        else:
            raise GtpError(SYNTAX_ERROR)
        return ""

    def time_left(self, arguments: Arguments) -> str:
        """Take over what the controller says is left to a colour."""
        colour, seconds, num_stones = (arguments.colour(), arguments.number(), arguments.integer())
        self._thinker.clock.set_left(colour, seconds, num_stones)
        return ""

    def _played(self, point: int) -> str:
        self._game.board.play(point)
        return point_to_gtp(point)
