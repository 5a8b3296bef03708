"""Players that are programs of others, asked over GTP."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from golois.coords import BLACK, WHITE, gtp_to_point, point_to_gtp
from golois.errors import ArgumentError
from golois.games import Game
from golois.rules import Go, Hex
from selfplay.players import Player, mixed
from tournament.errors import EngineError
from tournament.programs.client import GtpClient
from tournament.programs.known import Program

COLOURS = {BLACK: "black", WHITE: "white"}
HEX_COLUMNS = "abcdefghijklmnopqrs"
SWAP = "swap-pieces"


class ProgramPlayer:
    """A program that is shown the whole game before each of its moves.

    Hex is turned: the programs' Black joins top and bottom, and their rows count from the top.

    Args:
        program: the process.
        first_commands: asked before each game, given a seed.
    """

    def __init__(
        self, program: GtpClient, first_commands: Callable[[int], Sequence[str]] = lambda _: ()
    ) -> None:
        self._program = program
        self._first_commands = first_commands

    def move(self, game: Game, seed: int) -> int | None:
        """See Player; None where the program resigns.

        Raises:
            EngineError: it breaks the protocol, or names a point that may not be played.
        """
        ask = self._program.ask
        ask(f"boardsize {game.size}")
        ask("clear_board")
        if isinstance(game.rules, Go):
            ask(f"komi {game.rules.komi:g}")
        for command in self._first_commands(mixed(seed, game) % 2**31):
            ask(command)
        for ply, (colour, _) in enumerate(game.moves):
            ask(f"play {COLOURS[colour]} {_vertex(game, ply)}")
        answer = ask(f"genmove {COLOURS[game.to_play]}").lower()
        return None if answer == "resign" else self._point(answer, game)

    def _point(self, answer: str, game: Game) -> int:
        try:
            move = _from_vertex(answer, game)
        except ArgumentError as error:
            raise EngineError(f"{self._program.name}: {error}") from error
        if not game.is_legal(move):
            raise EngineError(f"{self._program.name} plays {answer}, which is not legal here")
        return move


@contextmanager
def opened(program: Program) -> Iterator[Player]:
    """Start a program for as long as the context lasts.

    Raises:
        OptionsError: it cannot be started.
    """
    with program.started() as client:
        yield ProgramPlayer(client, program.first_commands)


def hex_vertex(point: int, size: int) -> str:
    """A point of Hex as other programs write it, whose Black joins top and bottom."""
    row, column = divmod(point, size)
    return f"{HEX_COLUMNS[row]}{column + 1}"


def hex_move(moves: Sequence[int], ply: int, size: int) -> str:
    """A move of a game of Hex as other programs write it, which name the swap and no point."""
    is_swap = ply == 1 and moves[1] == moves[0]
    return SWAP if is_swap else hex_vertex(moves[ply], size)


def _vertex(game: Game, ply: int) -> str:
    moves = [move for _, move in game.moves]
    if isinstance(game.rules, Hex):
        return hex_move(moves, ply, game.size)
    return point_to_gtp(moves[ply], game.size)


def _from_vertex(text: str, game: Game) -> int:
    if not isinstance(game.rules, Hex):
        return gtp_to_point(text, game.size)
    if text == SWAP and game.num_moves == 1:
        return game.moves[0][1]
    row = HEX_COLUMNS[: game.size].find(text[:1]) if text else -1
    column = int(text[1:]) - 1 if text[1:].isdecimal() else -1
    if row < 0 or not 0 <= column < game.size:
        raise ArgumentError(f"{text!r} is not a point of Hex on {game.size}×{game.size}")
    return game.size * row + column
