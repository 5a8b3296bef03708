"""The people of a course, as Moodle, Canvas, Blackboard or a spreadsheet exports them.

Columns may come in any order and with any delimiter, in UTF-8, UTF-16 or Latin-1. Every column is
kept, so that what is added to a row goes back to where the file came from.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tournament.errors import OptionsError
from tournament.league.lookalikes import skeleton
from tournament.league.submissions import NAME
from tournament.league.written_names import network_name, shown

NAME_OF_ALL, FIRST, LAST, ID, NETWORK = "name", "first", "last", "id", "network"
# By what they are for, the titles that are understood, in lower case; the first one there counts.
TITLES = {
    NAME_OF_ALL: ("name", "full name", "student name", "student", "team", "nom complet"),
    FIRST: ("first name", "firstname", "given name", "forename", "prénom", "vorname"),
    LAST: ("last name", "lastname", "surname", "family name", "nom de famille", "nom", "nachname"),
    ID: (
        "student id", "id number", "sis user id", "student number", "numéro d'identification",
        "matrikelnummer", "id", "username", "sis login id",
    ),
    NETWORK: ("network",),
}
OTHER_TITLES = {"email", "e-mail", "mail", "email address", "adresse de courriel"}
TOKEN = "token"  # a column of a file of tokens, which goes into no other file
LAST_FIRST = "student"  # Canvas writes "Lovelace, Ada"
NOBODY = {"points possible", "student, test"}  # rows of Canvas
DELIMITERS = ",;\t|"
# A cell that begins so is computed by a spreadsheet, beside the tokens; numbers and dashes are not.
FORMULA = re.compile(r"[=@]|[+-](?![\d\s./()-]*$)")


@dataclass(frozen=True)
class Person:
    """A row of a roster.

    name: as it is written, in any script.
    network: the name of the network.
    id: the student's number in the course system; empty without one.
    cells: all of the row.
    """

    name: str
    network: str
    id: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Roster:
    """The people of a course, and the form of their file."""

    titles: tuple[str, ...]
    people: tuple[Person, ...]
    delimiter: str
    encoding: str

    def with_columns(
        self, titles: Sequence[str], cells: Callable[[Person], Sequence[str] | None]
    ) -> bytes:
        """Return the roster as a file of the same form, with more columns at its right.

        Args:
            titles: of the columns.
            cells: what they have for a person; None leaves the person out.
        """
        rows = [(person.cells, cells(person)) for person in self.people]
        text = io.StringIO()
        writer = csv.writer(text, delimiter=self.delimiter, lineterminator="\n")
        writer.writerow([*self.titles, *titles])
        writer.writerows([*own, *added] for own, added in rows if added is not None)
        return text.getvalue().encode(self.encoding)


def read_roster(path: Path, columns: Mapping[str, str] | None = None) -> Roster:
    """Read the people in a file, each with a network name: `Émile Borel` is `Emile_Borel`.

    The first row has the titles. A file of one column may go without: then all of it is names.

    Args:
        path: the file.
        columns: titles by what they are for, the keys of TITLES, where they can't be guessed.

    Raises:
        OptionsError: no people, no table of text, titles that aren't understood, or a row without
        a name, with a formula, or with more in it than there are titles.
    """
    rows, delimiter, encoding = _rows_of(path)
    if not rows:
        raise OptionsError(f"there are no names in {path}: write one per row")
    titles = [cell.strip() for cell in rows[0].cells]
    found = _columns_of(path, titles, columns or {})
    if not found:
        titles, found = ["name"], {NAME_OF_ALL: 0}
    else:
        rows = rows[1:]
    token = next((i for i, title in enumerate(titles) if title.lower() == TOKEN), None)
    people = []
    for row in rows:
        cells = _cells_of(path, row, titles)
        get = {role: cells[i] for role, i in found.items()}
        name = shown(_name_of(get, titles[found[NAME_OF_ALL]] if NAME_OF_ALL in found else ""))
        if name.lower() in NOBODY or get.get(NAME_OF_ALL, "").lower() in NOBODY:
            continue
        network = get.get(NETWORK) or network_name(name)
        if not NAME.fullmatch(network) or any(map(FORMULA.match, cells)):
            raise OptionsError(
                f"{path} has a row without a usable name, or with a cell that a spreadsheet would "
                f"compute: {row.cells}"
            )
        kept = tuple(cell for i, cell in enumerate(cells) if i != token)
        people.append(Person(name or network, network, get.get(ID, ""), kept))
    if not people:
        raise OptionsError(f"there are no names in {path}: write one per row")
    kept_titles = tuple(title for i, title in enumerate(titles) if i != token)
    return Roster(kept_titles, tuple(people), delimiter, encoding)


def refuse_lookalikes(path: Path, people: Iterable[Person]) -> None:
    """Refuse people of whom two can't be told apart by their names.

    Raises:
        OptionsError: which.
    """
    taken: dict[str, str] = {}
    for person in people:
        looks = {skeleton(person.network)}
        if person.network == network_name(person.name):
            looks.add(skeleton(person.name))
        for like in looks & taken.keys():
            raise OptionsError(
                f"{path}: {person.name!r} looks like {taken[like]!r}; change one of them, or add a "
                "column 'network' with a name for each network"
            )
        taken |= dict.fromkeys(looks, person.name)


def read_columns(text: str) -> dict[str, str]:
    """Parse `name=Full name,id=Number`: titles by what they are for.

    Raises:
        OptionsError: another form, or a column that is for nothing.
    """
    parts = re.split(rf",(?=(?:{'|'.join(TITLES)})=)", text)
    pairs = [part.partition("=") for part in parts]
    if not all(role in TITLES and title for role, _, title in pairs):
        raise OptionsError(
            f"--columns must be like name='Full name',id=Number, with {', '.join(TITLES)}; "
            f"got {text!r}"
        )
    return {role: title.strip() for role, _, title in pairs}


@dataclass(frozen=True)
class _Row:
    """What a file has in a row, and on which line of it the row ends."""

    line: int
    cells: list[str]


def _cells_of(path: Path, row: _Row, titles: Sequence[str]) -> list[str]:
    """Return a row as wide as the titles, so that what is added to it stands below its own."""
    cells = [cell.strip() for cell in row.cells]
    if any(cells[len(titles) :]):
        raise OptionsError(
            f"line {row.line} of {path} has more cells than the first row: quote a cell that has "
            "the delimiter in it, or add a title"
        )
    return [*cells, *[""] * len(titles)][: len(titles)]


def _rows_of(path: Path) -> tuple[list[_Row], str, str]:
    """Return the rows that have anything in them, the delimiter and the encoding."""
    content = path.read_bytes()
    if content.startswith(b"PK"):
        raise OptionsError(f"{path} is a workbook and not text: save it as CSV")
    encoding = _encoding_of(content)
    try:
        text = content.decode(encoding)
        first = next((line for line in text.splitlines() if line.strip()), "")
        widths = {one: len(next(csv.reader([first], delimiter=one), [])) for one in DELIMITERS}
        delimiter = max(DELIMITERS, key=widths.__getitem__)
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows = [_Row(lines.line_num, row) for row in lines if any(cell.strip() for cell in row)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise OptionsError(f"{path} is not a table of text: {error}") from error
    return rows, delimiter, encoding


def _encoding_of(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):  # as Blackboard writes
        return "utf-16"
    if content.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"  # Latin-1, and what Windows adds to it
    return "utf-8"


def _columns_of(path: Path, titles: Sequence[str], asked: Mapping[str, str]) -> dict[str, int]:
    """Return where the columns are, by what they are for; nothing where the file has no titles."""
    lower = [title.lower() for title in titles]
    found = {
        role: lower.index(known[0])
        for role, words in TITLES.items()
        if (known := [word for word in words if word in lower])
    }
    for role, title in asked.items():
        if title.lower() not in lower:
            raise OptionsError(f"{path} has no column {title!r}: it has {', '.join(titles)}")
        found[role] = lower.index(title.lower())
    if not found and len(titles) == 1 and lower[0] not in OTHER_TITLES:
        return {}
    if NAME_OF_ALL in asked or (NAME_OF_ALL in found and not {FIRST, LAST} <= found.keys()):
        return {role: i for role, i in found.items() if role not in (FIRST, LAST)}
    if {FIRST, LAST} <= found.keys():
        return {role: i for role, i in found.items() if role != NAME_OF_ALL}
    if NETWORK in found:
        return found
    raise OptionsError(
        f"{path}: which column has the names? Its first row is {', '.join(map(repr, titles))}. Say "
        f"it by --columns, such as name={titles[0]!r} or first=…,last=…; a file without titles "
        "needs a first row with them"
    )


def _name_of(get: Mapping[str, str], title: str) -> str:
    if FIRST in get and LAST in get:
        return f"{get[FIRST]} {get[LAST]}".strip()
    name = get.get(NAME_OF_ALL, "")
    last, comma, first = name.partition(",")
    is_turned = title.lower() == LAST_FIRST and comma and name.lower() not in NOBODY
    return f"{first.strip()} {last.strip()}" if is_turned else name
