"""Players that are programs of others, asked over GTP."""

import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from golois.coords import BLACK, WHITE, gtp_to_point, point_to_gtp
from golois.errors import ArgumentError
from golois.games import Game
from golois.rules import Go, Hex, Rules
from models.training.command_line import UsageError
from selfplay.players import Player, mixed
from tournament.errors import EngineError
from tournament.gtp.client import GtpClient

COLOURS = {BLACK: "black", WHITE: "white"}
HEX_COLUMNS = "abcdefghijklmnopqrs"
KATAGO_RULES = (
    'kata-set-rules {"ko":"POSITIONAL","scoring":"AREA","tax":"NONE","suicide":false,'
    '"hasButton":false,"whiteHandicapBonus":"0","friendlyPassOk":false}'
)


class Program:
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
        for colour, move in game.moves:
            ask(f"play {COLOURS[colour]} {_vertex(move, game)}")
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


@dataclass(frozen=True)
class KnownProgram:
    """A program that is known by name.

    Attributes:
        title: in messages.
        plays: whether it plays a game.
        command: how it is started, with the number after its name.
        first_commands: before each game, given that number and a seed.
        remedy: what to do where it is not installed.
    """

    title: str
    plays: Callable[[Rules], bool]
    command: Callable[[int], Sequence[str]]
    first_commands: Callable[[int, int], Sequence[str]]
    remedy: str

    @contextmanager
    def opened(self, number: int) -> Iterator[Player]:
        """Start it for as long as the context lasts.

        Raises:
            UsageError: it is not installed.
        """
        name, *arguments = self.command(number)
        path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/games")
        if path is None:
            raise UsageError(
                f"{self.title} is not installed: {self.remedy}, or choose another opponent"
            )
        with GtpClient(self.title, [path, *arguments]) as program:
            yield Program(program, lambda seed: self.first_commands(number, seed))


GNUGO = KnownProgram(
    "GNU Go",
    lambda rules: isinstance(rules, Go) and rules.size >= 5,
    lambda level: [
        "gnugo", "--mode", "gtp", "--level", str(level), "--chinese-rules",
        "--positional-superko", "--play-out-aftermath", "--capture-all-dead",
    ],
    lambda _, seed: [f"set_random_seed {seed}"],
    "apt install gnugo",
)  # fmt: skip
KATAGO = KnownProgram(
    "KataGo",
    lambda rules: isinstance(rules, Go),
    lambda visits: [
        "katago", "gtp", "-override-config",
        f"maxVisits={visits},maxPlayouts=1000000000,maxTime=1000000000,ponderingEnabled=false",
    ],
    lambda *_: [KATAGO_RULES],
    "put katago on the PATH, with default_model.bin.gz and default_gtp.cfg beside it",
)  # fmt: skip
MOHEX = KnownProgram(
    "MoHex",
    lambda rules: isinstance(rules, Hex) and not rules.swap,
    lambda _: ["mohex"],
    lambda playouts, _: [
        f"param_mohex max_games {playouts}", "param_mohex use_time_management 0"
    ],
    "build Benzene and put mohex on the PATH",
)  # fmt: skip


@contextmanager
def opened_command(command: str) -> Iterator[Player]:
    """Start any program that speaks GTP for as long as the context lasts.

    Raises:
        UsageError: the command cannot be started.
    """
    try:
        parts = shlex.split(command)
        client = GtpClient(os.path.basename(parts[0]), parts)
    except (OSError, ValueError, IndexError) as error:
        raise UsageError(f"gtp:{command} cannot be started: {error}") from error
    with client as program:
        yield Program(program)


def hex_vertex(point: int, size: int) -> str:
    """A point of Hex as other programs write it, whose Black joins top and bottom."""
    row, column = divmod(point, size)
    return f"{HEX_COLUMNS[row]}{column + 1}"


def _vertex(move: int, game: Game) -> str:
    if not isinstance(game.rules, Hex):
        return point_to_gtp(move, game.size)
    return hex_vertex(move, game.size)


def _from_vertex(text: str, game: Game) -> int:
    if not isinstance(game.rules, Hex):
        return gtp_to_point(text, game.size)
    row = HEX_COLUMNS[: game.size].find(text[:1]) if text else -1
    column = int(text[1:]) - 1 if text[1:].isdecimal() else -1
    if row < 0 or not 0 <= column < game.size:
        raise ArgumentError(f"{text!r} is not a point of Hex on {game.size}×{game.size}")
    return game.size * row + column
