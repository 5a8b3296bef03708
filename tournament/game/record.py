"""What is kept of a game: how it ended and why, and each choice of a player with what it cost."""

from dataclasses import asdict, astuple, dataclass
from datetime import UTC, datetime

from tournament.players.protocol import Choice

PLAYED, FORFEIT, VOID = "played", "forfeit", "void"


@dataclass(frozen=True)
class GameRecord:
    """How a game went.

    result: as SGF writes it: "B+12.5", "W+R" by adjudication, "B+F" by forfeit, or "Void".
    winner: "black", "white" or None when void.
    kind: "played", "forfeit" (the loser's fault: counts) or "void" (ours: never counts).
    reason: of a forfeit, a void or an adjudication; empty when played to its end.
    opening: points played before the players chose; `moves` has the chosen points.
    started_at, finished_at: ISO 8601, UTC.
    host_speed: of the machine (tournament.running.calibration); None if it has no effect.
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
    moves: tuple[Choice, ...]
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
        """Return the record as plain data, moves as lists of their fields."""
        moves = [list(astuple(move)) for move in self.moves]
        return {**asdict(self), "opening": list(self.opening), "moves": moves}

    @classmethod
    def from_json(cls, data: dict) -> "GameRecord":
        """Return the record that `to_json` wrote."""
        opening = tuple(data["opening"])
        moves = tuple(Choice(*move) for move in data["moves"])
        return cls(**{**data, "opening": opening, "moves": moves})


def utc_now() -> str:
    """Return the time as the records have it: ISO 8601, UTC, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")
