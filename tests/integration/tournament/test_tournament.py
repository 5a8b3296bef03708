"""A tournament of three over its command line: killed, resumed, interrupted, refused."""

import json
import random
import signal
import time

import pytest

from tests.fake_arena import file_network, league_of, tiny_network
from tests.runs import (
    NUM_GAMES,
    RULES,
    command,
    decided,
    num_games,
    run,
    start,
    tournament,
    wait_for_games,
)
from tournament.league.league import League


def test_killed_at_any_moment_a_tournament_ends_with_the_same_games(tmp_path, uninterrupted):
    folder = league_of(tmp_path).folder
    moments, cut_short = random.Random(0), []
    for stop_at in (1, 8):
        process = start(folder, *RULES)
        wait_for_games(folder, stop_at, process)
        time.sleep(moments.uniform(0, 0.05))
        process.kill()
        process.communicate()
        assert num_games(folder) >= stop_at
        cut_short.append(num_games(folder) < NUM_GAMES)
    assert cut_short[0], "17 games were to come"
    code, out, errors = run(folder)
    assert (code, errors) == (0, "")
    assert len(decided(folder)) == NUM_GAMES
    assert decided(folder) == decided(uninterrupted)
    for game_id in decided(folder):
        assert (folder / "games" / f"{game_id}.sgf").read_text().endswith(")\n")
    assert str(folder / "site" / "index.html") in out.replace("\n", "")


@pytest.mark.slow
def test_a_league_that_was_played_changes_neither_by_another_run_nor_its_options(uninterrupted):
    before = decided(uninterrupted)
    code, out, _ = run(uninterrupted)
    assert code == 0 and f"{NUM_GAMES}/{NUM_GAMES} games" in out
    assert decided(uninterrupted) == before
    for option, said in (
        (("--komi", "6.5"), "komi 7.5 → 6.5"),
        (("--seconds", "1"), "seconds None → 1.0, visits 8 → None"),
    ):
        refusal = command(uninterrupted, "run", *option).refusal
        assert "the league already has other options" in refusal and said in refusal


def test_options_that_make_no_sense_are_refused_in_one_sentence(tmp_path):
    folder = league_of(tmp_path).folder
    for options in (
        ("--visits", "0"),
        ("--seconds", "-1"),
        ("--komi", "7"),
        ("--workers", "0"),
        ("--games-per-pair", "3"),
        ("--budget-hours", "0"),
        ("--opening-plies", "99"),
    ):
        measures_no_speed = () if "--seconds" in options else ("--visits", "4")
        assert "must " in command(folder, "run", *measures_no_speed, *options).refusal
    assert League(folder).options() is None, "the league was not begun"


@pytest.mark.slow
def test_rounds_may_grow_and_a_newcomer_plays_only_what_is_missing(tmp_path):
    rules = ("--visits", "4", "--max-plies", "20", "--workers", "1", "--quiet")
    folder = league_of(tmp_path, ("Ada", "Grace")).folder
    assert run(folder, *rules)[0] == 0
    first = decided(folder)
    file_network(League(folder), "Kurt", tiny_network(7), tmp_path)
    assert run(folder, "--rounds", "2", "--quiet")[0] == 0
    assert len(first) == 2 and len(decided(folder)) == 12
    assert first.items() <= decided(folder).items()


def test_who_plays_is_decided_by_commands_and_the_end_is_summed_up(tmp_path):
    rules = ("--visits", "4", "--max-plies", "20", "--workers", "1", "--json")
    folder = league_of(tmp_path).folder
    assert command(folder, "withdraw", "Kurt") == (0, "Kurt no longer plays; its games count\n", "")
    assert command(folder, "anchor", "Ada", "--elo", "500")[0] == 0
    code, out, errors = run(folder, *rules, "--games-per-pair", "4", "--budget-hours", "1e-12")
    said = "the budget of 1e-12 hours is spent, and games of the rounds are missing: "
    said += "raise --budget-hours"
    assert (code, errors) == (0, f"{said}\n")
    *lines, end = [json.loads(line) for line in out.splitlines()]
    assert [line["event"] for line in lines] == ["begin"], "the budget is spent at once"
    assert (end["stopped_by"], end["is_provisional"]) == (said, True)
    code, out, errors = run(folder, *rules, "--games-per-pair", "4")
    *lines, end = [json.loads(line) for line in out.splitlines()]
    assert [line["event"] for line in lines] == ["begin", *["result"] * 4]
    assert json.loads((folder / "summary.json").read_text()) == {
        name: value for name, value in end.items() if name != "event"
    }
    assert (end["num_games"], end["is_provisional"], end["given_up"]) == (4, False, [])
    assert {row["name"]: row["elo"] for row in end["ranking"]}["Ada"] == 500
    assert command(folder, "reinstate", "Kurt")[0] == 0
    code, out, _ = run(folder, "--quiet")
    assert (code, out, num_games(folder)) == (0, "", 12)
    season = tournament("season", folder, "--csv", tmp_path / "season.csv")
    assert season[0] == 0 and "Ada" in season[1]
    assert len((tmp_path / "season.csv").read_text().splitlines()) == 4
    assert tournament("export", folder, "-o", tmp_path / "week.zip")[0] == 0
    code, out, _ = tournament("import", tmp_path / "week.zip", "--into", tmp_path / "other")
    assert (code, out) == (0, f"{tmp_path}/other/league\n")
    assert decided(tmp_path / "other" / "league") == decided(folder)
    assert "there are Ada, Grace, Kurt" in command(folder, "withdraw", "Emmy").refusal


@pytest.mark.slow
def test_a_second_coordinator_is_refused_and_ctrl_c_ends_cleanly(tmp_path):
    folder = league_of(tmp_path).folder
    process = start(folder, *RULES, "--rounds", "500")
    wait_for_games(folder, 1, process)
    assert "another tournament is running" in run(folder, *RULES).refusal
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert errors == "stopped; the same command goes on from here\n"
    summary = json.loads((folder / "summary.json").read_text())
    assert (summary["stopped_by"], summary["is_provisional"]) == ("an interrupt", True)
    assert summary["num_games"] == num_games(folder)
    played = f"Provisional: {num_games(folder)} of 3000 games played."
    assert played in " ".join(out.split()) and "W–L" in out
    page = (folder / "site" / "index.html").read_text(encoding="utf-8")
    assert f" {num_games(folder)} game" in page and "of 3\u202f000 games played" in page
    assert len((folder / "games.csv").read_text().splitlines()) == 1 + num_games(folder)
