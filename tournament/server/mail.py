"""E-mails to students: the verdicts of their files, and their place in each published table.

The server's tables note each e-mail before it is sent, so none is sent twice. An e-mail that could
not be sent is due again.
"""

import json
import os
import smtplib
import ssl
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid, parseaddr
from pathlib import Path

from golois.kit.files import write_whole
from tournament.errors import TournamentError
from tournament.league.journal import Journal
from tournament.league.league import League
from tournament.league.mail_settings import MailSettings
from tournament.server import limits
from tournament.server.ledger import open_ledger
from tournament.server.tokens import EMAILS, Tokens

PASSWORD = "TOURNAMENT_SMTP_PASSWORD"  # a variable of the environment
BEGUN = "mail_begun"
SENDING, SENT, REFUSED, NOT_SENT = "sending", "sent", "refused", "not sent"
SMTPS_PORT = 465
THIS_MACHINE = ("localhost", "127.0.0.1")
Send = Callable[[str, EmailMessage], None]


class MailError(TournamentError, RuntimeError):
    """E-mails that are not sent; they are due again, unless one may have been sent."""


class RefusedError(Exception):
    """The mail server will never take an e-mail for this address."""


class MaybeSentError(Exception):
    """The connection broke after the e-mail was handed over."""


@dataclass(frozen=True)
class Letter:
    """An e-mail to the student with the network `name`; `key` tells it apart from all others."""

    key: str
    name: str
    subject: str
    text: str


def deliver(folder: Path) -> None:
    """Send the e-mails that are due in a league, if its `league.toml` has the table [mail].

    The first call sends nothing: what has happened before is not told.

    Raises:
        MailError: some could not be sent.
        OptionsError: `league.toml` is not valid.
    """
    with closing(League(folder, create=False)) as league:
        settings = league.settings()
        if settings.mail is None:
            return
        with closing(open_ledger(folder)) as ledger:
            addresses = Tokens(ledger).noted(EMAILS)
            due = _due(ledger, [*_verdicts(ledger), *_places(league)], addresses)
            messages = [
                (letter.key, _message(settings.mail.sender, settings.title, letter, addresses))
                for letter in due
            ]
            if messages:
                _send_all(ledger, settings.mail, folder, messages)


def _due(ledger: Journal, letters: list[Letter], addresses: dict[str, str]) -> list[Letter]:
    """Return the letters that are to be sent; note others, which are not sent later either."""
    with ledger.transaction():
        is_first = ledger.insert("header", {"key": BEGUN, "value": "true"})
        for letter in letters:
            if is_first or letter.name not in addresses:
                _claim(ledger, letter.key, NOT_SENT)
    return [one for one in letters if ledger.header(f"mail/{one.key}") is None]


def _claim(ledger: Journal, key: str, state: str) -> bool:
    """Note the state of an e-mail, inside a transaction; return False if it has a state already."""
    return ledger.insert("header", {"key": f"mail/{key}", "value": json.dumps(state)})


def _verdicts(ledger: Journal) -> Iterator[Letter]:
    rows = ledger.execute(
        "SELECT id, owner, file_name, state, faults FROM uploads"
        " WHERE state IN ('accepted', 'refused') AND NOT EXISTS"
        " (SELECT 1 FROM header WHERE key = 'mail/' || state || '/' || id) ORDER BY number"
    ).fetchall()
    for upload_id, owner, file_name, state, faults in rows:
        told = f"{file_name} was {state}"
        listed = [
            f"{number}. {text}\n   {remedy}\n"
            for number, (text, remedy) in enumerate(json.loads(faults), start=1)
        ]
        text = "\n".join([f"Your file {told}.\n", *listed])
        yield Letter(f"{state}/{upload_id}", owner, told, text)


def _places(league: League) -> Iterator[Letter]:
    """Yield the place of each network in each table that is published."""
    run = league.weeks.of_run()
    weeks = {week.label for week in league.weeks.all() if week.kept_at}
    if run is not None and run.is_over and run.is_kept:
        weeks.add(run.label)
    placings = [one for one in league.weeks.placings() if one.week in weeks]
    written = league.written_names.all()
    for one in placings:
        num_networks = sum(other.week == one.week for other in placings)
        yield Letter(
            f"week/{one.week}/{one.name}", one.name, f"the table of {one.week}",
            f"The table of {one.week} is published.\n\n{written.get(one.name, one.name)} has rank "
            f"{one.rank} of {num_networks} ({one.rank_low} to {one.rank_high} at 95 %), "
            f"{one.elo:+.0f} ± {one.elo_halfwidth:.0f} Elo, and has won {one.num_wins} of "
            f"{one.num_games} games.\n",
        )


def _message(
    sender: str, title: str, letter: Letter, addresses: dict[str, str]
) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"] = sender, addresses[letter.name]
    message["Subject"] = f"{title}: {letter.subject}"
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=parseaddr(sender)[1].rpartition("@")[2])
    message.set_content(letter.text, cte="quoted-printable")
    return message


def _send_all(
    ledger: Journal, mail: MailSettings, folder: Path, messages: list[tuple[str, EmailMessage]]
) -> None:
    problems = []
    try:
        with _outlet(mail, folder) as send:
            for key, message in messages:
                if problem := _send(ledger, key, message, send):
                    problems.append(problem)
    except UnicodeError:  # whose text may have letters of the password
        problems = problems or ["the host is no name, or user or password are not ASCII"]
    except OSError as error:
        problems = problems or [str(error)]
    if problems:
        raise MailError(f"e-mails are not sent: {problems[0]}")


def _send(ledger: Journal, key: str, message: EmailMessage, send: Send) -> str:
    """Send one e-mail; return what failed, or an empty text."""
    with ledger.transaction():
        if not _claim(ledger, key, SENDING):
            return ""  # another process has it
    try:
        send(key, message)
    except MaybeSentError as error:
        return f"one to {message['To']} may be on its way, and is not sent again ({error})"
    except RefusedError as error:
        state, problem = REFUSED, f"{message['To']} is refused, and is not tried again ({error})"
    except OSError as error:
        with ledger.transaction():
            ledger.execute("DELETE FROM header WHERE key = ?", (f"mail/{key}",))
        return f"{message['To']}: {error}"
    else:
        state, problem = SENT, ""
    with ledger.transaction():
        ledger.set_header(f"mail/{key}", state)
    return problem


@contextmanager
def _outlet(mail: MailSettings, folder: Path) -> Iterator[Send]:
    """What sends an e-mail: to a file of a folder, or to the mail server, connected once."""
    if mail.host is None:
        files = folder / "mail"
        files.mkdir(mode=0o700, exist_ok=True)
        yield lambda key, message: write_whole(
            files / f"{key.replace('/', '-')}.eml", message.as_bytes(policy=SMTP)
        )
        return
    with _connected(mail, mail.host) as server:
        yield lambda key, message: _hand_over(server, message)


@contextmanager
def _connected(mail: MailSettings, host: str) -> Iterator[smtplib.SMTP]:
    context, is_safe = ssl.create_default_context(), host in THIS_MACHINE
    if mail.port == SMTPS_PORT:
        connection: smtplib.SMTP = smtplib.SMTP_SSL(
            host, mail.port, timeout=limits.SMTP_SECONDS, context=context
        )
        is_safe = True
    else:
        connection = smtplib.SMTP(host, mail.port, timeout=limits.SMTP_SECONDS)
    with connection as server:
        server.ehlo_or_helo_if_needed()
        if not is_safe and server.has_extn("starttls"):
            server.starttls(context=context)
            server.ehlo()
            is_safe = True
        if mail.user is not None:
            if not is_safe:
                raise OSError(f"{host} offers no TLS, so the password is not sent")
            server.login(mail.user, os.environ.get(PASSWORD, ""))
        yield server


def _hand_over(server: smtplib.SMTP, message: EmailMessage) -> None:
    """Give an e-mail to the mail server; an OSError says that the server did not take it."""
    server.rset()
    sender = parseaddr(message["From"])[1]
    code, said = server.mail(sender)
    if code != 250:
        raise smtplib.SMTPSenderRefused(code, said, sender)
    code, said = server.rcpt(message["To"])
    if code >= 500:
        raise RefusedError(said.decode(errors="replace"))
    if code not in (250, 251):
        raise smtplib.SMTPResponseException(code, said)
    try:
        code, said = server.data(message.as_bytes(policy=SMTP))
    except smtplib.SMTPDataError:  # before the e-mail itself
        raise
    except OSError as error:
        raise MaybeSentError(str(error)) from error
    if code != 250:
        raise smtplib.SMTPDataError(code, said)
