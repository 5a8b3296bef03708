"""Shards on the machines of a cluster: lost ones are played again, to the same files."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from golois.kit.cluster import ClusterError
from selfplay import machines as selfplay_machines
from selfplay.machines import WANTED, Shards
from selfplay.options import Options
from selfplay.shards import Counts
from tests.fake_ray import FakeMachine
from tests.small_selfplay import NOT_STOPPED

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

    monkeypatch.setattr(selfplay_machines, "play_shard", play_shard)
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
