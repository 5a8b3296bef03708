"""Jobs on the machines of a Ray cluster. The jobs of a lost machine begin again on others.

A job is a generator function: it yields events and returns a result. Only this module knows Ray,
and imports it when a cluster is asked for (docs/teacher/cluster.md).
"""

import hashlib
import logging
import os
import socket
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any

from golois.kit.command import KitError, UsageError, one_line
from golois.kit.signals import StopRequest, raise_if_stopped

# Anyone with access to a Ray cluster can run programs on it, so it requires a token.
SETTINGS = {"RAY_AUTH_MODE": "token", "RAY_USAGE_STATS_ENABLED": "0"}
CONNECT_SECONDS = 10.0
LOOK_SECONDS = 5.0
LISTEN_SECONDS = 1.0
FAREWELL_SECONDS = 5.0
ATTEMPTS = 3

log = logging.getLogger(__name__)


class ClusterError(KitError, RuntimeError):
    """A cluster that cannot be reached, refuses the connection, or cannot do the work."""


@dataclass(frozen=True)
class Survey:
    """What a machine reports before its first job: cores of its jobs at a time, speed, fault.

    A core of None is any core. The caller chooses the unit of speed. No fault is "".
    """

    cores: Sequence[int | None] = (None,)
    speed: float | None = None
    fault: str = ""


@dataclass(frozen=True)
class Here:
    """Where a job runs: a folder of its own with its files, its core, the machine's speed."""

    folder: Path
    core: int | None = None
    speed: float | None = None


Run = Callable[[Here], Generator[Any, None, Any]]


@dataclass(eq=False)
class Job:
    """A piece of work: a pickled function that runs on a machine and yields events.

    `about` identifies the job for the caller, `files` returns what to send to each attempt, and
    `losses` counts interrupted attempts.
    """

    about: Any
    run: Run
    files: Callable[[], Iterable[Path]] = tuple
    losses: int = 0


@dataclass(eq=False)
class Machine:
    """A node of the cluster, or a core of it, that is reserved by an actor."""

    node_id: str
    host: str
    num_cpus: int
    actor: Any
    survey: Any
    is_ready: bool = False
    speed: float | None = None


@dataclass(frozen=True)
class Begun:
    """An attempt at a job has begun."""

    job: Job
    machine: Machine


@dataclass(frozen=True)
class Told:
    """A job has yielded something."""

    job: Job
    event: Any


@dataclass(frozen=True)
class Ended:
    """A job has come to its end, and returned something."""

    job: Job
    result: Any


@dataclass(frozen=True)
class Lost:
    """A machine was lost (cause None) or is not trusted; its jobs begin again or are given up."""

    machine: Machine
    reason: str
    again: Sequence[Job]
    given_up: Sequence[Job]
    cause: BaseException | None


Happened = Generator[Begun | Told | Ended | Lost, None, None]


@dataclass(frozen=True)
class Wanted:
    """What the caller asks of the machines.

    `rooms` are packages whose sources must be the same as here. `is_whole` reserves a whole
    machine, with its GPUs if `gpus`, otherwise each core by itself. A job is given up after
    `job_attempts`, a machine after `machine_attempts`: fewer, so that a single machine can't give
    up a job. `silence` is the seconds without an event after which a machine of a speed is presumed
    lost.
    """

    to: str = "play"
    rooms: Sequence[str] = ()
    survey: Callable[[], Survey] = Survey
    is_whole: bool = True
    gpus: bool = False
    job_attempts: float = ATTEMPTS
    machine_attempts: int = ATTEMPTS - 1
    silence: Callable[[float | None], float] = lambda _: inf


@dataclass(frozen=True)
class Result:
    """What a job returned, after its events."""

    value: Any


class Agent:
    """The actor on a machine. Each call runs in a thread of its own."""

    def __init__(self, rooms: Sequence[str], survey: Callable[[], Survey]) -> None:
        self._rooms = rooms
        self._survey = survey()
        self._folder = tempfile.TemporaryDirectory(
            prefix="go-coursework-kit-", ignore_cleanup_errors=True
        )

    def survey(self) -> tuple[str, Survey]:
        """Return this machine's version of the kit, and its survey."""
        return kit_digest(self._rooms), self._survey

    def run(
        self, core: int | None, run: Run, files: Sequence[tuple[str, str, Any]]
    ) -> Iterator[Any]:
        """Run a job on a core, and yield its events, then its result; OSError: a damaged file."""
        import ray

        with tempfile.TemporaryDirectory(
            dir=self._folder.name, ignore_cleanup_errors=True
        ) as folder:
            for name, digest, reference in files:
                content = ray.get(reference)
                if (got := hashlib.sha256(content).hexdigest()) != digest:
                    raise OSError(f"{name} arrived damaged: its digest is {got}, not {digest}")
                (Path(folder) / name).write_bytes(content)
            result = yield from run(Here(Path(folder), core, self._survey.speed))
        yield Result(result)

    def clean_up(self) -> None:
        """Remove the files of all jobs."""
        self._folder.cleanup()


@dataclass(eq=False)
class _Share:
    """A job under way, where it is, and when its machine is presumed lost."""

    job: Job
    machine: Machine
    core: int | None
    deadline: float = 0.0


class Machines:
    """Machines that come and go; the context's end ends their jobs. `clock` is in seconds."""

    def __init__(
        self, ray: Any, wanted: Wanted, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ray = ray
        self._wanted = wanted
        self._clock = clock
        self._head = ray.get_runtime_context().gcs_address
        self._has_head = True
        self._kit = kit_digest(wanted.rooms)
        self._machines: list[Machine] = []
        self._failures: Counter[str] = Counter()
        self._sent: dict[str, Any] = {}
        self._idle: list[tuple[Machine, int | None]] = []
        self._busy: dict[Any, _Share] = {}
        self._again: deque[Job] = deque()
        self._look_at = -inf

    def __enter__(self) -> "Machines":
        return self

    def __exit__(self, *_error: object) -> None:
        if not self._has_head:
            return  # the machines end with it
        farewells = [one.actor.clean_up.remote() for one in self._machines if one.is_ready]
        if farewells:
            self._ray.wait(farewells, num_returns=len(farewells), timeout=FAREWELL_SECONDS)
        for machine in self._machines:
            self._ray.kill(machine.actor)

    def do(self, jobs: Iterable[Job], stop: StopRequest | None = None) -> Happened:
        """Have jobs done, and yield what happens to them; what is left ends with the context.

        Jobs are asked for one by one, whenever a machine is idle. Raises ClusterError: no machine
        is left, or the head of the cluster is gone; Stopped: by a signal, looked at every second.
        """
        waiting = iter(jobs)
        self._sent.clear()  # so that the object store need not keep what an earlier call has sent
        while True:
            raise_if_stopped(stop)
            self._look()
            yield from self._hand_out(waiting)
            if self._busy or self._pending() and not self._idle:
                yield from self._listen()
            elif self._idle:
                return
            else:
                raise ClusterError(
                    f"no machine in the cluster can {self._wanted.to}; the same command continues "
                    "from here when such a machine has joined"
                )

    def _look(self) -> None:
        """Prepare the machines that have come, and begin to use those that are ready."""
        if self._clock() >= self._look_at:
            self._look_at = self._clock() + LOOK_SECONDS
            self._check_head()
            here = Counter(machine.node_id for machine in self._machines)
            for node in self._ray.nodes():
                node_id, num_cpus = node["NodeID"], int(node["Resources"].get("CPU", 0))
                if node["Alive"] and self._failures[node_id] < self._wanted.machine_attempts:
                    number = min(num_cpus, 1) if self._wanted.is_whole else num_cpus
                    self._machines += [self._start(node) for _ in range(number - here[node_id])]
        pending = {machine.survey: machine for machine in self._pending()}
        if pending:
            done, _ = self._ray.wait(list(pending), num_returns=len(pending), timeout=0)
            for survey in done:
                self._welcome(pending[survey])

    def _pending(self) -> list[Machine]:
        return [machine for machine in self._machines if not machine.is_ready]

    def _start(self, node: dict[str, Any]) -> Machine:
        resources, node_id = node["Resources"], node["NodeID"]
        num_cpus = int(resources["CPU"]) if self._wanted.is_whole else 1
        strategy = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        actor = (
            self._ray.remote(Agent)
            .options(
                num_cpus=num_cpus,
                num_gpus=resources.get("GPU", 0) if self._wanted.gpus else 0,
                max_concurrency=num_cpus + 1,
                scheduling_strategy=strategy(node_id, soft=False),
            )
            .remote(self._wanted.rooms, self._wanted.survey)
        )
        host = node["NodeManagerHostname"]
        return Machine(node_id, host, num_cpus, actor, actor.survey.remote())

    def _welcome(self, machine: Machine) -> None:
        """Take a machine that is ready; if it can't work, log why and don't use it."""
        if machine not in self._machines:
            return
        try:
            kit, survey = self._ray.get(machine.survey)
        except self._ray.exceptions.RayError as error:
            log.warning("the machine %s could not start: %s", machine.host, _reason(error))
            self._drop(machine)
            return
        fault = survey.fault
        if kit != self._kit:
            fault = (
                "its version of the kit differs from this machine's; install the same version there"
            )
        if fault:
            log.warning("the machine %s is not used: %s", machine.host, fault)
            self._failures[machine.node_id] = self._wanted.machine_attempts
            for one in [one for one in self._pending() if one.node_id == machine.node_id]:
                self._end(one)
            return
        machine.is_ready, machine.speed = True, survey.speed
        self._idle += [(machine, core) for core in survey.cores[: machine.num_cpus]]

    def _hand_out(self, waiting: Iterator[Job]) -> Happened:
        while self._idle:
            job = self._again.popleft() if self._again else next(waiting, None)
            if job is None:
                return
            machine, core = self._idle.pop(0)
            share = _Share(job, machine, core)
            events = machine.actor.run.remote(core, job.run, self._files(job))
            self._busy[events] = share
            self._extend_deadline(share)
            yield Begun(job, machine)

    def _files(self, job: Job) -> list[tuple[str, str, Any]]:
        """Put a job's files in the object store, which brings each to a machine once."""
        files = []
        for path in job.files():
            content = path.read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            if digest not in self._sent:
                self._sent[digest] = self._ray.put(content)
            files.append((path.name, digest, self._sent[digest]))
        return files

    def _listen(self) -> Happened:
        known = [*self._busy, *(machine.survey for machine in self._pending())]
        self._ray.wait(known, num_returns=1, timeout=LISTEN_SECONDS, fetch_local=False)
        done, _ = self._ray.wait(known, num_returns=len(known), timeout=0, fetch_local=False)
        for events in done:
            if events in self._busy:
                yield from self._hear(events)
        for events, share in list(self._busy.items()):
            if events in self._busy and self._clock() > share.deadline:
                seconds = self._wanted.silence(share.machine.speed)
                yield self._lose(share.machine, f"it sent nothing for {seconds:.0f} s")

    def _hear(self, events: Any) -> Happened:
        """Yield a job's next event; an error that is Ray's own means that the machine is lost."""
        share, errors = self._busy[events], self._ray.exceptions
        try:
            event = self._ray.get(next(events))
        except errors.RayActorError:
            yield self._lose(share.machine, "it does not answer")
        except errors.RayError as error:
            cause = getattr(error, "cause", None)
            is_raised = isinstance(error, errors.RayTaskError)
            is_raised = is_raised and not isinstance(cause, errors.RayError)
            yield self._lose(share.machine, _reason(error), cause if is_raised else None)
        else:
            if isinstance(event, Result):
                del self._busy[events]
                self._idle.append((share.machine, share.core))
                yield Ended(share.job, event.value)
            else:
                self._extend_deadline(share)
                yield Told(share.job, event)

    def _extend_deadline(self, share: _Share) -> None:
        share.deadline = self._clock() + self._wanted.silence(share.machine.speed)

    def _lose(self, machine: Machine, reason: str, cause: BaseException | None = None) -> Lost:
        self._drop(machine)
        self._idle = [place for place in self._idle if place[0] is not machine]
        lost = [events for events, share in self._busy.items() if share.machine is machine]
        jobs = [self._busy.pop(events).job for events in lost]
        for job in jobs:
            job.losses += 1
        again = [job for job in jobs if job.losses < self._wanted.job_attempts]
        self._again += again
        return Lost(machine, reason, again, [job for job in jobs if job not in again], cause)

    def _drop(self, machine: Machine) -> None:
        self._check_head()
        self._failures[machine.node_id] += 1
        self._end(machine)

    def _end(self, machine: Machine) -> None:
        self._ray.kill(machine.actor)
        self._machines.remove(machine)

    def _check_head(self) -> None:
        """Raise ClusterError where the head is gone: Ray itself would end the process."""
        try:
            _knock(self._head)
        except OSError as error:
            self._has_head = False
            raise ClusterError(
                f"the head of the cluster at {self._head} does not answer: "
                f"{error.strerror or error}; start Ray again, and the same command continues"
            ) from None


Cluster = Callable[[Wanted], Machines]


def named_engine(name: str | None, address: str | None) -> str:
    """Return the key of `ENGINES` that a command line asks for: an address is a cluster's."""
    return name or ("ray" if address else "local")


def open_engine(name: str, address: str | None) -> Cluster | None:
    """Return the cluster of this name, a key of `ENGINES`; None for this machine itself.

    `address` is HOST:PORT; "auto" or None for the cluster that this machine is in. Raises
    UsageError: an address, for an engine that has none; or a package is missing; ClusterError: no
    cluster at the address, or it refuses us.
    """
    return ENGINES[name](address)


def _local(address: str | None) -> None:
    if address is not None:
        raise UsageError(f"--address {address} is for clusters: leave it out with --engine local")


def _ray(address: str | None) -> Cluster:
    address = address or "auto"
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        import ray
        import ray.util.scheduling_strategies
    except ImportError:
        raise UsageError(
            "Ray is not installed; in the kit's folder, pip install -e '.[cluster]'"
        ) from None
    try:
        if address != "auto":
            _knock(address)  # Ray itself would end the process after two minutes
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise ClusterError(
            f"no Ray cluster at {address}: {_reason(error)}; "
            "docs/teacher/cluster.md shows how to start one"
        ) from None
    return partial(Machines, ray)


ENGINES: dict[str, Callable[[str | None], Cluster | None]] = {"local": _local, "ray": _ray}
"""Where commands do their work, by name. Another cluster is another entry."""


def kit_digest(rooms: Sequence[str]) -> str:
    """Return a digest of the sources of some packages, equal where the kit is the same."""
    digest = hashlib.sha256()
    for room in rooms:
        spec = find_spec(room)  # an installation doesn't have all of the kit's in one folder
        assert spec is not None and spec.origin is not None
        folder = Path(spec.origin).parent
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".cpp", ".hpp", ".h"):
                digest.update(path.relative_to(folder.parent).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _knock(address: str) -> None:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError("expected auto or HOST:PORT")
    socket.create_connection((host, int(port)), CONNECT_SECONDS).close()


def _reason(error: Exception) -> str:
    cause = getattr(error, "cause", None) or error
    return one_line(str(cause).split("\n")[0]) or type(cause).__name__
