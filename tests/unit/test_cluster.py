"""The engine of a cluster, on machines that fail as a script says."""

import hashlib
import json
import socket
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.fake_arena import league_of, record_of
from tournament.__main__ import main
from tournament.errors import EngineError, OptionsError
from tournament.game.play import void_record
from tournament.game.record import VOID, GameRecord
from tournament.game.rules import EventOptions
from tournament.running.cluster_engine import ClusterEngine, MachineLost
from tournament.running.engine_protocol import ATTEMPTS, MovePlayed
from tournament.running.machine import REFERENCE_SPEED
from tournament.running.plan import scheduled_jobs
from tournament.running.ray_cluster import (
    RayCluster,
    RayMachine,
    RemoteMachine,
    SentFile,
    connect,
    kit_digest,
)

OPTIONS = EventOptions(visits=4)


@dataclass(eq=False)
class FakeMachine:
    """Plays; dies at the event of this number, falls silent at that one, comes at that call."""

    host: str
    num_slots: int = 1
    dies_at: float = float("inf")
    silent_at: float = float("inf")
    comes_at: int = 0
    first_is_void: bool = False
    speed: float | None = None
    num_events: int = 0

    def events_of(self, pair):
        for job in pair:
            yield MovePlayed(job, 6)
            if self.first_is_void:
                self.first_is_void = False
                yield replace(void_record(job, OPTIONS, "bad luck"), host=self.host)
            yield record_of(job, host=self.host)
        yield None


@dataclass(eq=False)
class FakeSlot:
    machine: FakeMachine

    def begin(self, pair):
        self.events = self.machine.events_of(pair)

    def next_event(self):
        self.machine.num_events += 1
        if self.machine.num_events > self.machine.dies_at:
            raise MachineLost("out of power")
        return next(self.events)


class FakeCluster:
    """Machines, and a clock that goes on by a minute whenever nothing is heard."""

    def __init__(self, *machines: FakeMachine):
        self.coming = list(machines)
        self.dropped, self.seconds, self.num_calls, self.is_open = [], 0.0, 0, False

    def __enter__(self):
        self.is_open = True
        return self

    def __exit__(self, *exception):
        self.is_open = False

    def new_slots(self):
        here = [machine for machine in self.coming if machine.comes_at <= self.num_calls]
        self.coming = [machine for machine in self.coming if machine not in here]
        self.num_calls += 1
        return [FakeSlot(machine) for machine in here for _ in range(machine.num_slots)]

    def may_come(self):
        return bool(self.coming)

    def wait(self, slots, seconds):
        heard = [slot for slot in slots if slot.machine.num_events < slot.machine.silent_at]
        self.seconds += 0 if heard else 60
        return heard

    def drop(self, machine):
        self.dropped.append(machine.host)


@pytest.fixture
def pairs(tmp_path):
    jobs = scheduled_jobs(league_of(tmp_path), OPTIONS, 2)
    return [jobs[start : start + 2] for start in range(0, len(jobs), 2)]


def play(cluster: FakeCluster, pairs, options=OPTIONS) -> list[MovePlayed | GameRecord]:
    return list(ClusterEngine(cluster, options, clock=lambda: cluster.seconds).play(pairs))


def results(events) -> list[GameRecord]:
    return [event for event in events if isinstance(event, GameRecord) and event.kind != VOID]


def assert_all_played(events, pairs):
    """Each game once, and each pair on one machine."""
    hosts = {record.game_id: record.host for record in results(events)}
    assert len(results(events)) == len(hosts) == sum(map(len, pairs))
    assert all(hosts[first.game_id] == hosts[second.game_id] for first, second in pairs)


def test_pairs_are_shared_out_and_come_back_whole(pairs):
    cluster = FakeCluster(FakeMachine("a", num_slots=2), FakeMachine("b"))
    events = play(cluster, pairs)
    assert_all_played(events, pairs)
    assert {record.host for record in results(events)} == {"a", "b"}
    order = [record.pair_id for record in results(events)]
    assert order[::2] == order[1::2], "the games of a pair come together"
    assert not cluster.is_open and cluster.dropped == []


@pytest.mark.parametrize("dies_at", range(5))
def test_the_pairs_of_a_lost_machine_are_played_again_elsewhere(pairs, dies_at, caplog):
    cluster = FakeCluster(FakeMachine("a", num_slots=3, dies_at=dies_at), FakeMachine("b"))
    events = play(cluster, pairs)
    assert_all_played(events, pairs)
    assert {record.host for record in results(events)} == {"b"}
    assert cluster.dropped == ["a"]
    assert "the machine a was lost: out of power; game pairs under way: 3" in caplog.text


def test_a_machine_that_falls_silent_is_lost(pairs):
    cluster = FakeCluster(FakeMachine("a", silent_at=2), FakeMachine("b"))
    assert_all_played(play(cluster, pairs), pairs)
    assert cluster.dropped == ["a"]
    assert cluster.seconds > 600, "it had the time that the slowest move may take"


@pytest.mark.parametrize(("speed", "silence"), [(REFERENCE_SPEED / 20, 980), (None, 200)])
def test_a_slow_machine_with_a_scaled_clock_may_be_silent_for_longer(pairs, speed, silence):
    """Three minutes and ten times its own clock: 80 s for a machine of a twentieth the speed."""
    options = EventOptions(seconds=4, scale_clock=True)
    slow = FakeMachine("a", silent_at=2, speed=speed)
    cluster = FakeCluster(slow, FakeMachine("b"))
    assert_all_played(play(cluster, pairs, options), pairs)
    assert cluster.dropped == ["a"]
    assert silence < cluster.seconds < silence + 120


def test_a_machine_that_comes_later_plays_too(pairs):
    cluster = FakeCluster(FakeMachine("a", comes_at=2), FakeMachine("b", comes_at=5))
    events = play(cluster, pairs)
    assert_all_played(events, pairs)
    assert {record.host for record in results(events)} == {"a", "b"}


def test_a_void_attempt_is_told_at_once(pairs):
    events = play(FakeCluster(FakeMachine("a", first_is_void=True)), pairs)
    assert_all_played(events, pairs)
    assert [event.reason for event in events[:2] if isinstance(event, GameRecord)] == ["bad luck"]


def test_a_pair_that_loses_three_machines_is_given_up(pairs):
    machines = [FakeMachine(str(number), dies_at=0) for number in range(ATTEMPTS)]
    events = play(FakeCluster(*machines, FakeMachine("spare")), pairs[:1])
    assert [event.kind for event in events] == [VOID, VOID]
    assert events[0].reason == "the machine 2 was lost: out of power"


def test_without_a_machine_the_run_ends(pairs):
    for cluster in (FakeCluster(), FakeCluster(FakeMachine("a", dies_at=3))):
        with pytest.raises(EngineError, match="no machine in the cluster can play"):
            play(cluster, pairs)
        assert not cluster.is_open


def test_games_end_when_play_is_left_early(pairs):
    cluster = FakeCluster(FakeMachine("a"))
    events = ClusterEngine(cluster, OPTIONS).play(pairs)
    next(events)
    assert cluster.is_open
    events.close()
    assert not cluster.is_open


def test_without_ray_a_sentence_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(OptionsError, match=r"pip install -e '\.\[cluster\]'"):
        connect("auto")


def test_no_cluster_is_said():
    pytest.importorskip("ray", reason="the extra [cluster] is not installed")
    for address, said in (("nowhere", "expected auto or HOST:PORT"), ("127.0.0.1:1", "refused")):
        with pytest.raises(EngineError, match=said):
            connect(address)


def test_the_version_of_the_kit_is_that_of_its_packages_wherever_they_lie(tmp_path, monkeypatch):
    """An installation has golois beside the rest, and not in one folder with it."""
    (tmp_path / "part_of_the_kit").mkdir()
    source = tmp_path / "part_of_the_kit" / "__init__.py"
    source.touch()
    monkeypatch.syspath_prepend(tmp_path)
    before = kit_digest(["tournament", "part_of_the_kit"])
    source.write_text("changed = True")
    assert kit_digest(["tournament", "part_of_the_kit"]) != before


@pytest.fixture
def head_that_went_down(monkeypatch):
    """Ray as it was connected to a head where nobody listens any more; nobody may call it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = "{}:{}".format(*server.getsockname())
    context = SimpleNamespace(gcs_address=address)
    ray = SimpleNamespace(get_runtime_context=lambda: context)
    monkeypatch.setattr("tournament.running.ray_cluster.connect", lambda address: ray)
    return address


def test_a_head_that_goes_down_ends_the_run_in_one_sentence(tmp_path, head_that_went_down, capsys):
    league = league_of(tmp_path)
    job = scheduled_jobs(league, OPTIONS, 1)[0]
    league.games.record(record_of(job))
    rules = ("--visits", "4", "--quiet", "--address", head_that_went_down)
    assert main(["run", "--league", str(league.folder), *rules]) == 2
    assert capsys.readouterr().err == (
        f"python -m tournament run: the head of the cluster at {head_that_went_down} does not "
        "answer: Connection refused; start Ray again, and the same command continues\n"
    )
    assert [game.game_id for game in league.games.all()] == [job.game_id]
    assert "head of the cluster" in json.loads(league.summary_path.read_text())["stopped_by"]


def test_a_machine_that_is_lost_with_the_head_is_not_dropped_through_it(head_that_went_down):
    cluster = RayCluster("auto", Path("artefacts"), OPTIONS)
    with pytest.raises(EngineError, match="head of the cluster"), cluster:
        cluster.drop(RayMachine("id", "a", 1, actor=None, survey=None))


def test_a_machine_plays_from_the_files_it_is_sent_and_refuses_damaged_ones(monkeypatch, tmp_path):
    """The actor without Ray, whose `get` hands out what a reference stands for."""
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(get=lambda content: content))
    league = league_of(tmp_path, ("Ada", "Grace"))
    options = EventOptions(visits=4, max_plies=10)
    pair = scheduled_jobs(league, options, 1)
    contents = [path.read_bytes() for path in sorted(league.folder.glob("artefacts/*.onnx"))]
    files = [
        SentFile(f"{digest}.onnx", digest, content)
        for content in contents
        for digest in [hashlib.sha256(content).hexdigest()]
    ]
    machine = RemoteMachine(options)
    with pytest.raises(OSError, match="arrived damaged"):
        list(machine.play(pair, [replace(files[0], content=b"damaged")], None))
    assert len(results(machine.play(pair, files, None))) == 2
    machine.clean_up()
