"""Connections and requests of somebody who reads nothing, lies about addresses or asks oddly."""

import logging
import socket

import pytest

from tests.serving import Serving, issue_tokens, serving, wait_for
from tournament.server import connections, live_site

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A server whose site is never built."""

    async def no_site(folder) -> None:
        pass

    league = tmp_path_factory.mktemp("bare") / "league"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live_site, "_build", no_site)
        with serving(league, issue_tokens(league)) as running:
            yield running


def test_a_site_that_is_not_built_yet_is_not_there(bare):
    for path in ("/site/", "/site/index.html"):
        assert bare.anybody.get(path).status == 404


def test_no_answer_leads_to_the_host_that_the_request_names(bare):
    for path, leads_to in (("/site", "site/"), ("/api/league/", None), ("/teacher/", None)):
        answer = bare.anybody.ask("GET", path, Host="evil.example")
        assert answer.headers["Location"] == leads_to


def test_an_upgrade_to_a_websocket_is_a_request_like_others(bare):
    answer = bare.anybody.ask(
        "GET", "/api/league", Connection="Upgrade", Upgrade="websocket",
        Sec_WebSocket_Version="13", Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ==",
    )
    assert answer.status == 200
    assert answer.headers["X-Frame-Options"] == "DENY"


def test_an_address_that_is_no_address_breaks_no_line_of_the_log(bare, caplog):
    caplog.set_level(logging.INFO, "tournament.server")
    said = "1.2.3.4\x85 INFO a line of its own \x9b2J"
    assert bare.anybody.ask("GET", "/api/league", X_Forwarded_For=said).status == 200
    lines = wait_for(lambda: [line for line in caplog.messages if "a line of its own" in line])
    assert all(line.isascii() and line.isprintable() for line in lines)


@pytest.mark.parametrize("token", ["", "Ada"])
def test_a_body_that_is_none_fills_no_log(bare, caplog, token):
    sent = (
        "POST /api/uploads HTTP/1.1", "Host: x", "Transfer-Encoding: chunked",
        f"Authorization: Bearer {bare.tokens.get(token)}", "", "no number", "",
    )
    with connected(bare) as line:
        line.sendall("\r\n".join(sent).encode())
        rest_of(line)
    assert bare.as_("Ada").get("/api/uploads").data == []
    assert not [record for record in caplog.records if record.exc_info]


def test_somebody_who_takes_no_answer_is_cut_off(bare, monkeypatch):
    monkeypatch.setattr(connections, "TAKE_SECONDS", 0.2)
    lost = []
    monkeypatch.setattr(connections.ImpatientProtocol, "connection_lost", noting(lost))
    size = 50_000_000
    with open(bare.league / "site" / "large.bin", "wb") as file:
        file.truncate(size)
    with connected(bare) as line:
        line.sendall(b"GET /site/large.bin HTTP/1.1\r\nHost: x\r\n\r\n")
        wait_for(lambda: line.getsockname() in lost)
        assert len(rest_of(line)) < size


def noting(lost: list):
    """`connection_lost` that writes down whose connection it was."""
    original = connections.ImpatientProtocol.connection_lost

    def connection_lost(self, error) -> None:
        original(self, error)
        lost.append(self.client)

    return connection_lost


def connected(server: Serving) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def rest_of(line: socket.socket) -> bytes:
    received = b""
    try:
        while piece := line.recv(1_000_000):
            received += piece
    except ConnectionResetError:
        pass
    return received
