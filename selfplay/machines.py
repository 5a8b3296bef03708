"""An iteration's shards on the machines of a Ray cluster, one on each core that is free.

A shard is the same wherever it is played, so one that is lost with its machine is asked for again.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from golois.kit.files import write_whole
from golois.kit.signals import Stopped, StopRequest
from selfplay.actor import answer
from selfplay.actors import PlaysShards
from selfplay.shards import Counts
from tournament.errors import EngineError
from tournament.running.ray_cluster import kit_digest

ATTEMPTS = 3
WAIT_SECONDS = 0.5
ROOMS = ("golois", "tournament", "models", "selfplay")


class Played(NamedTuple):
    """A shard's files, or what went wrong."""

    games: bytes = b""
    counts: bytes = b""
    error: str = ""


def play_here(job: dict[str, Any], artefact: bytes, victim: bytes, kit: str) -> Played:
    """Play a shard on the machine that this is called on.

    Args:
        job: as `selfplay.actor` reads it; its paths are those of another machine.
        artefact: the network.
        victim: what it plays against; empty for itself.
        kit: digest of the sources that the others have.
    """
    if kit_digest(ROOMS) != kit:
        return Played(error="a machine has another version of the kit: install the same one there")
    with TemporaryDirectory(prefix="go-coursework-kit-") as folder:
        out, paths = Path(folder) / "shard.games", {}
        for name, content in (("artefact", artefact), ("victim", victim)):
            if content:
                paths[name] = str(Path(folder) / f"{name}.onnx")
                Path(paths[name]).write_bytes(content)
        if error := answer({**job, **paths, "out": str(out)}).get("error"):
            return Played(error=error)
        return Played(out.read_bytes(), out.with_suffix(".json").read_bytes())


class Machines(PlaysShards):
    """The machines of a cluster.

    Args:
        ray: the module, connected (`tournament.running.ray_cluster.connect`).
        stop: a request to stop, looked at while they play.
        say: prints a line.
    """

    def __init__(self, ray: Any, stop: StopRequest, say: Callable[[str], None]) -> None:
        self._ray = ray
        self._stop = stop
        self._say = say
        self._kit = kit_digest(ROOMS)
        self._running: dict[Any, dict[str, Any]] = {}

    def __enter__(self) -> "Machines":
        return self

    def __exit__(self, *_error: Any) -> None:
        for task in self._running:
            self._ray.cancel(task)
        self._running.clear()

    def play(self, jobs: Sequence[dict[str, Any]], on_evaluated: Callable[[int], None]) -> None:
        """See PlaysShards.

        The tasks are cancelled with the context. A cluster without a machine and a shard that is
        lost too often are errors, and so is what a machine raises.
        """
        paths = (jobs[0]["artefact"], jobs[0].get("victim"))
        networks = [self._ray.put(Path(path).read_bytes() if path else b"") for path in paths]
        lost: Counter[str] = Counter()
        for job in jobs:
            self._begin(job, networks)
        while self._running:
            if self._stop.signal:
                raise Stopped
            self._require_machine()
            done, _ = self._ray.wait(list(self._running), num_returns=1, timeout=WAIT_SECONDS)
            for task in done:
                job = self._running.pop(task)
                try:
                    played = self._ray.get(task)
                except self._ray.exceptions.RayError as error:
                    self._require_lost(job, error)
                    lost[job["out"]] += 1
                    self._begin_again(job, networks, lost[job["out"]])
                else:
                    self._store(job, played)
                    on_evaluated(Counts.read(Path(job["out"])).evaluations)

    def _begin(self, job: dict[str, Any], networks: Sequence[Any]) -> None:
        task = self._ray.remote(play_here).options(num_cpus=1, max_retries=0)
        self._running[task.remote(job, *networks, self._kit)] = job

    def _require_lost(self, job: dict[str, Any], error: Exception) -> None:
        """Refuse to play a shard again that was not lost: playing it raised something."""
        cause, known = getattr(error, "cause", None), self._ray.exceptions
        if isinstance(error, known.RayTaskError) and not isinstance(cause, known.RayError):
            raise EngineError(
                f"{Path(job['out']).name} cannot be played on a machine of the cluster: "
                f"{type(cause).__name__}: {cause}"
            ) from error

    def _begin_again(self, job: dict[str, Any], networks: Sequence[Any], times: int) -> None:
        name = Path(job["out"]).name
        if times == ATTEMPTS:
            raise EngineError(
                f"{name} was lost with its machine {times} times; the same command goes on"
            )
        self._say(f"{name} was lost with its machine and is played again")
        self._begin(job, networks)

    def _store(self, job: dict[str, Any], played: Played) -> None:
        if played.error:
            raise EngineError(played.error)
        out = Path(job["out"])
        write_whole(out.with_suffix(".json"), played.counts, durable=False)  # as in play_shard
        write_whole(out, played.games, durable=False)

    def _require_machine(self) -> None:
        if not any(node["Alive"] and node["Resources"].get("CPU") for node in self._ray.nodes()):
            raise EngineError("no machine in the cluster can play; the same command goes on")
