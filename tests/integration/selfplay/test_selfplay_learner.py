"""What a run trains, and which of its networks plays on."""

from dataclasses import replace
from math import nan
from pathlib import Path
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from golois.games.game import Game
from golois.games.rules import Go, Hex, NoGo
from golois.kit.console import Reporter
from golois.kit.options import UsageError
from golois.kit.run_folder import CheckpointError
from models.parts.heads import probability_head
from selfplay import loop as selfplay_loop
from selfplay.journal import num_without_better, read_journal, write_journal
from selfplay.layout import Layout, Shard
from selfplay.learner import Learner
from selfplay.loop import Loop
from selfplay.oracles import Kept
from selfplay.shards import Counts
from selfplay.window import inherit, open_window
from tests.small_selfplay import (
    NOT_STOPPED,
    SMALL,
    play_shard,
    processes,
    small_game,
)
from tests.unit.selfplay.test_selfplay_oracles import Answers, Perfect
from tournament.intake.own_network import bake_own_network
from tournament.players.fresh_search import FreshSearch


@pytest.mark.usefixtures("without_graphs")
def test_nogozero_trains_all_of_its_heads_by_the_paper_s_weights(tmp_path):
    options = replace(
        SMALL,
        model="nogozero",
        set=dict(blocks="2", filters="4", multitask="true", perspective="mover"),
        value_weight=1.5,
        l2=0.01,
        steps_per_iteration=1,
        lr=0.0,
    )
    learner = Learner(options)
    learner.save_network(tmp_path / "net.h5")
    artefact = bake_own_network(tmp_path / "net.h5", small_game())
    play_shard(artefact, options, 0, 24, tmp_path / "a.games")
    window = open_window(options, [tmp_path / "a.games"])
    learner.train(window, 1, window.num_positions("train"), NOT_STOPPED, lambda: None)
    (row,) = learner.state.history
    kernels = [
        weight for weight in learner.network.trainable_variables if len(weight.shape) > 1
    ]
    penalty = 0.01 * sum(float((np.asarray(kernel) ** 2).sum()) for kernel in kernels)
    parts = row["policy_loss"] + 1.5 * row["value_loss"]
    parts += 0.5 * SMALL.size**2 * row["dominion_loss"] + 0.25 * row["score_loss"]
    assert row["loss"] == pytest.approx(parts + penalty, rel=1e-4)
    assert min(row["dominion_loss"], row["score_loss"]) > 0
    assert row["steps"] == row["step"] == 1


@pytest.mark.slow
@pytest.mark.usefixtures("without_graphs")
def test_a_discarded_network_s_weights_are_those_before_again(artefact, tmp_path):
    learner = Learner(SMALL)
    learner.save_network(tmp_path / "net.h5")
    before = [weight.copy() for weight in learner.network.get_weights()]
    play_shard(artefact, SMALL, 0, 8, tmp_path / "a.games")
    batches = []
    window = open_window(SMALL, [tmp_path / "a.games"])
    learner.train(window, 2, 8, NOT_STOPPED, lambda: batches.append(learner.state.step))
    assert batches == [1, 2]
    after = learner.network.get_weights()
    assert any((one != two).any() for one, two in zip(before, after, strict=True))
    learner.begin_again_from(tmp_path / "net.h5")
    for one, two in zip(before, learner.network.get_weights(), strict=True):
        np.testing.assert_array_equal(one, two)
    assert learner.state.step == 2
    optimizer = learner._model.optimizer
    assert int(optimizer.iterations) == 0, "by which Adam scales its first steps"
    assert not any(np.any(variable) for variable in optimizer.variables if variable.shape)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (dict(set={"size": "5"}), "--set size follows from the game"),
        (dict(model="mobilenet"), "--model must be one of .*resnet.*, not mobilenet"),
        (dict(model="nogozero", set={"outcomes": "two"}), "leave out --set outcomes=two"),
        (
            dict(model="nogozero", game="hex", set={"multitask": "true"}),
            "nothing trains the additional outputs",
        ),
    ],
)
def test_a_network_that_cannot_be_trained_is_refused(changes, words):
    with pytest.raises(UsageError, match=words):
        Learner(replace(SMALL, **changes))


def test_games_without_a_target_are_refused(artefact, tmp_path):
    play_shard(artefact, replace(SMALL, full_share=1e-9), 0, 8, tmp_path / "a.games")
    with pytest.raises(UsageError, match="no game of the window has a target"):
        open_window(SMALL, [tmp_path / "a.games"])


def test_the_plane_of_the_colour_turns_the_value():
    """From 1, the mover's chance with weights of 0 and a bias, to P(White wins)."""
    for rules in (NoGo(3), NoGo(3, planes="zero"), Go(3), Go(3, planes="zero"), Hex(3)):
        game = Game(rules)
        planes = keras.Input(game.planes_shape)
        hidden = keras.layers.Rescaling(0.0)(keras.layers.Flatten()(planes))
        model = keras.Model(planes, probability_head(hidden, planes))
        weights, bias = model.get_weights()
        model.set_weights([np.zeros(weights.shape), np.full(bias.shape, 2.0)])
        shown = [game.planes()]
        game.play(0)
        shown.append(game.planes())
        black_to_move, white_to_move = np.asarray(model(np.stack(shown)))[:, 0]
        assert black_to_move < 0.2 and white_to_move > 0.8


@pytest.mark.parametrize(
    ("new", "old", "player"),
    [
        (Perfect(), Perfect(-1), 1),
        (Perfect(-1), Perfect(), 0),
        (Answers([1 / 9] * 9), Answers([1 / 9] * 9), 0),  # at exactly half
    ],
)
def test_the_gate_keeps_the_better_network(new, old, player, tmp_path, monkeypatch):
    networks = {"0001.onnx": new, "0000.onnx": old}
    monkeypatch.setattr(
        selfplay_loop,
        "opened_player",
        lambda path, options, count, precision: (
            lambda seed: FreshSearch(networks[path.name], options.of_matches(), count, seed=seed)
        ),
    )
    options = replace(SMALL, gate_games=20, gate_simulations=4, measure_positions=0)
    actors = processes(1)
    loop = Loop(Layout(tmp_path), options, SimpleNamespace(), Reporter(), actors, NOT_STOPPED)
    loop.rows = [{"iteration": 0, "player": 0, "seconds": 0}]
    found, share = loop._gate(1)
    assert found == player and (share > 0.5) == bool(player)
    monkeypatch.setattr(selfplay_loop, "Match", None)  # the file is there
    assert loop._gate(1) == (found, share)


def begun_loop(folder: Path) -> Loop:
    """A run that is measured, from where its files stand, without a network of its own."""
    learner = SimpleNamespace(iteration=0)
    return Loop(Layout(folder), SMALL, learner, Reporter(), processes(1), NOT_STOPPED)


def test_a_run_that_goes_on_tells_the_better_network_as_one_that_never_stopped(
    tmp_path, monkeypatch
):
    shares = [0.5, 85 / 87, 0.6, 85 / 87]
    monkeypatch.setattr(Loop, "_kept", lambda _, number: Kept(shares[number], nan, 87))
    monkeypatch.setattr(selfplay_loop, "show_run", lambda *_: None)
    rows = [
        dict(iteration=i, player=i, games=i, seconds=1, moves_a_game=1, black_wins=0, in_network=1)
        for i in range(4)
    ]
    whole = begun_loop(tmp_path / "whole")
    for number, row in enumerate(rows):
        whole._record(dict(row), number)
        stopped_each_time = begun_loop(tmp_path / "parts")
        stopped_each_time._record(dict(row), number)
    assert num_without_better(whole.rows) == num_without_better(stopped_each_time.rows) == 2


def test_a_missing_or_damaged_file_of_a_run_is_named_with_what_helps(tmp_path):
    rows = [dict(iteration=i, player=i, seconds=1) for i in range(3)]
    write_journal(tmp_path / "journal.csv", rows)
    with pytest.raises(CheckpointError, match="is missing, or older than iteration 2 of journal"):
        begun_loop(tmp_path).run()
    loop = begun_loop(tmp_path)
    loop.options = replace(SMALL, gate_games=2)
    loop.rows = [{"iteration": 0, "player": 0}]
    layout = loop.layout
    shard, journal = layout.games(Shard(1, 0)), tmp_path / "of-another.csv"
    journal.write_text("iteration,player\n0,zero\n")
    for path in (layout.gate(1), layout.oracle, shard.with_suffix(".json"), layout.inherited):
        path.parent.mkdir(exist_ok=True)
        path.write_text('[{"half of')
    for read, words in (
        (lambda: loop._gate(1), "gate/0001.json is damaged: remove it, and --resume writes it"),
        (loop._solved, "oracle.json is damaged: remove it, and --resume writes it"),
        (lambda: Counts.read(shard), "0001-00.json is damaged: put a copy of it back"),
        (lambda: inherit(layout, SMALL), "inherited.json is damaged: remove it"),
        (lambda: read_journal(journal), "of-another.csv is damaged: remove it"),
    ):
        with pytest.raises(CheckpointError, match=words):
            read()
