"""Judges files that should be refused, several at a time, and says what each was refused for."""

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tournament.intake import Verdict, judge

MAX_CPU_SECONDS, MAX_BYTES = 2.0, 512 << 20


def judge_spoiled(
    victim: Path, folder: Path, spoilers: Mapping[str, Callable[[Path], None]]
) -> dict[str, Verdict]:
    """Return the verdict on a copy of the victim after each way to spoil it."""

    for name, spoil in spoilers.items():
        path = folder / f"{name}.h5"
        shutil.copy(victim, path)
        spoil(path)
    return judge_refused(folder, spoilers, folder / "work")


def judge_refused(folder: Path, names: Iterable[str], work_dir: Path) -> dict[str, Verdict]:
    """Return the verdicts on files of a folder; nothing is written, as none is accepted."""
    names = list(names)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        verdicts = pool.map(lambda name: judge(folder / f"{name}.h5", work_dir=work_dir), names)
        by_name = dict(zip(names, verdicts, strict=True))
    assert not work_dir.exists()
    return by_name


def reason(verdict: Verdict) -> str:
    """Return the faults: plain text, found with no more than a submission may use."""
    assert not verdict.accepted and verdict.faults
    assert verdict.usage.cpu_seconds <= MAX_CPU_SECONDS
    assert verdict.usage.peak_bytes <= MAX_BYTES
    for fault in verdict.faults:
        text = fault.text + fault.remedy
        assert text.isascii() and text.isprintable()
    return "; ".join(fault.text for fault in verdict.faults)
