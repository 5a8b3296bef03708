"""A sweep's trainings on the machines of a cluster, one at a time on each.

A run's folder is copied to the machine, and back after each epoch. So training continues elsewhere
if the machine is lost.
"""

import subprocess
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from pathlib import Path

from golois.kit.cluster import Begun, Cluster, Ended, Here, Job, Lost, Told, Wanted
from golois.kit.files import write_whole
from golois.kit.signals import Stopped, StopRequest
from models.sweeps.runs import Run, training_command
from models.training.run_folder import TrainingFolder

Files = Mapping[str, bytes]


def train_away(
    arguments: Sequence[str], here: Here
) -> Generator[tuple[str, Files], None, tuple[int, Files]]:
    """Train here; yield printed lines and saved files, return the exit code and all files."""
    folder = TrainingFolder(here.folder)
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
                yield line.rstrip(), read_files(folder.path) if is_new else {}
        finally:
            process.terminate()
    return process.returncode, read_files(folder.path)


def train_on(
    cluster: Cluster, runs: Sequence[Run], stop: StopRequest, say: Callable[[str], None]
) -> Iterator[tuple[Run, int]]:
    """Train all runs, a run having all of a machine, its GPUs too, so that none slows it down.

    It yields each run with the exit code of its train.py, as they end. A machine that loses its run
    is not used again. `say` prints a line. Raises ClusterError: the cluster has no machine left.
    """
    wanted = Wanted("train", gpus=True, job_attempts=inf, machine_attempts=1)
    with suppress(Stopped), cluster(wanted) as machines:
        for happened in machines.do(map(_job, runs), stop):
            match happened:
                case Begun(job, machine):
                    say(f"{job.about.name}: begins on {machine.host}")
                case Told(job, (line, files)):
                    write_files(job.about.folder.path, files)
                    if line:
                        say(f"{job.about.name}: {line}")
                case Ended(job, (code, files)):
                    write_files(job.about.folder.path, files)
                    yield job.about, code
                case Lost():
                    for job in happened.again:
                        say(f"{job.about.name}: its machine was lost and is not used again")


def _job(run: Run) -> Job:
    return Job(run, partial(train_away, run.arguments), lambda: files_of(run.folder.path))


def files_of(folder: Path) -> list[Path]:
    """Return the files of a folder, but for those that are being written."""
    paths = folder.glob("[!.]*") if folder.exists() else ()
    return [path for path in paths if path.is_file()]


def read_files(folder: Path) -> dict[str, bytes]:
    """Read the files of a folder, by name."""
    return {path.name: path.read_bytes() for path in files_of(folder)}


def write_files(folder: Path, files: Files) -> None:
    """Write files into a folder, config.json last: without it a run starts from scratch."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in sorted(files, key="config.json".__eq__):
        write_whole(folder / name, files[name], durable=False)


def _changed_at(path: Path) -> int | None:
    return path.stat().st_mtime_ns if path.exists() else None
