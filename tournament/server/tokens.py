"""Who may hand in: a token for each student or team, of which only a hash is kept.

A token is 256 random bits, which nobody can guess, so one SHA-256 without salt is enough.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tournament.errors import OptionsError
from tournament.game.record import utc_now
from tournament.league.journal import Journal, may_write
from tournament.league.names import require_name, skeleton
from tournament.server import limits
from tournament.server.ledger import ledger_file, open_ledger

IDS, EMAILS = "ids", "emails"  # numbers in the course system, and addresses
STUDENT, TEACHER, WORKER = "student", "teacher", "worker"


@dataclass(frozen=True)
class Holder:
    """The holder of a token; a student's name is that of the network."""

    name: str
    role: str


class Tokens:
    """The tokens of a league."""

    def __init__(self, ledger: Journal):
        self._ledger = ledger

    def issue(
        self, names: Sequence[str], role: str, show: Callable[[dict[str, str]], None]
    ) -> None:
        """Create tokens of a role for the names that have none, valid once `show` has returned.

        Raises:
            OptionsError: a name that no network can have, or a new name that looks like another.
        """
        with self._ledger.transaction():
            show(self._make(names, role))

    def reissue(self, name: str) -> str:
        """Return a new token of a student or team; an earlier token ends.

        Raises:
            OptionsError: a name of the staff, that no network can have, or that looks like another.
        """
        with self._ledger.transaction():
            self._end(name, STUDENT)
            made = self._make([name], STUDENT)
            if name not in made:
                raise OptionsError(
                    f"{name!r} is not a student: python -m tournament tokens makes such tokens"
                )
            return made[name]

    def _make(self, names: Sequence[str], role: str) -> dict[str, str]:
        for name in names:
            require_name(name, OptionsError)
        known = {holder.name for _, holder in self._active()}
        new = [name for name in names if name not in known]
        tokens = {name: secrets.token_hex(limits.TOKEN_BYTES) for name in new}
        _refuse_lookalikes(known, tokens)
        for name, token in tokens.items():
            row = {"hash": _hash(token), "name": name, "role": role, "made_at": utc_now()}
            self._ledger.insert("tokens", row)
        return tokens

    def _end(self, name: str, *roles: str) -> bool:
        """End the token of a name in one of these roles, inside a transaction, if it has one."""
        marks = ", ".join("?" for _ in roles)
        ended = self._ledger.execute(
            "UPDATE tokens SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL"
            f" AND role IN ({marks})",
            (utc_now(), name, *roles),
        )
        return bool(ended.rowcount)

    def note(self, what: str, values: Mapping[str, str]) -> None:
        """Remember IDS or EMAILS of students by the name of their network; earlier ones stay."""
        with self._ledger.transaction():
            self._ledger.set_header(what, {**self.noted(what), **values})

    def noted(self, what: str) -> dict[str, str]:
        """Return what is noted, by the name of the network."""
        return self._ledger.header(what) or {}

    def revoke(self, name: str, *roles: str) -> None:
        """Revoke a token in these roles, or in all; raise OptionsError if there is none."""
        with self._ledger.transaction():
            if not self._end(name, *(roles or (STUDENT, TEACHER, WORKER))):
                names = ", ".join(self.holders())
                raise OptionsError(
                    f"{name!r} has no token; the names with one are: {names or 'none'}"
                )

    def holder(self, token: str) -> Holder | None:
        """Return the holder of a token or None, in a time that reveals nothing."""
        if len(token) > limits.MAX_TOKEN:
            return None
        given, found = _hash(token), None
        for known, holder in self._active():
            if hmac.compare_digest(given, known):
                found = holder
        return found

    def holders(self) -> list[str]:
        """Return the names that have a token, of any role."""
        return sorted(holder.name for _, holder in self._active())

    def students(self) -> list[str]:
        """Return the names of the students and teams that have a token."""
        return sorted(holder.name for _, holder in self._active() if holder.role == STUDENT)

    def students_ever(self) -> list[str]:
        """Return the names that had a student's token at any time."""
        rows = self._ledger.execute(
            "SELECT DISTINCT name FROM tokens WHERE role = ? ORDER BY name", (STUDENT,)
        )
        return [name for (name,) in rows]

    def _active(self) -> list[tuple[str, Holder]]:
        rows = self._ledger.execute("SELECT hash, name, role FROM tokens WHERE revoked_at IS NULL")
        return [(known, Holder(name, role)) for known, name, role in rows]


def ids_of(leagues: Iterable[Path]) -> dict[str, str]:
    """Return the networks by their students' numbers, as far as `tokens` has noted them."""
    served = [folder for folder in leagues if may_write(ledger_file(folder))]
    return {
        number: network
        for folder in served
        for network, number in Tokens(open_ledger(folder)).noted(IDS).items()
    }


def _refuse_lookalikes(known: Iterable[str], new: Iterable[str]) -> None:
    looks = {skeleton(name): name for name in known}
    for name in new:
        like = looks.setdefault(skeleton(name), name)
        if like != name:
            raise OptionsError(f"{name!r} looks like {like!r}, which has a token: change one")


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
