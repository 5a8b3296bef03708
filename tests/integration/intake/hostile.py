"""What a file is refused for: by the gates in this process, or by the intake in its sandbox."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.integration.intake.parity import open_file
from tournament.intake import JudgeOptions, Verdict, bake_request
from tournament.intake.bake import bake
from tournament.intake.faults import Fault, Refused

MAX_BYTES = 512 << 20


def refused_by_the_gates(path: Path, **options: object) -> tuple[Fault, ...]:
    """Return the faults of a file that the gates refuse, without the sandbox and its children."""
    with pytest.raises(Refused) as refusal:
        bake(bake_request(open_file(path), JudgeOptions(**options), seed=0))
    return refusal.value.faults


def reason(verdict: Verdict) -> str:
    """Return the faults of a verdict, found in no more memory than a submission may use."""
    assert not verdict.accepted and verdict.faults
    assert verdict.usage.peak_bytes <= MAX_BYTES
    return said(verdict.faults)


def said(faults: Iterable[Fault]) -> str:
    """Return the texts of faults, which are plain."""
    texts = [(fault.text, fault.remedy) for fault in faults]
    assert all(part.isascii() and part.isprintable() for text in texts for part in text)
    return "; ".join(text for text, _ in texts)


def sandboxed(names: Iterable[str], always: Iterable[str]) -> list:
    """Return names as parameters of a test: all but these are slow."""
    always, slow = set(always), pytest.mark.slow
    return [name if name in always else pytest.param(name, marks=slow) for name in names]
