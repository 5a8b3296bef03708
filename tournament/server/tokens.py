"""Who may hand in: a token for each student or team, of which only a hash is kept.

A token is 256 random bits and cannot be guessed, so one SHA-256 without salt is enough: slow
hashes protect passwords that people choose, and there are no dictionaries of random numbers.
"""

import csv
import hashlib
import hmac
import re
import secrets
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tournament.errors import OptionsError
from tournament.game.record import utc_now
from tournament.league.journal import Journal
from tournament.league.lookalikes import skeleton
from tournament.league.submissions import NAME

STUDENT, TEACHER = "student", "teacher"
NUM_BYTES = 32
FORMULA = "=+-@"  # what makes a spreadsheet compute a cell, with the tokens beside it
MAX_TOKEN = 200  # characters that are looked at, long before anything is computed of them


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
        """Create tokens for the names that have none.

        Args:
            names: of students or of the staff.
            role: what the tokens allow.
            show: gets the new tokens by name, once; they are valid when it has returned.

        Raises:
            OptionsError: a name that no network can have, or a new one that looks like another.
        """
        for name in names:
            if not NAME.fullmatch(name):
                raise OptionsError(
                    "expected a name of up to 64 letters, digits, '_', '.' and '-': "
                    f"got {name!r}"
                )
        with self._ledger.transaction():
            known = {holder.name for _, holder in self._active()}
            tokens = {name: secrets.token_hex(NUM_BYTES) for name in names if name not in known}
            _refuse_lookalikes(known, tokens)
            for name, token in tokens.items():
                row = {"hash": _hash(token), "name": name, "role": role, "made_at": utc_now()}
                self._ledger.insert("tokens", row)
            show(tokens)

    def revoke(self, name: str) -> None:
        """Revoke a token; files handed in with it stay.

        Raises:
            OptionsError: no such name has a token.
        """
        with self._ledger.transaction():
            ended = self._ledger.execute(
                "UPDATE tokens SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL",
                (utc_now(), name),
            )
            if not ended.rowcount:
                names = ", ".join(sorted(holder.name for _, holder in self._active()))
                raise OptionsError(
                    f"{name!r} has no token; the names with one are: {names or 'none'}"
                )

    def holder(self, token: str) -> Holder | None:
        """Return the holder of a token; None if it is unknown or revoked.

        Every hash is compared, each in constant time, so the timing reveals nothing.
        """
        if len(token) > MAX_TOKEN:
            return None
        given, found = _hash(token), None
        for known, holder in self._active():
            if hmac.compare_digest(given, known):
                found = holder
        return found

    def students(self) -> list[str]:
        """Return the names of the students and teams that have a token."""
        return sorted(holder.name for _, holder in self._active() if holder.role == STUDENT)

    def _active(self) -> list[tuple[str, Holder]]:
        rows = self._ledger.execute("SELECT hash, name, role FROM tokens WHERE revoked_at IS NULL")
        return [(known, Holder(name, role)) for known, name, role in rows]


def read_names(path: Path) -> dict[str, str]:
    """Read the people in a CSV, each with a network name: `Émile Borel` is `Emile_Borel`.

    Reads the column `name`; without one, the first column, in which the first row is a person.

    Raises:
        OptionsError: no names, no text, a row without letters or with a formula, or two rows whose
        names look the same.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = file.read()
        first = text.strip().partition("\n")[0]
        comma = max(",;\t", key=first.count)  # some countries' spreadsheets write semicolons
        lines = csv.reader(text.splitlines(), delimiter=comma)
        rows = [row for row in lines if any(cell.strip() for cell in row)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise OptionsError(f"{path} is not a CSV of names in UTF-8: {error}") from error
    titles = [cell.strip().lower() for cell in rows[0]] if rows else []
    column = titles.index("name") if "name" in titles else 0
    people: dict[str, str] = {}
    taken: dict[str, str] = {}
    for row in rows["name" in titles:]:
        person = row[column].strip() if column < len(row) else ""
        network = network_name(person)
        if not NAME.fullmatch(network) or person[0] in FORMULA:
            raise OptionsError(f"{path} has a row without a usable name: {row}")
        looks = {skeleton(person), skeleton(network)}
        for like in looks & taken.keys():
            raise OptionsError(f"{path}: {row} looks like {taken[like]!r}; change one of them")
        people[person] = network
        taken |= dict.fromkeys(looks, person)
    if not people:
        raise OptionsError(f"there are no names in {path}: write one per row")
    return people


def network_name(person: str) -> str:
    """Turn a person's or team's name into a network name; empty if nothing is left."""
    plain = unicodedata.normalize("NFKD", person).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9.-]+", "_", plain).strip("_.-")[:64]


def _refuse_lookalikes(known: Iterable[str], new: Iterable[str]) -> None:
    looks = {skeleton(name): name for name in known}
    for name in new:
        like = looks.setdefault(skeleton(name), name)
        if like != name:
            raise OptionsError(f"{name!r} looks like {like!r}, which has a token: change one")


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
