"""The best way to run a network on this machine: which runtime, and how many positions at a time.

The leaves of a larger batch are chosen without each other's values. So the smallest batch that is
nearly as fast as the fastest is taken (docs/maintainer/intake.md).
"""

import json
import math
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tournament.errors import NetworkError
from tournament.networks.runtimes import DEFAULT_RUNTIME, Run, compile_network, installed_runtimes

if TYPE_CHECKING:  # submit.py --help answers before NumPy is there
    import numpy as np

DEFAULT_BATCH_SIZE = 8
MAX_BATCH_SIZE = 10_000  # half a gigabyte of the arena's planes
UNKNOWN_MEMORY = 50_000_000  # bytes, of a network whose manifest doesn't say
BATCH_SIZES = (8, 1, 4, 2, 16, 32)  # in the order of trial, since time may run out
NEARLY_AS_FAST = 0.95  # a search fills larger batches less well; a batch of 8 is 97 % full
MAX_DIFFERENCE = 1e-4
_OPENING_SHARE = 2 / 3  # of the time, for compiling; the rest is for measuring
_CONTENDER = 0.9  # of the fastest: slower ones are not measured further
_ROUNDS = 15
_SLICE_SECONDS = 0.01
_SEARCH_SECONDS = 16e-6  # between two batches: Python's share of a search (benchmarks/search.py)


@dataclass(frozen=True)
class Trial:
    """How fast a runtime was with batches of one size, per second of processor time."""

    runtime: str
    batch_size: int
    evaluations_per_second: float


@dataclass(frozen=True)
class Tuning:
    """What was chosen for a network, and all that was tried; without trials, the defaults."""

    runtime: str = DEFAULT_RUNTIME
    batch_size: int = DEFAULT_BATCH_SIZE
    trials: tuple[Trial, ...] = ()

    @property
    def evaluations_per_second(self) -> float | None:
        """The speed of what was chosen, None where nothing was tried."""
        chosen = (self.runtime, self.batch_size)
        speeds = {(t.runtime, t.batch_size): t.evaluations_per_second for t in self.trials}
        return speeds.get(chosen)

    @classmethod
    def from_json(cls, values: dict) -> "Tuning":
        """Return what `dataclasses.asdict` wrote; raises ValueError where it is something else."""
        try:
            tuning = cls(**{**values, "trials": tuple(Trial(**t) for t in values["trials"])})
        except (TypeError, KeyError) as error:
            raise ValueError(f"expected a tuning of this version of the kit: {error}") from error
        ways: tuple[Tuning | Trial, ...] = (tuning, *tuning.trials)
        for way in ways:
            if not (str(way.runtime).isidentifier() and way.batch_size in BATCH_SIZES):
                raise ValueError(
                    f"expected a runtime's name and a batch out of {sorted(BATCH_SIZES)}: "
                    f"got {way.runtime!r} and {way.batch_size!r}"
                )
        speeds = [trial.evaluations_per_second for trial in tuning.trials]
        if not all(isinstance(speed, float) and math.isfinite(speed) for speed in speeds):
            raise ValueError("expected a number of evaluations a second in each trial of a tuning")
        return tuning


def read_tuning(onnx_path: str | Path) -> Tuning:
    """Return an artefact's tuning, or the defaults; raise NetworkError for a damaged manifest."""
    path = Path(onnx_path).with_suffix(".json")
    if not path.exists():
        return Tuning()
    try:
        values = json.loads(path.read_bytes())
        return Tuning.from_json(values["tuning"]) if "tuning" in values else Tuning()
    except (OSError, ValueError, TypeError) as error:
        raise NetworkError(f"cannot read the manifest {path}: {error}; submit again") from error


def read_memory(onnx_path: str | Path, batch_size: int) -> int:
    """Return the bytes that an artefact takes in batches of a size, measured or UNKNOWN_MEMORY."""
    try:
        values = json.loads(Path(onnx_path).with_suffix(".json").read_bytes())
        measured, size = int(values["memory_bytes"]), int(values["batch_size"])
    except (OSError, ValueError, TypeError, KeyError):
        measured, size = 0, DEFAULT_BATCH_SIZE
    return (measured or UNKNOWN_MEMORY) * max(batch_size, size) // size


def missing_runtimes(manifests: Iterable[dict[str, Any]]) -> list[str]:
    """Return the runtimes that networks are tuned to and that are not installed here."""
    tuned = {manifest["tuning"]["runtime"] for manifest in manifests if "tuning" in manifest}
    return sorted(tuned.difference(installed_runtimes()))


def tune(
    model: bytes,
    positions: "np.ndarray",
    seconds: float,
    clock: Callable[[], float] = time.thread_time,
) -> Tuning:
    """Try the installed runtimes, with batches from 1 to 32, for about `seconds` of processor time.

    `positions` is float32 [n, size, size, planes]; repeated to fill a batch. The default runtime
    and batch are tried in any case. `clock` is the thread's: the process's goes by ticks in the
    sandbox.

    Raises:
        NetworkError: no runtime takes the model.
    """
    start = clock()
    candidates = _open(model, positions, clock, start + _OPENING_SHARE * seconds)
    contenders = candidates
    for _ in range(_ROUNDS):
        for candidate in contenders:
            candidate.measure(clock)
            if clock() - start >= seconds:
                return _choose([one for one in candidates if one.seconds])
        fastest = max(one.rate for one in contenders)
        contenders = [one for one in contenders if one.rate >= _CONTENDER * fastest]
    return _choose(candidates)


@dataclass
class _Candidate:
    """A runtime with a batch size, and the processor seconds of each batch so far."""

    runtime: str
    batch_size: int
    run: Run
    seconds: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Evaluations a second: of the median batch, since other work disturbs some."""
        return self.batch_size / statistics.median(self.seconds)

    @property
    def rate_of_search(self) -> float:
        """The same, including the search's time between two batches."""
        return self.batch_size / (statistics.median(self.seconds) + _SEARCH_SECONDS)

    def measure(self, clock: Callable[[], float]) -> None:
        """Evaluate batches for a slice of time."""
        end = clock() + _SLICE_SECONDS
        while (start := clock()) < end:
            self.run()
            self.seconds.append(clock() - start)


def _open(
    model: bytes, positions: "np.ndarray", clock: Callable[[], float], until: float
) -> list[_Candidate]:
    """Compile and warm up what time allows; each runtime must give the first one's answers."""
    import numpy as np

    candidates: list[_Candidate] = []
    longest = 0.0
    expected = None
    for batch_size in BATCH_SIZES:
        for runtime in installed_runtimes():
            start = clock()
            if candidates and start + longest > until:
                return candidates
            planes = np.resize(positions, (batch_size, *positions.shape[1:]))
            try:
                candidate = _Candidate(runtime, batch_size, compile_network(runtime, model, planes))
                candidate.run()
                answer = np.hstack(candidate.run())
            except NetworkError:
                continue
            expected = answer if expected is None else expected
            rows = min(len(answer), len(expected))
            if np.abs(answer[:rows] - expected[:rows]).max() <= MAX_DIFFERENCE:
                candidates.append(candidate)
            longest = max(longest, clock() - start)
    if not candidates:
        raise NetworkError("no installed runtime can evaluate the network")
    return candidates


def _choose(candidates: list[_Candidate]) -> Tuning:
    """Return the fastest of the smallest batch that is nearly as fast as the fastest of all."""
    fastest = max(one.rate_of_search for one in candidates)
    near = [one for one in candidates if one.rate_of_search >= NEARLY_AS_FAST * fastest]
    chosen = min(near, key=lambda one: (one.batch_size, -one.rate))
    trials = tuple(Trial(one.runtime, one.batch_size, round(one.rate, 1)) for one in candidates)
    return Tuning(chosen.runtime, chosen.batch_size, trials)
