"""The table and the curves of a sweep, from files of its runs and a league; several seeds."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from golois.kit.command import UsageError
from models.sweeps import results as results_module
from models.sweeps.config import Recipe
from models.sweeps.results import Result, draw_overlay, markdown, results_of, show, write_csv
from models.sweeps.runs import Run
from models.sweeps.seeds import differences, seeds_table, t_quantile, without_seed
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


def test_the_table_is_in_the_order_of_the_ratings_and_csv_has_every_number(runs, tmp_path):
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
    write_csv(tmp_path / "table.csv", results)
    with (tmp_path / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [result.name for result in results]
    assert float(rows[0]["elo"]) == first.elo and rows[-1]["beats_next"] == ""


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


def test_without_games_the_table_is_in_the_order_of_the_file(runs, tmp_path):
    unplayed = Standings(snapshot_of_games(["ada", "bob", "cyd"], []))
    for standings in ([], unplayed.rows):
        results = results_of(runs[::-1], standings)
        assert [result.name for result in results] == ["cyd", "bob", "ada"]
        text = markdown(results, ["a note"])
        assert "Elo" not in text and text.endswith("\na note\n")
    (result,) = results_of([finished(tmp_path, "big", manifest=None)], [])  # it may not play
    assert result.ms_per_evaluation is None and result.accuracy == 0.375


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
    """In whatever words; the order of the data is another run."""
    run = finished(tmp_path, "ada")
    assert json.loads(run.verdict_path.read_text())["arguments"] == ["--epochs=2"]
    changed = Run(Recipe("ada", {"epochs": 3}), tmp_path / "ada")
    with pytest.raises(ValueError, match="was trained with --epochs=2, not --epochs=3"):
        changed.verdict()
    run.verdict_path.write_text(run.verdict_path.read_text().replace("--epochs", "--gone"))
    with pytest.raises(ValueError, match="was trained with --gone=2, not --epochs=2"):
        run.verdict()
    of_data = {"epochs": 2, "data": {"a.games": 2, "b.games": 1}}
    Run(Recipe("bob", of_data), tmp_path / "bob").write_verdict({"accepted": True})
    in_other_words = {"clock": "wall", "data": ["a.games=2", "b.games"], "epochs": 2}
    assert Run(Recipe("bob", in_other_words), tmp_path / "bob").verdict()["accepted"]
    other_order = {"epochs": 2, "data": {"b.games": 1, "a.games": 2}}
    with pytest.raises(ValueError, match="give the run another name"):
        Run(Recipe("bob", other_order), tmp_path / "bob").verdict()


@pytest.mark.slow
@pytest.mark.parametrize("budget", ["minutes", "epochs"])
def test_curves_are_drawn_over_each_other(runs, tmp_path, budget):
    path = tmp_path / "curves.png"
    draw_overlay(path, {run.name: run.history() for run in runs}, budget)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_every_run_has_its_name_in_the_legend_whatever_it_is(runs, monkeypatch):
    drawn, names = [], ("_a", "b$\\frac$", "c\udcff")

    def kept(path, save, **_):
        drawn.append(save.__self__)

    monkeypatch.setattr(results_module, "write_whole", kept)
    draw_overlay(Path("curves.png"), dict.fromkeys(names, runs[0].history()), "epochs")
    (figure,) = drawn
    figure.draw_without_rendering()
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["_a", "b$\\frac$", "c?"]


@pytest.mark.parametrize(
    ("degrees", "tabulated"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (13, 2.160), (30, 2.042)],
)
def test_student_t_as_in_tables(degrees, tabulated):
    assert t_quantile(0.975, degrees) == pytest.approx(tabulated, rel=0.01)


def test_what_a_seed_does_to_all_alike_is_no_noise():
    measured = np.array([[1.0, 5.0], [2.0, 6.0], [4.0, 8.0], [1.5, 5.5]])
    found = differences(measured)
    assert [gap.value for gap in found] == pytest.approx([0, 1, 3, 0.5])
    assert found[1].halfwidth == pytest.approx(0, abs=1e-9)
    assert found[1].is_separated and not found[0].is_separated


def test_nineteen_intervals_of_twenty_hold_the_truth():
    rng = np.random.default_rng(0)
    truth = np.array([0.0, 1.0, 2.0, 0.0, -1.0, 3.0])[:, None]
    held = 0
    for _ in range(2000):
        measured = truth + 10 * rng.normal(size=2) + rng.normal(size=(6, 2))
        gap = differences(measured)[2]
        held += abs(gap.value - 2) <= gap.halfwidth
    assert held / 2000 == pytest.approx(0.95, abs=0.015)


def trained(folder, name: str, seed: int, accuracy: float, elo: float | None = None):
    """A run that ended, and its result; `name` of other games holds out other positions."""
    run = Run(Recipe(f"{name}_seed{seed}", {"epochs": 2, "seed": seed}), folder / f"{name}{seed}")
    run.folder.path.mkdir()
    options = {"data": {"a.games": 1}, "validation_fraction": 0.05, "validation_positions": 30}
    files = [{"sha256": "others" if name == "other_games" else "games"}]
    run.folder.write_config({"options": {**options, "seed": seed}, "data": {"files": files}})
    return run, Result(run.name, 1, 1, accuracy, 0.01, 0.1, 0.2, 0.5, 1.0, 100, elo=elo)


RECIPES = {"base": 0.40, "wide": 0.45, "ema": 0.41, "sgd": 0.405, "other_games": 0.6}
NOISE = {1: 0.0, 2: 0.02}


@pytest.fixture
def ended(tmp_path):
    """Each recipe from two seeds, the second of which has easier games."""
    rng = np.random.default_rng(1)
    return [
        trained(tmp_path, name, seed, accuracy + offset + rng.normal(0, 0.002))
        for name, accuracy in RECIPES.items()
        for seed, offset in NOISE.items()
    ]


@pytest.mark.parametrize(
    ("name", "title"), [("wide_seed1", "wide"), ("seed1_wide", "wide"), ("seed1", "run")]
)
def test_a_recipe_has_a_title_without_its_seed(name, title):
    assert without_seed(name, 1) == title


def test_recipes_are_compared_with_the_first_one(ended):
    runs, results = zip(*ended, strict=True)
    table, note = seeds_table(runs, results[::-1]).strip().split("\n\n")
    heads, _, *rows = ([cell.strip() for cell in line.split("|")] for line in table.splitlines())
    assert heads[1:-1:2] == ["over seeds", *["against base"] * 3]
    assert heads[2:-1:2] == ["accuracy %", "value MSE", "value MAE"]
    against = {row[1]: row[3] for row in rows}
    assert list(against) == ["base", "wide", "ema", "sgd"]
    gap, _, halfwidth = against["wide"].partition(" ± ")
    assert 4 < float(gap) < 6 and float(halfwidth) < 2
    assert against["base"] == "" and against["sgd"].endswith("not separated")
    assert "over 2 seeds" in note


def test_ratings_are_compared_where_all_have_one(tmp_path):
    rng = np.random.default_rng(2)
    ended = [
        trained(tmp_path, name, seed, 0.4, elo=elo + rng.normal(0, 5))
        for name, elo in (("a", 0), ("b", 200), ("c", 10), ("d", -10))
        for seed in (1, 2)
    ]
    runs, results = zip(*ended, strict=True)
    assert "Elo" in seeds_table(runs, results)
    unrated = (replace(results[0], elo=None), *results[1:])
    assert "Elo" not in seeds_table(runs, unrated)


def test_too_few_runs_are_not_compared(ended):
    """Nor recipes that lack a seed."""
    lacking = [item for item in ended if item[0].name != "ema_seed2"]
    for some in (ended[:4], ended[::2], lacking):
        assert seeds_table(*zip(*some, strict=True)) == ""
    assert seeds_table([], []) == ""
