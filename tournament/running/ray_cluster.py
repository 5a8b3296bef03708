"""The machines of a Ray cluster: one actor on each, which has a local engine for every game pair.

Only this module knows Ray, and imports it when a cluster is asked for (docs/cluster.md).
"""

import hashlib
import logging
import os
import socket
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from typing_extensions import override

from golois.kit.command import one_line
from golois.kit.files import write_whole
from tournament.errors import EngineError, OptionsError
from tournament.game.job import GameJob
from tournament.game.record import GameRecord
from tournament.game.rules import EventOptions
from tournament.intake.artefact import ARTEFACT, MANIFEST
from tournament.networks.runtimes import require_precision
from tournament.running.calibration import speed_under
from tournament.running.cluster_engine import Cluster, MachineLost
from tournament.running.engine_protocol import ATTEMPTS, Events, MovePlayed
from tournament.running.local_engine import LocalEngine
from tournament.running.machine import physical_cores, spread_warning

# Anyone with access to a Ray cluster can run programs on it, so it requires a token.
SETTINGS = {"RAY_AUTH_MODE": "token", "RAY_USAGE_STATS_ENABLED": "0"}
CONNECT_SECONDS = 10.0
# Fewer than a pair has, so that a single machine can't make a pair be given up.
MACHINE_ATTEMPTS = ATTEMPTS - 1
LOOK_SECONDS = 5.0
FAREWELL_SECONDS = 5.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Survey:
    """A machine's report: its name, cores, speed (or None) and its version of the kit.

    fault: why it can't play by the rules of the event, in words; empty where it can.
    """

    host: str
    cores: Sequence[int | None]
    speed: float | None
    kit: str
    fault: str


@dataclass(frozen=True)
class SentFile:
    """A file in the object store: its name, the digest of its bytes and a reference to them."""

    name: str
    sha256: str
    content: Any


class RemoteMachine:
    """The actor on a machine: keeps the artefacts that it is sent, and plays from them.

    Each call runs in a thread of its own. Games run in processes of the local engine, which end
    with this one.
    """

    def __init__(self, options: EventOptions):
        self._options = options
        self._folder = tempfile.TemporaryDirectory(prefix="go-coursework-kit-")
        self._lock = threading.Lock()
        self._speed = speed_under(options)

    def survey(self) -> Survey:
        """Measure this machine, and return its name, cores, speed and version of the kit."""
        cores, kit = physical_cores(), kit_digest()
        return Survey(socket.gethostname(), cores, self._speed, kit, self._fault())

    def play(self, pair: Sequence[GameJob], files: Sequence[SentFile], cpu: int | None) -> Events:
        """Play a pair on one core, and yield its events."""
        for file in files:
            self._keep(file)
        folder = Path(self._folder.name)
        yield from LocalEngine(folder, self._options, cores=[cpu], speed=self._speed).play([pair])

    def clean_up(self) -> None:
        """Remove the artefacts."""
        self._folder.cleanup()

    def _fault(self) -> str:
        try:
            require_precision(self._options.precision)
        except OptionsError as error:
            return str(error)
        return ""

    def _keep(self, file: SentFile) -> None:
        import ray

        path = Path(self._folder.name) / file.name
        with self._lock:
            if path.exists():
                return
            content = ray.get(file.content)
            if (got := hashlib.sha256(content).hexdigest()) != file.sha256:
                raise OSError(
                    f"{file.name} arrived damaged: its digest is {got}, not {file.sha256}"
                )
            write_whole(path, content)


@dataclass(eq=False)
class RayMachine:
    """A node of the cluster, its actor, and the survey that reports it as ready."""

    node_id: str
    host: str
    num_cpus: int
    actor: Any
    survey: Any
    is_ready: bool = False
    speed: float | None = None


@dataclass(eq=False)
class RaySlot:
    """See tournament.running.cluster_engine.Slot."""

    machine: RayMachine
    cpu: int | None
    cluster: "RayCluster"
    events: Any = field(default=None, init=False)

    def begin(self, pair: Sequence[GameJob]) -> None:
        """See Slot; the machine gets those of the pair's networks that it lacks."""
        self.events = self.machine.actor.play.remote(pair, self.cluster.files_of(pair), self.cpu)

    def next_event(self) -> MovePlayed | GameRecord | None:
        """See Slot; any error of Ray's means that the machine is lost."""
        ray = self.cluster.ray
        try:
            return ray.get(next(self.events))
        except StopIteration:
            return None
        except ray.exceptions.RayActorError:
            raise MachineLost("it does not answer") from None
        except ray.exceptions.RayError as error:
            raise MachineLost(_reason(error)) from None


class RayCluster(Cluster[RaySlot, RayMachine]):
    """Machines of a Ray cluster, with a slot for each physical core.

    A machine is not used if it fails MACHINE_ATTEMPTS times, has another version of the kit or
    lacks the precision of the event.

    Args:
        address: HOST:PORT of the cluster's head, or "auto" for the cluster that this machine is in.
        artefacts: the folder of the baked networks.
        options: the rules of the event.

    Raises:
        OptionsError: Ray is not installed.
        EngineError: no cluster there, or it refuses us; later, its head is gone.
    """

    def __init__(self, address: str, artefacts: Path, options: EventOptions):
        self.ray = connect(address)
        self._head = self.ray.get_runtime_context().gcs_address
        self._has_head = True
        self._artefacts = artefacts
        self._options = options
        self._machines: dict[str, RayMachine] = {}
        self._failures: Counter[str] = Counter()
        self._files: dict[Path, SentFile] = {}
        self._speeds: dict[str, float] = {}
        self._look_at = 0.0

    def __enter__(self) -> "RayCluster":
        return self

    def __exit__(self, *exception) -> None:
        if not self._has_head:
            return  # the machines end with it
        farewells = [machine.actor.clean_up.remote() for machine in self._ready()]
        if farewells:
            self.ray.wait(farewells, num_returns=len(farewells), timeout=FAREWELL_SECONDS)
        for machine in list(self._machines.values()):
            self._end(machine)
        self._look_at = 0.0

    @override
    def new_slots(self) -> Sequence[RaySlot]:
        if time.monotonic() >= self._look_at:
            self._look_at = time.monotonic() + LOOK_SECONDS
            self._look_for_machines()
        pending = {machine.survey: machine for machine in self._pending()}
        if not pending:
            return []
        done, _ = self.ray.wait(list(pending), num_returns=len(pending), timeout=0)
        return [slot for survey in done for slot in self._slots_of(pending[survey])]

    @override
    def may_come(self) -> bool:
        return bool(self._pending())

    @override
    def wait(self, slots: Sequence[RaySlot], seconds: float) -> Sequence[RaySlot]:
        by_events = {slot.events: slot for slot in slots}
        known = [*by_events, *(machine.survey for machine in self._pending())]
        self.ray.wait(known, num_returns=1, timeout=seconds, fetch_local=False)
        done, _ = self.ray.wait(known, num_returns=len(known), timeout=0, fetch_local=False)
        return [by_events[events] for events in done if events in by_events]

    @override
    def drop(self, machine: RayMachine) -> None:
        self._check_head()
        self._failures[machine.node_id] += 1
        self._end(machine)

    def files_of(self, pair: Sequence[GameJob]) -> list[SentFile]:
        """Return the artefacts and manifests of a pair's networks, in the object store."""
        names = {sha256 for job in pair for sha256 in (job.black_sha256, job.white_sha256)}
        paths = (
            self._artefacts / f"{sha256}{suffix}"
            for sha256 in sorted(names)
            for suffix in (MANIFEST, ARTEFACT)
        )
        return [self._sent(path) for path in paths if path.exists()]

    def _sent(self, path: Path) -> SentFile:
        if path not in self._files:
            content = path.read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            self._files[path] = SentFile(path.name, digest, self.ray.put(content))
        return self._files[path]

    def _pending(self) -> list[RayMachine]:
        return [machine for machine in self._machines.values() if not machine.is_ready]

    def _ready(self) -> list[RayMachine]:
        return [machine for machine in self._machines.values() if machine.is_ready]

    def _check_head(self) -> None:
        """Raise EngineError where the head is gone: Ray itself would end the process."""
        try:
            _knock(self._head)
        except OSError as error:
            self._has_head = False
            raise EngineError(
                f"the head of the cluster at {self._head} does not answer: "
                f"{error.strerror or error}; start Ray again, and the same command continues"
            ) from None

    def _look_for_machines(self) -> None:
        self._check_head()
        for node in self.ray.nodes():
            node_id, host = node["NodeID"], node["NodeManagerHostname"]
            num_cpus = int(node["Resources"].get("CPU", 0))
            is_known = node_id in self._machines or self._failures[node_id] >= MACHINE_ATTEMPTS
            if node["Alive"] and num_cpus and not is_known:
                self._machines[node_id] = self._start(node_id, host, num_cpus)

    def _start(self, node_id: str, host: str, num_cpus: int) -> RayMachine:
        """Start preparing a machine; it reserves all CPUs, so that no other run uses them."""
        strategy = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        actor = (
            self.ray.remote(RemoteMachine)
            .options(
                num_cpus=num_cpus,
                max_concurrency=num_cpus + 1,
                scheduling_strategy=strategy(node_id, soft=False),
            )
            .remote(self._options)
        )
        return RayMachine(node_id, host, num_cpus, actor, actor.survey.remote())

    def _slots_of(self, machine: RayMachine) -> Iterator[RaySlot]:
        """Return the slots of a machine that is ready; if it is not, log why and return none."""
        try:
            survey = self.ray.get(machine.survey)
        except self.ray.exceptions.RayError as error:
            log.warning("the machine %s could not start: %s", machine.host, _reason(error))
            self.drop(machine)
            return
        fault = survey.fault
        if survey.kit != kit_digest():
            fault = (
                "its version of the kit differs from this machine's; install the same one there"
            )
        if fault:
            log.warning("the machine %s is not used: %s", machine.host, fault)
            self._failures[machine.node_id] = MACHINE_ATTEMPTS
            self._end(machine)
            return
        machine.is_ready, machine.speed = True, survey.speed
        if survey.speed is not None:
            self._speeds[survey.host] = survey.speed
            if warning := spread_warning(self._speeds):
                log.warning(warning)
        for cpu in survey.cores[: machine.num_cpus]:
            yield RaySlot(machine, cpu, self)

    def _end(self, machine: RayMachine) -> None:
        self.ray.kill(machine.actor)
        self._machines.pop(machine.node_id, None)


def connect(address: str) -> Any:
    """Return the module `ray`, connected to a cluster, without dashboard and usage statistics.

    Raises:
        OptionsError: Ray is not installed.
        EngineError: no cluster there, or it refuses us.
    """
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        import ray
        import ray.util.scheduling_strategies
    except ImportError:
        raise OptionsError(
            "Ray is not installed; in the kit's folder, pip install -e '.[cluster]'"
        ) from None
    try:
        if address != "auto":
            _knock(address)  # Ray itself would end the process after two minutes
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise EngineError(
            f"no Ray cluster at {address}: {_reason(error)}; docs/cluster.md shows how to start one"
        ) from None
    return ray


def kit_digest(rooms: Sequence[str] = ("golois", "tournament")) -> str:
    """Return a digest of the sources that decide a game, equal where the kit is the same."""
    digest = hashlib.sha256()
    for room in rooms:
        folder = _folder_of(room)
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".cpp", ".hpp", ".h"):
                digest.update(path.relative_to(folder.parent).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _folder_of(package: str) -> Path:
    """Return the folder of a package: an installation doesn't have all of the kit's in one."""
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent


def _knock(address: str) -> None:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError("expected auto or HOST:PORT")
    socket.create_connection((host, int(port)), CONNECT_SECONDS).close()


def _reason(error: Exception) -> str:
    """Return the first line of an error's original cause."""
    cause = getattr(error, "cause", None) or error
    return one_line(str(cause).split("\n")[0]) or type(cause).__name__
