"""A league and a run of self-play on a real Ray of two nodes, of which one is killed midway."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.data import ROOT
from tests.fake_arena import league_of
from tests.runs import decided, num_games, run, start, wait_for_games

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="the extra [cluster] is not installed"),
]

RULES = ("--visits", "8", "--max-plies", "150", "--rounds", "5", "--seed", "0", "--quiet")
NUM_GAMES = 30
TOKEN = "of_this_test_and_nothing_else_" * 2
SETTINGS = {
    **os.environ,
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": TOKEN,
    "RAY_USAGE_STATS_ENABLED": "0",
}


@pytest.fixture
def nodes() -> Iterator[subprocess.Popen]:
    with subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "ray_nodes.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=SETTINGS,
    ) as process:
        yield process


def processes_with(token: str) -> list[str]:
    """The processes that were started with this token in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            if token.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


def test_a_league_that_loses_a_machine_ends_as_if_it_had_not(tmp_path, nodes):
    address = nodes.stdout.readline().strip()
    folder = league_of(tmp_path / "cluster").folder
    process = start(folder, *RULES, "--address", address, env=SETTINGS)
    wait_for_games(folder, 6, process)
    print("kill the second node", file=nodes.stdin, flush=True)
    assert nodes.stdout.readline() == "killed\n"
    assert num_games(folder) < NUM_GAMES, "the machine was lost too late to test anything"
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert "was lost" in errors

    alone = league_of(tmp_path / "alone").folder
    assert run(alone, *RULES)[0] == 0
    assert len(decided(folder)) == NUM_GAMES
    assert decided(folder) == decided(alone)

    nodes.communicate(timeout=60)
    deadline = time.monotonic() + 20
    while processes_with(TOKEN) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert processes_with(TOKEN) == []


def test_a_wrong_token_is_refused_in_one_sentence(tmp_path, nodes):
    address = nodes.stdout.readline().strip()
    folder = league_of(tmp_path).folder
    wrong = {**SETTINGS, "RAY_AUTH_TOKEN": "another_token_of_the_same_length" * 2}
    process = start(folder, *RULES, "--address", address, env=wrong)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 2, errors
    assert errors.splitlines()[-1].startswith("python -m tournament run: no Ray cluster at")


SELFPLAY = ["--size=3", "--simulations=64", "--games-per-iteration=4000", "--games-per-shard=500"]
SELFPLAY += ["--steps-per-iteration=1", "--set=blocks=1", "--set=filters=4", "--iterations=1"]


def selfplay(folder: Path, *arguments: str, env: dict[str, str]) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, str(ROOT / "selfplay.py"), *SELFPLAY, "--out", str(folder), *arguments],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_run_of_self_play_that_loses_a_machine_plays_the_same_games(tmp_path, nodes):
    address = nodes.stdout.readline().strip()
    together, alone = tmp_path / "together", tmp_path / "alone"
    process = selfplay(together, "--address", address, env=SETTINGS)
    while not list(together.glob("games/[0-9]*.games")):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    print("kill the second node", file=nodes.stdin, flush=True)
    assert nodes.stdout.readline() == "killed\n"
    output, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    assert "was lost with its machine and is played again" in output
    process = selfplay(alone, env=dict(os.environ))
    assert process.wait(timeout=600) == 0
    for path in (alone / "games").glob("*.games"):
        assert (together / "games" / path.name).read_bytes() == path.read_bytes()
    assert len(list((together / "games").glob("*.games"))) == 8
