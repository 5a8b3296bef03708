"""Rosters as course systems export them: who is in them, and what goes back."""

import csv
import io
from pathlib import Path

import pytest

from tournament.errors import OptionsError
from tournament.league.names import network_name
from tournament.league.roster import read_columns, read_roster, refuse_lookalikes

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
    assert again.table.delimiter == roster.table.delimiter
    assert again.table.encoding == roster.table.encoding
    assert [one.cells for one in again.people] == [
        (*one.cells, one.id[-1]) for one in roster.people
    ]


CANVAS_WITH_POSTING = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Project (101),Final Score\n"
    ",,,,,Manual Posting,\n    Points Possible,,,,,20,(read only)\n"
    '"Alpha, Ada",11,s11,aalpha,S1,,\n"Beta, Bob",12,s12,bbeta,S1,18,90\n'
    '"{test}",99,,abc,S1,,\n'
)


@pytest.mark.parametrize("test", ["Student, Test", "Test Student", "test,student", "STUDENT TEST"])
@pytest.mark.parametrize("posting", ["Manual Posting", "Muted", "Manual Posting (scores hidden)"])
def test_nobody_is_made_of_canvas_s_own_rows(tmp_path, test, posting):
    text = CANVAS_WITH_POSTING.format(test=test).replace("Manual Posting", posting)
    roster = read_roster(written(tmp_path, text))
    assert [one.name for one in roster.people] == ["Ada Alpha", "Bob Beta"]
    assert [one.title for one in roster.assignments] == ["Project (101)"]


@pytest.mark.parametrize(("last", "first"), [("Student", "Test"), ("Test", "Student")])
def test_the_test_student_is_nobody_in_two_columns(tmp_path, last, first):
    titles = "LastName,FirstName,ID,Section,P (1)\n    Points Possible,,,,20\n"
    path = written(tmp_path, f"{titles}Alpha,Ada,1,A,\n{last},{first},9,A,\n")
    assert [one.name for one in read_roster(path).people] == ["Ada Alpha"]


def test_a_list_may_have_a_test_student_and_names_that_begin_as_a_workbook(tmp_path):
    """To try out a term."""
    people = read_roster(written(tmp_path, "name\nAda\nTest Student\n")).people
    assert [one.name for one in people] == ["Ada", "Test Student"]
    assert [one.name for one in read_roster(written(tmp_path, "PK Rao\nAda\n")).people] == [
        "PK Rao", "Ada"
    ]


@pytest.mark.parametrize("line", ["sep=;", "SEP=;", '"sep=;"', "sep=;;;", "\ufeffsep=;", "\nsep=;"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_excel_s_line_about_the_delimiter_is_read_and_not_a_row(tmp_path, line, end):
    """Other programs take it for the titles, so that it is not in the copy."""
    path = written(tmp_path, end.join([line, "Name;Note, or nothing, or much", "Ada B;x,y,z", ""]))
    roster = read_roster(path)
    assert [(one.name, one.cells) for one in roster.people] == [("Ada B", ("Ada B", "x,y,z"))]
    copy = roster.with_columns(["n"], lambda person: ["1"])
    assert copy.removeprefix(b"\xef\xbb\xbf").split(end.encode()) == [
        b"Name;Note, or nothing, or much;n", b"Ada B;x,y,z;1", b""
    ]


def test_excel_s_line_may_name_a_tab(tmp_path):
    (ada,) = read_roster(written(tmp_path, "sep=\t\nName\tID, or a number\nAda\t17\n")).people
    assert ada.cells == ("Ada", "17")
    with pytest.raises(OptionsError, match="line 3 of .* has more cells"):
        read_roster(written(tmp_path, "sep=;\nName;ID\nAda;17;18\n"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_read_with_a_mark_and_without(tmp_path, encoding):
    text = "sep=;\r\nName;ID\r\n李 明;17\r\nЗоя;18\r\n"
    roster = read_roster(written(tmp_path, text.encode(encoding)))
    assert [(one.name, one.id) for one in roster.people] == [("李 明", "17"), ("Зоя", "18")]
    copy = roster.with_columns([], lambda person: []).decode(encoding)
    assert copy == "Name;ID\r\n李 明;17\r\nЗоя;18\r\n"


OLE = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600)
NO_TABLES = {
    "xlsx": (b"PK\x03\x04rest", "a workbook"),
    "an empty zip": (b"PK\x05\x06" + bytes(18), "a workbook"),
    "xls": (OLE, "a workbook"),
    "xls of Excel 2": (b"\x09\x00\x04\x00\x02\x00\x10\x00", "a workbook"),
    "xls of Excel 4": (b"\x09\x04\x06\x00\x00\x00\x10\x00", "a workbook"),
    "html": (b"<html><table><tr><td>Name</td></tr></table></html>", "a web page"),
    "html after a mark": ("\ufeff\r\n <!DOCTYPE html>\n<table>".encode(), "a web page"),
    "html in UTF-16": ("<HTML><table><td>Name</td>".encode("utf-16"), "a web page"),
    "a table without a page": (b"<table><tr><th>Name</th></tr></table>", "a web page"),
    "mhtml": (b"MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n", "a web page"),
    "xml": (b'<?xml version="1.0"?>\n<Workbook xmlns="urn:x"><Row/></Workbook>', "a workbook"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF"),
}


@pytest.mark.parametrize("name", ["students.csv", "students.xls", "students.xlsx", "students"])
@pytest.mark.parametrize(("content", "kind"), NO_TABLES.values(), ids=NO_TABLES)
def test_what_is_no_text_is_refused_in_a_sentence_that_helps(tmp_path, name, content, kind):
    path = tmp_path / name
    path.write_bytes(content)
    expected = f"{name} is {kind} and not text: save it as CSV"
    with pytest.raises(OptionsError, match=expected) as said:
        read_roster(path)
    assert "CSV UTF-8" in str(said.value) and "\n" not in str(said.value)


@pytest.mark.parametrize(
    ("titles", "found"),
    [
        ("Student,ID,Section,A (1),B (2),Final Score (2026),Unposted Final Score",
         ["A (1)", "B (2)"]),
        ("name,Group (2),note", []),
        ("First name,Last name,Devoir : Projet (Brut),Total du cours (Brut)",
         ["Devoir : Projet (Brut)"]),
        ("First name,Last name,Oral (Real),Category total (Real),Course total (Real)",
         ["Oral (Real)"]),
        ("First name,Last name,Quiz: Rules (Real),Quiz: Rules (Percentage),Quiz: Rules (Letter)",
         ["Quiz: Rules (Real)"]),
        ("Last Name,First Name,Weighted Total [Total Pts: 100 Percentage] |1,"
         "A [Total Pts: 5.5 Score] |2", ["A [Total Pts: 5.5 Score] |2"]),
        ("name,Grade", ["Grade"]),
        ("name,Maximum Grade,Group", []),
    ],
)
def test_the_columns_of_assignments_are_found(tmp_path, titles, found):
    text = f"{titles}\n{','.join(['Ada'] * (titles.count(',') + 1))}\n"
    assert [one.title for one in read_roster(written(tmp_path, text)).assignments] == found


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


def test_a_title_may_be_empty_and_have_commas_where_it_is_given(tmp_path):
    roster = read_roster(written(tmp_path, "\tName\tID\n1\tAda\t17\n"))
    assert [(one.name, one.id) for one in roster.people] == [("Ada", "17")]
    assert read_columns("name=Name, first,id=Number") == {"name": "Name, first", "id": "Number"}


@pytest.mark.parametrize("text", ["Full name", "nom=x", "name=", ""])
def test_columns_that_are_wrong_are_said(text):
    with pytest.raises(OptionsError, match="--columns must be like name='Full name',id=Number"):
        read_columns(text)


def test_a_column_that_is_not_there_is_said(tmp_path):
    path = written(tmp_path, MOODLE)
    with pytest.raises(OptionsError, match="no column 'Name': it has First name, Last name"):
        read_roster(path, {"name": "Name"})


@pytest.mark.parametrize("asked", ["Nom de l’élève", "nom de l'élève", "Nom de l’e\u0301lève"])
@pytest.mark.parametrize("title", ["Nom de l’élève", "Nom de l'élève", "Nom de l’éle\u0300ve"])
def test_a_title_may_be_asked_for_with_other_apostrophes_and_accents(tmp_path, title, asked):
    path = written(tmp_path, f"{title},Groupe\nAda,1\n")
    assert [one.name for one in read_roster(path, {"name": asked}).people] == ["Ada"]


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
        ("name;mark\nAda;-0,5\n", ["Ada"]),
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
