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
from tests.serving import Client, issue_tokens, network
from tournament.league.league import League

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

# Judged without tuning: three seconds of processor time a network would tell nothing here. What
# stands after the port is another judge.
SERVER = """
import sys
from pathlib import Path
from tournament.server import judging, limits
from tournament.server.limits import Rate
from tournament.server.service import ServerOptions
from tournament.server.serving import serve
from tournament.intake import JudgeOptions
limits.UPLOADS = Rate(1000, 1.0)
judging.COMMAND = tuple(sys.argv[3:]) or judging.COMMAND
serve(ServerOptions(Path(sys.argv[1]), JudgeOptions()), "127.0.0.1", int(sys.argv[2]))
"""


@dataclass
class Mortal:
    """A server that is begun again on the same port after each kill.

    kill_at: numbers of answers, of those that clients `note`, after which it is killed.
    """

    league: Path
    port: int
    judge: tuple[str, ...]
    kill_at: list[int]
    num_answers: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def live(self, moments: random.Random) -> None:
        while not self.over.is_set():
            process = subprocess.Popen(
                [sys.executable, "-c", SERVER, str(self.league), str(self.port), *self.judge],
                cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            while not self.over.wait(0.01):
                if self.kill_at and self.num_answers >= self.kill_at[0]:
                    self.over.wait(moments.uniform(0, 0.2))
                    self.kill_at.pop(0)
                    break
            process.kill()
            process.wait()

    def note(self) -> None:
        self.num_answers += 1


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


def hand_in_all(server: Mortal, client: Client, contents: list[bytes]) -> list[dict]:
    """One student's files, one after the other, and then their verdicts."""
    ids = []
    for content in contents:
        ids.append(patiently(client, "POST", "/api/uploads", content)["id"])
        server.note()
    return [verdict(server, client, upload_id) for upload_id in ids]


def verdict(server: Mortal, client: Client, upload_id: str) -> dict:
    while True:
        upload = patiently(client, "GET", f"/api/uploads/{upload_id}")
        if upload["state"] not in ("queued", "judging"):
            server.note()
            return upload
        time.sleep(0.3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("num_students", "num_uploads", "num_good", "num_kills"),
    [(4, 10, 5, 2), pytest.param(60, 200, 90, 12, marks=pytest.mark.slow)],
)
def test_no_accepted_file_is_lost(
    tmp_path, unused_port, quick, num_students, num_uploads, num_good, num_kills
):
    """A few go by a judge that costs no time, the many by the intake itself."""
    names = tuple(f"student{number:02d}" for number in range(num_students))
    league, moments = tmp_path / "league", random.Random(0)
    tokens = issue_tokens(league, names)
    good = set(moments.sample(range(num_uploads), num_good))
    contents: dict[str, list[bytes]] = {name: [] for name in names}
    for number in range(num_uploads):
        content = network(number) if number in good else f"upload {number}".encode()
        contents[names[number % num_students]].append(content)
    # Spread over all answers, so that the last kill comes before the last of them.
    kill_at = [2 * num_uploads * kill // (num_kills + 1) for kill in range(1, num_kills + 1)]
    server = Mortal(league, unused_port, quick if num_students < 60 else (), kill_at)
    living = threading.Thread(target=server.live, args=(moments,))
    living.start()
    try:
        with ThreadPoolExecutor(num_students) as pool:
            clients = [Client(server.port, tokens[name]) for name in names]
            jobs = [pool.submit(hand_in_all, server, client, contents[name])
                    for client, name in zip(clients, names, strict=True)]
            answers = {name: job.result() for name, job in zip(names, jobs, strict=True)}
    finally:
        server.over.set()
        living.join()
    assert server.kill_at == []
    expected = {}
    for name in names:
        digests = [hashlib.sha256(content).hexdigest() for content in contents[name]]
        assert [answer["sha256"] for answer in answers[name]] == digests
        states = ["accepted" if len(content) > 100_000 else "refused" for content in contents[name]]
        assert [answer["state"] for answer in answers[name]] == states
        accepted = [d for d, state in zip(digests, states, strict=True) if state == "accepted"]
        if accepted:
            expected[name] = accepted[-1]
    entrants = League(league).submissions.entrants()
    assert {entrant.name: entrant.sha256 for entrant in entrants} == expected
    for digest in expected.values():
        stored = (league / "submissions" / f"{digest}.h5").read_bytes()
        assert hashlib.sha256(stored).hexdigest() == digest
        assert (league / "artefacts" / f"{digest}.onnx").exists()
    left = [path for path in (league / "hand_in" / "uploads").iterdir()]
    assert left == [] and list((league / "hand_in" / "parts").iterdir()) == []
