"""What a stranger, a broken line or a full disk can do to a server: nothing but be told so."""

import errno
import gc
import hashlib
import json
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

from tests.serving import (  # noqa: E402
    Client,
    Serving,
    connection,
    issue_tokens,
    rest_of,
    serving,
    wait_for,
)
from tournament.league.draws import Draw, Draws  # noqa: E402
from tournament.server import guard, judging, limits, receiving, words  # noqa: E402
from tournament.server.guard import Limiter  # noqa: E402
from tournament.server.limits import Rate  # noqa: E402

HOSTILE_NAMES = (
    "../../../../etc/passwd", "/etc/passwd", "..", "%2e%2e%2fx", "a\\b",
    "<script>alert(1)</script>", "%00%1b%5b2J", "%ff%fe", "x" * 5000, "%E6%9D%8E.h5", "",
)


@pytest.fixture(scope="module", autouse=True)
def judged_quickly(quick):
    """The intake is not what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "COMMAND", quick)
        yield


@pytest.fixture(scope="module")
def builds_site() -> bool:
    return True


def files_of(server: Serving) -> set[Path]:
    """All files of the league but those that the server may write at any time: tables and site."""
    own = {"site", "judged", "parts", "games.csv", "ranking.csv", "report.lock"}
    kept = (path for path in server.league.rglob("*") if own.isdisjoint(path.parts))
    return {path for path in kept if not path.name.startswith(("hand_in.sqlite", "league.sqlite"))}


def parts_of(server: Serving) -> list[Path]:
    return list((server.league / "hand_in" / "parts").iterdir())


def test_without_a_token_nothing_is_told_or_taken(server):
    before = files_of(server)
    for client in (server.anybody, Client(server.port, "wrong"), Client(server.port, "")):
        for method, path in (
            ("GET", "/api/me"), ("GET", "/api/uploads"), ("GET", "/api/uploads/x"),
            ("POST", "/api/uploads"), ("GET", "/api/teacher"), ("GET", "/api/teacher/export"),
            ("POST", "/api/teacher/start"), ("POST", "/api/teacher/pause"),
        ):
            answer = client.ask(method, path, b"x" if method == "POST" else None)
            assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    token = server.tokens["Ada"]
    for header in (f"Basic {token}", token, "Bearer", f"Bearer {token} x"):
        assert server.anybody.ask("GET", "/api/me", Authorization=header).status == 401
    assert server.anybody.get(f"/api/me?token={token}").status == 401
    assert server.anybody.ask("GET", "/api/me", Cookie=f"token={token}").status == 401
    assert files_of(server) == before


def test_pages_of_others_cannot_act_for_a_student(server):
    """No cookies, so there is nothing that a browser sends by itself; and no CORS."""
    before = files_of(server)
    form = {"Origin": "https://evil.example", "Sec_Fetch_Site": "cross-site"}
    for kind in ("multipart/form-data; boundary=x", "application/x-www-form-urlencoded",
                 "text/plain"):
        assert server.anybody.ask(
            "POST", "/api/uploads", b"x", Content_Type=kind, **form
        ).status == 401
    asked = server.anybody.ask(
        "OPTIONS", "/api/uploads", Access_Control_Request_Method="POST",
        Access_Control_Request_Headers="authorization", **form,
    )
    assert asked.status == 405
    answers = [asked, server.as_("Ada").ask("GET", "/api/me", **form), server.anybody.get("/")]
    for answer in answers:
        names = {name.lower() for name in answer.headers}
        assert "set-cookie" not in names
        assert not [name for name in names if name.startswith("access-control-")]
    assert files_of(server) == before


def test_every_answer_has_the_same_headers(server, monkeypatch):
    wait_for((server.league / "site" / "index.html").exists)
    ada = server.as_("Ada")
    answers = [ada.get(path) for path in (
        "/", "/teacher", "/hand_in.js", "/style.css", "/site/index.html", "/api/league", "/api/me",
        "/api/uploads", "/api/teacher", "/nothing", "/site/nothing", "/docs", "/openapi.json",
    )]
    answers.append(ada.ask("DELETE", "/api/uploads"))
    monkeypatch.setattr(words.View, "page", None)
    ada.hand_in(b"x")
    answers.append(ada.get("/api/uploads"))
    statuses = [answer.status for answer in answers]
    assert statuses == [200] * 8 + [403, 404, 404, 404, 404, 405, 500]
    for answer in answers:
        for name, value in guard.HEADERS.items():
            assert answer.headers.get_all(name) == [value]
        assert answer.headers["Cache-Control"] in ("no-store", "no-cache")
        assert "server" not in {name.lower() for name in answer.headers}
    policy = guard.HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy and "script-src 'self';" in policy
    for page in answers[:2]:
        text = page.body.decode()
        assert "<script>" not in text and " style=" not in text and " on" + "click" not in text


def test_the_site_is_files_and_nothing_else(server):
    site = server.league / "site"
    wait_for((site / "index.html").exists)
    (site / ".hidden").write_text("x")
    (site / "link").symlink_to(server.league / "league.sqlite")
    (site / "folder").mkdir(exist_ok=True)
    (site / "folder" / "file.txt").write_text("x")
    for path in (
        "../league.sqlite", "%2e%2e/league.sqlite", "..%2fleague.sqlite", "//etc/passwd",
        "..%5cleague.sqlite", "folder", "folder/", "folder/../../league.sqlite", ".hidden", "link",
        "%00", "games", "folder/../../hand_in/hand_in.sqlite", "x" * 5000,
    ):
        assert server.anybody.get(f"/site/{path}").status in (400, 404), path
    for path in ("/league.sqlite", "/hand_in/hand_in.sqlite", "/../league.sqlite"):
        assert server.anybody.get(path).status == 404
    assert server.anybody.get("/site/folder/file.txt").status == 200
    assert server.anybody.ask("POST", "/site/index.html").status == 405
    moved = server.anybody.ask("GET", "/site", Host="evil.example")
    assert (moved.status, moved.headers["Location"]) == (307, "site/")
    first = server.anybody.get("/site/style.css")
    again = server.anybody.ask("GET", "/site/style.css", If_None_Match=first.headers["ETag"])
    assert (again.status, again.body) == (304, b"")


def test_a_body_has_a_limit_whatever_it_says_of_its_length(server):
    ada, limit = server.as_("Ada"), server.anybody.get("/api/league").data["max_bytes"]
    said = ada.ask("POST", "/api/uploads", b"", Content_Length=str(limit + 1))
    assert said.status == 413 and "include_optimizer=False" in said.data["problem"]
    with connection(server) as line:
        line.sendall(head(server, "Transfer-Encoding: chunked"))
        chunk = b"10000\r\n" + bytes(65536) + b"\r\n"
        status = b""
        try:
            for _ in range(limit // 65536 + 2):
                line.sendall(chunk)
            status = line.recv(1000)
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert status.startswith(b"HTTP/1.1 413") or not status
    wait_for(lambda: not parts_of(server))
    assert ada.ask("POST", "/api/uploads", b"").status == 400
    assert all(upload["bytes"] <= limit for upload in ada.get("/api/uploads").data)


def head(server: Serving, *lines: str) -> bytes:
    """The head of an upload of Ada's."""
    authorization = f"Authorization: Bearer {server.tokens['Ada']}"
    both = ("POST /api/uploads HTTP/1.1", "Host: x", authorization, *lines, "", "")
    return "\r\n".join(both).encode()


def test_a_broken_connection_leaves_nothing(server):
    before = len(server.as_("Ada").get("/api/uploads").data)
    for reset in (False, True):
        with connection(server) as line:
            if reset:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            line.sendall(head(server, "Content-Length: 100000") + bytes(50000))
            wait_for(lambda: parts_of(server))
        wait_for(lambda: not parts_of(server))
    with connection(server) as line:
        line.sendall(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
        assert line.recv(100).startswith(b"HTTP/1.1 400")
    assert len(server.as_("Ada").get("/api/uploads").data) == before


def test_connections_that_say_nothing_are_closed(server, monkeypatch):
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.2)
    for half in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "):
        with connection(server) as line:
            line.sendall(half)
            assert line.recv(100) == b""
    with connection(server) as line:
        line.sendall(b"GET /api/league HTTP/1.1\r\nHost: x\r\n\r\nGET / HT")
        received = rest_of(line)
        assert received.count(b"HTTP/1.1 200") == 1, "answered, and closed over the second one"


OTHER_ADDRESS = pytest.param(
    "127.0.0.2", marks=pytest.mark.skipif(sys.platform != "linux", reason="others have one address")
)


@pytest.mark.parametrize("address", ["127.0.0.1", OTHER_ADDRESS])
def test_silent_connections_of_one_address_stop_nobody(tmp_path, monkeypatch, address):
    monkeypatch.setattr("tournament.server.limits.MAX_CONNECTIONS", 12)
    monkeypatch.setattr(limits, "MAX_OF_ADDRESS", 6)
    league = tmp_path / "league"
    with ExitStack() as lines, serving(league, issue_tokens(league)) as server:
        for _ in range(40):
            line = socket.create_connection(
                ("127.0.0.1", server.port), timeout=60, source_address=(address, 0)
            )
            lines.enter_context(line).sendall(b"GET / HT")
        assert server.as_("Ada").get("/api/me").status == 200


def test_a_request_under_way_keeps_its_place(tmp_path, monkeypatch):
    """Those that say nothing are closed, and a file that is being sent is not."""
    monkeypatch.setattr(limits, "MAX_OF_ADDRESS", 3)
    monkeypatch.setattr(limits, "HEAD_SECONDS", 1000.0)
    league = tmp_path / "league"
    with ExitStack() as lines, serving(league, issue_tokens(league)) as server:
        upload = lines.enter_context(connection(server))
        upload.sendall(head(server, "Content-Length: 100000") + bytes(50_000))
        wait_for(lambda: parts_of(server))
        silent = [lines.enter_context(connection(server)) for _ in range(6)]
        assert silent[0].recv(100) == b"", "closed in favour of the later ones"
        upload.sendall(bytes(50_000))
        assert upload.recv(1000).startswith(b"HTTP/1.1 202")


def test_a_question_that_takes_long_holds_up_no_other(server, monkeypatch):
    """Tables are read in threads; the loop answers what needs none meanwhile."""
    asked, go_on = threading.Event(), threading.Event()
    page = words.View.page

    def slow_page(*arguments: object) -> object:
        asked.set()
        go_on.wait(60)
        return page(*arguments)

    monkeypatch.setattr(words.View, "page", slow_page)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(server.as_("Ada").get, "/api/uploads")
        assert asked.wait(60)
        assert server.anybody.get("/api/league").status == 200
        assert not waiting.done()
        go_on.set()
        assert waiting.result().status == 200


def test_addresses_that_are_none_need_no_memory(server):
    for number in range(20):
        said = f"{number} is no address {'x' * 5000}"
        assert server.anybody.ask("GET", "/api/league", X_Forwarded_For=said).status == 200
    kept = [limiter for limiter in gc.get_objects() if isinstance(limiter, Limiter)]
    keys = {key for limiter in kept for key in limiter._buckets}
    assert "unknown" in keys and max(map(len, keys)) < 50


def test_a_body_of_two_lengths_is_refused_and_the_line_closed(server):
    """What a proxy takes for the next request may be the rest of this one."""
    before = len(server.as_("Ada").get("/api/uploads").data)
    lengths = ("Content-Length: 5", "Transfer-Encoding: chunked")
    with connection(server) as line:
        next_request = b"GET /api/league HTTP/1.1\r\nHost: x\r\n\r\n"
        line.sendall(head(server, *lengths) + b"0\r\n\r\n" + next_request)
        received = rest_of(line)
    assert received.startswith(b"HTTP/1.1 400") and received.count(b"HTTP/1.1") == 1
    assert b"expected Content-Length or Transfer-Encoding: got both" in received
    assert len(server.as_("Ada").get("/api/uploads").data) == before


def test_the_league_is_asked_at_its_desk_only(server, monkeypatch):
    """A connection to its tables belongs to one thread, and the event loop waits for none."""
    threads, all_of = [], Draws.all

    def note(draws: Draws) -> list[Draw]:
        threads.append(threading.current_thread().name)
        return all_of(draws)

    monkeypatch.setattr(Draws, "all", note)
    assert server.anybody.get("/api/league").status == 200
    assert threads and all(name.startswith("ThreadPoolExecutor") for name in threads)


@pytest.mark.parametrize("wish", ["start", "pause"])
def test_a_wish_that_a_full_disk_does_not_keep_is_one_sentence(server, monkeypatch, wish):
    def full(*arguments: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("tournament.league.journal.Journal.set_header", full)
    answer = server.as_("Emmy").ask("POST", f"/api/teacher/{wish}")
    assert answer.status == 507 and "disk is full" in answer.data["problem"]
    assert str(server.league) not in answer.data["problem"]
    assert server.as_("Emmy").get("/api/teacher").data["run"]["wanted"] is False


def test_a_slow_file_is_given_up(server, monkeypatch):
    monkeypatch.setattr(limits, "RECEIVE_SECONDS", 0.2)
    with connection(server) as line:
        line.sendall(head(server, "Content-Length: 100000") + bytes(50000))
        assert line.recv(100).startswith(b"HTTP/1.1 408")
    assert not parts_of(server)


@pytest.mark.parametrize("failing", ["the disk is almost full", "the bytes", "the tables"])
def test_a_full_disk_is_said_and_nothing_is_half_written(server, monkeypatch, failing):
    kurt, before = server.as_("Kurt"), files_of(server)

    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        if failing == "the bytes":
            patch.setattr(receiving, "_flush", full)
        elif failing == "the tables":
            patch.setattr("tournament.server.inbox.flush_folder", full)
        else:
            patch.setattr(limits, "MIN_FREE_BYTES", 10**18)
        answer = kurt.hand_in(b"some network")
    assert answer.status == 507 and "was not stored" in answer.data["problem"]
    assert str(server.league) not in answer.data["problem"]
    assert kurt.get("/api/uploads").data == []
    assert not parts_of(server)
    assert files_of(server) <= before


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_files_name_is_a_label_and_no_place(hostile, name):
    answer = hostile.ask("POST", "/api/uploads", name.encode() + b"x", X_File_Name=name)
    assert answer.status == 202
    shown = answer.data["file"]
    assert shown.isascii() and shown.isprintable() and 0 < len(shown) <= 100


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Somebody whose files have odd names, and who may send many."""
    league = tmp_path_factory.mktemp("hostile") / "league"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournament.server.limits.UPLOADS", Rate(100, 1))
        patch.setattr("tournament.server.limits.MAX_QUEUED", 100)
        before = set(league.parent.iterdir())
        with serving(league, issue_tokens(league)) as server:
            yield server.as_("Ada")
        names = {path.name for path in league.rglob("*")}
        assert set(league.parent.iterdir()) - before == {league}
        assert not [name for name in names if "passwd" in name or "script" in name]


def test_too_many_files_or_wrong_tokens_or_requests_wait(tmp_path, monkeypatch):
    monkeypatch.setattr("tournament.server.limits.UPLOADS", Rate(2, 0.01))
    monkeypatch.setattr("tournament.server.limits.WRONG_TOKENS", Rate(3, 0.01))
    monkeypatch.setattr(limits, "REQUESTS", Rate(20, 0.01))
    league = tmp_path / "league"
    with serving(league, issue_tokens(league)) as server:
        ada, wrong = server.as_("Ada"), Client(server.port, "wrong")
        statuses = [ada.hand_in(f"{number}".encode()).status for number in range(3)]
        assert statuses == [202, 202, 429]
        assert server.as_("Kurt").hand_in(b"x").status == 202
        assert [wrong.get("/api/me").status for _ in range(4)] == [401, 401, 401, 429]
        assert ada.get("/api/me").status == 200, "others behind an address do no harm"
        answers = [ada.get("/api/league") for _ in range(20)]
        assert {answer.status for answer in answers} == {200, 429}
        assert answers[-1].status == 429 and 90 <= int(answers[-1].headers["Retry-After"]) <= 100


def test_one_student_has_one_line_and_the_others_go_on(server):
    """Two bodies of one student at a time; more are told to wait, those of others aren't."""
    lines = [connection(server) for _ in range(2)]
    for line in lines:
        line.sendall(head(server, "Content-Length: 100000") + bytes(1000))
    wait_for(lambda: len(parts_of(server)) == 2)
    third = server.as_("Ada").hand_in(b"third")
    assert third.status == 429 and third.headers["Retry-After"] == "2"
    assert server.as_("Grace").hand_in(b"grace").status == 202
    for line in lines:
        line.close()
    wait_for(lambda: not parts_of(server))


BOUNDARY = "multipart/form-data; boundary=XyZ"
PART = b'--XyZ\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n\r\n%s\r\n'


def test_the_file_of_a_form_is_a_file_as_any_other(hostile):
    content = b"\x89HDF the file of a form"
    answer = hostile.ask(
        "POST", "/api/uploads", PART % (b"../net.h5", content) + b"--XyZ--\r\n",
        Content_Type=BOUNDARY,
    )
    assert answer.status == 202
    assert (answer.data["file"], answer.data["bytes"]) == ("../net.h5", len(content))
    assert answer.data["sha256"] == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400), (PART % (b"x", b"half of it"), 400), (PART % (b"x", b"") + b"--XyZ--\r\n", 400),
        (PART % (b"x", bytes(4_000_001)) + b"--XyZ--\r\n", 413),
        (PART % (b"x", b"one") + b"--XyZ--\r\n" + bytes(5_000_000), 413),
        (b"--XyZ\r\n\r\n" + bytes(100_000), 400),
    ],
)
def test_a_form_that_is_none_leaves_nothing(server, monkeypatch, body, status):
    grace, before = server.as_("Grace"), files_of(server)
    monkeypatch.setattr(Limiter, "wait_seconds", lambda *arguments: 0)
    answer = grace.ask("POST", "/api/uploads", body, Content_Type=BOUNDARY)
    assert answer.status == status and answer.data["problem"]
    assert not parts_of(server)
    assert files_of(server) <= before


def test_a_form_that_breaks_off_or_dawdles_leaves_nothing(server, monkeypatch):
    monkeypatch.setattr(Limiter, "wait_seconds", lambda *arguments: 0)
    kind = f"Content-Type: {BOUNDARY}"
    with connection(server) as line:
        line.sendall(head(server, kind, "Content-Length: 100000") + PART % (b"x", bytes(9000)))
        wait_for(lambda: parts_of(server))
    wait_for(lambda: not parts_of(server))
    monkeypatch.setattr(limits, "RECEIVE_SECONDS", 0.2)
    with connection(server) as line:
        line.sendall(head(server, kind, "Content-Length: 100000") + PART % (b"x", bytes(9000)))
        assert line.recv(100).startswith(b"HTTP/1.1 408")
    assert not parts_of(server)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_hands_in_as_the_docs_say(server, tmp_path):
    (tmp_path / "net.h5").write_bytes(b"\x89HDF of curl" + bytes(1_500_000))
    (tmp_path / "header").write_text(f"Authorization: Bearer {server.tokens['Kurt']}\n")
    answer = subprocess.run(
        ["curl", "-s", "-H", "@header", "-F", "file=@net.h5",
         f"http://127.0.0.1:{server.port}/api/uploads"],
        cwd=tmp_path, capture_output=True, timeout=60,
    )
    upload = json.loads(answer.stdout)
    assert (upload["file"], upload["bytes"]) == ("net.h5", 1_500_012)
    assert server.as_("Kurt").verdict(upload["id"])["state"] == "accepted"
