"""Jobs in processes of this machine: the interface of golois.kit.cluster without a cluster."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import IO, Any

from golois.kit.cluster import ClusterError, Ended, Happened, Here, Job, Result, Told
from golois.kit.command import KitError, in_one_sentence
from golois.kit.processes import end_with_parent, last_line, own_search_path
from golois.kit.signals import StopRequest, raise_if_stopped

LOOK_SECONDS = 0.1


@dataclass(eq=False)
class _Process:
    """A process, what it writes to its standard error, and a pipe for jobs and their events."""

    child: subprocess.Popen
    errors: IO[bytes]
    pipe: Connection

    def next_event(self) -> Any:
        try:
            event = self.pipe.recv()
        except (EOFError, OSError):
            self.errors.seek(0)
            why = last_line(self.errors.read()) or "it wrote no message"
            raise ClusterError(f"a process of this command ended unexpectedly: {why}") from None
        if isinstance(event, ClusterError):
            raise event
        return event


class ThisMachine:
    """Processes, started by the first jobs and ended with the context; a job's files are links."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._processes: list[_Process] = []
        self._idle: list[_Process] = []

    def __enter__(self) -> "ThisMachine":
        self._folder = tempfile.TemporaryDirectory(prefix="go-coursework-kit-")
        return self

    def __exit__(self, *_error: object) -> None:
        for process in self._processes:
            process.child.kill()
        for process in self._processes:
            process.child.wait()
            process.pipe.close()
            process.errors.close()
        self._folder.cleanup()

    def do(self, jobs: Iterable[Job], stop: StopRequest | None = None) -> Happened:
        """See Machines. ClusterError: a job or its process failed; Stopped: by a signal."""
        waiting = iter(jobs)
        busy: dict[Any, tuple[_Process, Job]] = {}
        while True:
            raise_if_stopped(stop)
            for job in islice(waiting, self._number - len(busy)):
                process = self._idle.pop() if self._idle else self._start()
                files = [path.resolve(strict=True) for path in job.files()]
                with suppress(BrokenPipeError):  # it has ended, and next_event says so
                    process.pipe.send((job.run, files))
                busy[process.pipe] = process, job
            if not busy:
                return
            for pipe in wait(list(busy), LOOK_SECONDS):
                process, job = busy[pipe]
                event = process.next_event()
                if isinstance(event, Result):
                    del busy[pipe]
                    self._idle.append(process)
                    yield Ended(job, event.value)
                else:
                    yield Told(job, event)

    def _start(self) -> _Process:
        here, there = Pipe()
        errors = tempfile.TemporaryFile()  # noqa: SIM115  closed by __exit__
        child = subprocess.Popen(
            # -P: nothing of the current folder
            [sys.executable, "-P", "-m", __name__, str(there.fileno()), self._folder.name],
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=[there.fileno()],
            start_new_session=True,  # so that Ctrl-C is for this process, which then ends them
            env={**os.environ, "PYTHONPATH": own_search_path()},
        )
        there.close()
        self._processes.append(_Process(child, errors, here))
        return self._processes[-1]


def main(descriptor: str, parent: str) -> None:
    """Do jobs until nobody asks for more."""
    end_with_parent()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # Slurm sends it to all: the parent decides
    pipe = Connection(int(descriptor))
    with suppress(EOFError):
        while True:
            run, files = pipe.recv()
            with tempfile.TemporaryDirectory(dir=parent) as folder:
                for path in files:
                    os.symlink(path, Path(folder) / path.name)
                events = run(Here(Path(folder)))
                try:
                    while True:
                        pipe.send(next(events))
                except StopIteration as end:
                    answer: Result | ClusterError = Result(end.value)
                except (KitError, OSError) as error:
                    answer = ClusterError(in_one_sentence(error))
            pipe.send(answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
