"""Any player by its name as a GTP engine, on each size of board that the player takes."""

from contextlib import ExitStack

from golois.errors import ArgumentError
from golois.games.game import Game
from golois.games.rules import Go
from golois.go.coords import point_to_gtp
from tournament.errors import OptionsError
from tournament.gtp.game import GameCommands, GtpGame
from tournament.gtp.protocol import Answers, Arguments, Handler, Lines, Session
from tournament.players.protocol import Player, Resignation
from tournament.players.registry import find_player

VERSION = "1"


class PlayerCommands:
    """The moves of a player; a network's clock, analysis and pictures are not for players.

    `opened` keeps what the player needs, such as a program. Raises OptionsError: no player has this
    name, or the player does not play Go; DataFormatError: a file that is no network of FishNet.
    """

    def __init__(self, name: str, game: GtpGame, seed: int, opened: ExitStack):
        self._name = name
        self._game = game
        self._seed = seed
        self._opened = opened
        self.begin()

    def session(self, lines: Lines, answers: Answers) -> Session:
        """Return a session under the player's name."""
        game = GameCommands(self._game, self.begin, self.takes_size)
        handlers: dict[str, Handler] = {**game.handlers(), "genmove": self._generate}
        return Session(self._name, VERSION, lines, answers, handlers)

    def takes_size(self, size: int) -> bool:
        """Return whether the player plays on such a board."""
        try:
            find_player(self._name, Go(size))
        except (ArgumentError, OptionsError):
            return False
        return True

    def begin(self) -> None:
        """Begin a game, with a new player for its board."""
        size = self._game.board.size
        opener = find_player(self._name, Go(size))
        self._opened.close()
        self._player: Player = self._opened.enter_context(opener(True))(self._seed)

    def _generate(self, arguments: Arguments) -> str:
        """Play and return a move of a colour; out of turn, the other colour passes first."""
        board, colour = self._game.board, arguments.colour()
        if board.to_play != colour:
            board.play(board.pass_point)
        move = board.pass_point
        if not self._game.is_over():
            try:
                move = self._player.choose(Game(Go(board.size, self._game.komi), board)).point
            except Resignation:
                return "resign"
        board.play(move)
        return point_to_gtp(move, board.size)
