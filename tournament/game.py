"""One game by docs/rules.md: it ends as a win, a forfeit or a void, never as an exception."""

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from datetime import UTC, datetime

from golois.board import Board
from golois.coords import BLACK
from golois.shapes import PASS
from tournament.adjudication import decision, winner_by_settled_points
from tournament.errors import NetworkError
from tournament.machine import cpu_model
from tournament.options import EventOptions
from tournament.players.protocol import Choice, Player
from tournament.schedule import GameJob

PLAYED, FORFEIT, VOID = "played", "forfeit", "void"
MAX_REASON = 400


@dataclass(frozen=True)
class MoveRecord:
    """A move that a player chose; the fields are those of `tournament.players.protocol.Choice`."""

    point: int
    num_visits: int
    cpu_seconds: float
    value_white: float
    budget_seconds: float | None = None

    @property
    def overshoot(self) -> float | None:
        """CPU seconds beyond the budget as a share of it, negative below; None without one."""
        return self.cpu_seconds / self.budget_seconds - 1 if self.budget_seconds else None


@dataclass(frozen=True)
class GameRecord:
    """How a game went.

    result: as SGF writes it: "B+12.5", "W+3.5", "B+R" and "W+R" by adjudication, "B+F" and "W+F" by
        forfeit, "Void".
    winner: "black", "white" or None when void.
    kind: "played", "forfeit" (the loser's fault: counts) or "void" (ours: never counts).
    reason: why it was a forfeit, a void or adjudicated; empty when played to its end.
    opening: points played before the players chose; `moves` are those that they chose.
    host, cpu_model: name of the machine, and what its processor calls itself.
    started_at, finished_at: ISO 8601, UTC.
    host_speed: of the machine (tournament.calibration); None where it didn't matter.
    """

    game_id: str
    black: str
    white: str
    black_sha256: str
    white_sha256: str
    result: str
    winner: str | None
    kind: str
    reason: str
    opening: tuple[int, ...]
    moves: tuple[MoveRecord, ...]
    komi: float
    host: str
    started_at: str
    pair_id: str = ""
    seed: int = 0
    finished_at: str = ""
    cpu_model: str = ""
    host_speed: float | None = None

    @property
    def num_plies(self) -> int:
        """Moves of both colours, the opening and passes included."""
        return len(self.opening) + len(self.moves)

    @property
    def loser_sha256(self) -> str | None:
        """The network that lost; None when void."""
        return {"black": self.white_sha256, "white": self.black_sha256, None: None}[self.winner]

    def to_json(self) -> dict:
        """The record as plain data, moves as lists of their fields."""
        moves = [list(astuple(move)) for move in self.moves]
        return {**asdict(self), "opening": list(self.opening), "moves": moves}

    @classmethod
    def from_json(cls, data: dict) -> "GameRecord":
        """The record that `to_json` wrote."""
        opening = tuple(data["opening"])
        moves = tuple(MoveRecord(*move) for move in data["moves"])
        return cls(**{**data, "opening": opening, "moves": moves})


def play_game(
    job: GameJob,
    black: Player,
    white: Player,
    options: EventOptions,
    on_move: Callable[[int], None] = lambda num_plies: None,
    on_warm_up: Callable[[str], None] = lambda colour: None,
) -> GameRecord:
    """Plays one game to its end: two passes, the ply cap, adjudication, or a network's failure.

    Args:
        job: which game, with its opening.
        black, white: the players, each fresh for this game.
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
    """The record of a game that could not be played through no fault of its players."""
    return _record(job, options, utc_now(), _Outcome("Void", None, VOID, one_line(reason)), [])


def forfeit_record(job: GameJob, options: EventOptions, colour: str, reason: str) -> GameRecord:
    """The record of a game that this colour's network has lost by failing, without its moves."""
    return _record(job, options, utc_now(), _forfeit(colour, job, reason), [])


def utc_now() -> str:
    """The time as the records have it: ISO 8601, UTC, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def one_line(text: str) -> str:
    """What a library said, fit for a table: printable, in one line, of bounded length."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:MAX_REASON]


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
    """How a game ends early; None while it goes on."""
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
