"""A network from a student's own file: trained, resumed, made longer, continued from its .h5."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import train
from models.__main__ import main as models_main
from models.catalogue.own import _run, absolute, title_of
from models.catalogue.registry import resolve_options
from models.errors import ModelOptionError
from models.evaluation.network import load_network
from tests.data import ROOT

pytestmark = pytest.mark.usefixtures("without_graphs", "without_curves", "networks_read_here")

OWN = '''
import keras
from keras import layers
from beside import ACTIVATION


def build(filters=4, name: str = "mine", temperature=None):
    board = keras.Input((19, 19, 31), name="board")
    x = layers.Conv2D(filters, 3, padding="same", activation=ACTIVATION)(board)
    policy = layers.Flatten()(layers.Conv2D(1, 1, use_bias=False)(x))
    policy = layers.Activation("softmax", name="policy")(policy)
    pooled = layers.GlobalAveragePooling2D()(x)
    value = layers.Dense(1, activation="sigmoid", name="value")(pooled)
    return keras.Model(board, [policy, value], name=name)


def normalised(units=2750):
    board = keras.Input((19, 19, 31), name="board")
    policy = layers.Flatten()(layers.Conv2D(1, 1, use_bias=False)(board))
    policy = layers.Activation("softmax", name="policy")(policy)
    hidden = layers.Dense(units)(layers.GlobalAveragePooling2D()(board))
    value = layers.Dense(1, activation="sigmoid", name="value")(layers.BatchNormalization()(hidden))
    return keras.Model(board, [policy, value])


def by_name():
    network = build()
    policy, value = network.outputs
    return keras.Model(network.inputs, {"v": value, "p": policy})


def sequential():
    flat = layers.Dense(361, activation="softmax", name="policy")
    return keras.Sequential([keras.Input((19, 19, 31)), layers.Flatten(), flat])


def unconnected():
    return keras.Sequential([layers.Flatten(), layers.Dense(361)])


def needs(filters):
    pass


def fails():
    raise KeyError("blocks")


def exits():
    raise SystemExit


def returns_nothing():
    pass
'''
TYPED = """
from __future__ import annotations
from typing import Literal, TYPE_CHECKING

if TYPE_CHECKING:
    import keras


def numbers(kernel: Literal[3, 5] = 3, filters: int = 4):
    pass


def for_checkers(filters: int = 4) -> keras.Model:
    pass
"""
SMALL = ("--steps-per-epoch", "2", "--batch-size", "8", "--validation-positions", "8")


@pytest.fixture
def own(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "beside.py").write_text("ACTIVATION = 'relu'\n")
    (tmp_path / "my_net.py").write_text(OWN)
    return tmp_path


def test_it_is_trained_made_longer_and_goes_on_as_a_file(own, capsys):
    model = ["--model", "my_net.py:build", "--set", "filters=5", "--set", "temperature=hot"]
    assert train.main([*model, *SMALL, "--epochs", "1", "--out", "run"]) == 0
    out = capsys.readouterr().out
    assert "parameters (budget 100,000)" in out and "the network to hand in is" in out
    assert train.main(["--resume", "run", "--epochs", "2"]) == 0
    out = capsys.readouterr().out
    assert "resumed after batch 2, in epoch 2 of 2" in out
    assert "2 epochs instead of 1: the learning rate follows the new length" in out
    assert (own / "run" / "history.csv").read_text().count("\n") == 3
    assert train.main(["--resume", "run"]) == 0, "the longer run is the run now"
    assert "resumed after batch 4" in capsys.readouterr().out
    assert train.main(["--resume", "run", "--epochs", "1"]) == 2
    assert "--epochs 1 is less than the 2 of the run" in capsys.readouterr().err
    assert train.main(["--resume", "run", "--minutes", "1"]) == 2
    assert "the run has no --minutes" in capsys.readouterr().err
    best = (own / "run" / "best.h5").read_bytes()
    source = (own / "my_net.py").read_text()
    (own / "my_net.py").write_text(source.replace("activation=ACTIVATION", 'activation="gelu"'))
    _run.cache_clear()  # as in another process
    assert train.main(["--resume", "run", "--epochs", "3"]) == 2
    assert capsys.readouterr().err == (
        "train.py: my_net.py has changed since the run began: undo the change, or start a new run "
        "with --init-from\n"
    )
    assert (own / "run" / "best.h5").read_bytes() == best
    assert train.main(["--model", "run/best.h5", "--smoke", "--seed", "1", "--out", "next"]) == 0
    out = capsys.readouterr().out
    assert "run of 1,411 parameters" in out
    assert f"note: {own}/run/best.h5 may have learned from games that this run holds out" in out


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("nowhere.py:build", "there is no file"),
        ("nowhere.h5", "there is no file"),
        ("my_net.py", "needs the name of a function: give"),
        ("my_net.py:bild", "has no function 'bild'"),
        ("my_net.py:needs", "needs of {folder}/my_net.py needs a default for 'filters'"),
        ("my_net.py:fails", "cannot be built with {{}}: 'blocks'"),
        ("my_net.py:exits", "cannot be built with {{}}: SystemExit"),
        ("my_net.py:returns_nothing", "returns NoneType, not a keras.Model"),
        ("my_net.py:sequential", "got its only one (361,); give --model another network"),
        ("my_net.py:unconnected", "a Sequential whose layers aren't connected yet: begin with"),
        ("broken.py:build", "broken.py, line 2: SyntaxError: "),
        ("no_json.py:build", "no_json.py, line 3: JSONDecodeError: "),
        ("helped.py:build", "helped.py, line 1: SyntaxError: "),
        ("leaves.py:build", "leaves.py, line 2: SystemExit: done"),
        ("damaged.h5", "train.py: cannot open a network from"),
    ],
)
def test_files_that_cannot_be_used_are_one_sentence(model, words, own, capsys):
    (own / "broken.py").write_text("import keras\ndef build(:\n")
    (own / "no_json.py").write_text("import json\n\njson.loads('x')\n")
    (own / "helped.py").write_text("import helper_of_nets\n")
    (own / "helper_of_nets.py").write_text("\n\n\ndef build(:\n")
    (own / "leaves.py").write_text("import sys\nsys.exit('done')\n")
    (own / "damaged.h5").write_bytes(b"no network")
    assert train.main(["--model", model, "--smoke"]) == 2
    captured = capsys.readouterr()
    assert words.format(folder=own) in captured.err and captured.err.count("\n") == 1
    assert not (own / "runs").exists()


def test_a_file_may_have_dataclasses_with_annotations_as_text(own, capsys):
    file = own / "an_own_net.py"
    file.write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Sizes:\n    filters: int = 4\n" + (own / "my_net.py").read_text()
    )
    assert train.main(["--model", "an_own_net.py:bild", "--smoke"]) == 2
    assert "has no function 'bild'" in capsys.readouterr().err
    assert "an_own_net" not in sys.modules  # where it could stand before a package


@pytest.mark.slow
def test_outputs_may_be_in_a_dict(own, capsys):
    model = ["--model", "my_net.py:by_name", "--smoke"]
    assert train.main([*model, "--out", "run"]) == 0
    assert train.main([*model, "--init-from", "run", "--distill", "run", "--out", "next"]) == 0
    out = capsys.readouterr().out
    assert "3 of 3 layers taken, and the outputs are the same" in out
    assert "the network to hand in is next/best.h5" in out
    answers = load_network(own / "next" / "best.h5").predict(np.zeros((2, 19, 19, 31)))
    assert answers.policy.shape == (2, 361) and answers.value.shape == (2,)


def test_options_have_the_types_of_their_annotations(own):
    (own / "typed.py").write_text(TYPED)
    given = {"kernel": "5", "filters": "7"}
    assert resolve_options("typed.py:numbers", given) == {"kernel": 5, "filters": 7}
    with pytest.raises(ModelOptionError, match="kernel must be one of 3, 5, not '4'"):
        resolve_options("typed.py:numbers", {"kernel": "4"})
    with pytest.raises(ModelOptionError, match="by_name has no options: leave out 'blocks'"):
        resolve_options("my_net.py:by_name", {"blocks": "2"})
    assert resolve_options("typed.py:for_checkers", {"filters": "7"}) == {"filters": 7}


def test_a_network_over_the_budget_by_its_statistics_alone_is_warned_about(own, capsys):
    model = ["--model", "my_net.py:normalised", "--smoke", "--out", "run"]
    assert train.main(model) == 0
    out = capsys.readouterr().out
    assert (
        "this network cannot be handed in: 101,782 parameters are over the budget of 100,000; "
        "96,282 of them are trainable" in out
    )
    assert "the network to hand in with --count trainable is run/best.h5" in out


def test_a_network_over_the_budget_is_trained_only_when_that_is_wanted(own, capsys):
    large = ["--model", "my_net.py:build", "--set", "filters=400", "--smoke", "--out", "run"]
    assert train.main(large) == 2
    assert "parameters, and at most 100,000 can be handed in: add --fit-budget" in (
        capsys.readouterr().err
    )
    assert not (own / "run").exists()
    assert train.main([*large, "--over-budget"]) == 0
    out = capsys.readouterr().out
    assert "this network cannot be handed in: at most 100,000 parameters" in out
    assert "finished; the network, not to be handed in, is run/best.h5" in out
    assert train.main(["--model", "my_net.py:build", "--fit-budget", "--smoke"]) == 2
    assert "has no option that scales it" in capsys.readouterr().err


@pytest.mark.slow
def test_check_says_what_the_intake_would(own):
    command = [sys.executable, "-m", "models", "check", "my_net.py:build"]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(ROOT), "PATH": ""}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "untrained.h5: accepted" in done.stdout and "ms a position" in done.stdout


def test_check_says_which_file_is_not_there(own, capsys):
    assert models_main(["check", "nowhere.py:build"]) == 2
    assert "there is no file nowhere.py" in capsys.readouterr().err


def test_names_of_files(own):
    assert absolute("my_net.py:build") == f"{own}/my_net.py:build"
    assert absolute("resnet") == "resnet" == title_of("resnet")
    assert title_of("/home/ada/my_net.py:build") == "my_net"
    assert title_of("runs/mine/best.h5") == "best"
