"""A game between two programs over GTP, with our rules as the referee."""

from dataclasses import dataclass

from golois.board import Board
from golois.coords import BLACK, WHITE, gtp_to_point, opponent
from golois.errors import GoloisError
from golois.shapes import BOARD_SIZE, PASS
from tournament.errors import EngineError
from tournament.programs.client import GtpClient, GtpRefusal

LETTERS = {BLACK: "b", WHITE: "w"}
RESIGN = "resign"


@dataclass(frozen=True)
class RefereedGame:
    """How a game between two programs went.

    moves: the points, Black first.
    result: by docs/rules.md: "B+12.5", "W+R" and the like, "0" for a draw.
    claims: what each program, Black first, says of the score; None where it does not say.
    """

    moves: tuple[int, ...]
    result: str
    claims: tuple[str | None, str | None]


def play_gtp_game(
    black: GtpClient, white: GtpClient, komi: float, max_plies: int = 2 * BOARD_SIZE**2
) -> RefereedGame:
    """Play to two passes, a resignation, or so many plies; then the board is scored.

    Raises:
        EngineError: a program breaks the protocol, makes a move that our rules forbid, or refuses
            one that they allow.
    """
    board = Board()
    programs = {BLACK: black, WHITE: white}
    for program in programs.values():
        for command in (f"boardsize {BOARD_SIZE}", "clear_board", f"komi {komi:g}"):
            program.ask(command)
    while not _is_over(board, max_plies):
        colour = board.to_play
        answer = programs[colour].ask(f"genmove {LETTERS[colour]}")
        if answer.lower() == RESIGN:
            winner = LETTERS[opponent(colour)].upper()
            return RefereedGame(_points(board), f"{winner}+R", (None, None))
        _play(board, answer, programs[colour].name)
        programs[opponent(colour)].ask(f"play {LETTERS[colour]} {answer}")
    lead_black = board.score_black() - komi
    result = f"{'B' if lead_black > 0 else 'W'}+{abs(lead_black):g}" if lead_black else "0"
    return RefereedGame(_points(board), result, (_claim(black), _claim(white)))


def _play(board: Board, answer: str, name: str) -> None:
    try:
        board.play(gtp_to_point(answer))
    except GoloisError as error:
        raise EngineError(f"{name} made a move that docs/rules.md forbids: {error}") from error


def _is_over(board: Board, max_plies: int) -> bool:
    last = [point for _, point in board.moves[-2:]]
    return last == [PASS, PASS] or board.num_moves >= max_plies


def _points(board: Board) -> tuple[int, ...]:
    return tuple(point for _, point in board.moves)


def _claim(program: GtpClient) -> str | None:
    try:
        return program.ask("final_score")
    except GtpRefusal:
        return None
