"""An iteration's shards, the same on any core of this machine or of a cluster's machines."""

import time
from collections.abc import Callable, Generator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from golois.kit.cluster import ClusterError, Ended, Here, Job, Lost, Machines, Told, Wanted
from golois.kit.command import KitError, in_one_sentence
from golois.kit.files import write_whole
from golois.kit.signals import StopRequest
from golois.kit.this_machine import ThisMachine
from selfplay.options import Options
from selfplay.shards import play_shard

WANTED = Wanted(rooms=("golois", "tournament", "models", "selfplay"), is_whole=False)
SECONDS_BETWEEN = 0.5


class PlaysShards(Protocol):
    """Plays an iteration's shards: `Shards`, or a GPU."""

    def __enter__(self) -> Any:
        ...

    def __exit__(self, *error: Any) -> None:
        ...

    def play(self, jobs: Sequence[dict[str, Any]], on_evaluated: Callable[[int], None]) -> None:
        """Have shards of one network played, and return when all of their files are there.

        `on_evaluated` gets the number of positions evaluated since. Raises Stopped: by a signal;
        ClusterError: it cannot be done; the text says why.
        """
        ...


def play_here(job: dict[str, Any], here: Here) -> Generator[int, None, tuple[bytes, bytes]]:
    """Play a shard here, yield the positions evaluated since; return its file, and its counts.

    `job` has the paths of the artefact, perhaps of a victim, and of the file to write; the options;
    the number of the first game, and of all games.
    """
    out = here.folder / "shard.games"
    artefact, *victim = (here.folder / path.name for path in _networks(job))
    numbers = job["first_game"], job["num_games"]
    untold, told_at = 0, time.monotonic()
    for count in play_shard(artefact, Options(**job["options"]), *numbers, out, *victim):
        untold += count
        if time.monotonic() - told_at > SECONDS_BETWEEN:
            yield untold
            untold, told_at = 0, time.monotonic()
    yield untold
    return out.read_bytes(), out.with_suffix(".json").read_bytes()


class Shards(PlaysShards):
    """Shards that processes play, of this machine or of a cluster, opened here."""

    def __init__(
        self, machines: ThisMachine | Machines, stop: StopRequest, say: Callable[[str], None]
    ) -> None:
        self._machines = machines
        self._stop = stop
        self._say = say

    def __enter__(self) -> "Shards":
        self._machines.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._machines.__exit__(*error)

    def play(self, jobs: Sequence[dict[str, Any]], on_evaluated: Callable[[int], None]) -> None:
        """See PlaysShards. A shard lost too often, and what a machine raises, are errors."""
        for happened in self._machines.do(map(_job, jobs), self._stop):
            match happened:
                case Told(_, count):
                    on_evaluated(count)
                case Ended(job, (games, counts)):
                    out = Path(job.about["out"])
                    # The counts first, as in play_shard.
                    write_whole(out.with_suffix(".json"), counts, durable=False)
                    write_whole(out, games, durable=False)
                case Lost():
                    self._require_lost(happened)

    def _require_lost(self, lost: Lost) -> None:
        """Refuse to play a shard again that was not lost, or was too often."""
        for job in (*lost.again, *lost.given_up):
            name = Path(job.about["out"]).name
            if isinstance(lost.cause, KitError | OSError):
                raise ClusterError(in_one_sentence(lost.cause))
            if lost.cause is not None:
                raise ClusterError(
                    f"{name} cannot be played on a machine of the cluster: "
                    f"{type(lost.cause).__name__}: {lost.cause}"
                )
            if job in lost.given_up:
                raise ClusterError(
                    f"{name} was lost with its machine {job.losses} times; the same command goes on"
                )
            self._say(f"{name} was lost with its machine and is played again")


def _job(job: dict[str, Any]) -> Job:
    return Job(job, partial(play_here, job), lambda: _networks(job))


def _networks(job: dict[str, Any]) -> list[Path]:
    return [Path(job[role]) for role in ("artefact", "victim") if job.get(role)]
