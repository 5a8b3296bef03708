"""Many students at once, and a server that is killed again and again: nobody loses a file."""

import hashlib
import http.client
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.data import ROOT
from tests.serving import Client, issue_tokens, network, wait_for
from tournament.league import League

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

# Judged without tuning: three seconds of processor time a network would tell nothing here.
SERVER = """
import sys
from pathlib import Path
from tournament.server import service
from tournament.server.limits import Rate
from tournament.server.options import ServerOptions
from tournament.server.serving import serve
from tournament.intake import JudgeOptions
service.UPLOADS = Rate(1000, 1.0)
serve(ServerOptions(Path(sys.argv[1]), JudgeOptions()), "127.0.0.1", int(sys.argv[2]))
"""


@dataclass
class Mortal:
    """A server that is killed, and begun again on the same port."""

    league: Path
    port: int
    num_kills: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def live(self, moments: random.Random, num_kills: int) -> None:
        while not self.over.is_set():
            process = subprocess.Popen(
                [sys.executable, "-c", SERVER, str(self.league), str(self.port)], cwd=ROOT,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            if self.num_kills < num_kills:
                wait_for(self._answers)
                self.over.wait(moments.uniform(0.05, 4))
                self.num_kills += 1
            else:
                self.over.wait()
            process.kill()
            process.wait()

    def _answers(self) -> bool:
        try:
            return Client(self.port).get("/api/league").status == 200
        except OSError:
            return False


def patiently(client: Client, method: str, path: str, content: bytes | None = None) -> dict:
    """What is answered in the end, by a client that sends again whenever it hears nothing."""
    give_up_at = time.monotonic() + 1200
    while time.monotonic() < give_up_at:
        try:
            answer = client.ask(method, path, content)
        except (OSError, http.client.HTTPException):
            time.sleep(0.2)
            continue
        if answer.status in (429, 503):
            time.sleep(0.2)
            continue
        assert answer.status in (200, 202), answer.data
        return answer.data
    raise AssertionError("no answer")


def hand_in_all(client: Client, contents: list[bytes]) -> list[dict]:
    """One student's files, one after the other, and then their verdicts."""
    ids = [patiently(client, "POST", "/api/uploads", content)["id"] for content in contents]
    return [verdict(client, upload_id) for upload_id in ids]


def verdict(client: Client, upload_id: str) -> dict:
    while True:
        upload = patiently(client, "GET", f"/api/uploads/{upload_id}")
        if upload["state"] not in ("queued", "judging"):
            return upload
        time.sleep(0.3)


@pytest.mark.parametrize(
    ("num_students", "num_uploads", "num_good", "num_kills"),
    [(4, 8, 3, 2), pytest.param(60, 200, 90, 12, marks=pytest.mark.slow)],
)
def test_no_accepted_file_is_lost(
    tmp_path, unused_port, num_students, num_uploads, num_good, num_kills
):
    names = tuple(f"student{number:02d}" for number in range(num_students))
    league, moments = tmp_path / "league", random.Random(0)
    tokens = issue_tokens(league, names)
    good = set(moments.sample(range(num_uploads), num_good))
    contents: dict[str, list[bytes]] = {name: [] for name in names}
    for number in range(num_uploads):
        content = network(number) if number in good else f"upload {number}".encode()
        contents[names[number % num_students]].append(content)
    server = Mortal(league, unused_port)
    living = threading.Thread(target=server.live, args=(moments, num_kills))
    living.start()
    try:
        with ThreadPoolExecutor(num_students) as pool:
            clients = [Client(server.port, tokens[name]) for name in names]
            answers = dict(zip(names, pool.map(hand_in_all, clients, contents.values()),
                               strict=True))
    finally:
        server.over.set()
        living.join()
    assert server.num_kills == num_kills, "the last kill came too late to test anything"
    expected = {}
    for name in names:
        digests = [hashlib.sha256(content).hexdigest() for content in contents[name]]
        assert [answer["sha256"] for answer in answers[name]] == digests
        states = ["accepted" if len(content) > 100_000 else "refused" for content in contents[name]]
        assert [answer["state"] for answer in answers[name]] == states
        accepted = [d for d, state in zip(digests, states, strict=True) if state == "accepted"]
        if accepted:
            expected[name] = accepted[-1]
    assert {entrant.name: entrant.sha256 for entrant in League(league).entrants()} == expected
    for digest in expected.values():
        stored = (league / "submissions" / f"{digest}.h5").read_bytes()
        assert hashlib.sha256(stored).hexdigest() == digest
        assert (league / "artefacts" / f"{digest}.onnx").exists()
    left = [path for path in (league / "hand_in" / "uploads").iterdir()]
    assert left == [] and list((league / "hand_in" / "parts").iterdir()) == []
