"""One game by docs/rules.md: it ends as a win, a forfeit or a void, never as an exception."""

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from golois.board import Board
from golois.coords import BLACK
from golois.kit.command import one_line
from golois.shapes import PASS
from tournament.errors import NetworkError
from tournament.game.adjudication import decision, winner_by_settled_points
from tournament.game.job import GameJob
from tournament.game.record import FORFEIT, PLAYED, VOID, GameRecord, MoveRecord, utc_now
from tournament.game.rules import EventOptions
from tournament.players.protocol import Choice, Player, Resignation


def play_game(
    job: GameJob,
    black: Player,
    white: Player,
    options: EventOptions,
    on_move: Callable[[int], None] = lambda num_plies: None,
    on_warm_up: Callable[[str], None] = lambda colour: None,
) -> GameRecord:
    """Play one game to its end: two passes, the ply cap, adjudication, or a network's failure.

    Args:
        job: which game, with its opening.
        black: a player, fresh for this game.
        white: the other player, likewise.
        options: komi, ply cap and when a game is adjudicated.
        on_move: is called with the number of plies once both networks have evaluated something,
            and after every move.
        on_warm_up: is called with the colour of each network before it evaluates for the first
            time.
    """
    started_at = utc_now()
    moves: list[MoveRecord] = []
    players = {"black": black, "white": white}
    try:
        outcome = _warm_up(job, players, on_warm_up) or _play(job, players, options, moves, on_move)
    except Exception as error:
        outcome = _Outcome("Void", None, VOID, one_line(f"{type(error).__name__}: {error}"))
    return _record(job, options, started_at, outcome, moves)


def void_record(job: GameJob, options: EventOptions, reason: str) -> GameRecord:
    """Return the record of a game that could not be played through no fault of its players."""
    return _record(job, options, utc_now(), _Outcome("Void", None, VOID, one_line(reason)), [])


def forfeit_record(job: GameJob, options: EventOptions, colour: str, reason: str) -> GameRecord:
    """Return the record, without moves, of a game that this colour's network lost by failing."""
    return _record(job, options, utc_now(), _forfeit(colour, job, reason), [])


@dataclass(frozen=True)
class _Outcome:
    result: str
    winner: str | None
    kind: str
    reason: str


def _warm_up(
    job: GameJob, players: Mapping[str, Player], on_warm_up: Callable[[str], None]
) -> _Outcome | None:
    for colour, player in players.items():
        on_warm_up(colour)
        try:
            player.warm_up()
        except NetworkError as error:
            return _forfeit(colour, job, error)
    return None


def _play(
    job: GameJob,
    players: Mapping[str, Player],
    options: EventOptions,
    moves: list[MoveRecord],
    on_move: Callable[[int], None],
) -> _Outcome:
    board = Board()
    for point in job.opening:
        board.play(point)
    on_move(board.num_moves)
    while not _is_over(board, options.max_plies):
        if outcome := _adjudicated(board, moves, options):
            return outcome
        colour = "black" if board.to_play == BLACK else "white"
        try:
            choice = players[colour].choose(board, options.komi)
        except NetworkError as error:
            return _forfeit(colour, job, error)
        except Resignation:
            winner = "white" if colour == "black" else "black"
            return _Outcome(f"{winner[0].upper()}+R", winner, PLAYED, f"{colour} resigned")
        board.play(choice.point)
        moves.append(_move_record(choice))
        on_move(board.num_moves)
    lead_black = board.score_black() - options.komi
    winner = "black" if lead_black > 0 else "white"
    return _Outcome(f"{winner[0].upper()}+{abs(lead_black):g}", winner, PLAYED, "")


def _move_record(choice: Choice) -> MoveRecord:
    budget_seconds = choice.budget_seconds and round(choice.budget_seconds, 4)
    cpu_seconds, value_white = round(choice.cpu_seconds, 4), round(choice.value_white, 4)
    return MoveRecord(choice.point, choice.num_visits, cpu_seconds, value_white, budget_seconds)


def _is_over(board: Board, max_plies: int) -> bool:
    passes = [point == PASS for _, point in board.moves[-2:]]
    return passes == [True, True] or board.num_moves >= max_plies


def _adjudicated(
    board: Board, moves: Sequence[MoveRecord], options: EventOptions
) -> _Outcome | None:
    """Return how the game ends early, or None if it continues."""
    if not options.resign:
        return None
    values_white = [move.value_white for move in moves]
    if winner := winner_by_settled_points(board, options.komi):
        reason = "settled points alone win"
    elif found := decision(values_white, options.resign_value, options.resign_plies):
        winner = found.winner
        reason = (
            f"{options.resign_plies} moves in a row gave the loser "
            f"{100 * options.resign_value:g} % or less"
        )
    else:
        return None
    return _Outcome(f"{winner[0].upper()}+R", winner, PLAYED, f"adjudicated, {reason}")


def _forfeit(colour: str, job: GameJob, error: NetworkError | str) -> _Outcome:
    winner = "white" if colour == "black" else "black"
    reason = one_line(f"{getattr(job, colour)}: {error}")
    return _Outcome(f"{winner[0].upper()}+F", winner, FORFEIT, reason)


def _record(
    job: GameJob,
    options: EventOptions,
    started_at: str,
    outcome: _Outcome,
    moves: Sequence[MoveRecord],
) -> GameRecord:
    return GameRecord(
        game_id=job.game_id,
        black=job.black,
        white=job.white,
        black_sha256=job.black_sha256,
        white_sha256=job.white_sha256,
        **asdict(outcome),
        opening=job.opening,
        moves=tuple(moves),
        komi=options.komi,
        host=platform.node(),
        started_at=started_at,
        pair_id=job.pair_id,
        seed=job.seed,
        finished_at=utc_now(),
        cpu_model=cpu_model(),
    )


@cache
def cpu_model() -> str:
    """Return the processor's name, such as "AMD EPYC 9654", or its architecture if unknown."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())
