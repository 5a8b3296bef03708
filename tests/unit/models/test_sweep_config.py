"""The TOML file of a sweep: what runs it comes to, and what it says about mistakes."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from golois.kit.command import UsageError
from models.catalogue.registry import outline
from models.contract import PARAM_BUDGET, count_parameters
from models.sweeps.config import LeagueOptions, Sweep, read_sweep
from tests.data import ROOT

FOLDERS = ("examples", "docs/studies", "papers/*")
OF_SELF_PLAY = {
    ROOT / "papers" / name
    for name in ("nogozero/table2.toml", "nogozero/curriculum.toml", "restnet/blocks_go9.toml",
                 "restnet/blocks_hex7.toml")
}
QUICK = "report_table1"  # whose networks another test builds too
EXAMPLES = sorted({file for one in FOLDERS for file in ROOT.glob(f"{one}/*.toml")} - OF_SELF_PLAY)


def sweep_of(folder: Path, text: str) -> Sweep:
    path = folder / "sweep.toml"
    path.write_text(text)
    return read_sweep(path)


def names(sweep: Sweep) -> list[str]:
    return [recipe.name for recipe in sweep.recipes]


def test_a_grid_is_a_product_with_the_last_axis_fastest(tmp_path):
    text = """
        model = "mixnet"
        epochs = 3
        set = { filters = 32 }
        [grid]
        lr = [0.002, 0.01]
        set.blocks = [8, 16]
        """
    sweep = sweep_of(tmp_path, text)
    expected = "lr0.002_blocks8 lr0.002_blocks16 lr0.01_blocks8 lr0.01_blocks16"
    assert names(sweep) == expected.split()
    assert sweep.budget == "epochs"
    assert sweep.recipes[3].given == {
        "model": "mixnet",
        "epochs": 3,
        "set": {"filters": 32, "blocks": 16},
        "lr": 0.01,
    }


def test_a_list_has_names_or_says_what_is_its_own(tmp_path):
    text = """
        epochs = 3
        [[runs]]
        name = "deep"
        set = { blocks = 8 }
        [[runs]]
        model = "mobilenet"
        set = { blocks = 4, filters = 16 }
        [[runs]]
        data = ["some where/my games.data=2"]
        """
    expected = "deep mobilenet_blocks4_filters16 some-where-my-games.data-2"
    assert names(sweep_of(tmp_path, text)) == expected.split()
    # Each run of a list meets each point of the grid.
    text = 'epochs = 1\n[grid]\nseed = [0, 1]\n[[runs]]\nname = "a"\n[[runs]]\nmodel = "vit"\n'
    assert names(sweep_of(tmp_path, text)) == ["a_seed0", "a_seed1", "vit_seed0", "vit_seed1"]
    text = 'epochs = 1\n[grid]\naux = [[], ["ownership"]]\n'
    without, with_head = sweep_of(tmp_path, text).recipes
    assert (without.options().aux, with_head.options().aux) == ({}, {"ownership": 1.0})
    assert without.name == "no-aux"


def test_options_are_spelled_as_train_takes_them(tmp_path):
    text = """
        epochs = 3
        lr = 0.01
        data = { "a=b.games" = 2, "c.games" = 1.5 }
        set = { value_head = "alphago", bias = true }
        aux = { ownership = 0.5, score = 1 }
        curriculum = ["blocks=2,filters=8", "blocks=4"]
        jit = true
        """
    (recipe,) = sweep_of(tmp_path, text).recipes
    assert recipe.arguments() == [
        "--epochs=3",
        "--lr=0.01",
        "--data=a=b.games=2",
        "--data=c.games=1.5",
        "--set=value_head=alphago",
        "--set=bias=true",
        "--aux=ownership=0.5,score=1",
        "--curriculum=blocks=2,filters=8",
        "--curriculum=blocks=4",
        "--jit",
    ]
    options = recipe.options()
    assert (options.epochs, options.jit, options.aux) == (3, True, {"ownership": 0.5, "score": 1})


def test_switches_are_spelled_where_they_are_not_as_usual(tmp_path):
    text = """
        epochs = 3
        optimizer = "sgd"
        [[runs]]
        nesterov = true
        jit = false
        [[runs]]
        nesterov = false
        """
    usual, other = (recipe.options() for recipe in sweep_of(tmp_path, text).recipes)
    assert (usual.nesterov, usual.jit, other.nesterov) == (True, False, False)


def test_minutes_alone_end_a_run_that_has_them(tmp_path):
    sweep = sweep_of(tmp_path, "minutes = 1.5\n[grid]\nbatch_size = [32, 128]\n")
    assert sweep.budget == "minutes"
    assert sweep.recipes[0].options().epochs == 0


def test_options_of_the_network_add_up_however_they_are_spelled(tmp_path):
    text = 'epochs = 1\nset = ["filters=16", "bias=true"]\n[grid]\nset.blocks = [1, 2]\n'
    recipe = sweep_of(tmp_path, text).recipes[1]
    assert recipe.options().set == {"filters": "16", "bias": "true", "blocks": "2"}


def test_the_league_goes_by_visits_or_by_time_or_there_are_two(tmp_path):
    by_visits = sweep_of(tmp_path, "epochs = 1\n[league]\nvisits = 9").league
    by_time = sweep_of(tmp_path, "epochs = 1\n[league]\nseconds = 0.1").league
    assert by_visits.limits() == {"league": ["--visits", "9"]}
    assert by_time.limits() == {"league": ["--seconds", "0.1"]}
    by_both = sweep_of(tmp_path, "epochs = 1\n[league]\nvisits = 9\nseconds = 0.1").league
    assert by_both.limits() == {
        "league": ["--visits", "9"], "league_seconds": ["--seconds", "0.1"],
    }  # fmt: skip
    assert LeagueOptions().limits() == {"league": ["--visits", "64"]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("epochs = ", "is not TOML: "),
        ("", "give either minutes or epochs at the top of the file"),
        ("epochs = 1\nminutes = 1", "the top has minutes and epochs"),
        ("epochs = 1\n[grid]\nepochs = [1, 2]", "neither in [grid] or [[runs]]"),
        ("minutes = 0", "minutes must be above 0, not 0"),
        ("minutes = 1\n[grid]\nclock = ['cpu', 'wall']", "all runs need the same clock"),
        ("minutes = -1", "run run: --minutes must be a finite number from 0, not -1"),
        ("epochs = 1\nlearning_rate = 1", "use those of train.py --help in the run run"),
        ("epochs = 1\nout = 'x'", "no option out"),
        ("epochs = 1\nbatch-size = 8", "no option batch-size (did you mean batch_size?): use"),
        ("epochs = 1\n'set.blocks' = 2", "write set.blocks without quotes"),
        ('epochs = 1\n[grid]\n"set.blocks" = [1]', "write set.blocks without quotes"),
        ('epochs = 1\n[[runs]]\n"set.blocks" = 1', "write set.blocks without quotes"),
        ("epochs = 1\n[league]\nvisit = 1", "no option visit (did you mean visits?): use"),
        ("epochs = 1\n[grid]\nlr = 0.1", "lr in [grid] must be a list of values, not 0.1"),
        ("epochs = 1\n[grid]\nset.blocks = []", "set.blocks in [grid] must be a list of values"),
        ("epochs = 1\nlr = 'fast'", "run run: argument --lr: invalid float value: 'fast'"),
        ("epochs = 1.5", "argument --epochs: invalid int value: '1.5'"),
        ("epochs = true", "argument --epochs: expected one argument"),
        ("epochs = 1\nschedule = 'warm'", "argument --schedule: invalid choice: 'warm'"),
        ("epochs = 1\nset = 3", "run run: --set needs KEY=VALUE, not '3'"),
        ("epochs = 1\nset = 3\n[grid]\nset.blocks = [1]", "--set needs KEY=VALUE, not '3'"),
        ("epochs = 1\n[grid]\nset = [3]", "--set needs KEY=VALUE, not '3'"),
        ("epochs = 1\ndata = { a = 0 }", "the weight in --data 'a=0' must be"),
        ("epochs = 3\ncurriculum = { blocks = 2, filters = 8 }", "curriculum must be a list"),
        ("epochs = 1\n[grid]\nlr = [1, 1.0, 1]", "two runs are called"),
        ("epochs = 1\n[grid]\nseed = [1]\n[[runs]]\nseed = 3", "seed is in [grid] and in [[runs]]"),
        (
            "epochs = 1\n[grid]\nset.blocks = [1]\n[[runs]]\nset = { filters = 8, blocks = 2 }",
            "set.blocks is in [grid] and in [[runs]]",
        ),
        (
            "epochs = 1\n[[runs]]\nname = 'Adam'\n[[runs]]\nname = 'adam'",
            "the names of the runs Adam and adam look alike",
        ),
        ("epochs = 1\n[grid]\nbatch_size = [2, 4]", "640 for batch_size2, 1,280 for batch_size4"),
        ("epochs = 1\n[grid]\nwhole_games = [true, false]", "320 games for whole_gamestrue, "),
        ("epochs = 1\n[[runs]]\nname = 'ä'", "a name of up to 64 letters"),
        (f"epochs = 1\n[[runs]]\nname = '{'a' * 65}'", "a run cannot be called"),
        ("epochs = 1\nruns = 3", "runs must be a list of tables [[runs]], not 3"),
        ("epochs = 1\nruns = [3]", "[[runs]] must be a table, not 3"),
        ("epochs = 1\ngrid = 3", "[grid] must be a table, not 3"),
        ("epochs = 1\n[league]\ngames = 3", "games in [league] must be even, not 3"),
        ("epochs = 1\n[league]\nvisits = 0", "visits in [league] must be a whole number from 1"),
        ("epochs = 1\n[league]\ntta = true", "no option tta: use visits, seconds and games"),
        ("epochs = 1\n[league]\nseconds = 0", "seconds in [league] must be a number above 0"),
        ("epochs = 1\n[league]\nseconds = '1'", "must be a number above 0, not '1'"),
    ],
)
def test_mistakes_are_said_in_words(tmp_path, text, words):
    with pytest.raises(UsageError) as raised:
        sweep_of(tmp_path, text)
    assert words in str(raised.value)


def test_the_examples_are_sweeps():
    assert all(len(read_sweep(path).recipes) >= 2 for path in EXAMPLES)


@cache
def sizes_of(model: str, given: tuple[tuple[str, str], ...]) -> tuple[int, int]:
    """Total and trainable parameters of a network, which several examples have."""
    network = outline(model, **dict(given))
    return count_parameters(network), count_parameters(network, "trainable")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[] if path.stem == QUICK else pytest.mark.slow)
        for path in EXAMPLES
    ],
)
def test_the_examples_have_networks_that_train_py_takes(path):
    asked = [recipe.options() for recipe in read_sweep(path).recipes]
    known = {(of.model, tuple(of.set.items()), of.over_budget) for of in asked}
    assert len(asked) >= 2
    for model, given, over_budget in known:
        _, trainable = sizes_of(model, given)
        assert over_budget or trainable <= PARAM_BUDGET


def test_the_report_s_table_has_its_networks_and_its_settings():
    sweep = read_sweep(ROOT / "papers" / "course_report" / "report_table1.toml")
    asked = [recipe.options() for recipe in sweep.recipes]
    counts = [sizes_of(of.model, tuple(of.set.items()))[0] for of in asked]
    assert counts == [97_717, 99_285, 105_397]
    assert sweep.league.limits() == {"league": ["--seconds", "2"]}
    for of in asked:
        assert (of.batch_size, of.value_weight, of.lr, of.epochs) == (32, 4, 0.002, 800)
        assert of.batch_size * of.steps_per_epoch == pytest.approx(10_000, rel=0.002)


def test_restnet_s_table_1_has_its_eleven_strings_and_two_leagues():
    sweep = read_sweep(ROOT / "papers" / "restnet" / "table1.toml")
    strings = ["RRRRRR", "RRRRRT", "RTRRRT", "RRTRRT", "RRRTRT", "TRRRRT", "RRRRTT", "RRRTTT"]
    strings += ["RRTTTT", "RTTTTT", "TTTTTT"]
    blocks = [recipe.options().set["blocks"] for recipe in sweep.recipes]
    written_out = [re.sub(r"(\d)(.)", lambda run: int(run[1]) * run[2], one) for one in blocks]
    assert written_out == strings
    assert list(sweep.league.limits()) == ["league", "league_seconds"]


def test_restnet_s_strings_of_ten_blocks_differ_in_them_alone():
    sweep = read_sweep(ROOT / "papers" / "restnet" / "ten_blocks.toml")
    asked = [recipe.options() for recipe in sweep.recipes]
    assert [of.set["blocks"] for of in asked] == 3 * ["10R"] + 3 * ["R3(RRT)"]
    assert len({str(replace(of, seed=0, set={})) for of in asked}) == 1
