"""The table and the curves of a sweep, from the files of its runs and a league that was played."""

import csv
import json
from pathlib import Path

import pytest
from rich.console import Console

from golois.kit.command import UsageError
from models.sweeps.config import Recipe
from models.sweeps.results import draw_overlay, markdown, results_of, show, write_csv
from models.sweeps.runs import Run
from tests.fake_standings import game, small_league, snapshot_of_games
from tournament.report.standings import Standings

MANIFEST = {"ms_per_evaluation": 0.5}


def finished(folder: Path, name: str, manifest: dict | None = MANIFEST) -> Run:
    run = Run(Recipe(name, {"epochs": 2}), folder / name)
    run.folder.path.mkdir()
    parameters = {"total": 97_717, "trainable": 90_741}
    options = {"data": {"a.games": 2, "b.games": 1}, "validation_positions": 3000}
    files = [{"num_validation_positions": 50}, {"num_validation_positions": 5000}]
    run.folder.write_config(
        {"parameters": parameters, "options": options, "data": {"files": files}}
    )
    run.folder.history.write_text(
        "seconds,positions,val_loss,val_policy_accuracy,val_value_mse,val_value_mae\n"
        "60,1000,4,0.375,0.08,0.2\n120,2000,5,0.25,0.09,0.21\n"
    )
    run.write_verdict({"accepted": manifest is not None, "faults": [], "manifest": manifest})
    return run


@pytest.fixture
def runs(tmp_path) -> list[Run]:
    return [finished(tmp_path, name) for name in ("ada", "bob", "cyd")]


def test_the_table_is_in_the_order_of_the_ratings(runs):
    standings = Standings(small_league())
    results = results_of(runs, standings.rows)
    assert [result.name for result in results] == [row.name for row in standings.rows]
    first = results[0]
    assert (first.parameters_total, first.parameters_trainable) == (97_717, 90_741)
    assert (first.accuracy, first.value_mse, first.value_mae) == (0.375, 0.08, 0.2)
    assert first.ms_per_evaluation == 0.5
    assert first.accuracy_halfwidth == pytest.approx(1.96 * (0.375 * 0.625 / 1050) ** 0.5, rel=1e-2)
    assert (first.minutes, first.positions, first.games) == (2, 2000, 8)
    assert first.winrate == 7 / 8 and first.winrate_sigma == pytest.approx(0.117, abs=5e-4)
    low, high = first.winrate_low, first.winrate_high
    assert (low, high) == pytest.approx((0.529, 0.978), abs=5e-4)  # by R's binom


def test_what_is_not_separated_is_said(runs):
    """Ada wins all of her games, with both colours; Bob and Cyd each win with Black."""
    meetings = [("ada", "bob", "black"), ("bob", "ada", "white"), ("ada", "cyd", "black")]
    meetings += [("cyd", "ada", "white"), ("bob", "cyd", "black"), ("cyd", "bob", "black")]
    games = [game(i, *meetings[i % 6]) for i in range(36)]
    standings = Standings(snapshot_of_games(["ada", "bob", "cyd"], games))
    results = results_of(runs, standings.rows)
    assert [result.is_separated for result in results] == [True, False, True]
    lines = markdown(results, []).splitlines()
    assert ["not separated" in line for line in lines[2:5]] == [False, True, False]
    assert "100.0% (86.2% – 100.0%)" in lines[2]


def test_without_games_the_table_is_in_the_order_of_the_file(runs):
    unplayed = Standings(snapshot_of_games(["ada", "bob", "cyd"], []))
    for standings in ([], unplayed.rows):
        results = results_of(runs[::-1], standings)
        assert [result.name for result in results] == ["cyd", "bob", "ada"]
        text = markdown(results, ["a note"])
        assert "Elo" not in text and text.endswith("\na note\n")


def test_a_network_that_may_not_play_has_its_line(tmp_path):
    (result,) = results_of([finished(tmp_path, "big", manifest=None)], [])
    assert result.ms_per_evaluation is None and result.accuracy == 0.375


def test_csv_has_every_number(runs, tmp_path):
    results = results_of(runs, Standings(small_league()).rows)
    write_csv(tmp_path / "table.csv", results)
    with (tmp_path / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [result.name for result in results]
    assert float(rows[0]["elo"]) == results[0].elo
    assert rows[-1]["beats_next"] == ""


@pytest.mark.parametrize("is_terminal", [False, True])
def test_the_table_is_shown_with_and_without_a_terminal(runs, is_terminal):
    console = Console(force_terminal=is_terminal, width=140, highlight=False, markup=False)
    with console.capture() as capture:
        show(console, results_of(runs, Standings(small_league()).rows), ["[a] note"])
    text = capture.get()
    assert "ada" in text and "37.5%" in text and "[a] note" in text
    assert ("| ada" in text) != is_terminal


def test_accuracy_is_that_of_the_last_network_of_a_curriculum(tmp_path):
    run = finished(tmp_path, "ada")
    with run.folder.history.open("w") as file:
        file.write("seconds,positions,val_loss,val_policy_accuracy,val_value_mse,stage\n")
        file.write("60,1000,3,0.5,0.08,\n120,2000,4,0.375,0.09,1\n180,3000,5,0.25,0.07,1\n")
    (result,) = results_of([run], [])
    assert (result.accuracy, result.value_mse, result.value_mae) == (0.375, 0.09, None)
    assert "MAE" not in markdown([result], [])  # the history is of an earlier version


def test_networks_that_the_file_names_no_more_are_not_compared_with(runs):
    """Bob is left out: Ada's next one is Cyd, and her games are those against Cyd."""
    league = small_league()
    without_bob = Standings(league.among({"ada", "cyd"}))
    ada, cyd = results_of([runs[0], runs[2]], without_bob.rows)
    assert ada.games == cyd.games == without_bob.between("ada", "cyd").num_games > 0
    assert ada.beats_next == without_bob.superiority[0, 1] and cyd.beats_next is None


def test_damaged_files_are_said_in_words(tmp_path):
    run = finished(tmp_path, "ada")
    for text in ("{", "[]", "{}", '{"arguments": 3}'):
        run.verdict_path.write_text(text)
        with pytest.raises(UsageError, match="verdict.json is not an answer of submit.py"):
            run.verdict()
    for text in ("{}", "[]", '{"options": 3}', '{"options": {}}'):
        run.folder.config.write_text(text)
        with pytest.raises(UsageError, match="config.json does not have the options of a run"):
            run.require_same_options()


def test_a_run_says_by_which_options_it_was_trained(tmp_path):
    run = finished(tmp_path, "ada")
    assert json.loads(run.verdict_path.read_text())["arguments"] == ["--epochs=2"]
    changed = Run(Recipe("ada", {"epochs": 3}), tmp_path / "ada")
    with pytest.raises(ValueError, match="was trained with --epochs=2, not --epochs=3"):
        changed.verdict()
    run.verdict_path.write_text(run.verdict_path.read_text().replace("--epochs", "--gone"))
    with pytest.raises(ValueError, match="was trained with --gone=2, not --epochs=2"):
        run.verdict()


def test_a_trained_run_may_be_asked_for_in_other_words(tmp_path):
    given = {"epochs": 2, "data": {"a.games": 2, "b.games": 1}}
    run = Run(Recipe("ada", given), tmp_path / "ada")
    run.write_verdict({"accepted": True})
    in_other_words = {"clock": "wall", "data": ["a.games=2", "b.games"], "epochs": 2}
    assert Run(Recipe("ada", in_other_words), tmp_path / "ada").verdict()["accepted"]
    other_order = {"epochs": 2, "data": {"b.games": 1, "a.games": 2}}
    with pytest.raises(ValueError, match="give the run another name"):
        Run(Recipe("ada", other_order), tmp_path / "ada").verdict()


@pytest.mark.parametrize("budget", ["minutes", "epochs"])
def test_curves_are_drawn_over_each_other(runs, tmp_path, budget):
    path = tmp_path / "curves.png"
    draw_overlay(path, {run.name: run.history() for run in runs}, budget)
    assert path.read_bytes().startswith(b"\x89PNG")
