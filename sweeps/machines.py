"""A sweep's trainings on the machines of a Ray cluster, one at a time on each.

A run's folder is copied to the machine before it starts, and back after each epoch. So if a
machine is lost or the sweep is killed, training continues elsewhere.
"""

import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from golois.kit.files import write_whole
from golois.kit.signals import StopRequest
from models.training.run_folder import TrainingFolder
from sweeps.runs import Run, training_command
from tournament.errors import EngineError

LOST = -1  # in place of an exit code
WAIT_SECONDS = 1.0

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class News:
    """A line that a training printed, the files it has written since, and how it ended."""

    line: str
    files: Files
    exit_code: int | None = None


def train_here(arguments: Sequence[str], files: Files) -> Iterator[News]:
    """Train on the machine that this is called on, starting from `files`."""
    with TemporaryDirectory(prefix="go-coursework-kit-sweep-") as path:
        folder = TrainingFolder(Path(path) / "run")
        folder.path.mkdir()
        write_files(folder.path, files)
        saved_at = None
        with subprocess.Popen(
            training_command(arguments, folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            try:
                for line in process.stdout or ():
                    last_saved_at, saved_at = saved_at, _changed_at(folder.checkpoint)
                    is_new = saved_at != last_saved_at
                    yield News(line.rstrip(), read_files(folder.path) if is_new else {})
            finally:
                process.terminate()
        yield News("", read_files(folder.path), process.returncode)


class TrainingCluster:
    """The machines of a cluster, and which run each has; one that loses its run is not used again.

    Args:
        ray: the module, connected (`tournament.running.ray_cluster.connect`).
        say: prints a line.
    """

    def __init__(self, ray: Any, say: Callable[[str], None]) -> None:
        self._ray = ray
        self._say = say
        self._busy: dict[str, tuple[Run, Any]] = {}
        self._lost: set[str] = set()

    def train(self, runs: Sequence[Run], stop: StopRequest) -> Iterator[tuple[Run, int]]:
        """Train all runs; yield each with the exit code of its train.py, as they end.

        Raises:
            EngineError: the cluster has no machine, or none any more.
        """
        waiting = deque(runs)
        try:
            while (waiting or self._busy) and not stop.signal:
                for node in self._idle_machines():
                    if waiting:
                        self._begin(waiting.popleft(), node)
                if not self._busy:
                    raise EngineError(
                        "no machine in the cluster can train; the same command continues when "
                        "there is one"
                    )
                for node_id in self._with_news():
                    run, events = self._busy[node_id]
                    code = self._take_news(run, events)
                    if code is None:
                        continue
                    del self._busy[node_id]
                    if code != LOST:
                        yield run, code
                        continue
                    self._say(f"{run.name}: its machine was lost and is not used again")
                    self._lost.add(node_id)
                    waiting.append(run)
        finally:
            for _, events in self._busy.values():
                self._ray.cancel(events)

    def _idle_machines(self) -> list[Mapping[str, Any]]:
        taken = self._busy.keys() | self._lost
        return [
            node
            for node in self._ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU") and node["NodeID"] not in taken
        ]

    def _begin(self, run: Run, node: Mapping[str, Any]) -> None:
        """Give a run all of a machine, its GPUs too, so that no other one slows it down."""
        affinity = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        task = self._ray.remote(train_here).options(
            num_cpus=node["Resources"]["CPU"],
            num_gpus=node["Resources"].get("GPU", 0),
            max_retries=0,
            scheduling_strategy=affinity(node["NodeID"], soft=False),
        )
        self._say(f"{run.name}: begins on {node['NodeManagerHostname']}")
        events = task.remote(run.arguments, read_files(run.folder.path))
        self._busy[node["NodeID"]] = run, events

    def _with_news(self) -> list[str]:
        by_events = {events: node_id for node_id, (_, events) in self._busy.items()}
        known = list(by_events)
        done, _ = self._ray.wait(
            known, num_returns=len(known), timeout=WAIT_SECONDS, fetch_local=False
        )
        return [by_events[events] for events in done]

    def _take_news(self, run: Run, events: Any) -> int | None:
        """Store the files of a run; return its exit code once it has one."""
        try:
            news = self._ray.get(next(events))
        except (StopIteration, self._ray.exceptions.RayError):
            return LOST
        write_files(run.folder.path, news.files)
        if news.line:
            self._say(f"{run.name}: {news.line}")
        return news.exit_code


def read_files(folder: Path) -> dict[str, bytes]:
    """Read the files of a folder, by name, but for those that are being written, and folders."""
    paths = folder.glob("[!.]*") if folder.exists() else []
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def write_files(folder: Path, files: Files) -> None:
    """Write files into a folder, config.json last: without it a run starts from scratch."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in sorted(files, key="config.json".__eq__):
        write_whole(folder / name, files[name], durable=False)


def _changed_at(path: Path) -> int | None:
    return path.stat().st_mtime_ns if path.exists() else None
