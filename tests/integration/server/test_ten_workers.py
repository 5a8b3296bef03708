"""Ten real workers: three are killed, two lie, one is slow, and the network is cut for a while."""

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from tests.data import ROOT
from tests.fake_arena import league_of
from tests.integration.server.test_serve_command import answers, needs_server, served
from tests.runs import tournament
from tests.serving import Client, issue_tokens, wait_for
from tournament.league.league import League
from tournament.league.work import Work

RULES = ("--seconds", "0.01", "--scale-clock", "--max-plies", "40", "--rounds", "50",
         "--workers", "1", "--seed", "0", "--quiet")  # fmt: skip
NUM_GAMES = 300
CUT_SECONDS = 6.0
# A worker whose games are changed by an expression, before it reports them.
WORKER = """
import sys, time
from tests.lending import other_networks, other_winner
from tournament.__main__ import main
from tournament.commands import work
from tournament.game.record import GameRecord
class Engine(work.LocalEngine):
    def play(self, pairs):
        for event in super().play(pairs):
            yield {change} if isinstance(event, GameRecord) else event
            {nap}
work.LocalEngine = Engine
sys.exit(main(sys.argv[1:]))
"""


class Line:
    """A proxy between the workers and the server, which can be cut."""

    def __init__(self, port: int):
        self._to, self.is_cut = ("127.0.0.1", port), False
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self.is_cut = True
        for line in self._open:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                if self.is_cut:
                    near.close()
                    continue
                far = socket.create_connection(self._to)
                self._open += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._copy, args=(one, other), daemon=True).start()

    @staticmethod
    def _copy(one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while piece := one.recv(65_536):
                other.sendall(piece)
        for line in (one, other):
            with suppress(OSError):
                line.close()


@contextmanager
def workers(folder: Path, port: int, tokens: dict[str, str]) -> Iterator[list[subprocess.Popen]]:
    lying = {0: "other_networks(event, self._options)", 1: "other_winner(event)"}
    begun = []
    for number in range(10):
        code = WORKER.format(
            change=lying.get(number, "event"), nap="time.sleep(0.1)" if number == 2 else ""
        )
        holder = f"liar_{number}" if number in lying else "lab"
        with open(folder / f"worker_{number}.log", "w") as log:
            begun.append(subprocess.Popen(
                [sys.executable, "-c", code, "work", "--server", f"http://127.0.0.1:{port}",
                 "--token", tokens[holder], "--workers", "1", "--idle-minutes", "10"],
                cwd=ROOT, stdout=log, stderr=subprocess.STDOUT,
            ))  # fmt: skip
    try:
        yield begun
    finally:
        for one in begun:
            one.kill()
            one.wait()


def begin_run(league: Path, begun: list[subprocess.Popen]) -> subprocess.Popen:
    """The league's run, which ends with the workers."""
    command = [sys.executable, "-m", "tournament", "run", "--league", str(league)]
    begun.append(subprocess.Popen(
        [*command, "--engine", "workers", *RULES], cwd=ROOT, stderr=subprocess.PIPE, text=True
    ))  # fmt: skip
    return begun[-1]


def has_pair(work: Work, worker: subprocess.Popen) -> bool:
    return any(
        told["machine"].endswith(f"-{worker.pid}") and told["leases"] for told in work.workers()
    )


@pytest.mark.slow
@needs_server
def test_ten_workers_of_which_some_fail(tmp_path):
    league = league_of(tmp_path).folder
    issue_tokens(league)
    tokens = {
        name: tournament("tokens", "--worker", name, "--league", str(league)).out.strip()
        for name in ("lab", "liar_0", "liar_1")
    }
    with served(league) as (_, port, _), closing(Line(port)) as line:
        wait_for(lambda: answers(Client(port)))
        with workers(tmp_path, line.port, tokens) as begun, closing(Work(league)) as work:
            run = begin_run(league, begun)
            for one in begun[3:6]:
                wait_for(lambda one=one: has_pair(work, one), 300)
                one.kill()
            line.cut()
            time.sleep(CUT_SECONDS)
            line.is_cut = False
            said = run.communicate(timeout=900)[1]
            for one in (begun[2], *begun[6:10]):
                one.send_signal(signal.SIGTERM)
            codes = [one.wait(timeout=120) for one in begun[:10]]
            stopped = work.stopped()
    assert run.returncode == 0, said
    assert codes == [2, 2, 143, *3 * [-signal.SIGKILL], *4 * [143]]
    assert sorted(stopped) == ["liar_0", "liar_1"]
    for liar in (0, 1):
        log = (tmp_path / f"worker_{liar}.log").read_text()
        assert f"your token is stopped: liar_{liar}/" in log
        assert f"the worker liar_{liar}/" in said
    with closing(League(league)) as opened:
        games = opened.games.all()
        hosts = {game.host for game in games}
        assert opened.games.voids() == []
    assert len(games) == NUM_GAMES
    assert said.count("was lost: its pair is played again") >= 3
    assert {host.partition("/")[0] for host in hosts if "/" in host} == {"lab"}
