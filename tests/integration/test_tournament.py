"""A tournament of three over its command line: killed, resumed, interrupted, refused."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fake_arena import file_network, league_of, tiny_network
from tournament.league import League

ROUNDS, NUM_GAMES = 5, 30
RULES = ("--visits", "8", "--max-plies", "100", "--rounds", str(ROUNDS), "--workers", "2")
COMMAND = (sys.executable, "-m", "tournament", "run")


def start(league: Path, *options: str) -> subprocess.Popen:
    return subprocess.Popen(
        [*COMMAND, "--league", str(league), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(league: Path, *options: str) -> tuple[int, str, str]:
    process = start(league, *options)
    out, errors = process.communicate(timeout=120)
    return process.returncode, out, errors


def num_games(league: Path) -> int:
    with sqlite3.connect(f"file:{league / 'league.sqlite'}?mode=ro", uri=True) as database:
        return database.execute("SELECT count(*) FROM games").fetchone()[0]


def wait_for_games(league: Path, count: int, process: subprocess.Popen) -> None:
    while num_games(league) < count and process.poll() is None:
        time.sleep(0.005)


def decided(league: Path) -> dict:
    """All that the seeds decide, by game; the order of games and the CPU seconds are not."""
    return {
        game.game_id: (
            (game.black, game.white, game.result, game.kind, game.opening, game.seed),
            [(move.point, move.num_visits, move.value_white) for move in game.moves],
        )
        for game in League(league).games()
    }


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory) -> Path:
    folder = league_of(tmp_path_factory.mktemp("uninterrupted")).folder
    code, _, errors = run(folder, *RULES, "--quiet")
    assert (code, errors) == (0, "")
    return folder


def test_killed_at_any_moment_a_tournament_ends_with_the_same_games(tmp_path, uninterrupted):
    folder = league_of(tmp_path).folder
    moments = random.Random(0)
    for stop_at in (1, 6, 12, 18):
        process = start(folder, *RULES)
        wait_for_games(folder, stop_at, process)
        time.sleep(moments.uniform(0, 0.05))
        process.kill()
        process.communicate()
        assert num_games(folder) >= stop_at
    assert num_games(folder) < NUM_GAMES, "the last kill came too late to test anything"
    code, out, errors = run(folder)
    assert (code, errors) == (0, "")
    assert len(decided(folder)) == NUM_GAMES
    assert decided(folder) == decided(uninterrupted)
    for game_id in decided(folder):
        assert (folder / "games" / f"{game_id}.sgf").read_text().endswith(")\n")
    assert str(folder / "site" / "index.html") in out.replace("\n", "")


def test_a_run_with_nothing_left_to_play_changes_nothing(uninterrupted):
    before = decided(uninterrupted)
    code, out, _ = run(uninterrupted)
    assert code == 0 and f"{NUM_GAMES}/{NUM_GAMES} games" in out
    assert decided(uninterrupted) == before


def test_other_options_on_resume_are_refused_in_one_sentence(uninterrupted):
    for option, said in (
        (("--komi", "6.5"), "komi 7.5 → 6.5"),
        (("--seconds", "1"), "seconds None → 1.0, visits 8 → None"),
    ):
        code, out, errors = run(uninterrupted, *option)
        assert (code, out) == (2, "") and errors.count("\n") == 1
        assert "options that the league was begun with" in errors and said in errors


def test_options_that_make_no_sense_are_refused_in_one_sentence(tmp_path):
    folder = league_of(tmp_path).folder
    for options in (
        ("--visits", "0"),
        ("--seconds", "-1"),
        ("--komi", "7"),
        ("--workers", "0"),
        ("--opening-plies", "99"),
    ):
        code, out, errors = run(folder, *options)
        assert (code, out, errors.count("\n")) == (2, "", 1) and "expected" in errors
    assert League(folder).options() is None, "the league was not begun"


def test_rounds_may_grow_and_a_newcomer_plays_only_what_is_missing(tmp_path):
    rules = ("--visits", "4", "--max-plies", "20", "--workers", "2", "--quiet")
    folder = league_of(tmp_path, ("Ada", "Grace")).folder
    assert run(folder, *rules)[0] == 0
    first = decided(folder)
    file_network(League(folder), "Kurt", tiny_network(7), tmp_path)
    assert run(folder, "--rounds", "2", "--quiet")[0] == 0
    assert len(first) == 2 and len(decided(folder)) == 12
    assert first.items() <= decided(folder).items()


def test_a_second_coordinator_is_refused_and_ctrl_c_ends_cleanly(tmp_path):
    folder = league_of(tmp_path).folder
    process = start(folder, *RULES)
    wait_for_games(folder, 1, process)
    code, _, errors = run(folder, *RULES)
    assert code == 2 and "another one is running" in errors and errors.count("\n") == 1
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors == "stopped; the same command goes on from here\n"
