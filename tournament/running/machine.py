"""The machine that games run on: its cores, and how differing speeds are handled.

The two networks of a game pair share a host, which is fair, but a fast host's games are stronger.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from golois.kit.processes import CGROUPS, container_cpus, num_cpus
from tournament.game.options import EventOptions

TOPOLOGY = Path("/sys/devices/system/cpu")
MAX_SPREAD = 0.10
# Evaluations a CPU second of the host whose seconds count under `scale_clock`: a core of an AMD
# EPYC of 2024 (Zen 5), by tournament.running.calibration.
REFERENCE_SPEED = 2700.0


def physical_cores(
    cpus: Iterable[int] | None = None, topology: Path = TOPOLOGY, cgroups: Path = CGROUPS
) -> list[int | None]:
    """Return one logical CPU of each physical core; Nones if the system doesn't report them.

    A container with less time than its cores gets a None for each whole CPU: containers that all
    stayed on the first cores would share them.
    """
    if cpus is None and not hasattr(os, "sched_getaffinity"):
        return [None] * num_cpus()
    cores: dict[str, int] = {}
    for cpu in sorted(os.sched_getaffinity(0) if cpus is None else cpus):
        siblings = topology / f"cpu{cpu}" / "topology" / "thread_siblings_list"
        cores.setdefault(siblings.read_text() if siblings.exists() else str(cpu), cpu)
    limit = container_cpus(cgroups)
    if limit is not None and limit < len(cores):
        return [None] * max(1, int(limit))
    return list(cores.values())


def options_here(options: EventOptions, speed: float | None) -> EventOptions:
    """Return a host's options; `scale_clock` gives half the reference's speed twice the time."""
    if not options.scale_clock or speed is None or options.seconds is None:
        return options
    return replace(options, seconds=options.seconds * REFERENCE_SPEED / speed)


def spread_warning(speeds: Mapping[str, float]) -> str | None:
    """Return a warning if evaluations a CPU second, by host, differ by over a tenth, or None."""
    if not speeds:
        return None
    slowest, fastest = min(speeds, key=speeds.__getitem__), max(speeds, key=speeds.__getitem__)
    spread = speeds[fastest] / speeds[slowest] - 1
    if spread <= MAX_SPREAD:
        return None
    return (
        f"hosts differ in speed: {fastest} evaluates {100 * spread:.0f} % more positions a CPU "
        f"second than {slowest} ({speeds[fastest]:.0f} and {speeds[slowest]:.0f}); both games of a "
        "pair have the same host; in a new league, --scale-clock evens out the speeds"
    )
