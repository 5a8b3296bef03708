"""Rosters as course systems export them: who is in them, and what goes back."""

import csv
import io
from pathlib import Path

import pytest

from tournament.errors import OptionsError
from tournament.league.roster import read_columns, read_roster, refuse_lookalikes
from tournament.league.written_names import network_name

MOODLE = (
    "\ufeffFirst name,Last name,ID number,Institution,Email address\n"
    'Zoë,"O\'Neill",22001,,zoe@example.org\nAda,Lovelace,22002,"Paris, Dauphine",ada@example.org\n'
)
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Week 1\n"
    "    Points Possible,,,,,20\n"
    '"O\'Neill, Zoë",1,22001,zoe,A,12\n"Lovelace, Ada",2,22002,ada,A,-\n'
    '"Student, Test",3,,x,A,\n'
)
BLACKBOARD = (
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Availability"\n'
    '"O\'Neill"\t"Zoë"\t"zoe"\t"22001"\t"Yes"\n"Lovelace"\t"Ada"\t"ada"\t"22002"\t"Yes"\n'
)


def by(delimiter: str, text: str) -> str:
    """The same table with another delimiter."""
    rewritten = io.StringIO()
    csv.writer(rewritten, delimiter=delimiter).writerows(csv.reader(io.StringIO(text)))
    return rewritten.getvalue()


EXPORTS = {
    "moodle": MOODLE.encode(),
    "moodle in Latin-1, by semicolons": by(";", MOODLE[1:]).encode("latin-1"),
    "canvas": CANVAS.encode(),
    "canvas, by bars": by("|", CANVAS).encode(),
    "blackboard": BLACKBOARD.encode("utf-16"),
    "blackboard, of Windows": BLACKBOARD.replace("\n", "\r\n").encode("cp1252"),
}


def written(folder: Path, content: bytes | str) -> Path:
    path = folder / "students.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("content", EXPORTS.values(), ids=EXPORTS)
def test_what_course_systems_export_is_understood(tmp_path, content):
    roster = read_roster(written(tmp_path, content))
    assert [(one.name, one.network, one.id) for one in roster.people] == [
        ("Zoë O'Neill", "Zoe_O_Neill", "22001"), ("Ada Lovelace", "Ada_Lovelace", "22002")
    ]


@pytest.mark.parametrize("content", EXPORTS.values(), ids=EXPORTS)
def test_columns_are_added_in_the_form_of_the_file(tmp_path, content):
    roster = read_roster(written(tmp_path, content))
    again = read_roster(
        written(tmp_path, roster.with_columns(["Points"], lambda person: [person.id[-1]]))
    )
    assert again.titles == (*roster.titles, "Points")
    assert (again.delimiter, again.encoding) == (roster.delimiter, roster.encoding)
    assert [one.cells for one in again.people] == [
        (*one.cells, one.id[-1]) for one in roster.people
    ]


def test_no_student_is_made_of_a_title(tmp_path):
    """Of a first row that isn't understood."""
    with pytest.raises(OptionsError, match=r"which column has the names\? Its first row is 'Last_"):
        read_roster(written(tmp_path, "Last_name_,Given\nLovelace,Ada\n"))
    with pytest.raises(OptionsError, match="which column has the names"):
        read_roster(written(tmp_path, "Last name,Email\nLovelace,a@b.c\n"))
    roster = read_roster(
        written(tmp_path, "Last_name_,Given\nLovelace,Ada\n"),
        read_columns("first=Given,last=last_name_"),
    )
    assert [one.name for one in roster.people] == ["Ada Lovelace"]


def test_what_is_added_stands_below_its_title(tmp_path):
    """Whether a row has empty cells beyond the titles, or fewer than they are."""
    roster = read_roster(written(tmp_path, "Name,ID,Note\nAda B,17,,,\nKurt,18\n"))
    added = roster.with_columns(["network", "token"], lambda person: [person.network, "secret"])
    again = list(csv.DictReader(io.StringIO(added.decode())))
    assert [(row["ID"], row["network"], row["token"]) for row in again] == [
        ("17", "Ada_B", "secret"), ("18", "Kurt", "secret")
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Name,ID\nKurt,18\nLovelace,Ada,17\n", 3),
        ("\n\nName,ID\n\nLovelace,Ada,17\n", 5),
        ("Kurt\nLovelace,Ada\n", 2),
        ("\tName\nKurt\t17\tA\n", 2),
    ],
)
def test_a_row_with_more_in_it_than_titles_is_said(tmp_path, text, line):
    with pytest.raises(OptionsError, match=f"line {line} of .*students.csv has more cells than"):
        read_roster(written(tmp_path, text))


def test_a_title_may_be_empty(tmp_path):
    roster = read_roster(written(tmp_path, "\tName\tID\n1\tAda\t17\n"))
    assert [(one.name, one.id) for one in roster.people] == [("Ada", "17")]


def test_titles_that_are_given_may_have_commas():
    assert read_columns("name=Name, first,id=Number") == {"name": "Name, first", "id": "Number"}


@pytest.mark.parametrize("text", ["Full name", "nom=x", "name=", ""])
def test_columns_that_are_wrong_are_said(text):
    with pytest.raises(OptionsError, match="--columns must be like name='Full name',id=Number"):
        read_columns(text)


def test_a_column_that_is_not_there_is_said(tmp_path):
    path = written(tmp_path, MOODLE)
    with pytest.raises(OptionsError, match="no column 'Name': it has First name, Last name"):
        read_roster(path, {"name": "Name"})


def test_a_column_may_say_the_networks_names(tmp_path):
    path = written(tmp_path, "name,network,token\nJean Martin,jean_1,abc\nJean Martin,jean_2,def\n")
    roster = read_roster(path)
    refuse_lookalikes(path, roster.people)
    assert [one.network for one in roster.people] == ["jean_1", "jean_2"]
    assert roster.titles == ("name", "network"), "tokens go into no other file"
    assert b"abc" not in roster.with_columns([], lambda person: [])


@pytest.mark.parametrize(
    ("person", "network"),
    [
        ("Ada Lovelace", "Ada_Lovelace"),
        ("  Émile   Borel ", "Emile_Borel"),
        ("O'Neill, Sœur", "O_Neill_Sur"),
        ("../../etc/passwd", "etc_passwd"),
        ("李 明", "u674e_u660e"),
        ("Анна", "u410u43du43du430"),
        ("राम", "u930u93eu92e"),
        ("\u1112\u1161\u11ab", "ud55c"),  # 한, as some systems take it apart
        ("…", ""),
        ("x" * 99, "x" * 64),
    ],
)
def test_names_of_people_become_names_of_networks(person, network):
    assert network_name(person) == network


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("Ada\u202e Love\u2066lace", "Ada Lovelace"),
        ("Ada\x1b[2J", "Ada [2J"),
        ("Ada\n\u00a0Lovelace", "Ada Lovelace"),
        ("میرزا\u200cخانی", "میرزا\u200cخانی"),
        ("A\u0336da" + 30 * "\u0336" + " B", "A\u0336da" + 5 * "\u0336" + " B"),
        ("Zoe\u0308", "Zoë"),
    ],
)
def test_a_name_is_one_line_and_turns_no_other_text_around(tmp_path, cell, name):
    (person,) = read_roster(written(tmp_path, f'name\n"{cell}"\n')).people
    assert person.name == name


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("name\nAda\nKurt\n", ["Ada", "Kurt"]),
        ("mail,Name\na@b.c,Ada B\n", ["Ada_B"]),
        ("Ada\n\nKurt\n", ["Ada", "Kurt"]),
        ("name;mail\nAda B;a@b.c\n", ["Ada_B"]),
        ("\ufeffname\r\nAda\r\n", ["Ada"]),
        ("name,phone,note\nAda,+33 6 12,-\n", ["Ada"]),
    ],
)
def test_names_are_read_from_a_csv(tmp_path, text, names):
    assert [one.network for one in read_roster(written(tmp_path, text)).people] == names


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "there are no names in"),
        (b"name\n", "there are no names in"),
        (b"name\nAda\nada\n", r"'ada' looks like 'Ada'"),
        ("name\nAlice\nАlice\n".encode(), "looks like 'Alice'"),  # a Cyrillic A
        (b"name\nAlice\nBob\nAIice\n", r"'AIice' looks like 'Alice'"),
        ("name\n…\n".encode(), "without a usable name"),
        (b"name\n=WEBSERVICE(C2)\n", "without a usable name"),
        (b"name,note\nAda,=WEBSERVICE(C2)\n", "a cell that a spreadsheet would compute"),
        (b"name,note\nAda,+cmd|x\n", "a cell that a spreadsheet would compute"),
        (b"mail,name\na@b.c\n", "without a usable name"),
        (b"PK\x03\x04", "is a workbook and not text: save it as CSV"),
        (b"\xff\xfen", "is not a table of text"),
        (b"name\n\x81\n", "is not a table of text"),
    ],
)
def test_a_csv_that_is_wrong_is_said(tmp_path, content, said):
    path = written(tmp_path, content)
    with pytest.raises(OptionsError, match=said):
        refuse_lookalikes(path, read_roster(path).people)
