"""What --device cuda does, on whatever Keras has here: it computes on a processor alike."""

import signal
from dataclasses import replace
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from golois.kit.signals import Stopped
from selfplay.command import main
from selfplay.networks import CompiledNetwork, open_network
from selfplay.shards import Counts, Gpu
from tests.small_selfplay import NOT_STOPPED, SMALL, baked, jobs_into

ON_GPU = replace(SMALL, device="cuda")


def test_it_answers_as_the_artefact_does(artefact, tmp_path):
    network = CompiledNetwork(artefact.with_suffix(".h5"), 8)
    other, found = replace(SMALL, seed=1), []
    planes = np.random.default_rng(0).integers(0, 2, (5, 3, 3, 21)).astype(np.float32)
    for path, options in ((artefact, SMALL), (baked(tmp_path, other), other)):
        network.take(path.with_suffix(".h5"))
        policy, value = network.evaluate(planes)
        expected_policy, expected_value = open_network(path, options).evaluate(planes)
        assert policy.shape == (5, 9) and policy.dtype == value.dtype == np.float32
        assert np.allclose(policy.sum(1), 1, atol=1e-3)
        assert np.allclose(policy, expected_policy, atol=0.02)  # bfloat16 has three digits
        assert np.allclose(value, expected_value, atol=0.02)
        found.append(policy)
    assert not np.array_equal(*found)


def test_shards_are_the_same_with_any_number_of_threads(artefact, tmp_path):
    evaluated: list[int] = []
    for number in (1, 2):
        with Gpu(replace(ON_GPU, workers=number), NOT_STOPPED) as gpu:
            gpu.play(jobs_into(tmp_path / "again", artefact)[:1], lambda _: None)
            gpu.play(jobs_into(tmp_path / str(number), artefact), evaluated.append)
    one, two = (sorted((tmp_path / name / "games").glob("*.games")) for name in "12")
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
    assert all(Counts.read(path).games == 8 for path in one)
    assert sum(evaluated) == sum(Counts.read(path).evaluations for path in (*one, *two))
    assert (tmp_path / "again" / "games" / one[0].name).read_bytes() == one[0].read_bytes()


def test_a_batch_has_no_room_for_games_that_a_shard_has_not(artefact, tmp_path):
    with Gpu(replace(ON_GPU, parallel=64), NOT_STOPPED) as gpu:
        gpu.play(jobs_into(tmp_path, artefact)[:1], lambda _: None)
        assert [network.batch_size for network in gpu._networks.values()] == [8]


def test_a_request_to_stop_ends_a_shard(artefact, tmp_path):
    with Gpu(ON_GPU, SimpleNamespace(signal=signal.SIGTERM)) as gpu, pytest.raises(Stopped):
        gpu.play(jobs_into(tmp_path, artefact), lambda _: None)
    assert not list(tmp_path.rglob("*.games"))


def test_where_it_cannot_play_it_says_so(tmp_path, capsys):
    given = ["--device", "cuda", "--size", "3", "--out", str(tmp_path / "run")]
    assert main([*given, "--address", "auto"], "") == 2
    assert "leave out --address" in capsys.readouterr().err
    if not keras.distribution.list_devices("gpu"):
        assert main(given, "") == 2
        assert "--device cuda needs a GPU" in capsys.readouterr().err
        assert not (tmp_path / "run" / "config.json").exists()
