"""A program of others as a player: GNU Go, KataGo, or any that speaks GTP."""

from collections.abc import Iterator
from contextlib import contextmanager

from golois.board import Board
from golois.coords import BLACK, gtp_to_point, point_to_gtp
from golois.errors import ArgumentError
from golois.shapes import BOARD_SIZE
from tournament.errors import EngineError
from tournament.players.protocol import Choice, Resignation
from tournament.programs.client import GtpClient
from tournament.programs.known import program_of

# What a program thinks of a position is not asked, so both colours have the same chance.
UNKNOWN_VALUE = 0.5


class ProgramPlayer:
    """Asks a program for moves. It thinks for as long as it likes; no search of ours is in it.

    An error of the program is an EngineError, which makes the game void and not lost.

    Args:
        name: what the match calls it.
        client: the program.
        first_commands: asked before the first move.
    """

    def __init__(self, name: str, client: GtpClient, first_commands: tuple[str, ...] = ()):
        self.name = name
        self._client = client
        self._first_commands = first_commands
        self._num_shown = 0

    def warm_up(self) -> None:
        """See Player."""
        for command in (f"boardsize {BOARD_SIZE}", "clear_board", *self._first_commands):
            self._client.ask(command)

    def choose(self, board: Board, komi: float) -> Choice:
        """See Player.

        Raises:
            EngineError: it ended, refused a move, or named one that docs/rules.md forbids.
            Resignation: it resigned.
        """
        started = self._client.cpu_seconds()
        if self._num_shown == 0:
            self._client.ask(f"komi {komi:g}")
        for colour, point in board.moves[self._num_shown :]:
            self._client.ask(f"play {_letter(colour)} {point_to_gtp(point)}")
        answer = self._client.ask(f"genmove {_letter(board.to_play)}")
        self._num_shown = board.num_moves + 1
        if answer.lower() == "resign":
            raise Resignation
        cpu_seconds = self._client.cpu_seconds() - started
        return Choice(self._point(answer, board), 0, cpu_seconds, UNKNOWN_VALUE)

    def _point(self, answer: str, board: Board) -> int:
        try:
            point = gtp_to_point(answer)
        except ArgumentError as error:
            raise EngineError(f"{self.name}: {error}") from error
        if not board.is_legal(point):
            raise EngineError(f"{self.name} played {answer}, which docs/rules.md forbids")
        return point


@contextmanager
def opened_program(name: str, text: str, seed: int) -> Iterator[ProgramPlayer]:
    """Start a program for one game; it ends with the context, or with this process's session.

    Args:
        name: what the match calls it.
        text: which program, as `program_of` reads it.
        seed: of programs that are known to take one.

    Raises:
        OptionsError: it cannot be started.
    """
    program = program_of(text)
    with program.started(own_session=False) as client:
        yield ProgramPlayer(name, client, tuple(program.first_commands(seed % 2**31)))


def _letter(colour: int) -> str:
    return "b" if colour == BLACK else "w"
