"""Benchmarks measure what they say they do, and refuse what they would ignore."""

import subprocess
import sys

import numpy as np
import pytest

from benchmarks.league import make_league, report_cost
from tests.data import ROOT


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process its most memory")
def test_the_memory_of_a_report_is_the_command_s_own(tmp_path):
    make_league(tmp_path / "league", num_networks=2, rounds=1)
    ballast = np.ones(300_000_000, np.uint8)
    cost = report_cost(tmp_path / "league")
    assert (tmp_path / "league" / "site" / "index.html").exists()
    assert 1 < cost.megabytes < len(ballast) / 1e6


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("selfplay --runs go-6", "expected some of go-5, go-9, nogo-9, go-9-bf16: got go-6"),
        ("evaluators --trained --positions 2001", "--positions must be a multiple of 8"),
    ],
)
def test_options_that_would_go_wrong_are_refused(command, words):
    name, *options = command.split()
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and words in done.stderr
