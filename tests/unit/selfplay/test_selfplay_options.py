"""Options and presets of selfplay.py, the window of games, and what it says to bad input."""

import json
from dataclasses import asdict, replace
from math import nan

import pytest

from golois.games.rules import Go, Hex, NoGo
from golois.kit.command import UsageError
from papers.fishnet.command import ACTIONS
from selfplay.arguments import complete, parse_arguments
from selfplay.command import FURTHER_COMMANDS, main
from selfplay.layout import Shard, first_game, shards_of
from selfplay.options import Options
from selfplay.presets import PRESETS
from selfplay.window import batches_behind, games_in_window, steps_allowed, steps_before, window


@pytest.mark.parametrize("name", [*FURTHER_COMMANDS, *(f"td {action}" for action in ACTIONS)])
def test_a_further_command_has_a_help_of_its_own(name, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*name.split(), "--help"], "of the training command")
    shown = capsys.readouterr().out
    assert ended.value.code == 0 and shown.startswith(f"usage: selfplay.py {name} [-h]")
    assert "of the training command" not in shown
    _, summary, _ = shown.split("\n\n", 2)
    assert summary.endswith(".")


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
    ("growth", "games", "expected"),
    [(0.0, 50, 50), (0.0, 400, 100), (0.5, 100, 100), (0.5, 400, 200), (1.0, 400, 400)],
)
def test_the_window_grows_as_its_exponent_says(growth, games, expected):
    options = Options(window_games=100, window_growth=growth)
    assert games_in_window(options, games) == expected


def test_a_window_has_the_newest_shards():
    options = Options(games_per_iteration=20, games_per_shard=10, window_games=30)
    assert window(options, 1) == [Shard(1, 0), Shard(1, 1)]
    assert window(options, 2) == [Shard(1, 1), Shard(2, 0), Shard(2, 1)]
    assert window(options, 3) == [Shard(2, 1), Shard(3, 0), Shard(3, 1)]
    of_one_iteration = Options(games_per_iteration=40, games_per_shard=10, window_games=5)
    assert window(of_one_iteration, 2) == shards_of(of_one_iteration, 2)  # all just played


def test_a_window_goes_back_to_inherited_games_while_it_has_room():
    """They are trained on as if the run had played them."""
    options = Options(games_per_iteration=20, games_per_shard=10, window_games=45)
    inherited = {Shard(0, 0): 8, Shard(0, 1): 8, Shard(0, 2): 8}
    assert window(options, 0, inherited) == list(inherited)
    own = [*shards_of(options, 1), *shards_of(options, 2)]
    assert window(options, 1, inherited) == [*inherited, *shards_of(options, 1)]
    assert window(options, 2, inherited) == [Shard(0, 2), *own]
    assert window(options, 3, inherited) == [*own[1:], *shards_of(options, 3)]
    used = replace(options, reuse=4, batch_size=10)
    assert steps_before(used, 60, 100) == 40
    assert steps_before(replace(used, steps_per_iteration=5), 60, 100) == 15


def test_games_are_numbered_through_the_run():
    options = Options(games_per_iteration=20, games_per_shard=10)
    shards = [shard for iteration in (1, 2) for shard in shards_of(options, iteration)]
    assert [first_game(options, shard) for shard in shards] == [0, 10, 20, 30]


def test_positions_are_not_used_more_often_than_allowed():
    options = Options(reuse=3, batch_size=10)
    step = 0
    for num_positions in (17, 40, 41, 100):
        step += steps_allowed(options, num_positions, step)
        assert 10 * step <= 3 * num_positions < 10 * (step + 1)
    assert steps_allowed(Options(reuse=3, batch_size=10, steps_per_iteration=4), 100, 0) == 4
    assert steps_allowed(options, 10, 50) == 0


def test_batches_that_the_gate_discarded_do_not_count():
    rows = [dict(player=player, steps=10**number) for number, player in enumerate([0, 0, 2, 2, 4])]
    assert [batches_behind(rows, player) for player in (0, 2, 4)] == [0, 100, 10_100]
    for row in rows:
        row["player"] = rows.index(row)  # no gate
    assert batches_behind(rows, 4) == 11_110


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


IDLE = [
    ("--gate-simulations 2", "--gate-games 2", "--gate-games"),
    ("--gate-threshold 0.6", "--preset nogozero9", "--gate-games"),
    ("--quick-simulations 4", "--full-share 0.5", "--full-share below 1"),
    ("--hold-out-share 0.2", "--resign-value -0.9", "--resign-value above -1"),
    ("--root-noise-concentration 2", "--root puct --root-noise 0.25", "--root-noise"),
    ("--early-moves 0 --early-temperature 2", "--early-moves 3", "--early-moves"),
    ("--game go --measure-positions 9", "--game hex", "NoGo or Hex on up to 16 points"),
    ("--size 9 --measure-positions 9", "--size 4", "NoGo or Hex on up to 16 points"),
    (
        "--model nogozero --dominion-weight 1",
        "--set multitask=true",
        "--model nogozero --set multitask=true",
    ),
    ("--score-weight 1", "--preset nogozero9", "--model nogozero --set multitask=true"),
    (
        "--preset nogozero9 --set multitask=false --score-weight 1",
        "--set multitask=1",
        "--model nogozero --set multitask=true",
    ),
]


@pytest.mark.parametrize(("idle", "more", "needed"), IDLE, ids=[idle for idle, _, _ in IDLE])
def test_an_option_that_does_nothing_is_refused(idle, more, needed):
    with pytest.raises(UsageError, match=f"has no effect without {needed}: leave it out"):
        complete(parse_arguments(idle.split(), ""))
    complete(parse_arguments([*idle.split(), *more.split()], ""))


@pytest.mark.parametrize(
    "given",
    [
        "--preset nogozero9 --gate-games 0 --set multitask=false --root-noise 0",
        "--preset restnet_go9 --resign-value -1 --early-moves 0",
        "--preset nogo4 --size 5",
    ],
)
def test_what_a_preset_says_may_become_idle(given):
    complete(parse_arguments(given.split(), ""))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--preset", "nogo5"], "invalid choice: 'nogo5'"),
        (["--simulation", "3"], "did you mean --simulations?"),
        (["--set", "blocks"], "--set needs KEY=VALUE"),
        (["--resume", "nowhere"], "nowhere is not the folder of a run"),
        (["measure", "nowhere"], "nowhere is not the folder of a run"),
        (["measure", "nowhere", "--games", "x"], "--games"),
        (["--out", "taken"], "already holds a run"),
        (["--victim", "nowhere.h5"], "there is no file nowhere.h5: give --victim a network"),
        (["--victim", "net.keras"], "--victim must be an .h5, not net.keras"),
        (["--preset", "nogo3", "--komi", "3.5"], "--komi has no effect without --game go"),
        (["--nesterov", "--optimizer", "adam"], "--nesterov has no effect without --optimizer sgd"),
        (["--game", "go", "--komi", "7.3"], "--komi must be quarters of points from −100 to 100"),
        (["--resume", "taken", "--size", "5"], "--size cannot be given with --resume"),
        (["--resume", "other"], "does not have the options of a run of self-play"),
        (["measure", "taken"], "has no network to measure yet"),
        (["measure", "taken", "--games", "3"], "--games must be an even number"),
        (["measure", "taken", "--simulations", "0"], "--simulations must be 1 or more"),
        (["measure", "taken", "--opening-moves", "-1"], "--opening-moves must be 0 or more"),
        (
            ["measure", "taken", "--games", "0", "--against", "random"],
            "--against has no effect without --games above 0",
        ),
        (["measure", "taken", "--after", "Z9"], "--after: 'Z9' is not a GTP vertex"),
        (["measure", "taken", "--after", "A1", "A1"], "--after: White cannot play A1"),
        (["league", "nowhere"], "nowhere is not the folder of a run"),
        (["league", "taken", "--games", "0"], "--games must be an even number from 2"),
        (["league", "taken", "--every", "-1"], "--every must be 1 or more"),
        (["league", "taken", "--every", "0"], "--every must be 1 or more"),
        (["league", "taken"], "has fewer than two networks to rate"),
    ],
)
def test_bad_input_is_one_sentence(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, config in (("taken", {"options": asdict(Options())}), ("other", {"options": 1})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(config))
    (tmp_path / "net.keras").touch()
    assert main(arguments, "Train.") == 2
    error = capsys.readouterr().err
    assert words in error and error.startswith("selfplay.py: ") and error.count("\n") == 1
