"""The machine that games run on: its cores, and how differing speeds are handled.

Hosts of different speed see different numbers of positions in the same seconds. That is fair to
both networks of a game pair, since those share a host, but the games of a fast host are stronger
ones. tournament/running/calibration.py measures the speed.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from tournament.game.rules import EventOptions

TOPOLOGY = Path("/sys/devices/system/cpu")
CGROUPS = Path("/sys/fs/cgroup")
# Where Linux says how many microseconds of CPU time a container has in how many, by its version.
CPU_LIMITS = (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us"))
MAX_SPREAD = 0.10
# Evaluations a CPU second of the host whose seconds count under `scale_clock`: a core of an AMD
# EPYC of 2024 (Zen 5), by tournament.running.calibration.
REFERENCE_SPEED = 2700.0


def physical_cores(
    cpus: Iterable[int] | None = None, topology: Path = TOPOLOGY, cgroups: Path = CGROUPS
) -> list[int | None]:
    """Return one logical CPU of each physical core; Nones if the system doesn't report them.

    In a container that may use less time than the cores have, return a None for each whole CPU of
    it: containers that all stayed on the first cores would share them.

    Args:
        cpus: logical ones; those that this process may use when None.
        topology: where Linux lists which of them are threads of one core.
        cgroups: where Linux lists a container's limits.
    """
    if cpus is None and not hasattr(os, "sched_getaffinity"):
        return [None] * (os.cpu_count() or 1)
    cores: dict[str, int] = {}
    for cpu in sorted(os.sched_getaffinity(0) if cpus is None else cpus):
        siblings = topology / f"cpu{cpu}" / "topology" / "thread_siblings_list"
        cores.setdefault(siblings.read_text() if siblings.exists() else str(cpu), cpu)
    limit = _container_cpus(cgroups)
    if limit is not None and limit < len(cores):
        return [None] * max(1, int(limit))
    return list(cores.values())


def _container_cpus(cgroups: Path) -> float | None:
    """Return how many CPUs' time this container may use at once; None without a limit."""
    for names in CPU_LIMITS:
        try:
            quota, period = " ".join((cgroups / name).read_text() for name in names).split()
        except (OSError, ValueError):
            continue
        return int(quota) / int(period) if quota.isdecimal() else None
    return None


def options_here(options: EventOptions, speed: float | None) -> EventOptions:
    """Return the options by which a host of this speed plays: with `scale_clock`, its own seconds.

    A host of half the reference's speed has twice the seconds, and so sees as many positions.
    """
    if not options.scale_clock or speed is None or options.seconds is None:
        return options
    return replace(options, seconds=options.seconds * REFERENCE_SPEED / speed)


def spread_warning(speeds: Mapping[str, float]) -> str | None:
    """Return a warning about hosts whose speeds differ by more than a tenth, or None.

    Args:
        speeds: evaluations a CPU second, by host.
    """
    if not speeds:
        return None
    slowest, fastest = min(speeds, key=speeds.__getitem__), max(speeds, key=speeds.__getitem__)
    spread = speeds[fastest] / speeds[slowest] - 1
    if spread <= MAX_SPREAD:
        return None
    return (
        f"hosts differ in speed: {fastest} evaluates {100 * spread:.0f} % more positions a CPU "
        f"second than {slowest} ({speeds[fastest]:.0f} and {speeds[slowest]:.0f}); both games of a "
        "pair have the same host, and --scale-clock from a league's first run on evens it out"
    )
