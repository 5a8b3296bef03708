"""Thousands of damaged containers and descriptions; `make fuzz-intake`.

    python -m tests.integration.intake.bulk_fuzz --rounds 10000 --seed 1

A damaged container is refused or read by gate A, and where the HDF5 library reads it as well,
both read the same. A damaged description is refused or read by gate B. Nothing else happens: no
error of another kind, no more than a gate's processor time, no more than its memory. What breaks
this is kept in build/corpus, and the exit code is 1.
"""

import argparse
import json
import random
import signal
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from tests.data import ROOT
from tests.integration.intake.damage import damage_container, damage_description, make_victims
from tests.integration.intake.hdf5_oracle import Oracle, digest
from tournament.intake import bake, container
from tournament.intake.child import Message
from tournament.intake.faults import Refused
from tournament.intake.keras.description import unpack_arrays
from tournament.intake.keras.network import read_network

try:
    import resource
except ImportError:  # Windows
    resource = None

NETWORKS = tuple(sorted(ROOT.glob("data/networks/*/best.h5")))


class BrokenPromiseError(Exception):
    """What a gate did besides refusing and reading."""


@contextmanager
def _seconds_of(gate):
    """Raise BrokenPromiseError after the processor time that a gate may use."""

    def stop(*_):
        raise BrokenPromiseError("it takes too long")

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, gate.LIMITS.cpu_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def container_answer(data: bytes) -> str:
    """Return the digest of what gate A makes of a file, or "refused"."""
    try:
        with _seconds_of(container):
            return digest(container.read(Message({}, data)))
    except Refused as refusal:
        assert all(fault.text.isascii() and fault.remedy for fault in refusal.faults)
        return "refused"


def fuzz_containers(rounds: int, seed: int, kept: Path) -> Counter:
    """Return how often ours and the library's reader answered what."""
    rng, victims, oracle, counts = random.Random(seed), make_victims(), Oracle(), Counter()
    path = kept / f"container_{seed}.h5"
    try:
        for _ in range(rounds):
            data = damage_container(rng, rng.choice(victims))
            path.write_bytes(data)
            ours, theirs = container_answer(data), oracle.ask(path)
            outcomes = ("refused", "crashed")
            if ours not in outcomes and theirs not in outcomes and ours != theirs:
                raise BrokenPromiseError(f"{path}: the HDF5 library reads something else")
            counts[ours if ours in outcomes else "read",
                   theirs if theirs in outcomes else "read"] += 1
        path.unlink(missing_ok=True)
        return counts
    finally:
        oracle.close()


def fuzz_descriptions(
    rounds: int, seed: int, kept: Path, networks: tuple[Path, ...] = NETWORKS
) -> Counter:
    """Return how often gate B refused and read."""
    rng, counts = random.Random(seed), Counter()
    path = kept / f"description_{seed}.json"
    opened = [container.read(Message({}, network.read_bytes())) for network in networks]
    for _ in range(rounds):
        good = rng.choice(opened)
        arrays = unpack_arrays(good.header["weights"], good.payload)
        text = json.dumps(damage_description(rng, json.loads(good.header["config"])))
        path.write_text(text)
        try:
            with _seconds_of(bake):
                network = read_network(text, arrays, good.header["keras_version"])
            assert network.parameters_total > 0
            counts["read"] += 1
        except Refused as refusal:
            assert refusal.faults and all(fault.text.isascii() for fault in refusal.faults)
            counts["refused"] += 1
    path.unlink(missing_ok=True)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("containers", "descriptions"))
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (bake.LIMITS.memory_bytes,) * 2)
    for name, fuzz in (("containers", fuzz_containers), ("descriptions", fuzz_descriptions)):
        if options.only in (None, name):
            counts = fuzz(options.rounds, options.seed, options.keep)
            print(f"{options.rounds:,} damaged {name}:", dict(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
