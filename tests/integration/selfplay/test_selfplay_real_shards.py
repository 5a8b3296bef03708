"""Shards of games: what they depend on, what is counted, and the processes that play them."""

import signal
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from golois.data.dataset import Dataset
from golois.go.coords import BLACK, WHITE
from golois.kit.cluster import ClusterError
from golois.kit.signals import Stopped
from golois.records.packed_file import GameFile
from selfplay import networks
from selfplay.options import Options
from selfplay.shards import Counts
from tests.small_selfplay import SMALL, baked, jobs_into, play_shard, processes
from tournament.networks.evaluator import NetworkEvaluator
from tournament.networks.runtimes import BF16_RUNTIME, installed_runtimes
from tournament.networks.runtimes.open_vino import has_bfloat16


def test_one_process_and_two_play_the_same_shards(artefact, tmp_path):
    evaluated: list[int] = []
    for number in (1, 2):
        with processes(number) as actors:
            actors.play(jobs_into(tmp_path / str(number), artefact), evaluated.append)
    counts = [Counts.read(path) for path in tmp_path.rglob("*.games")]
    assert len(counts) == 6 and sum(evaluated) == sum(one.evaluations for one in counts)
    for name in ("0001-00", "0001-01", "0001-02"):
        one, two = (tmp_path / number / "games" / f"{name}.games" for number in "12")
        assert one.read_bytes() == two.read_bytes()
    assert len({path.read_bytes() for path in (tmp_path / "1" / "games").glob("*.games")}) == 3


@pytest.mark.slow
@pytest.mark.parametrize("runtime", installed_runtimes())
def test_a_shard_is_a_function_of_its_numbers_and_the_seed(runtime, artefact, tmp_path):
    of_runtime = replace(SMALL, runtime=runtime)

    def shard(name: str, options: Options, first: int) -> bytes:
        play_shard(artefact, options, first, 8, tmp_path / name)
        return (tmp_path / name).read_bytes()

    first = shard("a.games", of_runtime, 0)
    assert shard("b.games", of_runtime, 0) == first
    assert shard("c.games", of_runtime, 8) != first
    assert shard("d.games", replace(of_runtime, seed=1), 0) != first


@pytest.mark.parametrize(("num_games", "size"), [(3, 3), (8, 8), (11, 8)])
def test_a_batch_has_no_room_for_games_that_a_shard_has_not(
    num_games, size, artefact, tmp_path, monkeypatch
):
    opened = []

    class Noted(NetworkEvaluator):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            opened.append(self.batch_size)

    monkeypatch.setattr(networks, "NetworkEvaluator", Noted)
    play_shard(artefact, SMALL, 0, num_games, tmp_path / "a.games")
    assert opened == [size]
    assert Counts.read(tmp_path / "a.games").games == num_games


def test_bf16_plays_other_games_of_the_same_kind(artefact, tmp_path):
    if not has_bfloat16():
        pytest.skip("this processor has no bf16")
    openvino = replace(SMALL, runtime=BF16_RUNTIME)
    for name, precision in (("a", "bf16"), ("b", "bf16"), ("c", "float32")):
        out = tmp_path / f"{name}.games"
        play_shard(artefact, replace(openvino, precision=precision), 0, 8, out)
    first, again, in_float32 = ((tmp_path / f"{name}.games").read_bytes() for name in "abc")
    assert first == again != in_float32


def test_shards_of_several_komis_differ_in_their_komi_alone(tmp_path):
    options = replace(SMALL, game="go", komis="2.5,6.5", max_moves=12)
    artefact = baked(tmp_path, options)
    for first, komi in ((0, 2.5), (8, 6.5)):
        path = tmp_path / f"{first}.games"
        play_shard(artefact, options, first, 8, path)
        games = GameFile.open(path)
        assert {games.rules_of(index).komi for index in range(8)} == {komi}
        planes = Dataset(path, validation_fraction=0).sample(4, step=0).planes
        shown = planes[..., 21:31].reshape(-1, 10)  # docs/maintainer/formats.md
        assert (shown == np.eye(10)[int(komi)]).all()


def test_the_counts_are_those_of_the_games(artefact, tmp_path):
    path = tmp_path / "a.games"
    play_shard(artefact, replace(SMALL, resign_value=-0.01, hold_out_share=0.5), 0, 8, path)
    counts, games = Counts.read(path), GameFile.open(path)
    assert counts.games == len(games) == 8
    assert counts.moves == sum(games[i].num_moves for i in range(8))
    assert counts.black_wins == sum(games[i].winner == 1 for i in range(8))
    assert counts.positions == Dataset(path, validation_fraction=0).num_positions("train")
    assert 0 < counts.resigned < 8 and counts.resigned + counts.could_resign <= 8
    assert Counts.total([counts, counts]).moves == 2 * counts.moves


def test_against_a_victim_only_the_network_s_own_moves_are_targets(artefact, tmp_path):
    options = replace(SMALL, victim="victim.h5", victim_simulations=2)
    path = tmp_path / "a.games"
    play_shard(artefact, options, 4, 9, path, victim=artefact)
    counts, games = Counts.read(path), GameFile.open(path)
    winners = [BLACK if number % 2 == 0 else WHITE for number in range(4, 13)]  # if it wins
    assert counts.beaten == sum(games[i].winner == winner for i, winner in enumerate(winners))
    own = [
        (games[i].num_moves + (winner == BLACK)) // 2 for i, winner in enumerate(winners)
    ]
    assert counts.positions == sum(own)


def test_what_goes_wrong_in_a_process_is_one_sentence(artefact, tmp_path):
    (job, *_) = jobs_into(tmp_path, tmp_path / "missing.onnx")
    with processes(1) as actors, pytest.raises(FileNotFoundError, match=str(tmp_path)):
        actors.play([job], lambda _: None)
    (tmp_path / "bad.onnx").write_bytes(b"no network")
    with processes(1) as actors, pytest.raises(ClusterError) as error:
        actors.play([{**job, "artefact": str(tmp_path / "bad.onnx")}], lambda _: None)
    assert "cannot open the network" in str(error.value) and "\n" not in str(error.value)
    said = "a process of this command ended unexpectedly: KeyError: 'first_game'"
    with processes(1) as actors, pytest.raises(ClusterError, match=said):
        actors.play([{"artefact": str(artefact)}], lambda _: None)


def test_a_request_to_stop_ends_the_processes(artefact, tmp_path):
    stop = SimpleNamespace(signal=signal.SIGTERM)
    jobs = [{**job, "num_games": 100_000} for job in jobs_into(tmp_path, artefact)]
    with processes(2, stop) as actors, pytest.raises(Stopped):
        actors.play(jobs, lambda _: None)
    assert not list(tmp_path.rglob("*.games"))
