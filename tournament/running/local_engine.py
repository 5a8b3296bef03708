"""Games on this machine: a supervisor of long-lived worker processes, each on its own core.

A game whose worker dies or stops answering is void and is replayed, up to three times. If that
happens every time while the same network is loading or thinking, that network forfeits the game.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import cycle, islice
from multiprocessing.connection import wait
from pathlib import Path
from typing import IO

from golois.kit.processes import kill_session, last_line, own_search_path
from tournament.errors import OptionsError
from tournament.game.job import GameJob
from tournament.game.options import EventOptions
from tournament.game.play import forfeit_record, void_record
from tournament.game.record import VOID, GameRecord
from tournament.running.engine_protocol import ATTEMPTS, Events, MovePlayed, patience
from tournament.running.machine import physical_cores
from tournament.running.worker import WorkerSetup

# The system's own limit is 24 days, which a move may have.
LONGEST_WAIT = 3600.0
# Sent from outside, by people or by a kernel short of memory: no network sends them.
KILLED_FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM)
WORKER_COMMAND = (sys.executable, "-m", "tournament.running.worker")
PACKAGE_ROOT = Path(__file__).resolve().parents[2]
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


class LocalEngine:
    """Plays on worker processes of this machine, by default as many as cores.

    `cores` are logical CPUs, by default one of each physical core. `hang_seconds`, by default
    `patience`, is the wall time without a move after which a worker is presumed hung. `command`
    starts a worker. Fewer than one worker raises an OptionsError.
    """

    def __init__(
        self,
        artefacts: Path,
        options: EventOptions,
        num_workers: int | None = None,
        *,
        cores: Sequence[int | None] | None = None,
        speed: float | None = None,
        hang_seconds: float | None = None,
        command: Sequence[str] = WORKER_COMMAND,
    ):
        cores = cores or physical_cores()
        self.num_workers = len(cores) if num_workers is None else num_workers
        if self.num_workers < 1:
            raise OptionsError(f"workers must be 1 or more, not {num_workers}")
        self._options = options
        self._hang_seconds = patience(options, speed) if hang_seconds is None else hang_seconds
        self._command = command
        self._setups = [
            WorkerSetup(str(artefacts.resolve()), options.to_json(), cpu, speed, os.getcwd())
            for cpu in islice(cycle(cores), self.num_workers)
        ]

    def play(self, pairs: Iterable[Sequence[GameJob]]) -> Events:
        """See Engine; leaves no process behind, however it ends."""
        waiting = iter(pairs)
        lanes = [
            _Lane(setup, self._options, self._command, self._hang_seconds) for setup in self._setups
        ]
        try:
            while True:
                for lane in lanes:
                    if lane.is_idle and (pair := next(waiting, None)):
                        lane.assign(pair)
                busy = [lane for lane in lanes if not lane.is_idle]
                if not busy:
                    return
                until = min(lane.deadline for lane in busy) - time.monotonic()
                until = min(max(0.0, until), LONGEST_WAIT)
                files = set(wait([lane.fileno() for lane in busy], until))
                for lane in [lane for lane in busy if lane.fileno() in files]:
                    yield from lane.receive()
                for lane in busy:
                    yield from lane.check_deadline()
        finally:
            for lane in lanes:
                lane.stop()


class _Lane:
    """One worker at a time: the jobs given to it, and how its failures are handled."""

    def __init__(
        self,
        setup: WorkerSetup,
        options: EventOptions,
        command: Sequence[str],
        hang_seconds: float,
    ):
        self.deadline = 0.0
        self._setup = setup
        self._options = options
        self._command = command
        self._hang_seconds = hang_seconds
        self._jobs: deque[GameJob] = deque()
        # Who was active at each failed attempt at the first job; None where that is unknown.
        self._suspects: list[str | None] = []
        self._active: str | None = None
        self._is_running = False
        self._process: subprocess.Popen[bytes]  # these four while it is
        self._stdin: IO[bytes]
        self._stdout: IO[bytes]
        self._stderr: IO[bytes]
        self._unread = b""

    @property
    def is_idle(self) -> bool:
        return not self._jobs

    def fileno(self) -> int:
        return self._stdout.fileno()

    def assign(self, jobs: Sequence[GameJob]) -> None:
        self._jobs.extend(jobs)
        self._send_job()

    def receive(self) -> Iterator[MovePlayed | GameRecord]:
        chunk = os.read(self.fileno(), 1 << 16)
        if not chunk:
            code = self._process.wait()
            suspect = None if code in KILLED_FROM_OUTSIDE else self._active
            yield self._fail(f"the worker died ({self._last_words(code)})", suspect)
            return
        self._extend_deadline()
        *lines, self._unread = (self._unread + chunk).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "warms_up" in message:
                self._active = message["warms_up"]
            elif "plies" in message:
                self._active = "white" if message["plies"] % 2 else "black"
                last = message.get("point"), message.get("cpu_seconds", 0.0)
                yield MovePlayed(self._jobs[0], message["plies"], *last)
            else:
                yield self._finish(GameRecord.from_json(message["record"]))

    def check_deadline(self) -> Iterator[GameRecord]:
        if not self.is_idle and time.monotonic() > self.deadline:
            reason = f"the worker made no move for {self._hang_seconds:.0f} s"
            yield self._fail(reason, self._active)

    def stop(self) -> None:
        if self._is_running:
            kill_session(self._process)  # with the programs that it has started
            self._process.wait()
            for pipe in (self._stdin, self._stdout, self._stderr):
                pipe.close()
        self._is_running = False

    def _fail(self, reason: str, suspect: str | None) -> GameRecord:
        self.stop()
        job = self._jobs[0]
        if suspect and [*self._suspects, suspect] == [suspect] * ATTEMPTS:
            words = f"{reason}, in each of {ATTEMPTS} attempts while the network chose a move"
            return self._finish(forfeit_record(job, self._options, suspect, words))
        return self._finish(void_record(job, self._options, reason), suspect)

    def _finish(self, record: GameRecord, suspect: str | None = None) -> GameRecord:
        self._suspects.append(suspect)
        if record.kind != VOID or len(self._suspects) == ATTEMPTS:
            self._suspects.clear()
            self._jobs.popleft()
        if self._jobs:
            self._send_job()
        return replace(record, host_speed=self._setup.speed)

    def _send_job(self) -> None:
        self._active = None
        if not self._is_running:
            self._start()
        self._send(self._jobs[0].to_json())

    def _start(self) -> None:
        self._unread = b""
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  closed by stop()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": own_search_path()},
            cwd=PACKAGE_ROOT,
            start_new_session=True,
        )
        assert self._process.stdin and self._process.stdout  # both are pipes
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._is_running = True
        self._send(asdict(self._setup))

    def _send(self, message: dict) -> None:
        self._extend_deadline()
        with suppress(BrokenPipeError):  # it has died, and its stdout will say so
            self._stdin.write(json.dumps(message).encode() + b"\n")

    def _extend_deadline(self) -> None:
        self.deadline = time.monotonic() + self._hang_seconds

    def _last_words(self, code: int) -> str:
        self._stderr.seek(0)
        return ": ".join(filter(None, [f"exit code {code}", last_line(self._stderr.read())]))
