"""What the arena needs to know of the machine that it runs on."""

import os
import platform
from collections.abc import Iterable
from functools import cache
from pathlib import Path

TOPOLOGY = Path("/sys/devices/system/cpu")


@cache
def cpu_model() -> str:
    """What the processor calls itself, such as "AMD EPYC 9654"; its architecture where unknown."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())


def physical_cores(
    cpus: Iterable[int] | None = None, topology: Path = TOPOLOGY
) -> list[int | None]:
    """One logical CPU of each physical core; Nones where the system doesn't tell.

    Args:
        cpus: logical ones; those that this process may use when None.
        topology: where Linux says which of them are threads of one core.
    """
    if cpus is None and not hasattr(os, "sched_getaffinity"):
        return [None] * (os.cpu_count() or 1)
    cores: dict[str, int] = {}
    for cpu in sorted(os.sched_getaffinity(0) if cpus is None else cpus):
        siblings = topology / f"cpu{cpu}" / "topology" / "thread_siblings_list"
        cores.setdefault(siblings.read_text() if siblings.exists() else str(cpu), cpu)
    return list(cores.values())
