"""What evaluate.py measures by, on numbers that can be checked by hand."""

import json
from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest

from golois.constants import NUM_POINTS
from golois.data.dataset import Dataset
from golois.errors import DataFormatError
from golois.games.rules import Go
from golois.go.coords import BLACK
from golois.go.symmetry import NUM_SYMMETRIES, transform_board, view
from golois.kit.files import sha256_of
from golois.records.finished_games import FinishedGame, write_finished_games
from golois.records.ladders import add_ladders
from models.errors import EvaluationError
from models.evaluation.measure import measure, phases, predictions, sources
from models.evaluation.metrics import (
    calibration,
    calibration_error,
    constant_errors,
    mean_squared_error,
    sign_accuracy,
    value_errors,
)
from models.evaluation.pictures import calibration_picture, policy_picture
from models.evaluation.positions import Split, choose_split, held_out_positions, open_datasets
from models.evaluation.symmetric import Outputs, all_views, average, mapped_back
from models.training.run_folder import describe_file
from tests.data import EMBEDDED_GAMES

SPLIT = Split((EMBEDDED_GAMES,), seed=3, fraction=0.05, remark="")


@pytest.fixture(scope="module")
def datasets():
    return open_datasets(SPLIT)


@pytest.fixture(scope="module")
def positions(datasets):
    return held_out_positions(datasets, 150)


def any_function(planes: np.ndarray) -> Outputs:
    """Outputs that depend on every plane of every point, and are no mirror's friend."""
    weights = np.random.default_rng(7).normal(size=planes.shape[1:])
    at_points = (planes * weights).sum(axis=3).reshape(-1, NUM_POINTS)
    scores = np.sin(at_points + np.cumsum(at_points, axis=1))
    policy = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return Outputs(policy, np.abs(scores[:, 0]), scores)


def test_errors_by_hand():
    values, labels, results = np.array([0.2, 0.6]), np.array([0.0, 0.5]), np.array([0.0, 1.0])
    assert astuple(value_errors(values, labels, results)) == pytest.approx((0.025, 0.15, 0.1))
    assert astuple(constant_errors(labels, results)) == pytest.approx((0.0625, 0.25, 0.25))
    predicted, target = np.array([1.0, -0.5, 0.25, 0.0]), np.array([1.0, 1.0, -1.0, 1.0])
    assert mean_squared_error(predicted, target) == pytest.approx((0 + 2.25 + 1.5625 + 1) / 4)
    assert sign_accuracy(predicted, target) == 0.25


def test_no_constant_beats_the_constant():
    rng = np.random.default_rng(0)
    labels, results = rng.random(40), rng.integers(0, 2, 40).astype(float)
    best = astuple(constant_errors(labels, results))
    for constant in np.linspace(0, 1, 101):
        errors = astuple(value_errors(np.full(40, constant), labels, results))
        assert all(error >= least - 1e-12 for error, least in zip(errors, best, strict=True))


def test_calibration_by_hand():
    values = np.array([0.0, 0.05, 0.5, 0.59, 1.0])
    results = np.array([0.0, 1.0, 1.0, 1.0, 0.0])
    bins = calibration(values, results)
    assert [item.count for item in bins] == [2, 2, 1]
    assert [item.predicted for item in bins] == pytest.approx([0.025, 0.545, 1.0])
    assert [item.observed for item in bins] == pytest.approx([0.5, 1.0, 0.0])
    expected = (2 * 0.475 + 2 * 0.455 + 1.0) / 5
    assert calibration_error(bins) == pytest.approx(expected)


def test_views_are_eight_and_come_back(positions):
    planes = positions.planes(slice(3)).astype(np.float32)
    views = [view(planes, symmetry) for symmetry in range(NUM_SYMMETRIES)]
    assert len({shown.tobytes() for shown in views}) == NUM_SYMMETRIES
    for symmetry, shown in enumerate(views):
        np.testing.assert_array_equal(shown[1], transform_board(planes[1], symmetry))
        own = shown[..., 11].reshape(3, NUM_POINTS)
        back = mapped_back(Outputs(own, own[:, 0], own), symmetry)
        np.testing.assert_array_equal(back.policy, planes[..., 11].reshape(3, NUM_POINTS))
        np.testing.assert_array_equal(back.ownership, back.policy)


def test_the_average_is_equivariant_whatever_the_network(positions):
    planes = positions.planes(slice(4)).astype(np.float32)
    straight = average(all_views(any_function, planes))
    for symmetry in range(NUM_SYMMETRIES):
        turned = average(all_views(any_function, view(planes, symmetry)))
        for found, expected in zip(mapped_back(turned, symmetry), straight, strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-6)
    assert np.abs(any_function(planes).policy - straight.policy).max() > 1e-3


def test_origins_name_the_game_and_the_move_of_each_position(datasets):
    (dataset,) = datasets
    rng = np.random.default_rng(1)
    for split in ("train", "validation"):
        chosen = rng.integers(0, dataset.num_positions(split), 40)
        batch = dataset.rows(chosen, np.zeros(40, np.uint8), split, ["policy"])
        games, plies = dataset.origins(chosen, split)
        played = [dataset.file[game].points[ply] for game, ply in zip(games, plies, strict=True)]
        assert played == batch.policy.argmax(axis=1).tolist()
    ends = np.array([0, dataset.num_positions("validation") - 1])
    first, last = dataset.origins(ends, "validation")[0]
    held_out = dataset.file.rows["num_positions"][[first, last]]
    assert first < last and (held_out > 0).all()


def test_the_held_out_positions_are_those_of_training(datasets, positions):
    """Their games alone are counted, and groups share them all out."""
    batch = datasets[0].walk(150, 0, "validation", targets=["value_white"])
    np.testing.assert_array_equal(positions.bits, batch.planes)
    np.testing.assert_array_equal(positions.labels, batch.value_white)
    assert set(positions.results) <= {0.0, 0.5, 1.0}
    games, _ = datasets[0].origins(datasets[0].walked_rows(150, 0, "validation")[0], "validation")
    assert positions.num_games == len(set(games.tolist()))
    one = held_out_positions([*datasets, *datasets], 1)
    assert (len(one), one.num_games) == (1, 1)
    for groups in (phases(positions), sources(positions)):
        assert (sum(mask.astype(int) for _, mask in groups) == 1).all()


def test_pictures_take_any_name_and_show_a_share_as_dark_in_every_policy(tmp_path, positions):
    answers = Outputs(np.full((150, NUM_POINTS), 1 / NUM_POINTS), positions.labels, None)
    report = measure({"one_view": answers, "eight_views": answers}, positions)
    calibration_picture(report, "a$\\frac$\udcff.h5").savefig(tmp_path / "picture.png")
    for policy in (answers.policy[0], np.eye(NUM_POINTS)[60]):  # of a sure network, too
        picture = policy_picture(np.zeros((19, 19), np.uint8), policy, "")
        assert picture.axes[0].images[0].get_clim() == (0, 1)


def test_a_report_of_perfect_answers(positions):
    policy = np.eye(NUM_POINTS, dtype=np.float32)[positions.moves]
    perfect = Outputs(policy, positions.labels, positions.ownership)
    report = measure({"one_view": perfect, "eight_views": perfect}, positions)
    for group in (report, *report["by_phase"].values(), *report["by_source"].values()):
        assert set(group["policy"]["one_view"].values()) == {1.0}
        assert group["value"]["one_view"]["mse"] == 0
    assert report["value"]["constant"]["mse"] == pytest.approx(np.var(positions.labels))
    assert report["ownership"]["eight_views"] == {"mse": 0, "sign_accuracy": 1}
    assert 0 < report["ownership"]["present_stones"]["mse"] < 4


def test_predictions_ask_about_every_position_once(positions):
    done = []
    answers = predictions(any_function, positions, done.append)
    assert done == [64, 128, 150]
    expected = any_function(positions.planes().astype(np.float32))
    np.testing.assert_allclose(answers["one_view"].policy, expected.policy)


def write_config(folder, digests=(), files=None, **options):
    files = files or [{"sha256": digest} for digest in digests]
    described = {"options": options, "data": {"files": files}}
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(described))
    return folder / "net.h5"


def test_the_runs_own_split_is_taken(tmp_path):
    network = write_config(tmp_path, seed=5, validation_fraction=0.2, data={"/a.games": 1.0})
    split = choose_split(network, [], None, None)
    assert (split.seed, split.fraction) == (5, 0.2)
    assert [str(path) for path in split.files] == ["/a.games"]
    assert split.remark.startswith("held out from the network's training")
    assert "may have been trained" in choose_split(network, [], 6, None).remark
    link = tmp_path / "links" / "mine.h5"
    link.parent.mkdir()
    link.symlink_to(network)
    assert choose_split(link, [], None, None) == split
    without_a_run = choose_split(tmp_path / "other" / "net.h5", [], None, 0.3)
    assert astuple(without_a_run)[:3] == ((EMBEDDED_GAMES,), 0, 0.3)
    assert "may have been trained" in without_a_run.remark


@pytest.mark.parametrize("is_old", [False, True])
@pytest.mark.parametrize("given", [[], ["mine.games"]])
def test_a_file_that_has_changed_since_the_training_is_named(given, is_old, tmp_path, monkeypatch):
    """The games of a file are held out by their numbers, and ladders change none."""
    monkeypatch.chdir(tmp_path)
    games, path = [FinishedGame([4], BLACK, [{4: 1}], [0.5])], Path("mine.games")
    write_finished_games(path, Go(9), games)
    split = dict(seed=0, validation_fraction=0.05, data={str(path.resolve()): 1.0})
    described = [{"sha256": sha256_of(path)}] if is_old else [describe_file(Dataset(path))]
    network, files = write_config(tmp_path, files=described, **split), list(map(Path, given))
    assert "have been trained" not in choose_split(network, files, None, None).remark
    if not is_old:
        assert add_ladders(path).num_bytes > 0
        assert "have been trained" not in choose_split(network, files, None, None).remark
    write_finished_games(path, Go(9), 2 * games)
    assert "mine.games has changed since the training" in (
        choose_split(network, files, None, None).remark
    )


@pytest.mark.parametrize(
    ("source", "is_noted"),
    [
        (dict(seed=0, digests=["1", "2"]), False),
        (dict(seed=1, digests=["1", "2"]), True),
        (dict(seed=1, digests=["2"]), False),
        (None, True),
    ],
)
@pytest.mark.parametrize("option", ["init_from", "distill", "model"])
def test_what_a_network_learned_from_may_know_its_held_out_games(
    option, source, is_noted, tmp_path
):
    alike = dict(validation_fraction=0.05, data={"/a.games": 1.0})
    known = tmp_path / "before" / "net.h5"
    if source:
        write_config(tmp_path / "before", **alike, **source)
    network = write_config(tmp_path / "now", ["1"], seed=0, **{option: str(known)}, **alike)
    remark = choose_split(network, [], None, None).remark
    noted = f"; it learned from {known}, which may have been trained on them"
    assert remark.endswith(noted) == is_noted
    # A network between the two that held out the same games does not make the source a clean one.
    between = write_config(tmp_path / "between", ["1"], seed=0, init_from=str(known), **alike)
    network = write_config(tmp_path / "now", ["1"], seed=0, **{option: str(between)}, **alike)
    assert choose_split(network, [], None, None).remark.endswith(noted) == is_noted


def test_a_source_may_know_games_that_have_got_their_ladders_since(tmp_path):
    alike = dict(validation_fraction=0.05, data={"/a.games": 1.0})
    for folder, digest, seed in (("before", "1", 1), ("now", "2", 0)):
        files = [{"sha256": digest, "checksums": {"words": 1}}]
        learned = {} if folder == "before" else {"init_from": str(tmp_path / "before" / "net.h5")}
        network = write_config(tmp_path / folder, files=files, seed=seed, **learned, **alike)
    remark = choose_split(network, [], None, None).remark
    assert remark.endswith("which may have been trained on them")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"name": "x"}', "KeyError"),
        ('{"options": {"data": 3, "seed": 0, "validation_fraction": 0.05}}', "TypeError"),
        ('{"options": {"data": {}, "seed": "x", "validation_fraction": 0.05}}', "ValueError"),
    ],
)
def test_a_config_of_something_else_is_refused(text, reason, tmp_path):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(EvaluationError, match=f"is not the config.json of a run .*{reason}"):
        choose_split(tmp_path / "net.h5", [], None, None)


def test_the_walk_needs_held_out_games_of_the_arena(tmp_path):
    with pytest.raises(ValueError, match="has no positions for validation"):
        open_datasets(Split((EMBEDDED_GAMES,), 0, 1e-9, ""))
    path = tmp_path / "small.games"
    write_finished_games(path, Go(9), [FinishedGame([4], BLACK, [{4: 1}], [0.5])] * 50)
    with pytest.raises(DataFormatError, match="this needs games of Go on 19×19"):
        open_datasets(Split((path,), 0, 0.5, ""))
