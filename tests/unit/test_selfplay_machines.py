"""Shards on the machines of a cluster: lost ones are played again, to the same files."""

import json
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from golois.kit.signals import Stopped
from selfplay import machines as selfplay_machines
from selfplay.machines import Machines, Played, play_here
from selfplay.options import Options
from selfplay.shards import Counts
from tests.fake_ray import RayError
from tournament.errors import EngineError

NOT_STOPPED = SimpleNamespace(signal=None)
COUNTS = json.dumps(asdict(Counts(8, 60, 60, 4, 0, 0, 0, 0, 700, 1.5, 2.0))).encode()


class RayTaskError(RayError):
    """What a task that raises something is to who waits for it, also where that is Ray's own."""

    def __init__(self, cause: Exception) -> None:
        super().__init__("a traceback of many lines")
        self.cause = cause


class FakeTasks:
    """As much of Ray as shards use: a task runs when it is asked for its result.

    Args:
        lost: how often the task of each shard is lost, by the name of its file.
        play: in the place of what plays.
    """

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)

    def __init__(self, lost: dict[str, int] | None = None, num_cpus: int = 1) -> None:
        self.lost = lost or {}
        self.begun: list[str] = []
        self.cancelled: list[Any] = []
        self._num_cpus = num_cpus

    def nodes(self) -> list[dict[str, Any]]:
        return [{"Alive": True, "Resources": {"CPU": float(self._num_cpus)}}]

    def put(self, content: bytes) -> bytes:
        return content

    def remote(self, function: Any) -> Any:
        def begin(job: dict, *arguments: Any) -> Any:
            name = Path(job["out"]).name
            self.begun.append(name)
            return lambda: self._run(name, function, job, *arguments)

        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=begin))

    def _run(self, name: str, function: Any, *arguments: Any) -> Any:
        if self.lost.get(name, 0):
            self.lost[name] -= 1
            raise RayError("the machine does not answer")
        return function(*arguments)

    def wait(self, tasks: list, **_settings: Any) -> tuple[list, list]:
        return tasks[:1], tasks[1:]

    def get(self, task: Any) -> Any:
        return task()

    def cancel(self, task: Any) -> None:
        self.cancelled.append(task)


@pytest.fixture
def jobs(tmp_path, monkeypatch) -> list[dict]:
    """Three shards, which take no time to play."""
    (tmp_path / "net.onnx").write_bytes(b"network")

    def fake(job: dict, artefact: bytes, victim: bytes, kit: str) -> Played:
        content = f"{job['first_game']} {artefact.decode()}".encode()
        return Played(content, COUNTS, job.get("error", ""))

    monkeypatch.setattr(selfplay_machines, "play_here", fake)
    return [
        {
            "artefact": str(tmp_path / "net.onnx"),
            "first_game": 8 * number,
            "out": str(tmp_path / "games" / f"0001-0{number}.games"),
        }
        for number in range(3)
    ]


def play(ray: FakeTasks, jobs: list[dict], stop: Any = NOT_STOPPED) -> list[str]:
    said: list[str] = []
    with Machines(ray, stop, said.append) as machines:
        machines.play(jobs, lambda count: said.append(f"{count} evaluated"))
    return said


def test_shards_of_a_lost_machine_are_played_again(jobs, tmp_path):
    ray = FakeTasks({"0001-01.games": 2})
    said = play(ray, jobs)
    assert said.count("700 evaluated") == 3 and sum("played again" in text for text in said) == 2
    assert ray.begun.count("0001-01.games") == 3 and len(ray.begun) == 5
    for number in range(3):
        out = tmp_path / "games" / f"0001-0{number}.games"
        assert out.read_bytes() == f"{8 * number} network".encode()
        assert out.with_suffix(".json").read_bytes() == COUNTS


def test_a_shard_that_is_lost_too_often_ends_the_run(jobs):
    with pytest.raises(EngineError, match="0001-02.games was lost with its machine 3 times"):
        play(FakeTasks({"0001-02.games": 3}), jobs)


def test_an_error_there_is_one_here(jobs):
    jobs[1]["error"] = "cannot open the network"
    with pytest.raises(EngineError, match="cannot open the network"):
        play(FakeTasks(), jobs)
    assert not Path(jobs[1]["out"]).exists()


def test_what_a_machine_raises_is_no_lost_machine(jobs, monkeypatch):
    causes = [RayError("the network did not arrive"), MemoryError("no memory for the trees")]

    def raising(*_: object) -> Played:
        raise RayTaskError(causes.pop(0))

    monkeypatch.setattr(selfplay_machines, "play_here", raising)
    ray = FakeTasks()
    with pytest.raises(EngineError, match="cannot be played on a .*: MemoryError: no memory for"):
        play(ray, jobs)
    assert len(ray.begun) == 4 and not causes  # the first was lost, and is begun again


def test_a_cluster_without_machines_is_an_error(jobs):
    with pytest.raises(EngineError, match="no machine in the cluster"):
        play(FakeTasks(num_cpus=0), jobs)


def test_a_request_to_stop_cancels_what_plays(jobs):
    ray = FakeTasks()
    with pytest.raises(Stopped):
        play(ray, jobs, SimpleNamespace(signal=15))
    assert len(ray.cancelled) == 3


def test_another_version_of_the_kit_plays_nothing():
    job = {"options": asdict(Options()), "first_game": 0, "num_games": 1}
    assert "another version of the kit" in play_here(job, b"", b"", "of something else").error
