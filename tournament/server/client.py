"""Hand a file in over the network: the other end of the server, with the standard library alone."""

import http.client
import json
import os
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote, urlsplit

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from golois.kit.console import Console
from tournament.errors import SubmissionError, TournamentError
from tournament.intake import Fault, Manifest, Verdict
from tournament.intake.faults import printable
from tournament.server import limits

LATER = (
    HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT,
)
Show = Callable[..., None]  # a text, and how much is done, 0 to 1
WITHOUT_VERDICT = ("queued", "judging")
BROKEN = (http.client.HTTPException, ConnectionError, TimeoutError, ssl.SSLEOFError)
# What reading an answer raises if it is not from this kit's server.
STRANGE = (AttributeError, LookupError, TypeError, ValueError, RecursionError)
LOCAL = ("localhost", "127.0.0.1", "::1")


class LaterError(Exception):
    """The same request may succeed after so many seconds."""

    def __init__(self, reason: str, seconds: float):
        super().__init__(reason)
        self.seconds = seconds


@dataclass(frozen=True)
class HandedIn:
    """What came of a file: its verdict, whether it counts, and a sentence that says so."""

    verdict: Verdict
    counts: bool
    words: str


def hand_in(path: Path, url: str, token: str, message: str = "") -> HandedIn:
    """Send a file and a message, and wait for the verdict, through broken lines and restarts.

    Sending the same bytes again is safe: they are one upload.

    Raises:
        SubmissionError: the server refuses the request, or does not answer for half an hour.
        KeyboardInterrupt: its text says what is known about the file.
    """
    server = Server(url, token, message)
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    plain = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=plain) as progress:
        task = progress.add_task("asking the server", total=None)

        def show(text: str, done: float | None = None) -> None:
            if plain and progress.tasks[0].description != text:
                console.print(text, highlight=False)
            progress.update(task, description=text, completed=done or 0, total=1 if done else None)

        with understood(url):
            server.check(path, show)
            return _handed_in(_decided(server, path, show))


@contextmanager
def understood(url: str) -> Iterator[None]:
    """Raise a SubmissionError for an answer that is not from a server of this kit."""
    try:
        yield
    except TournamentError:
        raise
    except STRANGE as error:
        raise SubmissionError(
            f"{url} is not a server of this kit: its answer is in another format"
        ) from error


def _decided(server: "Server", path: Path, show: Show) -> dict[str, Any]:
    """Send a file, and return what the server says of it when it has a verdict."""
    state = "may have arrived; if so, it"
    try:
        described = server.upload(path, show)
        state = "is handed in and"
        while described["state"] in WITHOUT_VERDICT:
            show(printable(described["words"]))
            time.sleep(limits.POLL_SECONDS)
            described = server.patiently("GET", f"uploads/{described['id']}", show)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"stopped; {path} {state} will be judged: its verdict is on {server.url}"
        ) from None
    return described


class Server:
    """A server, and one's own token for it; SubmissionError if no token may go to the address.

    `option` is what gives the address on a command line.
    """

    def __init__(self, url: str, token: str, message: str = "", option: str = "--to"):
        self._message = message
        try:
            parts = urlsplit(url if "://" in url else f"https://{url}")
            self._host = parts.hostname or ""
            self._port = parts.port or (80 if parts.scheme == "http" else 443)
            self._host.encode("idna")
        except ValueError:
            self._host = ""
        if not self._host or parts.scheme not in ("http", "https"):
            raise SubmissionError(
                f"{option} needs an address such as https://go.example.edu, not {printable(url)}"
            )
        if parts.scheme == "http" and self._host not in LOCAL:
            raise SubmissionError(
                f"use https instead of {printable(url)}: with http, others on the network could "
                "read your token"
            )
        self._is_https = parts.scheme == "https"
        self._path = quote(parts.path.rstrip("/"), safe="/%")
        self.url, self._token, self._has_answered = printable(url), token, False

    def check(self, path: Path, show: Show) -> None:
        """Check early what the server would reject after the file was sent."""
        size = path.stat().st_size
        league = self.patiently("GET", "league", show, patience=limits.FIRST_AWAY_SECONDS)
        max_bytes = league["max_bytes"]
        if size > max_bytes:
            raise SubmissionError(
                f"{path} has {size:,} bytes: at most {max_bytes:,} are allowed; save it without "
                "its optimizer: model.save('net.h5', include_optimizer=False)"
            )
        self.patiently("GET", "me", show)

    def upload(self, path: Path, show: Show) -> dict[str, Any]:
        """Send the file, and return what the server says of it."""
        with path.open("rb") as content:
            return self.patiently("POST", "uploads", show, content)

    def patiently(
        self, method: str, name: str, show: Show, content: BinaryIO | bytes | None = None,
        patience: float = limits.AWAY_SECONDS, max_bytes: int | None = None,
    ) -> Any:
        """Return the answer to a request, retrying while it may still succeed.

        `content` is a file to hand in, or JSON. With `max_bytes` the answer is a file of so many.
        """
        give_up_at = time.monotonic() + patience
        pause = 1.0
        while True:
            try:
                return self.ask(method, name, show, content, max_bytes)
            except LaterError as later:
                wait = max(pause, later.seconds)
                if time.monotonic() + wait > give_up_at:
                    raise SubmissionError(f"{self.url} did not answer in time: {later}") from later
                show(f"{later}; again in {wait:.0f} s")
                time.sleep(wait)
                pause = min(2 * pause, 30.0)

    def ask(
        self, method: str, name: str, show: Show, content: BinaryIO | bytes | None = None,
        max_bytes: int | None = None,
    ) -> Any:
        """Ask once, as `patiently` does; raise LaterError where the answer may come later."""
        kind = http.client.HTTPSConnection if self._is_https else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=limits.REQUEST_SECONDS)
        try:
            if content is None or isinstance(content, bytes):
                path = f"{self._path}/api/{name}"
                connection.request(method, path, content, headers=self._headers())
            else:
                self._send(connection, f"{self._path}/api/{name}", content, show)
            answer = connection.getresponse()
            body = answer.read(limits.MAX_ANSWER if max_bytes is None else max_bytes)
        except ssl.SSLCertVerificationError as error:
            raise SubmissionError(
                f"the certificate of {self.url} is not valid: {error.verify_message}"
            ) from error
        except ssl.SSLError as error:
            if self._has_answered or isinstance(error, BROKEN):
                raise LaterError(f"no answer ({type(error).__name__})", 0) from error
            if error.reason != "WRONG_VERSION_NUMBER":
                why = f"no https connection to {self.url}: {error.reason}"
                raise SubmissionError(why) from error
            here = "; for a server on this machine, write http://" * (self._host in LOCAL)
            raise SubmissionError(f"{self.url} answers without https{here}") from error
        except (*BROKEN, OSError) as error:
            if not (self._has_answered or isinstance(error, BROKEN)):  # an invalid host name
                raise
            raise LaterError(f"no answer ({type(error).__name__})", 0) from error
        finally:
            connection.close()
        self._has_answered = True
        if max_bytes is not None and answer.status == HTTPStatus.OK:
            return body
        return self._read(answer.status, answer.headers, body)

    def _send(
        self, connection: http.client.HTTPConnection, path: str, content: BinaryIO, show: Show
    ) -> None:
        content.seek(0)
        size = os.fstat(content.fileno()).st_size
        name = os.path.basename(os.fsencode(content.name))
        headers = {
            **self._headers(), "Content-Type": "application/octet-stream",
            "Content-Length": str(size), "X-File-Name": quote(name),
            "X-Message": quote(self._message),
        }
        # The server may have answered before the end; if not, the missing answer is reported.
        with suppress(BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
            connection.request("POST", path, _pieces(content, size, show), headers)

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}

    def _read(self, status: int, headers: http.client.HTTPMessage, body: bytes) -> Any:
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            answer = None
        problem = answer.get("problem") if isinstance(answer, dict) else None
        said = printable(str(problem or f"status {status}"))
        if status in LATER:
            after = headers.get("Retry-After", "")
            raise LaterError(said, int(after) if after.isdecimal() else 0)
        if 300 <= status < 400:
            raise SubmissionError(
                f"{self.url} redirects to "
                f"{printable(headers.get('Location', 'nowhere'))}; use that address"
            )
        if status >= 400 or answer is None:
            raise SubmissionError(f"{self.url} answered: {said}")
        return answer


def _pieces(content: BinaryIO, size: int, show: Show) -> Iterator[bytes]:
    sent = 0
    while piece := content.read(limits.CHUNK):
        yield piece
        sent += len(piece)
        show("sending", sent / size)


def _handed_in(described: dict[str, Any]) -> HandedIn:
    faults = tuple(
        Fault(printable(fault["text"]), printable(fault["remedy"])) for fault in described["faults"]
    )
    words = printable(described["words"])
    if described["state"] == "unjudged":
        raise SubmissionError(words)
    manifest = described["manifest"]
    verdict = Verdict(
        described["state"] == "accepted", faults, manifest and Manifest.from_json(manifest), None
    )
    return HandedIn(verdict, described["standing"] == "counts", words)
