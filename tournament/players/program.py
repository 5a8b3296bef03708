"""A program of others as a player: GNU Go, KataGo, MoHex, or any that speaks GTP."""

from collections.abc import Callable, Sequence

from golois.errors import ArgumentError
from golois.games.game import Game
from golois.games.rules import Go, Hex, Rules
from golois.go.coords import BLACK, WHITE, gtp_to_point, point_to_gtp
from tournament.errors import EngineError
from tournament.players.protocol import Choice, Player, Resignation
from tournament.programs.client import GtpClient

LETTERS = {BLACK: "b", WHITE: "w"}
HEX_COLUMNS = "abcdefghijklmnopqrs"
SWAP = "swap-pieces"


class ProgramPlayer(Player):
    """Asks a program for moves; it thinks for as long as it likes.

    Hex is turned: the programs' Black joins top and bottom, and their rows count from the top. An
    EngineError makes a game of the arena void and not lost.
    """

    def __init__(
        self,
        client: GtpClient,
        first_commands: Callable[[int], Sequence[str]] = lambda seed: (),
        seed: int = 0,
    ):
        self._client = client
        self._first_commands = first_commands(seed % 2**31)
        self._shown: list[tuple[int, int]] | None = None
        self._rules: Rules | None = None

    def choose(self, game: Game) -> Choice:
        """Return the program's move; raise EngineError if it fails, Resignation if it resigns."""
        started = self._client.cpu_seconds()
        self.show(game)
        to_play = game.to_play
        answer = self._client.ask(f"genmove {LETTERS[to_play]}")
        if answer.lower() == "resign":
            raise Resignation
        point = self._point(answer, game)
        self._shown = [*game.moves, (to_play, point)]
        return Choice(point, cpu_seconds=self._client.cpu_seconds() - started)

    def show(self, game: Game) -> None:
        """Show the program new moves or another game; raise EngineError if it ends or refuses."""
        shown = self._shown
        if shown is None or game.rules != self._rules or game.moves[: len(shown)] != shown:
            self._begin(game)
        for ply in range(len(self._shown or ()), game.num_moves):
            colour, _ = game.moves[ply]
            self._client.ask(f"play {LETTERS[colour]} {_vertex(game, ply)}")
        self._shown = list(game.moves)

    def _begin(self, game: Game) -> None:
        for command in (f"boardsize {game.size}", "clear_board", *self._first_commands):
            self._client.ask(command)
        if isinstance(game.rules, Go):
            self._client.ask(f"komi {game.rules.komi:g}")
        self._shown, self._rules = [], game.rules

    def _point(self, answer: str, game: Game) -> int:
        name = self._client.name
        try:
            point = _from_vertex(answer, game)
        except ArgumentError as error:
            raise EngineError(f"{name}: {error}") from error
        if not game.is_legal(point):
            raise EngineError(f"{name} played {answer}, which the rules forbid")
        return point


def hex_move(moves: Sequence[int], ply: int, size: int) -> str:
    """Return a move of Hex as other programs write it: their Black joins top and bottom."""
    if ply == 1 and moves[1] == moves[0]:
        return SWAP
    row, column = divmod(moves[ply], size)
    return f"{HEX_COLUMNS[row]}{column + 1}"


def _vertex(game: Game, ply: int) -> str:
    moves = [move for _, move in game.moves]
    if isinstance(game.rules, Hex):
        return hex_move(moves, ply, game.size)
    return point_to_gtp(moves[ply], game.size)


def _from_vertex(text: str, game: Game) -> int:
    if not isinstance(game.rules, Hex):
        return gtp_to_point(text, game.size)
    text = text.lower()
    if text == SWAP and game.num_moves == 1:
        return game.moves[0][1]
    row = HEX_COLUMNS[: game.size].find(text[:1]) if text else -1
    column = int(text[1:]) - 1 if text[1:].isdecimal() else -1
    if row < 0 or not 0 <= column < game.size:
        raise ArgumentError(f"{text!r} is not a point of Hex on {game.size}×{game.size}")
    return game.size * row + column
