"""The draw of a league's seed by commit and reveal, so that nobody can choose it.

The commitment is public before any game; the secret follows after the games. The first run closes
the draw: secret and names give the seed. Later names get another draw; a name keeps its own draw.
"""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from golois.kit.files import open_private, write_whole
from tournament.errors import LeagueError
from tournament.game.job import Entrant
from tournament.game.record import utc_now
from tournament.league.journal import Journal

SECRET_BYTES = 32


@dataclass(frozen=True)
class Draw:
    """What is public of a draw; the commitment is the SHA-256 of the secret, in hexadecimal.

    drawn_at: ISO 8601, UTC.
    networks: sorted names, in an older league identities; none while the draw is open.
    secret: None until it is published.
    """

    commitment: str
    drawn_at: str
    networks: tuple[str, ...] = ()
    secret: str | None = None


class Draws:
    """The draws of a league. Secrets lie in files of its user until they are published."""

    def __init__(self, folder: Path, journal: Journal):
        self._folder, self._journal = folder / "secrets", journal

    def all(self) -> list[Draw]:
        """Return the draws, oldest first; none in a league that is older than draws."""
        kept = self._journal.header("draws") or []
        return [Draw(**{**draw, "networks": tuple(draw["networks"])}) for draw in kept]

    def ensure_open(self) -> None:
        """Draw a secret, unless one is waiting for networks or the league's seed was chosen."""
        with self._journal.transaction():
            options, draws = self._journal.header("options"), self.all()
            is_chosen = options is not None and options["seed"] is not None
            is_open = draws and not draws[-1].networks and self._path(draws[-1]).exists()
            if not is_chosen and not is_open:
                self._store([*draws, self._new()])

    def seeds(self, entrants: Iterable[Entrant]) -> dict[str, str]:
        """Return the seed of each network by its `luck`; new networks close the open draw.

        Raises:
            LeagueError: a secret is not here.
        """
        lucks = {entrant.luck for entrant in entrants}
        if new := lucks.difference(*(draw.networks for draw in self.all())):
            self.ensure_open()
            with self._journal.transaction():
                *closed, drawn = self.all()
                self._store([*closed, replace(drawn, networks=tuple(sorted(new)))])
        return {
            luck: seed
            for draw in self.all()
            if lucks.intersection(draw.networks)
            for seed in [seed_of(self._secret_of(draw), draw.networks)]
            for luck in draw.networks
        }

    def publish(self) -> None:
        """Publish the secrets of all closed draws; raise LeagueError if a secret is not here."""
        with self._journal.transaction():
            self._store(
                replace(draw, secret=self._secret_of(draw)) if draw.networks else draw
                for draw in self.all()
            )

    def _new(self) -> Draw:
        secret = secrets.token_hex(SECRET_BYTES)
        draw = Draw(commitment_of(secret), utc_now())
        self._folder.mkdir(exist_ok=True)
        self._folder.chmod(0o700)

        def write(beside: Path) -> None:
            with open(beside, "w", opener=open_private) as file:
                file.write(secret)

        write_whole(self._path(draw), write)
        return draw

    def _secret_of(self, draw: Draw) -> str:
        if draw.secret is not None:
            return draw.secret
        try:
            secret = self._path(draw).read_text(encoding="ascii")
        except FileNotFoundError:
            secret = ""
        if commitment_of(secret) != draw.commitment:
            raise LeagueError(
                f"the secret of this league's seed is not in {self._folder}: continue the league "
                "where it was begun, or copy that folder from there"
            )
        return secret

    def _store(self, draws: Iterable[Draw]) -> None:
        self._journal.set_header("draws", [asdict(draw) for draw in draws])

    def _path(self, draw: Draw) -> Path:
        return self._folder / f"{draw.commitment}.txt"


def commitment_of(secret: str) -> str:
    """Return what is published of a secret at first: its SHA-256, in hexadecimal."""
    return hashlib.sha256(secret.encode()).hexdigest()


def seed_of(secret: str, networks: Iterable[str]) -> str:
    """Return the seed that a draw gives its networks: a SHA-256, in hexadecimal."""
    return hashlib.sha256("\n".join([secret, *sorted(networks)]).encode()).hexdigest()
