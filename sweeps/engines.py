"""Where the runs of a sweep are trained, by the names of the league's engines.

Another cluster is another entry of `ENGINES`, beside that of `tournament.running.engines`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from golois.kit.command import UsageError
from sweeps.machines import TrainingCluster
from sweeps.runs import Children, Run, train
from tournament.running.ray_cluster import connect

Say = Callable[[str], None]
Trained = Iterator[tuple[Run, int]]


@dataclass(frozen=True)
class Engine:
    """What was asked for: a key of `ENGINES`, and the address of a cluster, None for its own."""

    name: str
    address: str | None = None

    def train(self, runs: Sequence[Run], children: Children, say: Say) -> Trained:
        """Train all runs; yield each with the exit code of its train.py, as they end.

        Raises:
            UsageError: an address, for an engine that has none.
            OptionsError: a package is missing.
            EngineError: no cluster at the address, or no machine in it any more.
        """
        return ENGINES[self.name](runs, children, say, self.address)

    def arguments(self) -> list[str]:
        """Spell the engine as `python -m tournament run` takes it."""
        return ["--engine", self.name, *(["--address", self.address] if self.address else [])]


def _local(runs: Sequence[Run], children: Children, say: Say, address: str | None) -> Trained:
    """Train one run after the other."""
    if address is not None:
        raise UsageError(f"--address {address} is for clusters: leave it out with --engine local")
    for number, run in enumerate(runs, start=1):
        if children.stop.signal:
            return
        going = "goes on" if run.is_begun else "begins"
        say(f"run {number} of {len(runs)} that are left, {run.name}: {going}")
        yield run, train(run, children)


def _ray(runs: Sequence[Run], children: Children, say: Say, address: str | None) -> Trained:
    """Train a run on each machine; needs no cluster where nothing is left to train."""
    if runs:
        ray = connect(address or "auto")
        yield from TrainingCluster(ray, say).train(runs, children.stop)


ENGINES: dict[str, Callable[[Sequence[Run], Children, Say, str | None], Trained]] = {
    "local": _local,
    "ray": _ray,
}
