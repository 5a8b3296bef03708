"""Networks of every game and size: from Keras to an artefact, and from there to a search."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from models.training.quiet import import_keras_quietly

import_keras_quietly()

import models  # noqa: E402
from golois import Game, Go, Hex, NoGo, Tree  # noqa: E402
from golois.go.symmetry import transform_board  # noqa: E402
from models.training.steps import save_network  # noqa: E402
from tests.data import ROOT, examples_of  # noqa: E402
from tests.integration.intake.small_networks import randomise  # noqa: E402
from tournament.errors import NetworkError  # noqa: E402
from tournament.intake import JudgeOptions, Manifest, judge  # noqa: E402
from tournament.intake.artefact import place_artefact  # noqa: E402
from tournament.intake.own_network import bake_own_network  # noqa: E402
from tournament.networks.evaluator import (  # noqa: E402
    NetworkEvaluator,
    SymmetricEvaluator,  # noqa: E402
    open_evaluator,
)
from tournament.networks.runtimes import installed_runtimes  # noqa: E402

SMALL = {
    "resnet": dict(blocks=1, filters=4),
    "restnet": dict(blocks="RT", filters=4, heads=2),
    "nogozero": dict(blocks=2, filters=4),
}
GAMES = {
    "resnet": Go(5, planes="zero"),
    "restnet": Hex(11),
    "nogozero": NoGo(9),
}


def network_for(name: str, game: Game):
    """A small network of random weights for a game."""
    shapes = dict(size=game.size, planes=game.planes_shape[2], moves=game.policy_size)
    network = models.build(name, **SMALL[name], **shapes)
    randomise(network, np.random.default_rng(7))
    return network


def positions(game: Game, number: int = 5) -> np.ndarray:
    """Planes of a game after 0, 1, 2 … random moves."""
    rng, planes = np.random.default_rng(3), []
    for _ in range(number):
        planes.append(game.planes())
        game.play(int(rng.choice(game.candidates())))
    return np.stack(planes)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=pytest.mark.slow if name == "restnet" else []) for name in GAMES
    ],
)
def baked(request, tmp_path_factory):
    """A game, a network for it in Keras, and its artefact."""
    game = Game(GAMES[request.param])
    network = network_for(request.param, game)
    path = tmp_path_factory.mktemp(request.param) / "net.h5"
    save_network(path, network)
    return game, network, bake_own_network(path, game)


# What needs processes of its own is tried on one network in every run, on the others in slow ones.
of_one = pytest.mark.parametrize(
    "baked",
    [pytest.param(name, marks=pytest.mark.slow if name != "nogozero" else []) for name in GAMES],
    indirect=True,
)


@pytest.mark.slow
def test_answers_are_those_of_keras(baked):
    game, network, artefact = baked
    planes = positions(Game(game.rules))
    expected = [np.asarray(output) for output in network(planes, training=False)[:2]]
    assert expected[0].shape == (5, game.policy_size)
    shapes = game.planes_shape, game.policy_size
    for runtime in installed_runtimes():
        evaluator = NetworkEvaluator(artefact.read_bytes(), 8, runtime, *shapes)
        policy, value_white = evaluator.evaluate(planes)
        np.testing.assert_allclose(policy, expected[0], atol=1e-4)
        np.testing.assert_allclose(value_white, expected[1][:, 0], atol=1e-4)


def test_the_manifest_has_the_shapes_and_a_search_takes_the_answers(baked):
    game, network, artefact = baked
    manifest = Manifest.read(artefact.with_suffix(".json"))
    assert (manifest.planes_shape, manifest.policy_size) == (game.planes_shape, game.policy_size)
    assert manifest.parameters_total == network.count_params()
    assert (manifest.num_positions, manifest.answers, manifest.sandbox) == (0, (), "none")
    game, _, artefact = baked
    tree = Tree(Game(game.rules))
    evaluator = open_evaluator(artefact, game=game)
    tree.search(evaluator.evaluate, 20, evaluator.batch_size)
    assert tree.num_visits >= 20 and tree.best_move() in Game(game.rules).candidates()


def test_symmetric_answers_are_the_mean_over_the_game_s_symmetries(baked):
    game, _, artefact = baked
    evaluator = open_evaluator(artefact, batch_size=3, game=game)
    played = Game(game.rules)
    positions(played)
    policy, value_white = SymmetricEvaluator(evaluator, game.symmetries).evaluate(
        played.planes()[np.newaxis]
    )
    num_points = game.size**2
    policies, values = [], []
    for symmetry in game.symmetries:
        answer, value = evaluator.evaluate(played.planes(symmetry)[np.newaxis])
        where = transform_board(np.arange(num_points).reshape(game.size, game.size), symmetry)
        turned_back = answer[0].copy()  # a pass stays in its place
        turned_back[where.ravel()] = answer[0, :num_points]
        policies.append(turned_back)
        values.append(value[0])
    assert len(policies) == (2 if isinstance(game.rules, Hex) else 8)
    assert len({turned.tobytes() for turned in policies}) == len(policies)
    np.testing.assert_allclose(policy[0], np.mean(policies, axis=0), atol=1e-6)
    np.testing.assert_allclose(value_white[0], np.mean(values), atol=1e-6)


def test_a_network_for_another_game_is_refused_in_a_sentence(baked):
    game, _, artefact = baked
    shape, others = game.planes_shape, Game(NoGo(7))
    with pytest.raises(NetworkError) as error:
        open_evaluator(artefact)
    assert f"it reads planes {shape}, not (19, 19, 31)" in str(error.value)
    with pytest.raises(NetworkError, match="the network reads planes .*, not "):
        open_evaluator(artefact, game=game).evaluate(others.planes()[np.newaxis])
    with pytest.raises(NetworkError) as error:
        bake_own_network(artefact.with_suffix(".h5"), others)
    assert f"the input is {shape}; the game gives (7, 7, 21)" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_network_without_the_game_s_pass_is_refused_in_a_sentence(tmp_path):
    with_pass, without = (Game(Go(5, passes=passes)) for passes in ("free", "arena"))
    save_network(tmp_path / "net.h5", network_for("resnet", without))
    with pytest.raises(NetworkError, match=r"the shape \(25,\), not \(26,\).*the last"):
        bake_own_network(tmp_path / "net.h5", with_pass)
    artefact = bake_own_network(tmp_path / "net.h5", without)
    with pytest.raises(NetworkError, match="answers with a policy of 25 numbers, not 26"):
        open_evaluator(artefact, game=with_pass)


@of_one
def test_a_league_takes_no_other_shapes(baked, tmp_path):
    """Neither the file, nor the artefact that its owner baked."""
    game, _, artefact = baked
    verdict = judge(artefact.with_suffix(".h5"), work_dir=tmp_path)
    (fault,) = verdict.faults
    assert "the game gives (19, 19, 31)" in fault.text and not verdict.accepted
    with pytest.raises(NetworkError, match=r"not \(19, 19, 31\)"):
        place_artefact(artefact, tmp_path)
    assert list(tmp_path.iterdir()) == []


@of_one
def test_the_gates_judge_other_shapes_where_they_are_asked_to(baked, tmp_path):
    game, _, artefact = baked
    options = JudgeOptions(
        round_numbers=False,
        planes_shape=game.planes_shape, policy_size=game.policy_size, tune_seconds=0.2
    )
    verdict = judge(artefact.with_suffix(".h5"), work_dir=tmp_path, options=options)
    assert verdict.accepted, verdict.faults
    assert verdict.onnx_path.read_bytes() == artefact.read_bytes()
    assert verdict.manifest.planes_shape == game.planes_shape and verdict.manifest.tuning.trials


def test_the_arena_s_planes_with_a_pass_are_tried_on_real_games(tmp_path):
    game = Game(Go(19))
    save_network(tmp_path / "net.h5", network_for("resnet", game))
    artefact = bake_own_network(tmp_path / "net.h5", game)
    assert Manifest.read(artefact.with_suffix(".json")).num_positions > 0
    with pytest.raises(NetworkError, match="a policy of 362 numbers, not 361"):
        place_artefact(artefact, tmp_path / "folder")


@of_one
def test_who_plays_needs_no_keras(baked):
    game, _, artefact = baked
    lines = (
        "import sys",
        "from golois import Game, Go, Hex, NoGo",
        "from tournament.networks.evaluator import open_evaluator",
        f"evaluator = open_evaluator({str(artefact)!r}, game=Game({game.rules!r}))",
        "print(evaluator.evaluate(evaluator.planes)[0].shape[1])",
        "sys.exit(not {'keras', 'tensorflow', 'onnx'}.isdisjoint(sys.modules))",
    )
    found = subprocess.run(
        [sys.executable, "-c", "; ".join(lines)], cwd=ROOT, capture_output=True, text=True
    )
    assert (found.returncode, found.stdout.strip()) == (0, str(game.policy_size)), found.stderr


@pytest.mark.slow
def test_the_example_of_the_page_runs(tmp_path, monkeypatch, capsys):
    [example] = examples_of("student/selfplay.md", "Networks")
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    assert "25" in capsys.readouterr().out
    assert {path.name for path in Path().iterdir()} == {"net.h5", "net.json", "net.onnx"}
