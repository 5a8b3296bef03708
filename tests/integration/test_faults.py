"""Faults while a league runs: dead workers, a full disk, a network that answers nonsense."""

import json
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

ONE_WORKER = ("--workers", "1", "--quiet")


def workers_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for workers in /proc")
def test_workers_killed_at_any_moment_change_no_game(tmp_path):
    rules = (*RULES, "--visits", "64")  # long enough for two workers to be there each time
    killed, dead = league_of(tmp_path / "killed").folder, set[int]()
    process, moments = start(killed, *rules), random.Random(1)
    for stop_at in (0, 3, 7, 11):
        wait_for_games(killed, stop_at, process)
        while len(workers := [pid for pid in workers_of(process.pid) if pid not in dead]) < 2:
            assert process.poll() is None, "the run ended too early to test anything"
            time.sleep(0.005)
        time.sleep(moments.uniform(0, 0.1))
        # The older one: each lane dies twice, and a game is given up when it breaks off thrice.
        os.kill(workers[0], signal.SIGKILL)
        dead.add(workers[0])
    assert process.wait(timeout=120) == 0
    alone = league_of(tmp_path / "alone").folder
    assert run(alone, *rules)[0] == 0
    assert decided(killed) == decided(alone) and num_games(killed) == NUM_GAMES
    reasons = {void.reason for void in League(killed).games.voids()}
    assert reasons == {"the worker died (exit code -9)"}


def test_a_full_disk_is_one_sentence_and_the_same_command_goes_on(tmp_path, uninterrupted):
    full = league_of(tmp_path).folder

    def no_large_files():
        """A write beyond it fails, as it does on a disk without room."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    process = start(full, *RULES, *ONE_WORKER, preexec_fn=no_large_files)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 2 and errors.count("\n") == 1
    assert f"cannot write to {full}: " in errors and "the same command continues" in errors
    written = decided(full)
    assert 0 < len(written) < NUM_GAMES and written.items() <= decided(uninterrupted).items()
    assert run(full, *RULES, *ONE_WORKER)[0] == 0
    assert decided(full) == decided(uninterrupted)


def test_a_network_that_answers_nonsense_is_taken_out_with_its_games(tmp_path):
    folder = league_of(tmp_path).folder
    file_network(League(folder), "Nan", tiny_network(7, scale=float("nan")), tmp_path)
    code, out, errors = run(folder, *RULES, "--max-plies", "30")
    assert (code, errors) == (0, "")
    league = League(folder)
    rows, struck = league.games.rows(), league.games.struck()
    assert len(rows) == NUM_GAMES and {row.kind for row in rows} == {"played"}
    assert struck and all("Nan" in (row.black, row.white) for row in struck)
    assert {row.kind for row in struck} == {"forfeit"}
    (nan,) = (filed for filed in league.submissions.all() if not filed.active)
    failure = league.games.failure_of(nan.sha256)
    said = f"Nan: taken out because it failed in game {failure.game_id} against"
    assert said in " ".join(out.split())
    page = (folder / "site" / "index.html").read_text(encoding="utf-8")
    assert "Nan: the network answered wrongly" in page and failure.game_id in page
    summary = json.loads((folder / "summary.json").read_text())
    assert (summary["num_games"], summary["num_scheduled"]) == (NUM_GAMES, NUM_GAMES)
    assert summary["not_playing"] == {"Nan": nan.note}
    assert {row["name"] for row in summary["ranking"]} == {"Ada", "Grace", "Kurt"}
    site = json.loads((folder / "site" / "league.json").read_text())
    assert [one["game_id"] for one in site["taken_out"]] == [failure.game_id]
    assert command(folder, "reinstate", "Nan") == (0, "Nan plays, and its games count\n", "")
    assert len(league.games.rows()) == NUM_GAMES + len(struck)
    assert run(folder, "--quiet")[0] == 0
    assert len(league.games.rows()) == NUM_GAMES and len(league.games.struck()) > len(struck)
