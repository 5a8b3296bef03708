"""Benchmarks measure what they say they do, and refuse what they would ignore."""

import argparse
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.gnugo import games_folder
from benchmarks.open_file import resident_mb
from benchmarks.report import make_league, report_cost
from tests.data import ROOT


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process its most memory")
def test_the_memory_of_a_report_is_the_command_s_own(tmp_path):
    make_league(tmp_path / "league", num_networks=2, rounds=1)
    ballast = np.ones(300_000_000, np.uint8)
    cost = report_cost(tmp_path / "league")
    assert (tmp_path / "league" / "site" / "index.html").exists()
    assert 1 < cost.megabytes < len(ballast) / 1e6


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells it in pages too")
def test_a_megabyte_is_a_million_bytes():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    assert resident_mb() == pytest.approx(pages * resource.getpagesize() / 1e6, rel=0.01)


def match(**changes) -> argparse.Namespace:
    network = Path("networks/mobilenet/best.h5")
    usual = dict(network=network, level=10, seconds=1.0, visits=None, out=None)
    return argparse.Namespace(**{**usual, **changes})


def test_every_match_against_gnu_go_has_games_of_its_own():
    other = Path("networks/resnet/best.h5")
    matches = [match(), match(network=other), match(level=1), match(seconds=2), match(visits=1)]
    assert len({games_folder(each) for each in matches}) == len(matches)
    assert games_folder(match(out=Path("games"))) == Path("games")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("seki.py NET.h5 --before before.jsonl", "--before compares with the games of --out"),
        ("evaluators.py --trained --positions 2001", "--positions must be a multiple of 8"),
    ],
)
def test_options_that_would_go_wrong_are_refused(command, words):
    name, *options = command.split()
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / name, *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and words in done.stderr
