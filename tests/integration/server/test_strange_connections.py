"""Connections and requests of somebody who reads nothing, lies about addresses or asks oddly."""

import http.client
import logging
import os
import socket
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.serving import Serving, connection, issue_tokens, rest_of, serving, wait_for
from tournament.server import connections, limits

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")


def test_a_site_that_is_not_built_yet_is_not_there_and_no_upgrade_is_made(server):
    for path in ("/site/", "/site/index.html"):
        assert server.anybody.get(path).status == 404
    answer = server.anybody.ask(
        "GET", "/api/league", Connection="Upgrade", Upgrade="websocket",
        Sec_WebSocket_Version="13", Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ==",
    )
    assert answer.status == 200
    assert answer.headers["X-Frame-Options"] == "DENY"


def test_no_answer_leads_to_the_host_that_the_request_names(server):
    (server.league / "site" / "weeks" / "a b:c").mkdir(parents=True)
    for folder in ("weeks", "weeks/a b:c"):
        (server.league / "site" / folder / "index.html").write_text("a page")
    for path, leads_to in (
        ("/site", "site/"), ("/api/league/", None), ("/teacher/", None),
        ("/site/weeks", "./weeks/"), ("/site/weeks/a%20b:c", "./a%20b%3Ac/"),
        ("/site//weeks?x=//evil.example", "./weeks/"), ("/site/weeks/", None),
    ):
        for host in ("evil.example", "evil.example/x?", "a:b@evil.example"):
            answer = server.anybody.ask("GET", path, Host=host, X_Forwarded_Host=host)
            assert answer.headers["Location"] == leads_to


def test_an_address_that_is_no_address_breaks_no_line_of_the_log(server, caplog):
    caplog.set_level(logging.INFO, "tournament.server")
    said = "1.2.3.4\x85 INFO a line of its own \x9b2J"
    assert server.anybody.ask("GET", "/api/league", X_Forwarded_For=said).status == 200
    lines = wait_for(lambda: [line for line in caplog.messages if "a line of its own" in line])
    assert all(line.isascii() and line.isprintable() for line in lines)


@pytest.mark.parametrize("token", ["", "Ada"])
def test_a_body_that_is_none_fills_no_log(server, caplog, token):
    sent = (
        "POST /api/uploads HTTP/1.1", "Host: x", "Transfer-Encoding: chunked",
        f"Authorization: Bearer {server.tokens.get(token)}", "", "no number", "",
    )
    with connection(server) as line:
        line.sendall("\r\n".join(sent).encode())
        rest_of(line)
    assert server.as_("Ada").get("/api/uploads").data == []
    assert not [record for record in caplog.records if record.exc_info]


def test_somebody_who_takes_no_answer_is_cut_off(server, monkeypatch):
    monkeypatch.setattr(limits, "TAKE_SECONDS", 0.2)
    monkeypatch.setattr(limits, "MIN_BYTES_PER_SECOND", 1_000_000, raising=False)
    lost = []
    monkeypatch.setattr(connections.ImpatientProtocol, "connection_lost", noting(lost))
    size = 50_000_000
    with open(server.league / "site" / "large.bin", "wb") as file:
        file.truncate(size)
    with connection(server) as line:
        line.sendall(b"GET /site/large.bin HTTP/1.1\r\nHost: x\r\n\r\n")
        wait_for(lambda: line.getsockname() in lost)
        assert len(rest_of(line)) < size


def test_a_reader_who_takes_a_little_is_cut_off_and_one_on_a_slow_line_is_not(server, monkeypatch):
    monkeypatch.setattr(limits, "TAKE_SECONDS", 0.3)
    monkeypatch.setattr(limits, "MIN_BYTES_PER_SECOND", 100_000_000, raising=False)
    size, taken = 8_000_000, 0
    with slow_reader(server, size, room=65_536) as line:
        while piece := read_a_little(line):
            taken += len(piece)
            time.sleep(0.01)
    assert taken < size
    monkeypatch.undo()
    monkeypatch.setattr(limits, "TAKE_SECONDS", 20.0)
    with slow_reader(server, 300_000) as line:
        taken = 0
        while piece := line.recv(50_000):
            taken += len(piece)
            time.sleep(0.01)
    assert taken > 300_000


@pytest.mark.skipif(sys.platform != "linux", reason="others have one address")
def test_slow_readers_in_all_connections_keep_nobody_out(tmp_path, monkeypatch):
    monkeypatch.setattr("tournament.server.limits.MAX_CONNECTIONS", 12)
    league = tmp_path / "league"
    with serving(league, issue_tokens(league)) as server, ExitStack() as lines:
        for number in range(24):
            lines.enter_context(slow_reader(server, address=f"127.0.0.{2 + number % 2}"))
        wait_for(lambda: files_open_in(league / "site"))  # how many depends on the order
        for _ in range(5):
            assert wait_for(lambda: status_of_league(server)) == 200


def test_a_kept_alive_connection_sends_without_delay(server, monkeypatch):
    """Without TCP_NODELAY an answer's body waits 40 ms until its head is confirmed."""
    made, options = connections.ImpatientProtocol.connection_made, []

    def connection_made(self, transport) -> None:
        made(self, transport)
        line = transport.get_extra_info("socket")
        options.append(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(connections.ImpatientProtocol, "connection_made", connection_made)
    assert server.anybody.get("/api/league").status == 200
    assert options == [1]


def slow_reader(
    server: Serving, size: int = 20_000_000, address: str = "127.0.0.1", room: int = 4096
) -> socket.socket:
    """A connection that asks for a large file and has room for little of it."""
    site = server.league / "site"
    with open(site / f"{size}.bin", "wb") as file:
        file.truncate(size)
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    line.settimeout(60)
    line.bind((address, 0))
    line.connect(("127.0.0.1", server.port))
    line.sendall(f"GET /site/{size}.bin HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    return line


def read_a_little(line: socket.socket) -> bytes:
    try:
        return line.recv(20_000)
    except ConnectionResetError:
        return b""


def status_of_league(server: Serving) -> int | None:
    try:
        return server.anybody.get("/api/league").status
    except (ConnectionError, http.client.HTTPException):
        return None


def files_open_in(folder: Path) -> list[str]:
    targets = [os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()]
    return [target for target in targets if target.startswith(str(folder))]


def noting(lost: list):
    """`connection_lost` that writes down whose connection it was."""
    original = connections.ImpatientProtocol.connection_lost

    def connection_lost(self, error) -> None:
        original(self, error)
        lost.append(self.client)

    return connection_lost
