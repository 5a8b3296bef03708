"""Who plays whom: an entrant, and a game to play as pure data."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tournament.players.protocol import Choice


@dataclass(frozen=True)
class Entrant:
    """A network that takes part.

    sha256: of its file.
    options: in which it differs from the event's, by name; none in a league.
    artefact: the digest of what it computes, where the event knows networks by it.
    lucky_by_name: whether openings and colours are drawn by its name, so that another file of its
        author draws nothing anew; else they are drawn by its identity.
    """

    name: str
    sha256: str
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    artefact: str | None = None
    lucky_by_name: bool = False

    @property
    def luck(self) -> str:
        """What openings, colours and seeds of its games depend on."""
        return self.name if self.lucky_by_name else self.identity

    @property
    def identity(self) -> str:
        """The digest that identifies it: one network with other options is another entrant."""
        network = self.artefact or self.sha256
        if not self.options:
            return network
        return digest(network, *sorted(self.options.items()))


@dataclass(frozen=True)
class GameJob:
    """One game to play, as pure data; `opening` is played before the players choose.

    A job with the `moves` of a record retraces that game (tournament.running.retracing).
    """

    game_id: str
    pair_id: str
    round: int
    black: str
    white: str
    black_sha256: str
    white_sha256: str
    opening: tuple[int, ...]
    seed: int
    black_options: dict[str, Any] = field(default_factory=dict, hash=False)
    white_options: dict[str, Any] = field(default_factory=dict, hash=False)
    moves: tuple[Choice, ...] = ()

    def to_json(self) -> dict:
        """Return the job as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict) -> "GameJob":
        """Return the job that `to_json` wrote."""
        moves = tuple(Choice(**move) for move in data.get("moves", ()))
        return cls(**{**data, "opening": tuple(data["opening"]), "moves": moves})


def networks_of(jobs: Iterable[GameJob]) -> set[str]:
    """Return the SHA-256 of each network that plays."""
    return {sha256 for job in jobs for sha256 in (job.black_sha256, job.white_sha256)}


def schedule_hash(jobs: Sequence[GameJob]) -> str:
    """Return a digest of a schedule; equal digests mean the same games in the same order."""
    return digest(*(f"{job.game_id} {job.opening}" for job in jobs))


def digest(*parts: object) -> str:
    """Return a short hash, 16 hexadecimal digits, of these parts."""
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:16]
