"""Options and presets of selfplay.py."""

import json
from dataclasses import asdict, replace
from math import nan

import pytest

from golois.games.rules import Go, Hex, NoGo
from golois.kit.command import UsageError
from selfplay.options import Options
from selfplay.presets import PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_comes_back_from_json(name):
    options = PRESETS[name].options
    assert Options(**json.loads(json.dumps(asdict(options)))) == options
    options.of_games(), options.of_matches()


def test_rules_follow_from_the_options():
    """Shards take turns with the komis."""
    assert Options(game="nogo", size=5).rules() == NoGo(5)
    assert Options(game="hex", size=6, swap=True).rules() == Hex(6, True)
    go = Options(game="go", size=5, planes="zero", komi=2.5).rules()
    assert go == Go(5, 2.5, max_moves=50, planes="zero")
    options = Options(game="go", size=5, komis="2.5,3.5", games_per_iteration=6, games_per_shard=2)
    komis = [options.rules_of(first_game).komi for first_game in (0, 2, 4, 6)]
    assert komis == [2.5, 3.5, 2.5, 3.5] and options.rules() == Go(5, 7.5, max_moves=50)
    assert replace(options, komis="").rules_of(2) == options.rules()
    assert Options(game="nogo").rules_of(50) == NoGo(4)


def test_every_option_of_the_search_reaches_the_games():
    games = Options(
        simulations=7, considered=4, c_puct=2.0, root="puct", root_noise=0.25, full_share=0.5
    ).of_games()
    assert (games.num_simulations, games.race.num_considered) == (7, 4)
    assert (games.search.c_puct, games.search.root_noise, games.root) == (2.0, 0.25, "puct")
    assert games.full_share == 0.5
    assert Options(root="puct", root_noise=0.25).of_matches().root_noise == 0


def test_presets_of_papers_have_their_settings():
    options = PRESETS["nogozero9"].options
    search = options.of_games().search
    assert search.c_puct == 1.1 and search.root_policy_temperature == 1.03
    assert search.root_noise == 0.25 and search.root_noise_concentration == pytest.approx(2.43)
    assert options.of_compilation() == dict(
        policy_weight=1.0, value_weight=1.5, value_loss="crossentropy", optimizer="sgd",
        weight_decay=0.0, momentum=0.8, nesterov=False, learning_rate=0.001,
    )  # fmt: skip
    assert (options.dominion_weight, options.score_weight, options.l2) == (0.5, 0.25, 1e-5)
    rate, steps = PRESETS["restnet_go9"].options.rate, (0, 69_999, 70_000, 89_999, 90_000, 10**6)
    assert [rate(step) for step in steps] == [0.02, 0.02, 0.01, 0.01, 0.005, 0.005]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(size=1), "from 2 to 19"),
        (dict(planes="course"), "nogo, zero"),
        (dict(game="hex", planes="zero"), "leave out --planes"),
        (dict(game="go", size=19, planes="katago"), "is only for searches"),
        (dict(games_per_iteration=10, games_per_shard=4), "multiple of --games-per-shard"),
        (dict(gate_games=3), "--gate-games must be even"),
        (dict(root_noise=0.25), "Dirichlet noise"),
        (dict(precision="bf16", runtime="onnxruntime"), "--precision bf16"),
        (dict(precision="bf16", device="cuda"), "--precision bf16"),
        (dict(lr_drops="100"), "--lr-drops"),
        (dict(lr_drops="100:0.1,50:0.2"), "--lr-drops"),
        (dict(komis="2.5"), "--komis needs planes that show the komi"),
        (dict(game="go", planes="zero", komis="2.5"), "--komis needs planes that show the komi"),
        (dict(game="go", komis="2.5;3.5"), "--komis must be quarters of points"),
        (dict(game="go", komis="2.5,10"), "--komis must be quarters of points"),
        (dict(game="go", komis="2.3"), "--komis must be quarters of points"),
        (dict(game="go", komis="2.5,2.75"), "--komis must differ in the whole parts"),
        (dict(momentum=1.0), "--momentum"),
        (dict(workers=0), "--workers"),
        (dict(size=9, patience=3), "--patience needs"),
        (dict(result_share=1.5), "--result-share must be from 0 to 1"),
        (dict(result_share=-0.5), "--result-share must be from 0 to 1"),
        (dict(result_share=nan), "--result-share must be from 0 to 1"),
        (dict(gate_threshold=-1), "--gate-threshold must be from 0 to 1"),
        (dict(gate_threshold=nan), "--gate-threshold must be from 0 to 1"),
        (dict(momentum=nan), "--momentum must be from 0, below 1"),
        (dict(window_growth=nan), "--window-growth must be from 0 to 1"),
        (dict(full_share=1.5), "--full-share must be above 0, up to 1"),
        (dict(full_share=0.0), "--full-share must be above 0"),
        (dict(reuse=float("nan")), "--reuse"),
        (dict(simulations=0), "--simulations must be a finite number from 1"),
    ],
)
def test_a_value_that_cannot_be_is_refused(options, words):
    with pytest.raises(UsageError, match=words):
        Options(**options)
