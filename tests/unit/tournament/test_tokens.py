"""Tokens: shown once, kept as hashes, compared whole, revoked at once."""

import csv
import hashlib
import hmac
import os
import stat
from contextlib import closing

import pytest

from tests.fake_arena import file_network, tiny_network
from tests.runs import tournament
from tournament.errors import OptionsError
from tournament.league.league import League
from tournament.league.work import Work
from tournament.server.ledger import open_ledger
from tournament.server.tokens import IDS, STUDENT, TEACHER, Holder, Tokens


@pytest.fixture
def tokens(tmp_path) -> Tokens:
    return Tokens(open_ledger(tmp_path))


def issued(tokens: Tokens, *names: str, role: str = STUDENT) -> dict[str, str]:
    shown: dict[str, str] = {}
    tokens.issue(names, role, shown.update)
    return shown


def test_a_token_says_whose_it_is(tokens):
    shown = issued(tokens, "Ada", "Kurt")
    assert tokens.holder(shown["Ada"]) == Holder("Ada", STUDENT)
    assert tokens.holder(shown["Kurt"]) == Holder("Kurt", STUDENT)
    teacher = issued(tokens, "Emmy", role=TEACHER)["Emmy"]
    assert tokens.holder(teacher) == Holder("Emmy", TEACHER)
    assert tokens.students() == ["Ada", "Kurt"]
    for wrong in ("", "x", shown["Ada"][:-1], shown["Ada"] + "x", "é" * 40, "x" * 100_000):
        assert tokens.holder(wrong) is None


def test_tokens_are_random_and_only_their_hashes_are_kept(tokens, tmp_path):
    shown = issued(tokens, *(f"student{i}" for i in range(60)))
    assert len(set(shown.values())) == 60
    assert all(len(token) == 64 for token in shown.values())  # 256 bits in hexadecimal
    kept = b"".join(path.read_bytes() for path in (tmp_path / "hand_in").iterdir())
    for token in shown.values():
        assert token.encode() not in kept
        assert hashlib.sha256(token.encode()).hexdigest().encode() in kept
    assert stat.S_IMODE((tmp_path / "hand_in").stat().st_mode) == 0o700


@pytest.mark.parametrize("like", ["alice", "AIice", "Alice.", "A1ice"])
def test_a_name_that_looks_like_another_gets_no_token(tokens, like):
    issued(tokens, "Alice", "Bob")
    with pytest.raises(OptionsError, match=f"'{like}' looks like 'Alice', which has a token"):
        issued(tokens, "Kurt", like)
    assert tokens.students() == ["Alice", "Bob"]


def test_a_revoked_token_is_worth_nothing_and_its_name_gets_another(tokens):
    token = issued(tokens, "Ada")["Ada"]
    tokens.revoke("Ada")
    assert tokens.holder(token) is None and tokens.students() == []
    with pytest.raises(OptionsError, match="'Ada' has no token; the names with one are: none"):
        tokens.revoke("Ada")
    another = issued(tokens, "Ada")["Ada"]
    assert another != token and tokens.holder(another) == Holder("Ada", STUDENT)


def test_a_new_token_ends_the_one_before(tokens):
    first = issued(tokens, "Ada")["Ada"]
    second = tokens.reissue("Ada")
    assert tokens.holder(first) is None and tokens.holder(second) == Holder("Ada", STUDENT)
    tokens.revoke("Ada", STUDENT)
    assert tokens.holder(tokens.reissue("Ada")) == Holder("Ada", STUDENT)
    teachers = issued(tokens, "Emmy", role=TEACHER)["Emmy"]
    with pytest.raises(OptionsError, match="'Emmy' is not a student"):
        tokens.reissue("Emmy")
    with pytest.raises(OptionsError, match="'Emmy' has no token"):
        tokens.revoke("Emmy", STUDENT)
    with pytest.raises(OptionsError, match="looks like 'Ada'"):
        tokens.reissue("ada")
    assert tokens.holder(teachers) == Holder("Emmy", TEACHER)


def test_tokens_that_could_not_be_shown_do_not_count_and_whoever_has_one_keeps_it(tokens):
    def fail(made: dict[str, str]) -> None:
        raise OSError("no place")

    with pytest.raises(Exception, match="no place"):
        tokens.issue(["Ada"], STUDENT, fail)
    assert tokens.students() == []
    first = issued(tokens, "Ada")
    assert issued(tokens, "Ada", "Kurt").keys() == {"Kurt"}
    assert tokens.holder(first["Ada"]) == Holder("Ada", STUDENT)


@pytest.mark.parametrize("which", ["first", "last", "none"])
def test_every_hash_is_compared_in_constant_time(tokens, monkeypatch, which):
    shown = list(issued(tokens, *(f"student{i}" for i in range(9))).values())
    compared = []
    original = hmac.compare_digest

    def counted(one: str, other: str) -> bool:
        compared.append((len(one), len(other)))
        return original(one, other)

    monkeypatch.setattr(hmac, "compare_digest", counted)
    tokens.holder({"first": shown[0], "last": shown[-1], "none": "x"}[which])
    assert compared == [(64, 64)] * 9


def test_the_command_shows_tokens_once_in_a_file_for_nobody_else(tmp_path):
    league, students = tmp_path / "league", tmp_path / "students.csv"
    students.write_text("name\nAda Lovelace\nKurt\n")
    before = os.umask(0o022)
    try:
        code, out, errors = tournament("tokens", students, "--league", league)
    finally:
        os.umask(before)
    assert (code, errors) == (0, "") and "2 new tokens" in out
    shown = tmp_path / "students.tokens.csv"
    assert stat.S_IMODE(shown.stat().st_mode) == 0o600
    rows = list(csv.DictReader(shown.open()))
    assert [row["network"] for row in rows] == ["Ada_Lovelace", "Kurt"]
    assert all(row["token"] not in out for row in rows)
    assert list(rows[0]) == ["name", "network", "token"]
    assert Tokens(open_ledger(league)).holder(rows[0]["token"]).name == "Ada_Lovelace"
    again = ("tokens", students, "--league", league)
    kept = shown.read_bytes()
    said = tournament(*again)
    assert said.code == 0 and "have a token" in said.out and shown.read_bytes() == kept
    students.write_text("name,student id\nAda Lovelace,1\nKurt,2\nEmmy,3\n")
    assert "its tokens are stored nowhere else" in tournament(*again).refusal
    assert "Emmy" not in Tokens(open_ledger(league)).noted(IDS)
    shown.unlink()
    assert "1 new token" in tournament(*again).out and shown.exists()


def test_a_name_that_looks_like_one_of_the_league_gets_no_token(tmp_path):
    """Also a pseudonym, which is not made of the person's name."""
    file_network(League(tmp_path / "league"), "Alice", tiny_network(0), tmp_path)
    students = tmp_path / "students.csv"
    students.write_text("name,network\nBob,AIice\n")
    command = ("tokens", students, "--league", tmp_path / "league")
    assert "'AIice' looks like 'Alice'" in tournament(*command).refusal
    students.write_text("name,network\nBob,Alice\n")
    assert tournament(*command).code == 0


def test_the_command_makes_and_revokes_the_teachers(tmp_path):
    league = tmp_path / "league"
    code, out, _ = tournament("tokens", "--teacher", "Emmy", "--league", league)
    assert code == 0
    assert Tokens(open_ledger(league)).holder(out.strip()) == Holder("Emmy", TEACHER)
    for option, name, said in (
        ("--teacher", "Emmy", "this name has a token"),
        ("--revoke", "Ada", "the names with one are: Emmy"),
    ):
        assert said in tournament("tokens", option, name, "--league", league).refusal
    assert tournament("tokens", "--revoke", "Emmy", "--league", league).code == 0
    assert Tokens(open_ledger(league)).holder(out.strip()) is None


def test_a_worker_and_a_student_of_one_name_are_both_revoked(tmp_path):
    league, students = tmp_path / "league", tmp_path / "students.csv"
    students.write_text("name\nAda\n")
    assert tournament("tokens", students, "--league", league).code == 0
    assert tournament("tokens", "--worker", "Ada", "--league", league).code == 0
    assert tournament("tokens", "--revoke", "Ada", "--league", league).code == 0
    assert Tokens(open_ledger(league)).holders() == []
    with closing(Work(league)) as work:
        assert Tokens(work.journal).holders() == []


MOODLE = (
    '\ufeff"Last name";"First name";"ID number";Institution\n'
    'Borel;Émile;22001;"Paris; Dauphine"\n'
)


def test_the_file_of_tokens_keeps_every_column_for_a_mail_merge(tmp_path):
    league, students = tmp_path / "league", tmp_path / "students.csv"
    students.write_text(MOODLE, encoding="utf-8")
    assert tournament("tokens", students, "--league", league)[0] == 0
    content = (tmp_path / "students.tokens.csv").read_text(encoding="utf-8")
    titles, row = csv.reader(content.removeprefix("\ufeff").splitlines(), delimiter=";")
    assert titles == ["Last name", "First name", "ID number", "Institution", "network", "token"]
    assert row[:5] == ["Borel", "Émile", "22001", "Paris; Dauphine", "Emile_Borel"]
    tokens = Tokens(open_ledger(league))
    assert tokens.holder(row[5]) == Holder("Emile_Borel", STUDENT)
    assert tokens.noted(IDS) == {"Emile_Borel": "22001"}


def test_a_column_that_is_not_known_is_asked_for(tmp_path):
    league, students = tmp_path / "league", tmp_path / "students.csv"
    students.write_text("Etudiant,Email\nAda Lovelace,a@b.c\n")
    said = tournament("tokens", students, "--league", league).refusal
    assert "which column has the names? Its first row is 'Etudiant', 'Email'" in said
    columns = ("--columns", "name=Etudiant")
    said = tournament("tokens", "--teacher", "Emmy", "--league", league, *columns).refusal
    assert "--columns names columns of STUDENTS.csv: give this file too" in said
    assert tournament("tokens", students, "--league", league, *columns)[0] == 0
    assert Tokens(open_ledger(league)).students() == ["Ada_Lovelace"]
