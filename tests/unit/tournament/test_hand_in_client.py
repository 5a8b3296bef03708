"""submit.py --to against servers that misbehave; tests/integration/server asks a real one."""

import http.client
import http.server
import io
import json
import os
import shutil
import socket
import ssl
import subprocess
import threading
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

import submit
from tests.runs import called
from tournament.commands import own_token
from tournament.errors import SubmissionError
from tournament.server import client, limits
from tournament.server.client import Server, hand_in

TOKEN = "a" * 64
LEAGUE = (200, {"max_bytes": 1000})
ME = (200, {"name": "Ada", "role": "student"})
REFUSED = {
    "id": "1", "state": "refused", "standing": None, "words": "Refused.", "manifest": None,
    "faults": [{"text": "bad\x1b[2J", "remedy": "mend"}],
}
QUEUED = {**REFUSED, "state": "queued", "words": "It waits.", "faults": []}


@contextmanager
def answering(*answers, context: ssl.SSLContext | None = None) -> Iterator[tuple[str, list]]:
    """A server that gives these answers in turn, and the requests that it got."""
    left, asked = list(answers), []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked.append((self.command, self.path, self.headers["Authorization"], body))
            status, data, *headers = left.pop(0)
            if status is None:
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data if isinstance(data, bytes) else json.dumps(data).encode())

        do_POST = do_GET

        def log_message(self, *arguments: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        kind = "https" if context else "http"
        yield f"{kind}://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()
        thread.join()


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "my net.h5"
    path.write_bytes(b"some bytes")
    return path


@pytest.fixture(autouse=True)
def naps(monkeypatch) -> list[float]:
    """How long the client would have slept."""
    slept: list[float] = []
    monkeypatch.setattr(client.time, "sleep", slept.append)
    return slept


def test_a_file_is_sent_and_its_verdict_awaited(file):
    with answering(LEAGUE, ME, (202, QUEUED), (200, QUEUED), (200, REFUSED)) as (url, asked):
        handed_in = hand_in(file, url + "/course/", TOKEN)
    assert [(method, path) for method, path, *_ in asked] == [
        ("GET", "/course/api/league"), ("GET", "/course/api/me"), ("POST", "/course/api/uploads"),
        ("GET", "/course/api/uploads/1"), ("GET", "/course/api/uploads/1"),
    ]
    assert asked[2][3] == b"some bytes"
    assert {authorization for *_, authorization, _ in asked} == {f"Bearer {TOKEN}"}
    assert not handed_in.verdict.accepted and not handed_in.counts
    assert handed_in.verdict.faults[0].text == "bad\\x1b[2J"


def test_what_may_pass_is_tried_again_as_late_as_asked(file, naps):
    busy = (429, {"problem": "too many files"}, ("Retry-After", "77"))
    with answering(
        (None, None), LEAGUE, (503, b"<html>"), ME, busy, (None, None), (202, QUEUED),
        (502, b""), (200, REFUSED),
    ) as (url, asked):
        assert hand_in(file, url, TOKEN).words == "Refused."
    assert [body for *_, body in asked if body] == [b"some bytes"] * 3
    assert 77 in naps


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((401, {"problem": "no valid token"}), "answered: no valid token"),
        ((301, b"", ("Location", "https://evil.example/")), "redirects to https://evil.example/"),
        ((404, b"<html>no such page"), "answered: status 404"),
        ((200, b"<html>some other server"), "answered: status 200"),
    ],
)
def test_what_will_not_pass_is_said(file, answer, said):
    with answering(LEAGUE, answer) as (url, asked), pytest.raises(SubmissionError, match=said):
        hand_in(file, url, TOKEN)
    assert len(asked) == 2


def test_a_large_file_is_not_sent_at_all(file):
    file.write_bytes(bytes(1001))
    with answering(LEAGUE) as (url, asked):
        with pytest.raises(SubmissionError, match="at most 1,000 are allowed"):
            hand_in(file, url, TOKEN)
        assert len(asked) == 1


def test_a_server_that_never_answers_is_given_up(file, monkeypatch):
    monkeypatch.setattr(limits, "FIRST_AWAY_SECONDS", 0.0)
    with answering((None, None)) as (url, _), pytest.raises(SubmissionError, match="no answer"):
        hand_in(file, url, TOKEN)


@pytest.fixture
def certificate(tmp_path) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
         "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
         "-out", certificate],
        check=True, capture_output=True,
    )
    return certificate


def with_certificate(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    return context


def test_a_certificate_of_nobody_is_refused(file, certificate):
    context = with_certificate(certificate)
    with answering(LEAGUE, context=context) as (url, asked):
        with pytest.raises(SubmissionError, match="the certificate of .* is not valid"):
            hand_in(file, url, TOKEN)
        assert asked == []


def test_a_refusal_before_the_end_of_a_file_is_read_over_https_too(
    tmp_path, certificate, monkeypatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    large, done = tmp_path / "large.h5", threading.Event()
    large.write_bytes(bytes(4_000_000))
    server = socket.create_server(("127.0.0.1", 0))

    def refuse() -> None:
        tls = with_certificate(certificate).wrap_socket(server.accept()[0], server_side=True)
        with tls:
            tls.recv(1000)
            tls.sendall(
                b'HTTP/1.1 409 C\r\nContent-Length: 33\r\n\r\n{"problem": "Ada plays no more."}\n'
            )
            done.wait(0.3)

    thread = threading.Thread(target=refuse)
    thread.start()
    with server, open(large, "rb") as content:
        it = Server(f"https://127.0.0.1:{server.getsockname()[1]}", TOKEN)
        with pytest.raises(SubmissionError, match="Ada plays no more"):
            it.ask("POST", "uploads", lambda *_: None, content)
    thread.join()


@pytest.mark.parametrize("url", ["localhost:1", "https://go.example.edu/x", "http://[::1]:8000"])
def test_addresses_that_a_token_may_go_to(url):
    Server(url, TOKEN)


def test_an_address_without_a_port_has_that_of_its_scheme():
    """Otherwise http.client would take the last part of an IPv6 address for a port."""
    assert (Server("http://[::1]", TOKEN)._port, Server("[2001:db8::5]", TOKEN)._port) == (80, 443)


@pytest.mark.parametrize(
    "answers",
    [
        [(200, [])], [(200, {})], [(200, {"max_bytes": "many"})], [(200, b"[" * 100_000)],
        [(503, b"", ("Retry-After", "9" * 5000))],
        [LEAGUE, ME, (202, {"id": "1"})],
        [LEAGUE, ME, (202, {**QUEUED, "words": 1})],
        [LEAGUE, ME, (202, {**REFUSED, "faults": [None]})],
    ],
)
def test_answers_of_some_other_server_are_one_sentence(file, answers):
    with answering(*answers) as (url, _), pytest.raises(SubmissionError, match=f"{url}[: ]"):
        hand_in(file, url, TOKEN)


def test_what_a_server_says_is_neither_markup_nor_a_command(file, monkeypatch):
    terminal = io.StringIO()
    monkeypatch.setattr(
        client, "Console", lambda stderr: Console(file=terminal, force_terminal=True, width=200)
    )
    busy = {**QUEUED, "words": "[/bold]\x1b]0;title\x07"}
    with answering(LEAGUE, ME, (202, busy), (200, REFUSED)) as (url, _):
        hand_in(file, url, TOKEN)
    assert "]0;title" not in terminal.getvalue().replace("\\x1b]0;title\\x07", "")


def test_a_network_that_goes_away_is_waited_for(file, monkeypatch):
    connect, failing = http.client.HTTPConnection.connect, [2, 3, 5]
    calls = iter(range(1, 100))

    def sometimes(self) -> None:
        if next(calls) in failing:
            raise OSError(101, "Network is unreachable")
        connect(self)

    monkeypatch.setattr(http.client.HTTPConnection, "connect", sometimes)
    with answering(LEAGUE, ME, (202, QUEUED), (200, REFUSED)) as (url, asked):
        assert hand_in(file, url, TOKEN).words == "Refused."
        assert len(asked) == 4


def test_a_server_without_https_is_said_at_once(file, naps):
    with answering() as (url, asked):
        address = url.removeprefix("http://")
        said = f"{address} answers without https; for a server on this machine, write http://"
        with pytest.raises(SubmissionError, match=said):
            hand_in(file, address, TOKEN)
    assert naps == asked == []


def test_a_host_that_has_no_name_is_said_at_once(file, monkeypatch, naps):
    def unknown(self) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(http.client.HTTPConnection, "connect", unknown)
    with pytest.raises(OSError, match="not known"):
        hand_in(file, "http://localhost:1", TOKEN)
    assert naps == []


@pytest.mark.parametrize(("method", "said"), [("POST", "may have arrived"), ("GET", "handed in")])
def test_an_interrupt_says_what_is_known_of_the_file(file, monkeypatch, method, said):
    ask = Server.ask

    def interrupted(self, how: str, name: str, *rest):
        if how == method and name.startswith("uploads"):
            raise KeyboardInterrupt
        return ask(self, how, name, *rest)

    monkeypatch.setattr(Server, "ask", interrupted)
    answers = answering(LEAGUE, ME, (202, QUEUED))
    with answers as (url, _), pytest.raises(KeyboardInterrupt, match=said):
        hand_in(file, url, TOKEN)


def test_a_files_name_need_not_be_text(file):
    odd = file.rename(file.with_name(os.fsdecode(b"\xff.h5")))
    with answering(LEAGUE, ME, (202, REFUSED)) as (url, asked):
        hand_in(odd, url, TOKEN)
    assert asked[2][3] == b"some bytes"


def test_a_token_may_come_from_an_editor_that_marks_its_text(tmp_path):
    path = tmp_path / "token"
    path.write_text(f"\ufeff{TOKEN}\n", encoding="utf-8")
    assert own_token.token_of(SimpleNamespace(token=None, token_file=path)) == TOKEN


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://go.example.edu", "use https instead of"),
        ("ftp://go.example.edu", "--to needs an address"),
        *((url, "--to needs an address") for url in (
            "https://", "https://host:port", "https://a..b", "https://[::1", "https://host:99999",
            "//", "",
        )),
    ],
)
def test_a_token_is_sent_to_https_only(url, said):
    with pytest.raises(SubmissionError, match=said):
        Server(url, TOKEN)


def test_a_token_comes_from_the_command_a_file_or_the_environment(tmp_path, monkeypatch):
    path = tmp_path / "token"
    path.write_text(f" {TOKEN}\n")
    monkeypatch.setenv(own_token.TOKEN_VARIABLE, "c" * 64)
    assert own_token.token_of(Namespace(token="b", token_file=path)) == "b"
    assert own_token.token_of(Namespace(token=None, token_file=path)) == TOKEN
    assert own_token.token_of(Namespace(token=None, token_file=None)) == "c" * 64


@pytest.mark.parametrize(
    ("token", "said"), [("", "no token is given"), ("x y", "this is not a token"),
                        ("é", "this is not a token"), ("a\r\nHost: b", "this is not a token")],
)
def test_what_is_no_token_is_said_and_not_echoed(token, said):
    with pytest.raises(SubmissionError, match=f"^{said}: give your token with [^é]*$"):
        own_token.token_of(Namespace(token=token, token_file=None))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--to", "", "--token", TOKEN), "--to needs an address"),  # of a variable that is not set
        (("--to", "", "--name", "Ada"), "--name cannot be given with --to"),
        (
            ("--check-only", "--replace", "--allow-alike", "-m", "a line"),
            "--allow-alike, --message, --replace cannot be given with --check-only, which files",
        ),
        (("--to", "https://a.example", "--token", TOKEN, "--token-file", "f"), "not allowed with"),
    ],
)
def test_no_option_is_passed_over(file, tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    assert said in called(submit.main, file, *options).refusal
    assert not (tmp_path / "league").exists()


def test_a_path_that_no_file_can_have_is_refused_in_words(capsys):
    assert submit.main(["a" * 300, "--check-only"]) == 2
    out, errors = capsys.readouterr()
    assert "the file cannot be opened: File name too long" in out and errors == ""
