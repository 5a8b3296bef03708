"""The processes that play an iteration's shards, each as many as it can."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import IO, Any, Protocol

from golois.kit.processes import last_line, own_search_path
from golois.kit.signals import Stopped, StopRequest
from tournament.errors import EngineError

LOOK_SECONDS = 0.1


class PlaysShards(Protocol):
    """Plays an iteration's shards: `Actors`, a GPU, or machines of a cluster."""

    def __enter__(self) -> Any:
        """Begin."""
        ...

    def __exit__(self, *error: Any) -> None:
        """End what still plays."""
        ...

    def play(self, jobs: Sequence[dict[str, Any]], on_evaluated: Callable[[int], None]) -> None:
        """Have shards played, and return when all of their files are there.

        Args:
            jobs: what `selfplay.actor` reads, all of one network.
            on_evaluated: called now and then, also from other threads, with how many positions were
                evaluated since.

        Raises:
            Stopped: by a signal.
            EngineError: it cannot be done; the text says why.
        """
        ...


@dataclass
class _Process:
    """An actor, and what it writes to its standard error."""

    child: subprocess.Popen
    errors: IO[bytes]


class Actors(PlaysShards):
    """A number of processes, started by the first shard and ended with the context.

    Args:
        number: of processes.
        stop: a request to stop, looked at while they play.
    """

    def __init__(self, number: int, stop: StopRequest) -> None:
        self.number = number
        self._stop = stop
        self._processes: list[_Process] = []
        self._free: SimpleQueue[_Process] = SimpleQueue()

    def __enter__(self) -> "Actors":
        return self

    def __exit__(self, *_error: Any) -> None:
        self._end()

    def play(self, jobs: Sequence[dict[str, Any]], on_evaluated: Callable[[int], None]) -> None:
        """See PlaysShards; a process that ends by itself is an error too."""
        while len(self._processes) < min(self.number, len(jobs)):
            self._start()
        with ThreadPoolExecutor(self.number) as pool:
            waiting = {pool.submit(self._ask, job, on_evaluated) for job in jobs}
            try:
                while waiting:
                    done, waiting = wait(waiting, LOOK_SECONDS, FIRST_COMPLETED)
                    for future in done:
                        future.result()
                    if self._stop.signal:
                        raise Stopped
            except BaseException:
                _cancel(waiting)
                self._end()
                raise

    def _start(self) -> None:
        # The file is closed with the process, in _end.
        errors = tempfile.TemporaryFile()  # noqa: SIM115
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "selfplay.actor"],  # -P: nothing of the current folder
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # so that Ctrl-C is for this process, which then ends them
            env={**os.environ, "PYTHONPATH": own_search_path()},
        )
        process = _Process(child, errors)
        self._processes.append(process)
        self._free.put(process)

    def _ask(self, job: dict[str, Any], on_evaluated: Callable[[int], None]) -> None:
        process = self._free.get()
        assert process.child.stdin and process.child.stdout
        try:
            process.child.stdin.write(json.dumps(job).encode() + b"\n")
            process.child.stdin.flush()
            said = _last_answer(process.child.stdout, on_evaluated)
        except (BrokenPipeError, ValueError):  # it ended, or was ended, amid this
            said = None
        finally:
            self._free.put(process)
        if said is None:
            process.errors.seek(0)
            why = last_line(process.errors.read()) or "it said nothing"
            raise EngineError(f"a process that plays ended by itself: {why}")
        if error := said.get("error"):
            raise EngineError(error)

    def _end(self) -> None:
        for process in self._processes:
            process.child.kill()
            process.child.wait()
        for process in self._processes:
            for file in (process.child.stdin, process.child.stdout, process.errors):
                _close(file)
        self._processes.clear()
        self._free = SimpleQueue()


def _last_answer(
    lines: IO[bytes], on_evaluated: Callable[[int], None]
) -> dict[str, Any] | None:
    """What a process says when a shard is done; None if it ended before."""
    for line in lines:
        said = json.loads(line)
        if "evaluated" not in said:
            return said
        on_evaluated(said["evaluated"])
    return None


def _cancel(futures: set[Future]) -> None:
    for future in futures:
        future.cancel()


def _close(file: IO[bytes] | None) -> None:
    if file is None:
        return
    with suppress(BrokenPipeError):  # what was not read yet is lost with the process
        file.close()
