"""Workers over HTTP: what the server lends to whom, and the command that plays."""

import itertools
import logging
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from golois.kit.cluster import kit_digest
from tests.fake_arena import league_of
from tests.lending import OPTIONS, InThisProcess, game_of, other_networks
from tests.runs import tournament
from tests.serving import Client, Serving, issue_tokens, serving
from tournament.commands import work as command
from tournament.errors import OptionsError, SubmissionError
from tournament.game.options import EventOptions
from tournament.league.games import Target
from tournament.league.league import League
from tournament.league.work import Work
from tournament.running import lending_engine
from tournament.running.coordinator import run_event
from tournament.running.lending_engine import ROOMS, LendingEngine
from tournament.running.plan import scheduled_jobs
from tournament.running.views import QuietView
from tournament.server import client, limits
from tournament.server.client import Server
from tournament.server.tokens import WORKER, Tokens

KIT = kit_digest(ROOMS)
ROUNDS = 8
GIVE_UP_SECONDS = 30.0
ASKED = {"machine": "one", "kit": KIT, "speed": 1000.0, "wanted": 1}


@pytest.fixture
def at(tmp_path) -> Iterator[Serving]:
    pytest.importorskip("uvicorn")
    league = league_of(tmp_path).folder
    tokens = issue_tokens(league)
    with closing(Work(league)) as work:
        Tokens(work.journal).issue(["lab", "home"], WORKER, tokens.update)
    with serving(league, tokens) as running:
        yield running


@contextmanager
def lending(at: Serving, options: EventOptions = OPTIONS, **terms) -> Iterator[Work]:
    """Terms, and the first pair of the league, lent without a run."""
    with closing(Work(at.league)) as work:
        work.begin({
            "options": options.to_json(), "kit": KIT, "speed": 1000.0, "spread": 0.1,
            "seconds": 60.0, "longest": 600.0, **terms,
        })
        with closing(League(at.league)) as league:
            pair = scheduled_jobs(league, OPTIONS, 1)[:2]
        work.offer([pair], 2e9)
        yield work


class Run:
    """The league's run in a thread of its own, which leaves a worker time before each pair."""

    def __init__(self, at: Serving):
        self._at = at
        self.thread = threading.Thread(target=self._play)

    def __enter__(self) -> "Run":
        self.thread.start()
        return self

    def __exit__(self, *_error) -> None:
        self.thread.join()

    def _play(self) -> None:
        naps = (time.sleep(0.1) for _ in itertools.count())
        with closing(League(self._at.league)) as league:
            engine = LendingEngine(league.folder, OPTIONS, InThisProcess(script=naps))
            self.outcome = run_event(league, OPTIONS, Target(ROUNDS), engine, QuietView())


def worker(at: Serving, folder: Path, engine: InThisProcess, monkeypatch, holder="lab"):
    """The command's worker, whose games are played in this process."""
    monkeypatch.setattr(limits, "ASK_AGAIN_SECONDS", 0.05)
    monkeypatch.setattr(lending_engine, "LOOK_SECONDS", 0.0)
    stop = SimpleNamespace(signal=None)
    server = Server(f"http://127.0.0.1:{at.port}", at.tokens[holder], option="--server")
    folder.mkdir()
    made = command.Worker(server, folder, stop)
    monkeypatch.setattr(command, "LocalEngine", lambda *_, **__: engine)
    return made, stop


def test_a_worker_plays_until_it_is_told_to_stop(at, tmp_path, monkeypatch, capsys):
    def stops_within_a_pair() -> Iterator[None]:
        yield
        yield
        stop.signal = signal.SIGTERM
        yield

    engine = InThisProcess(script=stops_within_a_pair())
    made, stop = worker(at, tmp_path / "one", engine, monkeypatch)
    with Run(at) as run:
        made.work(GIVE_UP_SECONDS)
        assert made.num_reported == 3 and len(engine.played) == 6, "the pair is played to its end"
    assert run.outcome.given_up == () and run.outcome.num_games == 6 * ROUNDS
    with closing(League(at.league)) as league:
        games = league.games.all()
        jobs = {job.game_id: job for job in scheduled_jobs(league, OPTIONS, ROUNDS)}
    assert sum(game.host.startswith("lab/") for game in games) == 6
    assert all(game.moves == game_of(jobs[game.game_id]).moves for game in games)
    assert len(list((tmp_path / "one").glob("*.onnx"))) == 3
    assert "after 16 moves" in capsys.readouterr().out


@pytest.mark.slow
def test_a_liar_is_told_so_and_the_teacher_sees_it(at, tmp_path, monkeypatch, caplog):
    made, _ = worker(at, tmp_path / "one", InThisProcess(other_networks), monkeypatch)
    with caplog.at_level(logging.WARNING), Run(at) as run, pytest.raises(
        SubmissionError, match="your token is stopped: lab/.*; ask your teacher"
    ):
        made.work(GIVE_UP_SECONDS)
    assert run.outcome.num_games == 6 * ROUNDS and "reported a wrong game" in caplog.text
    told = at.as_("Emmy").get("/api/teacher").data["work"]
    assert list(told["stopped"]) == ["lab"]


def test_without_a_run_a_worker_waits_or_ends(at, tmp_path, monkeypatch, capsys):
    made, _ = worker(at, tmp_path / "one", InThisProcess(), monkeypatch)
    made.work(idle_seconds=0.2)
    assert capsys.readouterr().out.count("no games are played now; waiting") == 1


def test_a_worker_lives_through_a_server_that_is_away(at, tmp_path, monkeypatch):
    engine = InThisProcess(script=iter(()))
    made, stop = worker(at, tmp_path / "one", engine, monkeypatch)
    answers, naps = made._server.ask, []

    def breaks(method, name, *others, **more):
        if method == "POST" and not naps or method == "PUT":
            raise client.LaterError("no answer (ConnectionResetError)", 0)
        return answers(method, name, *others, **more)

    def nap(seconds):
        naps.append(seconds)
        stop.signal = stop.signal or (made.num_reported and signal.SIGINT)

    monkeypatch.setattr(made._server, "ask", breaks)
    monkeypatch.setattr(client.time, "sleep", nap)
    with lending(at):
        made.work()
    assert naps and made.num_reported == 1


@pytest.mark.parametrize(
    ("options", "terms", "asked", "said"),
    [
        (OPTIONS, {"kit": "other"}, {}, "this version of the kit differs from the server's"),
        (EventOptions(seconds=2), {}, {"speed": 880.0}, "880 positions a CPU second"),
        (EventOptions(seconds=2), {}, {"speed": None}, "would not be equal"),
        (EventOptions(seconds=2), {}, {"speed": 920.0}, None),
        (EventOptions(seconds=2, scale_clock=True), {}, {"speed": 88.0}, None),
        (OPTIONS, {}, {"speed": 88.0}, None),
        (OPTIONS, {}, {"speed": -1.0}, "expected a speed"),
        (OPTIONS, {}, {"speed": "fast"}, "expected a speed"),
        (OPTIONS, {}, {"wanted": 0}, "expected a wish"),
        (OPTIONS, {}, {"wanted": 10**9}, "expected a wish"),
        (OPTIONS, {}, {"machine": "x" * 10_000}, "at most"),
    ],
)
def test_who_is_lent_a_pair(at, options, terms, asked, said):
    with lending(at, options, **terms):
        answer = at.as_("lab").ask("POST", "/api/worker/leases", json_of({**ASKED, **asked}))
    if said is None:
        assert answer.status == 200 and len(answer.data["leases"]) == 1
    else:
        assert answer.status in (400, 409, 413) and said in answer.data["problem"]


def json_of(data) -> bytes:
    return command._json(data)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 5000, b"\xff"])
def test_what_is_no_request(at, body):
    with lending(at):
        for method, path in (("POST", "leases"), ("PUT", "leases"), ("POST", "leases/1")):
            answer = at.as_("lab").ask(method, f"/api/worker/{path}", body)
            assert answer.status == 400 and answer.data["problem"] == "expected an object in JSON"


def test_a_large_report_is_refused(at, monkeypatch):
    with lending(at):
        monkeypatch.setattr(limits, "MAX_REPORT", 100)
        answer = at.as_("lab").ask("POST", "/api/worker/leases/1", b'"' + b"x" * 100 + b'"')
        assert answer.status == 413


def test_networks_are_only_for_whoever_has_a_pair_of_theirs(at):
    with lending(at):
        lab, home = at.as_("lab"), at.as_("home")
        (lease,) = lab.ask("POST", "/api/worker/leases", json_of(ASKED)).data["leases"]
        path = f"/api/worker/networks/{lease['jobs'][0]['black_sha256']}"
        assert lab.get(f"{path}.onnx").status == lab.get(f"{path}.json").status == 200
        assert home.get(f"{path}.onnx").status == 404
        assert lab.get(f"{path}.h5").status == 404
        assert lab.get("/api/worker/networks/..%2f..%2fleague.sqlite").status == 404
        report = json_of({"games": [], "artefacts": {}})
        assert not home.ask("POST", f"/api/worker/leases/{lease['id']}", report).data["taken"]
        assert lab.ask("PUT", "/api/worker/leases", json_of({"machine": "one"})).status == 200
        assert lab.ask("POST", f"/api/worker/leases/{lease['id']}", report).data["taken"]


def test_tokens_of_workers_open_nothing_else(at):
    for name in ("Ada", "Emmy"):
        assert at.as_(name).get("/api/worker").status == 401
    assert at.as_("lab").get("/api/me").status == at.as_("lab").get("/api/teacher").status == 401
    assert at.anybody.get("/api/worker").status == 401
    assert Client(at.port, "0" * 64).get("/api/worker").status == 401
    assert at.as_("lab").get("/api/worker").data == {"options": None}


def test_a_token_is_made_once_and_revoked(at):
    made = tournament("tokens", "--worker", "room_3", "--league", str(at.league))
    token = made.out.strip()
    assert made.code == 0 and Client(at.port, token).get("/api/worker").status == 200
    again = tournament("tokens", "--worker", "room_3", "--league", str(at.league))
    assert "this name has a token" in again.refusal
    with closing(Work(at.league)) as work:
        work.stop("room_3", "room_3/a: a wrong game")
    assert Client(at.port, token).get("/api/worker").status == 403
    assert tournament("tokens", "--revoke", "room_3", "--league", str(at.league)).code == 0
    assert Client(at.port, token).get("/api/worker").status == 401
    made = tournament("tokens", "--worker", "room_3", "--league", str(at.league))
    assert Client(at.port, made.out.strip()).get("/api/worker").status == 200


def test_bad_input_is_answered_in_a_sentence(at, monkeypatch):
    url = f"http://127.0.0.1:{at.port}"
    assert "no token is given" in tournament("work", "--server", url).refusal
    said = tournament("work", "--server", "http://go.example.edu", "--token", "a").refusal
    assert "use https instead of" in said
    said = tournament("work", "--server", "ftp://x", "--token", "a").refusal
    assert "--server needs an address" in said
    assert "no valid token" in tournament("work", "--server", url, "--token", "a").refusal
    said = tournament("run", "--league", str(at.league), "--engine", "workers", "--workers", "0")
    assert "workers must be 1 or more" in said.refusal


def test_a_machine_that_cannot_play_by_the_rules_says_so(at, tmp_path, monkeypatch):
    made, _ = worker(at, tmp_path / "one", InThisProcess(), monkeypatch)
    options = EventOptions(visits=4, precision="bf16")

    def refuse(precision):
        raise OptionsError(f"no {precision} here")

    monkeypatch.setattr(command, "require_precision", refuse)
    with lending(at, options), pytest.raises(OptionsError, match="no bf16 here"):
        made.work()


def test_an_answer_in_another_format_is_no_server_of_the_kit(at, tmp_path, monkeypatch):
    made, _ = worker(at, tmp_path / "one", InThisProcess(), monkeypatch)
    monkeypatch.setattr(made._server, "ask", lambda *_, **__: {"leases": 3})
    with pytest.raises(SubmissionError, match="is not a server of this kit"):
        made.work()
