"""What a sweep says of its options over several seeds."""

from dataclasses import replace

import numpy as np
import pytest

from models.sweeps.config import Recipe
from models.sweeps.results import Result
from models.sweeps.runs import Run
from models.sweeps.seeds import differences, seeds_table, t_quantile, without_seed


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
    runs, results = zip(*ended[:4], strict=True)
    assert seeds_table(runs, results) == ""
    runs, results = zip(*ended[::2], strict=True)
    assert seeds_table(runs, results) == ""
    assert seeds_table([], []) == ""


def test_a_recipe_that_lacks_a_seed_waits(ended):
    runs, results = zip(*[item for item in ended if item[0].name != "ema_seed2"], strict=True)
    assert seeds_table(runs, results) == ""
