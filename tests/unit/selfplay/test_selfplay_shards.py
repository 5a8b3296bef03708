"""Shards: of two networks in one batch, and on machines of a cluster that are lost."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from golois.games.game import Game
from golois.games.rules import NoGo
from golois.kit.cluster import ClusterError
from golois.search.selfplay import SelfPlay
from selfplay import shards as selfplay_shards
from selfplay.options import Options
from selfplay.shards import WANTED, Counts, Shards, TimedNetwork
from tests.fake_network import hashed
from tests.fake_ray import FakeMachine
from tests.small_selfplay import NOT_STOPPED

RULES = NoGo(4)
PARALLEL = 6
COUNTS = json.dumps(asdict(Counts(8, 60, 60, 4, 0, 0, 0, 0, 700, 1.5, 2.0))).encode()


@pytest.fixture
def played(tmp_path, monkeypatch) -> tuple[list[Exception], list[dict]]:
    """What the next shard raises, and three shards that take no time to play."""
    (tmp_path / "net.onnx").write_bytes(b"network")

    def play_shard(artefact, options, first_game, num_games, out):
        yield num_games
        if errors:
            raise errors.pop()
        out.write_bytes(f"{first_game} {artefact.read_text()}".encode())
        out.with_suffix(".json").write_bytes(COUNTS)

    monkeypatch.setattr(selfplay_shards, "play_shard", play_shard)
    errors: list[Exception] = []
    return errors, [
        {
            "artefact": str(tmp_path / "net.onnx"),
            "options": asdict(Options()),
            "first_game": 8 * number,
            "num_games": 700,
            "out": str(tmp_path / "games" / f"0001-0{number}.games"),
        }
        for number in range(3)
    ]


def play(machines, jobs: list[dict]) -> list[str]:
    said: list[str] = []
    with Shards(machines.cluster(WANTED), NOT_STOPPED, said.append) as shards:
        shards.play(jobs, lambda count: said.append(f"{count} evaluated"))
    return said


def test_shards_of_a_lost_machine_are_played_again(ray, played):
    _, jobs = played
    said = play(ray(FakeMachine("a", num_cpus=2, dies_at=3), FakeMachine("b")), jobs)
    assert "0001-01.games was lost with its machine and is played again" in said
    for number, job in enumerate(jobs):
        assert Path(job["out"]).read_bytes() == f"{8 * number} network".encode()
        assert Counts.read(Path(job["out"])).evaluations == 700


def test_a_shard_that_is_lost_too_often_ends_the_run(ray, played):
    machines = ray(*(FakeMachine(dies_at=0) for _ in range(7)))
    with pytest.raises(ClusterError, match=r"0001-0.\.games was lost with its machine 3 times"):
        play(machines, played[1])


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ClusterError("cannot open the network"), "^cannot open the network$"),
        (MemoryError("no memory for the trees"), "0001-00.games cannot be .*: MemoryError: no mem"),
    ],
)
def test_what_a_machine_raises_is_no_lost_machine(ray, played, error, said):
    errors, jobs = played
    errors.append(error)
    with pytest.raises(ClusterError, match=said):
        play(ray(FakeMachine()), jobs)
    assert not list(Path(jobs[0]["out"]).parent.glob("*"))


class Answering:
    """An evaluator that overwrites its buffer, as artefacts do, or leaves it alone."""

    def __init__(self, overwrites: bool, last_first: bool = False) -> None:
        self.batch_size = PARALLEL
        self.planes = np.zeros((PARALLEL, *Game(RULES).planes_shape), np.float32)
        self._overwrites = overwrites
        self._last_first = last_first

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        policy, value = hashed(planes, 16)
        if self._overwrites:
            self.planes[: len(planes)] = planes
        return policy[:, ::-1].copy() if self._last_first else policy, value


def moves_against_a_victim(overwrites: bool) -> list[list[int]]:
    options = Options(victim="victim.h5", victim_simulations=3, simulations=3).of_games()
    games = SelfPlay(RULES, options, 12, num_parallel=PARALLEL)
    network = TimedNetwork(Answering(overwrites), Answering(overwrites, last_first=True))
    played = sum((finished for _, finished in network.play(games)), [])
    played.sort(key=lambda game: game.number)
    assert network.has_victim and len(played) == 12
    return [game.moves.tolist() for game in played]


def test_each_network_is_asked_about_its_own_positions():
    assert moves_against_a_victim(overwrites=True) == moves_against_a_victim(overwrites=False)
