"""The same child as sandbox_probe.py, but one that may start threads."""

from dataclasses import replace

from tests import sandbox_probe
from tests.sandbox_probe import probe

__all__ = ["LIMITS", "probe"]

LIMITS = replace(sandbox_probe.LIMITS, threads=True)
