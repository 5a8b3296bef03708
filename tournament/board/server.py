"""The page and its answers over HTTP, for the browser of this machine alone."""

import json
import select
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from typing_extensions import override

from golois.errors import GoloisError
from tournament.board.answers import Answers
from tournament.board.networks import SharedNetwork, SharedPlayer
from tournament.errors import NetworkError, TournamentError
from tournament.report.site import ASSETS as REPORT_ASSETS
from tournament.web import HEADERS, listen

HOST = "127.0.0.1"
HTTP_PORT = 80
MAX_BYTES = 1 << 25  # a collection of games may be large; its first game is read
ASSETS = Path(__file__).parent / "assets"
FILES = {
    "/": ASSETS / "page.html",
    "/style.css": REPORT_ASSETS / "style.css",
    **{f"/{name}": REPORT_ASSETS / name for name in ("board.js", "chart.js", "replay.js")},
    **{f"/{name}": ASSETS / name for name in ("page.css", "asking.js", "seen_board.js")},
    **{f"/{name}": ASSETS / name for name in ("words.js", "reading.js", "page.js")},
}
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


class Refused(Exception):
    """A request that gets no answer: a status, and why in a sentence."""

    def __init__(self, status: HTTPStatus, why: str):
        super().__init__(why)
        self.status = status


class Left(Exception):
    """Whoever asked has closed the connection."""


class BoardServer(ThreadingHTTPServer):
    """Serves the page until it is stopped, each request in a thread; port 0 means any free port.

    A port that cannot be listened on raises an OptionsError. `offer` brings the networks.
    """

    daemon_threads = True

    def __init__(self, port: int):
        self.offer([])
        super().__init__((HOST, port), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listen(HOST, port, f"port {port}")
        self.server_port = self.socket.getsockname()[1]
        # Other names of this machine are another page's, whose author chose where they lead.
        self.hosts = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}
        if self.server_port == HTTP_PORT:  # which browsers leave out
            self.hosts |= {HOST, "localhost"}

    def offer(
        self, networks: Sequence[SharedNetwork], players: Sequence[SharedPlayer] = ()
    ) -> None:
        """Let the page play against these networks and players, from its next question on."""
        self.answers = Answers(networks, players)

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: BoardServer
    timeout = 60  # seconds, for a request to arrive

    def do_GET(self) -> None:
        """Send a file of the page."""
        self._answer(self._file)

    def do_POST(self) -> None:
        """Send what a request asks, as JSON."""
        self._answer(self._answered)

    def _answer(self, find: Callable[[], tuple[str, bytes]]) -> None:
        try:
            self._check_sender()
            self._send(HTTPStatus.OK, *find())
        except (Left, ConnectionError, TimeoutError):
            return
        except Refused as refused:
            self._send_problem(refused.status, refused)
        except NetworkError as error:
            self._send_problem(HTTPStatus.INTERNAL_SERVER_ERROR, error)
        except (TournamentError, GoloisError) as error:
            self._send_problem(HTTPStatus.BAD_REQUEST, error)

    def _check_sender(self) -> None:
        """Refuse what another page's script sends, by any address."""
        host, origin = self.headers.get("Host"), self.headers.get("Origin")
        if host not in self.server.hosts:
            raise Refused(HTTPStatus.FORBIDDEN, f"this server is {self.server.address}")
        if origin is not None and origin != f"http://{host}":
            raise Refused(HTTPStatus.FORBIDDEN, "another page may not ask this server")

    def _file(self) -> tuple[str, bytes]:
        path = FILES.get(self.path.partition("?")[0])
        if path is None:
            raise Refused(HTTPStatus.NOT_FOUND, f"there is no page {self.path[:100]}")
        return f"{TYPES[path.suffix]}; charset=utf-8", path.read_bytes()

    def _answered(self) -> tuple[str, bytes]:
        answer = self.server.answers.by_path.get(self.path)
        if answer is None:
            raise Refused(HTTPStatus.NOT_FOUND, f"there is nothing at {self.path[:100]}")
        return _as_json(answer(self._body(), self._stay))

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "the request has no Content-Length")
        if len(length) > 8 or int(length) > MAX_BYTES:
            raise Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has up to {MAX_BYTES:,} bytes"
            )
        return self.rfile.read(int(length))

    def _stay(self) -> None:
        """Raise Left if the connection is closed; nothing else comes after the body."""
        readable, _, _ = select.select([self.connection], [], [], 0)
        if readable and not self.connection.recv(1):
            raise Left

    def _send_problem(self, status: HTTPStatus, problem: Exception) -> None:
        self._send(status, *_as_json({"problem": " ".join(str(problem).split())}))

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        headers = {
            "Content-Type": kind, "Content-Length": str(len(content)), "Cache-Control": "no-store",
        }
        try:
            self.send_response(status)
            for name, value in (headers | HEADERS).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except (ConnectionError, TimeoutError):
            return

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal is the user's."""


def _as_json(data: object) -> tuple[str, bytes]:
    return "application/json", json.dumps(data, allow_nan=False).encode()
