"""What tests of the server share: one in a thread, requests to it, and networks to hand in."""

import http.client
import io
import json
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from tests.data import ROOT
from tournament.intake import JudgeOptions, judge
from tournament.server import limits
from tournament.server.ledger import open_ledger
from tournament.server.service import ServerOptions
from tournament.server.tokens import STUDENT, TEACHER, Tokens

NETWORK = ROOT / "data" / "networks" / "resnet" / "best.h5"
STUDENTS, THE_TEACHER = ("Ada", "Grace", "Kurt"), "Emmy"
UNTUNED = JudgeOptions()
QUICK_JUDGE = ROOT / "tests" / "quick_judge.py"


@dataclass(frozen=True)
class Answer:
    """What a server answers."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Client:
    """Whoever asks a server on this machine, with a token or none."""

    port: int
    token: str | None = None

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def get(self, path: str) -> Answer:
        return self.ask("GET", path)

    def hand_in(self, content: bytes, name: str = "net.h5") -> Answer:
        return self.ask("POST", "/api/uploads", content, X_File_Name=name)

    def verdict(self, upload_id: str) -> dict[str, Any]:
        """What becomes of an upload, once that is known."""
        return wait_for(lambda: self._decided(upload_id))

    def _decided(self, upload_id: str) -> dict[str, Any] | None:
        upload = self.get(f"/api/uploads/{upload_id}").data
        return None if upload["state"] in ("queued", "judging") else upload


@dataclass(frozen=True)
class Serving:
    """A server that is running: its league, and everybody's tokens."""

    league: Path
    port: int
    tokens: dict[str, str]

    def as_(self, name: str) -> Client:
        return Client(self.port, self.tokens[name])

    @property
    def anybody(self) -> Client:
        return Client(self.port)


@contextmanager
def serving(
    league: Path, tokens: dict[str, str], *, builds_site: bool = False, **options: Any
) -> Iterator[Serving]:
    """A server in a thread of this process, which a test may therefore change."""
    from tournament.server import live_site
    from tournament.server.serving import server_of

    async def no_site(folder: Path) -> None:
        """Building takes a second in another process."""

    asked = {"judge": UNTUNED, "refresh_seconds": 0.1, **options}
    server = server_of(ServerOptions(league, **asked))
    with pytest.MonkeyPatch.context() as patch, socket.create_server(("127.0.0.1", 0)) as listening:
        if not builds_site:
            patch.setattr(live_site, "report_apart", no_site)
        patch.setattr(limits, "LOOK_SECONDS", 0.2)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            wait_for(lambda: server.started or not thread.is_alive())
            yield Serving(league, listening.getsockname()[1], tokens)
        finally:
            server.should_exit = True
            thread.join()


def issue_tokens(league: Path, students: tuple[str, ...] = STUDENTS) -> dict[str, str]:
    """Tokens of students and of the teacher, by name."""
    shown: dict[str, str] = {}
    tokens = Tokens(open_ledger(league))
    tokens.issue(students, STUDENT, shown.update)
    tokens.issue([THE_TEACHER], TEACHER, shown.update)
    return shown


def network(number: int) -> bytes:
    """A good network of its own for every number, and nearly alike to no other one."""
    content, noise = io.BytesIO(NETWORK.read_bytes()), np.random.default_rng(number)

    def blur(name: str, weights: Any) -> None:
        if name.endswith(("kernel", "kernel:0")):
            weights[...] += noise.normal(0, 0.05, weights.shape).astype(np.float32)

    with h5py.File(content, "r+") as file:
        file.visititems(blur)
    return content.getvalue()


def connection(server: Serving) -> socket.socket:
    """A line to a server, for bytes that no client sends."""
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def rest_of(line: socket.socket) -> bytes:
    """What is received until the server closes a line."""
    received = b""
    with suppress(ConnectionResetError):
        while piece := line.recv(1_000_000):
            received += piece
    return received


def wait_for(find: Callable[[], Any], seconds: float = 120.0) -> Any:
    """The first true thing that is found."""
    give_up_at = time.monotonic() + seconds
    while not (found := find()):
        assert time.monotonic() < give_up_at, "it did not happen in time"
        time.sleep(0.05)
    return found


def quick_judge(folder: Path) -> tuple[str, str]:
    """A command for `judging.COMMAND`; see tests/quick_judge.py."""
    if not list(folder.glob("*.onnx")):
        assert judge(NETWORK, work_dir=folder).accepted
    return str(QUICK_JUDGE), str(folder)


def copy_network(folder: Path, number: int = 0) -> Path:
    path = folder / f"net{number}.h5"
    shutil.copy(NETWORK, path)
    path.write_bytes(network(number))
    return path
