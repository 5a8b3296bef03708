"""The people of a course, as Moodle, Canvas, Blackboard or a spreadsheet exports them.

Every row and column is kept, in any order, so that additions go back to the file's origin.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tournament.errors import OptionsError
from tournament.league.gradebooks import UNGRADED, Assignment, assignments_of, is_nobody
from tournament.league.mail_settings import ADDRESS
from tournament.league.names import NAME, network_name, shown, skeleton
from tournament.league.text_table import Row, TextTable, read_text_table

NAME_OF_ALL, FIRST, LAST, ID, NETWORK = "name", "first", "last", "id", "network"
EMAIL = "email"
GRADE = "grade"  # the column of an assignment, of those that gradebooks.py finds
# By what they are for, the titles that are understood, in lower case; the first one there counts.
TITLES = {
    NAME_OF_ALL: ("name", "full name", "student name", "student", "team", "nom complet"),
    FIRST: ("first name", "firstname", "given name", "forename", "prénom", "vorname"),
    LAST: ("last name", "lastname", "surname", "family name", "nom de famille", "nom", "nachname"),
    ID: (
        "student id", "id number", "sis user id", "student number", "numéro d'identification",
        "matrikelnummer", "orgdefinedid", "id", "username", "sis login id",
    ),
    NETWORK: ("network",),
    EMAIL: ("email", "e-mail", "mail", "email address", "adresse de courriel"),
    GRADE: (),
}
TOKEN = "token"  # a column of a file of tokens, which goes into no other file
LAST_FIRST = "student"  # Canvas writes "Lovelace, Ada"
# A cell that begins so is computed by a spreadsheet, beside the tokens; numbers and dashes are not.
FORMULA = re.compile(r"[=@]|[+-](?![\d\s.,/()-]*$)")


@dataclass(frozen=True)
class Person:
    """A row of a roster; the name is in any script.

    id, email: a course number and an address, or empty.
    """

    name: str
    network: str
    id: str
    email: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Roster:
    """The people of a course, and the form of their file.

    rows: below the titles: people, and the cells of Canvas's rows without a person.
    assignments: the columns for grades, or the only one that was asked for.
    """

    titles: tuple[str, ...]
    rows: tuple[Person | tuple[str, ...], ...]
    table: TextTable
    assignments: tuple[Assignment, ...] = ()

    @property
    def people(self) -> tuple[Person, ...]:
        """The rows that are of somebody."""
        return tuple(row for row in self.rows if isinstance(row, Person))

    def with_columns(
        self, titles: Sequence[str], cells: Callable[[Person], Sequence[str] | None],
        *, is_whole: bool = False,
    ) -> bytes:
        """Return the roster as a file of the same form, with more columns at its right.

        A person whose `cells` are None is left out. `is_whole` keeps the rows without a person.
        """
        rows = [[*self.titles, *titles]]
        for row in self.rows:
            if isinstance(row, Person):
                added = cells(row)
                rows += [] if added is None else [[*row.cells, *added]]
            elif is_whole:
                rows.append([*row, *[""] * len(titles)])
        return self.table.written(rows)

    def with_grades(self, assignment: Assignment, grade: Callable[[Person], str]) -> bytes:
        """Return the roster with new grades in the column of an assignment.

        Whoever is excused, or has not been given the assignment, keeps the word for it.
        """

        def cells(row: Person | tuple[str, ...]) -> Sequence[str]:
            if not isinstance(row, Person):
                return row
            before, at = row.cells, assignment.index
            is_ungraded = before[at].strip().lower() in UNGRADED
            return before if is_ungraded else [*before[:at], grade(row), *before[at + 1 :]]

        return self.table.written([self.titles, *map(cells, self.rows)])


def read_roster(path: Path, columns: Mapping[str, str] | None = None) -> Roster:
    """Read the people in a file, each with a network name: `Émile Borel` is `Emile_Borel`.

    The first row has the titles; a file of one column may have names only. `columns` gives titles
    by the keys of TITLES, where they can't be guessed.

    Raises:
        OptionsError: no people, no table of text, unclear titles, or a row without a name, with a
            formula, or with too many cells.
    """
    table = read_text_table(path)
    if not table.rows:
        raise OptionsError(f"there are no names in {path}: write one per row")
    titles, *rows = _without_tokens([_cells_of(path, row, table.rows[0]) for row in table.rows])
    titles = [title.strip() for title in titles]
    found = _columns_of(path, titles, columns or {})
    if not found:
        titles, rows, found = ["name"], [titles, *rows], {NAME_OF_ALL: 0}
    assignments = assignments_of(titles, rows)
    if GRADE in found:
        asked = found[GRADE]
        known = [one for one in assignments if one.index == asked]
        assignments = known or [Assignment(asked, titles[asked])]
    read = tuple(_read_row(path, titles, found, cells) for cells in rows)
    roster = Roster(tuple(titles), read, table, tuple(assignments))
    if not roster.people:
        raise OptionsError(f"there are no names in {path}: write one per row")
    return roster


def networks_of(path: Path, roster: Roster, ids: Mapping[str, str]) -> dict[Person, str]:
    """Return the network of each student, by number (`ids`), else by name.

    Raises:
        OptionsError: two students have one network.
    """
    people: dict[str, Person] = {}
    for person in roster.people:
        network = ids.get(person.id, person.network) if person.id else person.network
        other = people.setdefault(network, person)
        if other is not person:
            raise OptionsError(
                f"{path}: {other.name!r} and {person.name!r} have the same network; add a column "
                "'network' with the name of each"
            )
    return {person: network for network, person in people.items()}


def refuse_lookalikes(path: Path, people: Iterable[Person]) -> None:
    """Raise OptionsError, which names them, if two people can't be told apart by their names."""
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
    """Parse titles by their use, `name=Full name,id=Number`; raise OptionsError for other uses."""
    parts = re.split(rf",(?=(?:{'|'.join(TITLES)})=)", text)
    pairs = [part.partition("=") for part in parts]
    if not all(role in TITLES and title for role, _, title in pairs):
        raise OptionsError(
            f"--columns must be like name='Full name',id=Number, with {', '.join(TITLES)}; "
            f"got {text!r}"
        )
    return {role: title.strip() for role, _, title in pairs}


def _cells_of(path: Path, row: Row, titles: Row) -> list[str]:
    """Return a row as wide as the titles, so that what is added to it stands below its own."""
    width = len(titles.cells)
    if any(cell.strip() for cell in row.cells[width:]):
        raise OptionsError(
            f"line {row.line} of {path} has more cells than the first row: quote a cell that has "
            "the delimiter in it, or add a title"
        )
    return [*row.cells, *[""] * width][:width]


def _without_tokens(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    titles = [title.strip().lower() for title in rows[0]]
    kept = [i for i, title in enumerate(titles) if title != TOKEN or len(titles) == 1]
    return [[row[i] for i in kept] for row in rows]


def _read_row(
    path: Path, titles: Sequence[str], found: Mapping[str, int], cells: Sequence[str]
) -> Person | tuple[str, ...]:
    """Return the person of a row; its cells if it is of nobody."""
    stripped = [cell.strip() for cell in cells]
    get = {role: stripped[i] for role, i in found.items()}
    name = shown(_name_of(get, titles[found[NAME_OF_ALL]] if NAME_OF_ALL in found else ""))
    of_nobody = is_nobody(titles, stripped, name)
    network = get.get(NETWORK) or network_name(name)
    is_named = of_nobody or NAME.fullmatch(network)
    if not is_named or any(map(FORMULA.match, stripped)):
        raise OptionsError(
            f"{path} has a row without a usable name, or with a cell that a spreadsheet would "
            f"compute: {list(cells)}"
        )
    address = get.get(EMAIL, "")
    return tuple(cells) if of_nobody else Person(
        name or network, network, get.get(ID, ""),
        address if ADDRESS.fullmatch(address) else "", tuple(cells),
    )


def _columns_of(path: Path, titles: Sequence[str], asked: Mapping[str, str]) -> dict[str, int]:
    """Return where the columns are, by what they are for; nothing where the file has no titles."""
    lower = [_lower(title) for title in titles]
    found = {
        role: lower.index(known[0])
        for role, words in TITLES.items()
        if (known := [word for word in words if word in lower])
    }
    for role, title in asked.items():
        if _lower(title) not in lower:
            raise OptionsError(f"{path} has no column {title!r}: it has {', '.join(titles)}")
        found[role] = lower.index(_lower(title))
    if not found and len(titles) == 1:
        return {}
    if NAME_OF_ALL in asked or (NAME_OF_ALL in found and not {FIRST, LAST} <= found.keys()):
        return {role: i for role, i in found.items() if role not in (FIRST, LAST)}
    if {FIRST, LAST} <= found.keys():
        return {role: i for role, i in found.items() if role != NAME_OF_ALL}
    if NETWORK in found:
        return found
    raise OptionsError(
        f"{path}: which column has the names? Its first row is {', '.join(map(repr, titles))}. "
        f"Name it with --columns, such as name={titles[0]!r} or first=…,last=…; a file without "
        "titles needs a first row of titles"
    )


def _lower(title: str) -> str:
    return unicodedata.normalize("NFC", title).lower().replace("’", "'")


def _name_of(get: Mapping[str, str], title: str) -> str:
    if FIRST in get and LAST in get:
        return f"{get[FIRST]} {get[LAST]}".strip()
    name = get.get(NAME_OF_ALL, "")
    last, comma, first = name.partition(",")
    is_turned = title.lower() == LAST_FIRST and comma
    return f"{first.strip()} {last.strip()}" if is_turned else name
