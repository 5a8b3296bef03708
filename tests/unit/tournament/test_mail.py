"""E-mails: whom they reach, and that none is lost or sent twice, whatever the mail server does."""

import base64
import stat
from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest

from tests.fake_arena import league_of
from tests.fake_smtp import FakeSmtp, fake_smtp
from tests.runs import tournament
from tests.unit.tournament.test_weeks import MONDAY, SUNDAY, play
from tournament.errors import OptionsError
from tournament.league.league import League
from tournament.league.settings import FILE, read_settings
from tournament.server.ledger import open_ledger
from tournament.server.mail import PASSWORD, MailError, deliver

ROSTER = "name,email\nAda,ada@example.edu\nGrace,grace@example.edu\nKurt,\nÉmile Borel,no address\n"


@pytest.fixture
def smtp() -> Iterator[FakeSmtp]:
    with fake_smtp() as server:
        yield server


@pytest.fixture
def league(tmp_path) -> League:
    """A league of Ada, Grace and Kurt, of whom Kurt has no address."""
    league = league_of(tmp_path, ("Ada", "Grace", "Kurt"))
    roster = tmp_path / "students.csv"
    roster.write_text(ROSTER)
    assert tournament("tokens", roster, "--league", league.folder)[0] == 0
    return league


def configure(league: League, smtp: FakeSmtp | None = None, more: str = "") -> None:
    """Settings with this mail server or files, and the first call, which sends nothing."""
    server = f'smtp = "{smtp.address}"\n' if smtp else ""
    (league.folder / FILE).write_text(
        f"{more}title = 'Go <course>'\n[mail]\nfrom = '\"Go, a course\" <go@example.edu>'\n{server}"
    )
    deliver(league.folder)


def judge(league: League, upload: str, owner: str, state: str = "accepted", faults: str = "[]"):
    ledger = open_ledger(league.folder)
    with ledger.transaction():
        ledger.execute("DELETE FROM uploads WHERE id = ?", (upload,))
        ledger.insert("uploads", {
            "id": upload, "owner": owner, "file_name": "first.h5", "sha256": upload,
            "num_bytes": 1, "received_at": "2026-10-01T00:00:00.000000+00:00", "state": state,
            "num_failures": 0, "faults": faults,
        })
    ledger.close()


def text_of(message: EmailMessage) -> str:
    return message.get_content().replace("\r\n", "\n")


def told(smtp: FakeSmtp) -> list[tuple[str, str]]:
    return [(message["To"], message["Subject"]) for message in smtp.received]


ACCEPTED = ("ada@example.edu", "Go <course>: first.h5 was accepted")
REFUSED = ("ada@example.edu", "Go <course>: first.h5 was refused")


def test_a_verdict_is_told_once(league, smtp):
    judge(league, "old", "Ada")
    configure(league, smtp)
    judge(league, "a1", "Ada")
    judge(league, "g1", "Grace", "refused", '[["no é network", "hand in another"]]')
    judge(league, "k1", "Kurt")
    judge(league, "q1", "Ada", "queued")
    for _ in range(2):
        deliver(league.folder)
    assert told(smtp) == [
        ACCEPTED, ("grace@example.edu", "Go <course>: first.h5 was refused")
    ]
    assert smtp.received[0]["From"] == '"Go, a course" <go@example.edu>'
    assert text_of(smtp.received[1]) == (
        "Your file first.h5 was refused.\n\n1. no é network\n   hand in another\n"
    )
    assert len({message["Message-ID"] for message in smtp.received}) == 2
    judge(league, "a1", "Ada", "refused")  # an accepted file turns out to be a copy
    deliver(league.folder)
    assert told(smtp)[2:] == [REFUSED]


def test_without_a_mail_server_e_mails_are_files(league):
    configure(league)
    judge(league, "a1", "Ada")
    deliver(league.folder)
    folder = league.folder / "mail"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (path,) = folder.iterdir()
    message = message_from_bytes(path.read_bytes(), policy=default)
    assert path.name == "accepted-a1.eml"
    assert (message["To"], message["Subject"]) == ACCEPTED
    path.unlink()
    deliver(league.folder)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("command", ["MAIL", "RCPT", "DATA", "the end"])
def test_what_the_mail_server_does_not_take_now_is_sent_later(league, smtp, command):
    configure(league, smtp)
    judge(league, "a1", "Ada")
    judge(league, "g1", "Grace")
    smtp.replies[command] = "451 try again later"
    with pytest.raises(MailError, match=r"^e-mails are not sent: ada@example.edu: .*try again"):
        deliver(league.folder)
    num_given = len(smtp.received)  # and not taken
    smtp.replies.clear()
    for _ in range(2):
        deliver(league.folder)
    assert [to for to, _ in told(smtp)[num_given:]] == ["ada@example.edu", "grace@example.edu"]


@pytest.mark.parametrize("command", ["MAIL", "RCPT"])
def test_a_connection_that_breaks_loses_nothing(league, smtp, command):
    configure(league, smtp)
    judge(league, "a1", "Ada")
    judge(league, "g1", "Grace")
    smtp.breaks_after = command
    with pytest.raises(MailError):
        deliver(league.folder)
    smtp.breaks_after = ""
    for _ in range(2):
        deliver(league.folder)
    assert [to for to, _ in told(smtp)] == ["ada@example.edu", "grace@example.edu"]


def test_an_e_mail_that_may_be_on_its_way_is_not_sent_twice(league, smtp):
    configure(league, smtp)
    judge(league, "a1", "Ada")
    smtp.breaks_after = "the end"
    with pytest.raises(MailError, match="may be on its way, and is not sent again"):
        deliver(league.folder)
    smtp.breaks_after = ""
    deliver(league.folder)
    assert told(smtp) == [ACCEPTED]


def test_an_address_that_does_not_exist_is_tried_once_and_stops_no_other(league, smtp):
    configure(league, smtp)
    judge(league, "a1", "Ada")
    smtp.replies["RCPT"] = "550 nobody of that name"
    with pytest.raises(MailError, match="ada@example.edu is refused, and is not tried again"):
        deliver(league.folder)
    smtp.replies.clear()
    judge(league, "g1", "Grace")
    deliver(league.folder)
    assert [to for to, _ in told(smtp)] == ["grace@example.edu"]


def test_a_process_that_was_killed_while_it_sent_sends_nothing_twice(league, smtp, monkeypatch):
    configure(league, smtp)
    judge(league, "a1", "Ada")

    class Killed(BaseException):
        pass

    def die(*_):
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr("tournament.server.mail._hand_over", die)
        deliver(league.folder)
    deliver(league.folder)
    assert told(smtp) == []


def test_a_mail_server_that_is_away_stops_no_command(league, tmp_path):
    with fake_smtp() as gone:
        configure(league, gone)
    play(league, SUNDAY)
    code, out, errors = tournament("report", "--league", league.folder)
    assert code == 0 and "page: " in out
    assert errors.startswith("e-mails are not sent: ") and errors.count("\n") == 1
    with fake_smtp() as smtp:
        path = league.folder / FILE
        path.write_text(path.read_text().replace(gone.address, smtp.address))
        for _ in range(2):
            assert tournament("report", "--league", league.folder).errors == ""
        assert len(smtp.received) == 2


def test_a_published_table_is_told_with_the_own_place(league, smtp):
    play(league, SUNDAY)
    configure(league, smtp)
    deliver(league.folder)
    assert smtp.received == [], "what has happened before is not told"
    play(league, MONDAY, rounds=2, stop_after=3)
    deliver(league.folder)
    assert smtp.received == [], "games of the table are missing"
    play(league, MONDAY, rounds=2)
    for _ in range(2):
        deliver(league.folder)
    assert told(smtp) == [
        (f"{name}@example.edu", "Go <course>: the table of 2026-W11") for name in ("ada", "grace")
    ]
    text = text_of(smtp.received[0])
    (first, *_) = [one for one in league.weeks.placings() if one.week == "2026-W11"]
    assert text.startswith("The table of 2026-W11 is published.\n\nAda has rank 1 of 3 (1 to ")
    assert f"{first.elo:+.0f} ± {first.elo_halfwidth:.0f} Elo" in text
    assert "has won 8 of 8 games" in text


def test_a_hidden_table_is_told_when_it_is_revealed(league, smtp):
    configure(league, smtp, "hidden = true\n")
    play(league, SUNDAY)
    assert tournament("report", "--league", league.folder).errors == ""
    assert smtp.received == []
    assert tournament("reveal", "--league", league.folder)[0] == 0
    assert len(smtp.received) == 2


def test_the_password_comes_from_the_environment(league, smtp, monkeypatch):
    monkeypatch.setenv(PASSWORD, "s3cret")
    configure(league, smtp)
    path = league.folder / FILE
    path.write_text(f'{path.read_text()}user = "go"\n')
    judge(league, "a1", "Ada")
    deliver(league.folder)
    assert [base64.b64decode(login) for login in smtp.logins] == [b"\0go\0s3cret"]
    assert told(smtp) == [ACCEPTED]


def test_the_password_leaves_this_machine_with_tls_only(league, smtp):
    configure(league, smtp)
    path = league.folder / FILE
    path.write_text(f'{path.read_text()}user = "go"\n'.replace("127.0.0.1", "0.0.0.0"))
    judge(league, "a1", "Ada")
    with pytest.raises(MailError, match="offers no TLS, so the password is not sent"):
        deliver(league.folder)
    assert smtp.logins == []


@pytest.mark.parametrize("host", ["127.0.0.1", "smtp..edu"])
def test_letters_that_smtp_has_not_are_a_problem_of_the_mail(league, smtp, monkeypatch, host):
    """It sends a user and a password in ASCII, and hosts without empty parts."""
    monkeypatch.setenv(PASSWORD, "pässwort")
    configure(league, smtp)
    path = league.folder / FILE
    path.write_text(f'{path.read_text()}user = "go"\n'.replace("127.0.0.1", host))
    judge(league, "a1", "Ada")
    with pytest.raises(MailError, match="the host is no name, or user"):
        deliver(league.folder)
    assert tournament("report", "--league", league.folder)[0] == 0


def test_without_the_table_there_is_no_e_mail(league):
    judge(league, "a1", "Ada")
    deliver(league.folder)
    assert not (league.folder / "mail").exists()
    assert read_settings(league.folder).mail is None


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("smtp = 'a'", "needs an address as its from"),
        ("from = 'nobody'", "needs an address as its from"),
        ("from = 'a@b.c, d@e.f'", "needs an address as its from"),
        ('from = "a@b.c\\nBcc: d@e.f"', "from in [mail] must be a text"),
        ("from = 3", "from in [mail] must be a text, not 3"),
        ("from = 'a@b.c'\nsmtp = 'host:port'", "smtp in [mail] must be like"),
        ("from = 'a@b.c'\nsmtp = ':25'", "smtp in [mail] must be like"),
        ("from = 'a@b.c'\nsmtp = 'host:99999'", "smtp in [mail] must be like"),
        ("from = 'a@b.c'\nuser = 'go'", "has a user and no smtp"),
        ("from = 'a@b.c'\npassword = 'x'", "[mail] has no 'password': its keys are from, smtp"),
    ],
)
def test_a_wrong_table_is_one_sentence(tmp_path, table, said):
    (tmp_path / FILE).write_text(f"[mail]\n{table}\n")
    with pytest.raises(OptionsError) as refusal:
        read_settings(tmp_path)
    assert said in str(refusal.value) and str(refusal.value).startswith(str(tmp_path / FILE))


def test_mail_is_a_table(tmp_path):
    (tmp_path / FILE).write_text("mail = true\n")
    with pytest.raises(OptionsError, match=r"mail must be a table, \[mail\]"):
        read_settings(Path(tmp_path))
