"""`work`: play games for a league whose server lends them (docs/teacher/cluster.md)."""

import argparse
import json
import os
import platform
import re
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from golois.kit.cluster import kit_digest
from golois.kit.files import write_whole
from golois.kit.options import Parser
from golois.kit.signals import StopRequest
from tournament.commands.arguments import positive
from tournament.commands.own_token import add_token_arguments, token_of
from tournament.game.job import GameJob, networks_of
from tournament.game.options import EventOptions
from tournament.game.record import VOID, GameRecord
from tournament.intake.artefact import ARTEFACT, MANIFEST, NO_BUDGET
from tournament.networks.runtimes import require_precision
from tournament.running.calibration import speed_under
from tournament.running.engine_protocol import ATTEMPTS
from tournament.running.lending_engine import ROOMS, digests_of
from tournament.running.local_engine import LocalEngine
from tournament.running.views import result_text
from tournament.server import limits
from tournament.server.client import LaterError, Server, understood

DIGEST = re.compile(r"[0-9a-f]{64}")


def add_work_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "--server", required=True, metavar="URL", help="the server, such as https://go.example.edu"
    )
    add_token_arguments(parser)
    parser.add_argument(
        "--workers", type=positive, help="processes (default: one for each physical core)"
    )
    parser.add_argument(
        "--idle-minutes", type=float, metavar="MINUTES",
        help="end after this time without a game to play (default: wait for games)",
    )


def work_command(arguments: argparse.Namespace) -> int:
    """Play until a signal; the pairs under way are played to their end, and reported."""
    server = Server(arguments.server, token_of(arguments), option="--server")
    idle = arguments.idle_minutes
    with StopRequest() as stop, tempfile.TemporaryDirectory() as folder:
        worker = Worker(server, Path(folder), stop, arguments.workers)
        worker.work(None if idle is None else 60 * idle)
    print(f"stopped; {worker.num_reported} game pairs reported")
    return 128 + stop.signal if stop.signal else 0


@dataclass
class _Borrowed:
    """A pair that is being played here, and its games so far."""

    id: str
    pair: Sequence[GameJob]
    games: dict[str, GameRecord] = field(default_factory=dict)
    num_voids: int = 0

    def hear(self, record: GameRecord) -> bool:
        """Take a game; return whether the pair is over."""
        self.num_voids += record.kind == VOID
        if record.kind != VOID or self.num_voids == ATTEMPTS:
            self.games[record.game_id] = record
            self.num_voids = 0
        return len(self.games) == len(self.pair)


class Worker:
    """Borrows pairs, as an iterator that ends when there is none now, and reports their games."""

    def __init__(
        self, server: Server, folder: Path, stop: StopRequest, num_workers: int | None = None
    ):
        self._server, self._folder, self._stop = server, folder, stop
        self._num_workers = num_workers
        self._machine = f"{platform.node()}-{os.getpid()}"
        self._kit = kit_digest(ROOMS)
        self._options: EventOptions | None = None
        self._speed: float | None = None
        self._size = 1
        self._waiting: deque[_Borrowed] = deque()
        self._under_way: dict[str, _Borrowed] = {}
        self._ask_at = self._alive_at = 0.0
        self._shown = ""
        self.num_reported = 0

    def work(self, idle_seconds: float | None = None) -> None:
        """Play until the stop is asked for, or for so long there is nothing to play.

        Raises:
            SubmissionError: the server refuses this worker, or doesn't answer for half an hour.
            OptionsError: this machine can't play by the rules.
        """
        busy_at = time.monotonic()
        while not self._stop.signal:
            engine = self._begun()
            if engine is not None:
                for event in engine.play(self):
                    busy_at = time.monotonic()
                    if isinstance(event, GameRecord):
                        self._hear(event)
                    self._show_life()
            if idle_seconds is not None and time.monotonic() - busy_at >= idle_seconds:
                return
            if not self._stop.signal:
                time.sleep(limits.ASK_AGAIN_SECONDS)

    def __iter__(self) -> Iterator[Sequence[GameJob]]:
        return self

    def __next__(self) -> Sequence[GameJob]:
        is_time = time.monotonic() >= self._ask_at and not self._stop.signal
        if not self._waiting and is_time:
            self._borrow()
        if not self._waiting:
            raise StopIteration
        borrowed = self._waiting.popleft()
        self._under_way[borrowed.pair[0].pair_id] = borrowed
        return borrowed.pair

    def _begun(self) -> LocalEngine | None:
        """Return what plays by the server's rules, or None while no games are played."""
        with understood(self._server.url):
            terms = self._server.patiently("GET", "worker", _show)
            if terms["options"] is None:
                self._show_once("no games are played now; waiting")
                return None
            self._show_once("waiting for games to play")
            options = EventOptions.from_json(terms["options"])
        if options != self._options:
            require_precision(options.precision)
            self._options, self._speed = options, speed_under(options)
        cores = None if self._num_workers is None else [None]  # others may use the first cores
        engine = LocalEngine(
            self._folder, options, self._num_workers, cores=cores, speed=self._speed
        )
        self._size = engine.num_workers
        return engine

    def _borrow(self) -> None:
        wanted = min(limits.MAX_WANTED, max(1, self._size - len(self._under_way)))
        asked = {
            "machine": self._machine, "kit": self._kit, "speed": self._speed, "wanted": wanted
        }
        with understood(self._server.url):
            answer = self._server.patiently("POST", "worker/leases", _show, _json(asked))
            if not answer["leases"]:
                self._ask_at = time.monotonic() + limits.ASK_AGAIN_SECONDS
            for lease in answer["leases"]:
                pair = [GameJob.from_json(job) for job in lease["jobs"]]
                self._fetch_networks(pair)
                self._waiting.append(_Borrowed(str(lease["id"]), pair))

    def _fetch_networks(self, pair: Sequence[GameJob]) -> None:
        for sha256 in networks_of(pair):
            if not DIGEST.fullmatch(sha256):
                raise ValueError(f"{sha256} is no digest")
            for suffix in (MANIFEST, ARTEFACT):
                path = self._folder / f"{sha256}{suffix}"
                if not path.exists():
                    name = f"worker/networks/{path.name}"
                    content = self._server.patiently(
                        "GET", name, _show, max_bytes=NO_BUDGET.file_limit
                    )
                    write_whole(path, content, durable=False)

    def _hear(self, record: GameRecord) -> None:
        print(result_text(record), flush=True)
        borrowed = self._under_way[record.pair_id]
        if not borrowed.hear(record):
            return
        del self._under_way[record.pair_id]
        report = {
            "games": [borrowed.games[job.game_id].to_json() for job in borrowed.pair],
            "artefacts": digests_of(borrowed.pair, self._folder),
        }
        name = f"worker/leases/{borrowed.id}"
        with understood(self._server.url):
            is_taken = self._server.patiently("POST", name, _show, _json(report))["taken"]
        self.num_reported += bool(is_taken)
        if not is_taken:
            _show("the report came too late: the pair is played by another worker")

    def _show_once(self, text: str) -> None:
        if text != self._shown:
            _show(text)
        self._shown = text

    def _show_life(self) -> None:
        """Tell the server now and then that the pairs are being played, if it answers at once."""
        if time.monotonic() >= self._alive_at:
            self._alive_at = time.monotonic() + limits.ALIVE_SECONDS
            try:
                self._server.ask("PUT", "worker/leases", _show, _json({"machine": self._machine}))
            except LaterError as later:
                _show(f"{later}; the game goes on")


def _json(data: dict[str, Any]) -> bytes:
    return json.dumps(data).encode()


def _show(text: str, done: float | None = None) -> None:
    print(text, flush=True)
