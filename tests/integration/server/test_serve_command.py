"""The server as a process: killed and started again, its log, and what it refuses to begin with."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.data import ROOT
from tests.fake_arena import file_network, tiny_network
from tests.runs import NUM_GAMES, RULES, Said, decided, num_games, tournament
from tests.serving import STUDENTS, Client, copy_network, issue_tokens, wait_for
from tournament.league.league import League

needs_server = pytest.mark.skipif(
    find_spec("uvicorn") is None, reason="the extra [server] is not installed"
)


@contextmanager
def served(league: Path, *options: str) -> Iterator[tuple[subprocess.Popen, int, Path]]:
    """The command on any free port: its process, its port, and what it says."""
    log = league.parent / "server.log"
    command = (sys.executable, "-m", "tournament", "serve", "--league", str(league), "--port", "0")
    with open(log, "w") as output:
        process = subprocess.Popen(
            [*command, *options], stdout=output, stderr=subprocess.STDOUT, cwd=ROOT
        )
    try:
        found = wait_for(lambda: re.search(r"http://127\.0\.0\.1:(\d+)", log.read_text()))
        yield process, int(found[1]), log
    finally:
        process.terminate()
        process.wait()


@pytest.mark.slow
@needs_server
def test_tokens_never_get_into_the_log(tmp_path):
    league = tmp_path / "league"
    tokens = issue_tokens(league)
    with served(league) as (_, port, log):
        ada = Client(port, tokens["Ada"])
        wait_for(lambda: answers(ada))
        ada.hand_in(b"x")
        ada.get(f"/api/me?token={tokens['Ada']}")
        ada.get("/api/uploads/%0a2026%20INFO%20a%20line")
        Client(port, tokens["Ada"] + "wrong").get("/api/me")
        Client(port).ask("GET", "/api/me", Authorization=f"Basic {tokens['Ada']}")
        with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
            line.sendall(f"GET / HTTP/9\r\nAuthorization: {tokens['Ada']}\r\n\r\n".encode())
            assert line.recv(100).startswith(b"HTTP/1.1 400")
        answer = subprocess.run(
            [sys.executable, "submit.py", str(ROOT / "README.md"), "--to",
             f"http://127.0.0.1:{port}", "--token", tokens["Kurt"]],
            cwd=ROOT, capture_output=True, text=True, timeout=120,
        )
        assert answer.returncode == 2 and "is not an HDF5 file" in answer.stdout
    said = log.read_text()
    assert "127.0.0.1 POST /api/uploads 202" in said and "GET /api/me 200" in said
    assert not [token for token in tokens.values() if token in said]
    assert tokens["Kurt"] not in answer.stdout + answer.stderr
    own = re.compile(r"serving |\d{4}-\d\d-\d\d [\d:,]+ (INFO|WARNING|ERROR) ")
    assert all(own.match(line) for line in said.splitlines())


def answers(client: Client) -> bool:
    try:
        return client.get("/api/league").status == 200
    except ConnectionError:
        return False


@needs_server
@pytest.mark.slow
def test_submit_waits_for_a_server_that_comes_back(tmp_path):
    league = tmp_path / "league"
    tokens = issue_tokens(league)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    waiting = subprocess.Popen(
        [sys.executable, "submit.py", str(copy_network(tmp_path)), "--to",
         f"http://127.0.0.1:{port}"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TOURNAMENT_TOKEN": tokens["Ada"]},
    )
    with served(league, "--port", str(port)) as (first, *_):
        wait_for(lambda: list((league / "hand_in" / "uploads").glob("*.h5")))
        first.kill()  # stored, and answered or not
    with served(league, "--port", str(port)):
        out, errors = waiting.communicate(timeout=120)
    assert (waiting.returncode, out.splitlines()[-1]) == (
        0, "Accepted: this is the file that counts."
    ), errors
    assert "no answer (ConnectionRefusedError); again in" in errors
    assert [entrant.name for entrant in League(league).submissions.entrants()] == ["Ada"]


@needs_server
@pytest.mark.slow
def test_a_copied_folder_is_a_backup(tmp_path):
    """Copied while the server is dead: tokens are good there, and what was stored is judged."""
    league, backup = tmp_path / "league", tmp_path / "backup"
    tokens = issue_tokens(league)
    with served(league) as (process, port, _):
        ada = Client(port, tokens["Ada"])
        wait_for(lambda: answers(ada))
        upload = ada.hand_in(copy_network(tmp_path).read_bytes()).data
        process.kill()
        process.wait()
        shutil.copytree(league, backup)
    shutil.rmtree(league)
    with served(backup) as (_, port, _):
        ada = Client(port, tokens["Ada"])
        wait_for(lambda: answers(ada))
        assert ada.verdict(upload["id"])["standing"] == "counts"
    assert [entrant.name for entrant in League(backup).submissions.entrants()] == ["Ada"]


@needs_server
@pytest.mark.slow
def test_the_teacher_starts_and_pauses_the_tournament(tmp_path):
    league, tokens = league_of_three(tmp_path)
    words = ("--rules", "course")
    with served(league, *words, "--", *RULES, "--rounds", "1") as (_, port, log):
        assert log.read_text().startswith("rules course: --max-params 100000 --count trainable\n")
        assert League(league, create=False).rules() == "course"
        emmy = Client(port, tokens["Emmy"])
        wait_for(lambda: answers(emmy))
        assert emmy.get("/api/teacher").data["run"]["wanted"] is False
        start_and_pause(emmy, league)
        emmy.ask("POST", "/api/teacher/start")
        wait_for(lambda: emmy.get("/api/teacher").data["games"]["played"] == 6)
        wait_for(lambda: not emmy.get("/api/teacher").data["run"]["running"])
        page = league / "site" / "index.html"
        wait_for(lambda: "Provisional" not in page.read_text() and "Grace" in page.read_text())


@needs_server
@pytest.mark.slow
def test_a_paused_and_killed_tournament_ends_with_the_same_games(tmp_path):
    league, tokens = league_of_three(tmp_path)
    uninterrupted = tmp_path / "uninterrupted"
    shutil.copytree(league, uninterrupted)
    with served(league, "--", *RULES) as (process, port, _):
        emmy = Client(port, tokens["Emmy"])
        wait_for(lambda: answers(emmy))
        paused_at = start_and_pause(emmy, league)
        emmy.ask("POST", "/api/teacher/start")
        wait_for(lambda: num_games(league) > paused_at)
        process.send_signal(signal.SIGKILL)
        process.wait()
    with served(league, "--", *RULES) as (_, port, _):
        emmy = Client(port, tokens["Emmy"])
        wait_for(lambda: answers(emmy))
        assert emmy.get("/api/teacher").data["run"]["wanted"], "what is wanted outlives a kill"
        wait_for(lambda: emmy.get("/api/teacher").data["games"]["played"] == NUM_GAMES)
    assert tournament("run", "--league", uninterrupted, *RULES, "--quiet")[0] == 0
    assert decided(league) == decided(uninterrupted)


def league_of_three(folder: Path) -> tuple[Path, dict[str, str]]:
    """A league of tiny networks, and everybody's tokens."""
    league = folder / "league"
    tokens = issue_tokens(league)
    with closing(League(league)) as opened:  # a copy of open tables would drop the locks on them
        for seed, name in enumerate(STUDENTS):
            file_network(opened, name, tiny_network(seed), folder)
    return league, tokens


def start_and_pause(teacher: Client, league: Path) -> int:
    """How many games were played from a start to a pause."""
    teacher.ask("POST", "/api/teacher/start")
    wait_for(lambda: num_games(league) >= 1)
    teacher.ask("POST", "/api/teacher/pause")
    wait_for(lambda: not teacher.get("/api/teacher").data["run"]["running"])
    run = teacher.get("/api/teacher").data["run"]
    assert (run["wanted"], run["problem"]) == (False, "")
    return num_games(league)


@needs_server
@pytest.mark.slow
def test_a_run_that_fails_is_said_to_the_teacher(tmp_path):
    league = tmp_path / "league"
    tokens = issue_tokens(league)
    for seed, name in enumerate(("Ada", "Grace")):
        file_network(League(league), name, tiny_network(seed), tmp_path)
    assert tournament("run", "--league", league, "--visits", "2", "--max-plies", "10",
                      "--quiet")[0] == 0
    with served(league, "--", "--visits", "3") as (_, port, _):
        emmy = Client(port, tokens["Emmy"])
        wait_for(lambda: answers(emmy))
        emmy.ask("POST", "/api/teacher/start")
        problem = wait_for(lambda: emmy.get("/api/teacher").data["run"]["problem"])
        assert "the league already has other options" in problem and "visits 2 → 3" in problem


@needs_server
def test_one_server_at_a_time(tmp_path):
    from tournament.server.service import alone_on

    league = tmp_path / "league"
    with alone_on(league):
        said = tournament("serve", "--league", league, "--port", 0).refusal
        assert "another server is running on" in said
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = tournament("serve", "--league", tmp_path / "new", "--port", port).refusal
    assert f"cannot listen on 127.0.0.1:{port}: another program uses this port" in said
    assert "rrno" not in said and not (tmp_path / "new").exists(), "nothing was begun"
    for host, port, why in (
        ("..", "0", "no host of this name"), ("no.such.host.invalid", "0", "no host of this name"),
        ("192.0.2.1", "0", "does not have this address"), ("127.0.0.1", "70000", "from 0 to 65535"),
    ):
        said = tournament("serve", "--league", league, "--host", host, "--port", port).refusal
        assert f"cannot listen on {host}:{port}: " in said and why in said and "rrno" not in said
    with alone_on(league):
        pass


@pytest.mark.slow
@needs_server
def test_the_server_may_open_a_file_for_each_connection(tmp_path):
    script = (
        "import resource, sys; from tournament.__main__ import main;"
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1];"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard));"
        "import uvicorn; uvicorn.Server.run = lambda *all, **more: sys.exit("
        "resource.getrlimit(resource.RLIMIT_NOFILE)[0] < min(2000, hard % 2**63));"
        f"main(['serve', '--league', {str(tmp_path / 'league')!r}, '--port', '0'])"
    )
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, timeout=120).returncode == 0


@needs_server
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--deadline", "2026-11-28 23:59"), "with its time zone"),
        (("--deadline", ""), "with its time zone"),  # of a variable that is not set
        (("--max-params", "0"), "--max-params"),
        (("--", "--roundz", "2"), "unrecognized arguments"),
        (("--", "--rounds", "none"), "--rounds"),
        (("--", "--komi", "7"), "komi must have half a point"),
    ],
)
def test_wrong_options_are_one_sentence(tmp_path, options, said):
    assert said in tournament("serve", "--league", tmp_path / "league", *options).refusal
    assert not (tmp_path / "league").exists()


def test_without_its_packages_the_server_says_what_to_install(tmp_path):
    blocker = tmp_path / "sitecustomize.py"
    blocker.write_text("import sys\nsys.modules['uvicorn'] = sys.modules['fastapi'] = None\n")
    done = subprocess.run(
        [sys.executable, "-m", "tournament", "serve", f"--league={tmp_path / 'league'}"],
        cwd=ROOT, capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert "pip install -e '.[server]'" in Said(done.returncode, done.stdout, done.stderr).refusal
