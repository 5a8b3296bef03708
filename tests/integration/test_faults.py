"""Faults while a league runs: dead workers, a full disk, a network that answers nonsense."""

import os
import random
import resource
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.fake_arena import file_network, league_of, tiny_network
from tests.runs import NUM_GAMES, RULES, command, decided, num_games, run, start, wait_for_games
from tournament.league.league import League


def workers_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.skipif(sys.platform != "linux", reason="looks for workers in /proc")
def test_workers_killed_at_any_moment_change_no_game(tmp_path, uninterrupted):
    killed = league_of(tmp_path).folder
    process, moments = start(killed, *RULES), random.Random(1)
    for stop_at in (0, 5, 12, 20):
        wait_for_games(killed, stop_at, process)
        while len(workers := workers_of(process.pid)) < 2:
            time.sleep(0.005)
        time.sleep(moments.uniform(0, 0.1))
        # The older one: each lane dies twice, and a game is given up when it breaks off thrice.
        os.kill(workers[0], signal.SIGKILL)
    assert process.wait(timeout=120) == 0
    assert decided(killed) == decided(uninterrupted) and num_games(killed) == NUM_GAMES
    reasons = {void.reason for void in League(killed).games.voids()}
    assert reasons == {"the worker died (exit code -9)"}


def test_a_full_disk_is_one_sentence_and_the_same_command_goes_on(tmp_path, uninterrupted):
    full = league_of(tmp_path).folder

    def no_large_files():
        """A write beyond it fails, as it does on a disk without room."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    process = start(full, *RULES, "--quiet", preexec_fn=no_large_files)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 2 and errors.count("\n") == 1
    assert f"cannot write to {full}: " in errors and "the same command continues" in errors
    written = decided(full)
    assert 0 < len(written) < NUM_GAMES and written.items() <= decided(uninterrupted).items()
    assert run(full, *RULES, "--quiet")[0] == 0
    assert decided(full) == decided(uninterrupted)


def test_a_network_that_answers_nonsense_forfeits_and_is_suspended(tmp_path):
    folder = league_of(tmp_path).folder
    file_network(League(folder), "Nan", tiny_network(7, scale=float("nan")), tmp_path)
    code, out, errors = run(folder, *RULES, "--max-plies", "30")
    assert (code, errors) == (0, "")
    league = League(folder)
    forfeits = [row for row in league.games.rows() if row.kind == "forfeit"]
    assert 3 <= len(forfeits) <= 6 and {"Nan"} == {loser(row) for row in forfeits}
    said = "Nan: suspended after 3 forfeits, the last one because: Nan: the network answered"
    assert said in " ".join(out.split())
    rows = league.games.rows()
    assert {row.kind for row in rows if "Nan" not in (row.black, row.white)} == {"played"}
    assert len(rows) - len(forfeits) == NUM_GAMES
    assert command(folder, "reinstate", "Nan")[0] == 0
    assert run(folder, "--quiet")[0] == 0
    assert len(league.games.rows()) > NUM_GAMES + len(forfeits), "three more"


def loser(row) -> str:
    return row.white if row.winner == "black" else row.black
