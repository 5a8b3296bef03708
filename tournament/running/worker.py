"""A worker process: `python -m tournament.running.worker` plays games until its stdin ends.

JSON lines in: a `WorkerSetup`, then GameJobs. Out: `{"warms_up": COLOUR}` before a network loads or
warms up, `{"plies": n}` before the first and after every move, then with its "point" and
"cpu_seconds", `{"record": …}` at a game's end.
"""

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from golois.constants import BOARD_SIZE
from golois.games.rules import Go
from tournament.errors import NetworkMemoryError
from tournament.game.job import GameJob
from tournament.game.options import EventOptions
from tournament.game.play import forfeit_record, play_game, void_record
from tournament.game.record import GameRecord
from tournament.networks.evaluator import open_evaluator
from tournament.players import make_player
from tournament.players.protocol import Choice, Player
from tournament.players.registry import find_player
from tournament.running.loaded_networks import LoadedNetworks, limit_memory
from tournament.running.machine import options_here
from tournament.running.retracing import Retracing
from tournament.running.sides import PROGRAM, options_of_side


@dataclass(frozen=True)
class WorkerSetup:
    """What a worker needs to know once.

    artefacts: the folder of SHA256.onnx files.
    options: the rules of the event, as EventOptions.to_json gives them.
    cpu: the core to stay on, or None.
    speed: of this machine (tournament.running.calibration), or None.
    folder: in which programs are started, or None.
    """

    artefacts: str
    options: dict
    cpu: int | None = None
    speed: float | None = None
    folder: str | None = None


class Worker:
    """Plays jobs with networks from a folder of artefacts, and keeps those it has loaded."""

    def __init__(self, artefacts: Path, options: EventOptions, speed: float | None = None):
        self._options = options
        self._speed = speed
        self._networks = LoadedNetworks(artefacts, open_evaluator)

    def play(
        self, job: GameJob, on_move: Callable[[int, Choice | None], None],
        on_warm_up: Callable[[str], None],
    ) -> GameRecord:
        """Play one game, with the callbacks of `play_game`.

        A network is loaded after its warm-up is told. A network that does not fit into the memory
        forfeits. Another failure to load makes the game void, since the intake baked the network.
        """
        players = []
        retraced = iter(job.moves)
        with ExitStack() as opened:
            for colour, seed in (("black", 2 * job.seed), ("white", 2 * job.seed + 1)):
                on_warm_up(colour)
                try:
                    player = opened.enter_context(self._player(job, colour, seed, retraced))
                    players.append(player)
                except NetworkMemoryError as error:
                    return forfeit_record(job, self._options, colour, str(error))
                except Exception as error:
                    return void_record(job, self._options, f"{type(error).__name__}: {error}")
            black, white = players
            return play_game(job, black, white, self._options, on_move, on_warm_up)

    def _player(
        self, job: GameJob, colour: str, seed: int, retraced: Iterator[Choice]
    ) -> AbstractContextManager[Player]:
        sha256, changes = (getattr(job, f"{colour}_{part}") for part in ("sha256", "options"))
        if PROGRAM in changes:
            return _opened(changes[PROGRAM], seed)
        options = options_here(options_of_side(self._options, changes), self._speed)
        evaluator = self._networks.get(sha256, options)
        player = make_player(evaluator, options, seed)
        return nullcontext(Retracing(player, retraced) if job.moves else player)


@contextmanager
def _opened(name: str, seed: int) -> Iterator[Player]:
    """A player by its name; a program ends with the context, or with this process's session."""
    with find_player(name, Go(BOARD_SIZE))(False) as new_player:
        yield new_player(seed)


def serve(lines: Iterator[str], answers: TextIO) -> None:
    """Read the setup and then jobs, and answer each, until the lines end."""
    setup = WorkerSetup(**json.loads(next(lines)))
    if setup.cpu is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {setup.cpu})
    if setup.folder is not None:
        os.chdir(setup.folder)  # only now, since modules are looked for where Python began
    options = EventOptions.from_json(setup.options)
    worker = Worker(Path(setup.artefacts), options, setup.speed)

    def answer(**message) -> None:
        print(json.dumps(message), file=answers, flush=True)

    def tell(num_plies: int, choice: Choice | None) -> None:
        last = {"point": choice.point, "cpu_seconds": choice.cpu_seconds} if choice else {}
        answer(plies=num_plies, **last)

    for line in lines:
        job = GameJob.from_json(json.loads(line))
        record = worker.play(
            job,
            on_move=tell,
            on_warm_up=lambda colour: answer(warms_up=colour),
        )
        answer(record=record.to_json())


def lines_until_closed(source: TextIO) -> Iterator[str]:
    """Return the lines of a pipe; when it closes the process ends at once, even during a game."""
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        for line in source:
            waiting.put(line)
        _end()

    threading.Thread(target=read, daemon=True).start()
    while True:
        yield waiting.get()


def _end() -> None:
    """End this process, and the programs that it has started if it leads a session of its own."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def main() -> None:
    """Serve stdin; what libraries print goes to stderr, so that stdout holds answers only."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # Slurm sends it to all: the parent decides
    limit_memory()
    serve(lines_until_closed(sys.stdin), answers)


if __name__ == "__main__":
    main()
