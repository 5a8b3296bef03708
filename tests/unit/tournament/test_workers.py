import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from tests.fake_arena import artefact_of, file_network, league_of
from tournament.errors import EngineError, OptionsError
from tournament.game.options import EventOptions
from tournament.game.play import void_record
from tournament.game.record import FORFEIT, PLAYED, VOID, GameRecord
from tournament.intake.graph.onnx import encode_node
from tournament.league.games import Target
from tournament.running.coordinator import run_event
from tournament.running.engine_protocol import ATTEMPTS, MovePlayed
from tournament.running.local_engine import WORKER_COMMAND, LocalEngine
from tournament.running.machine import physical_cores
from tournament.running.plan import scheduled_jobs
from tournament.running.views import QuietView
from tournament.running.worker import WorkerSetup

OPTIONS = EventOptions(visits=4, max_plies=16)

# A worker that misbehaves as its behaviour says, once only when there is a marker to leave.
BAD_WORKER = """
import json, os, sys, time
behaviour, marker = sys.argv[1:]
day = "2026-03-14T20:00:00+00:00"
setup = json.loads(sys.stdin.readline())
for line in sys.stdin:
    job = json.loads(line)
    first = not marker or not os.path.exists(marker)
    if marker:
        open(marker, "a").close()
    if first and behaviour == "die":
        sys.exit("out of luck")
    if first and behaviour == "hang":
        time.sleep(600)
    print(json.dumps({"plies": 6}), flush=True)
    if behaviour.startswith("crash") and behaviour.endswith(job["black"]):
        os.abort()
    if behaviour.startswith("killed") and behaviour.endswith(job["black"]):
        os.kill(os.getpid(), 9)
    for name in ("round", "black_options", "white_options"):
        del job[name]
    record = job
    record.update(result="B+3.5", winner="black", kind="played", reason="", moves=[], komi=7.5,
                  host=str(os.getpid()), started_at=day, finished_at=day)
    print(json.dumps({"record": record}), flush=True)
"""


# A worker that dies as soon as it is to load this network.
LOADS_TO_DEATH = """
import os, sys
from tournament.running import worker
open_evaluator = worker.open_evaluator
def open_or_die(path, batch_size, **options):
    if path.stem == sys.argv[1]:
        os.abort()
    return open_evaluator(path, batch_size, **options)
worker.open_evaluator = open_or_die
worker.main()
"""


@pytest.fixture
def league(tmp_path):
    return league_of(tmp_path)


def bad_engine(league, behaviour, marker="", num_workers=1, hang_seconds=30.0) -> LocalEngine:
    command = (sys.executable, "-c", BAD_WORKER, behaviour, str(marker))
    return LocalEngine(
        league.folder / "artefacts",
        OPTIONS,
        num_workers,
        hang_seconds=hang_seconds,
        command=command,
    )


def pairs_of(league, rounds=1):
    jobs = scheduled_jobs(league, OPTIONS, rounds)
    return [jobs[start : start + 2] for start in range(0, len(jobs), 2)]


def records_in(events) -> list[GameRecord]:
    return [event for event in events if isinstance(event, GameRecord)]


def test_both_games_of_a_pair_are_played_by_one_worker(league):
    pairs = pairs_of(league, rounds=3)
    events = list(bad_engine(league, "behave", num_workers=3).play(pairs))
    hosts = {record.game_id: record.host for record in records_in(events)}
    assert len(hosts) == 18 and len(set(hosts.values())) == 3
    for first, second in pairs:
        assert hosts[first.game_id] == hosts[second.game_id]
    assert sum(isinstance(event, MovePlayed) for event in events) == 18


def test_a_worker_that_dies_is_replaced_and_its_game_played_again(league, tmp_path):
    engine = bad_engine(league, "die", tmp_path / "died")
    records = records_in(engine.play(pairs_of(league)))
    assert [record.kind for record in records].count(VOID) == 1
    assert records[0].kind == VOID and records[0].game_id == records[1].game_id
    assert records[0].reason == "the worker died (exit code 1: out of luck)"
    assert len({record.game_id for record in records if record.kind != VOID}) == 6


def test_a_worker_that_hangs_is_replaced_and_its_game_played_again(league, tmp_path):
    engine = bad_engine(league, "hang", tmp_path / "hung", hang_seconds=3.0)
    records = records_in(engine.play(pairs_of(league)))
    assert records[0].kind == VOID and "no move for 3 s" in records[0].reason
    assert len({record.game_id for record in records if record.kind != VOID}) == 6


def test_a_worker_may_have_longer_than_the_system_waits(league):
    engine = bad_engine(league, "behave", hang_seconds=1e9)
    assert len(records_in(engine.play(pairs_of(league)[:1]))) == 2


def test_a_game_that_is_void_every_time_is_given_up(league):
    records = records_in(bad_engine(league, "die").play(pairs_of(league)[:1]))
    assert [record.kind for record in records] == [VOID] * 2 * ATTEMPTS


def test_a_network_that_kills_the_worker_each_time_forfeits(league):
    records = records_in(bad_engine(league, "crash Ada").play(pairs_of(league)))
    as_black = [record for record in records if record.black == "Ada"]
    assert [record.kind for record in as_black] == 2 * [VOID, VOID, FORFEIT]
    assert as_black[2].winner == "white" and as_black[2].result == "W+F"
    assert as_black[2].reason == (
        "Ada: the worker died (exit code -6), in each of 3 attempts while the network chose a move"
    )
    assert VOID not in {record.kind for record in records if record.black != "Ada"}


@pytest.mark.slow
def test_a_network_that_kills_the_worker_while_it_is_loaded_is_taken_out(league):
    """Twelve attempts in a row would be void, if nobody were known to be at fault."""
    (kurt,) = (one for one in league.submissions.all() if one.name == "Kurt")
    command = (sys.executable, "-c", LOADS_TO_DEATH, kurt.sha256)
    engine = LocalEngine(league.folder / "artefacts", OPTIONS, 1, command=command)
    outcome = run_event(league, OPTIONS, Target(1), engine, QuietView())
    games = list(league.games.kept())
    assert outcome.given_up == () and outcome.num_games == len(league.games.all()) == 2
    lost = [game for game in games if game.kind == FORFEIT]
    assert lost and {game.loser_sha256 for game in lost} == {kurt.sha256}
    assert {game.reason for game in lost} == {
        "Kurt: the worker died (exit code -6), in each of 3 attempts while the network chose a move"
    }
    others = [game for game in games if "Kurt" not in (game.black, game.white)]
    assert [game.kind for game in others] == 2 * [PLAYED]


def test_a_worker_that_is_killed_from_outside_is_nobody_s_fault(league):
    records = records_in(bad_engine(league, "killed Ada").play(pairs_of(league)))
    assert {record.kind for record in records if record.black == "Ada"} == {VOID}


def test_a_machine_on_which_nothing_works_stops_the_event(league):
    with pytest.raises(EngineError, match="void, the last one because: the worker died"):
        run_event(league, OPTIONS, Target(1), bad_engine(league, "die"), QuietView())
    assert league.games.all() == [] and league.games.voids()


def test_games_given_up_are_told_and_tried_again_by_the_next_run(league):
    outcome = run_event(league, OPTIONS, Target(1), OnlyVoids(), QuietView())
    assert len(outcome.given_up) == 6 and outcome.num_games == 0
    outcome = run_event(league, OPTIONS, Target(1), bad_engine(league, "behave"), QuietView())
    assert outcome.given_up == () and outcome.num_games == len(league.games.all()) == 6


class OnlyVoids:
    """An engine that gives every game up at once."""

    def play(self, pairs):
        for pair in pairs:
            yield from (void_record(job, OPTIONS, "no luck") for job in pair)


def test_the_real_worker_plays_real_games_and_an_artefact_missing_is_void(league):
    jobs = scheduled_jobs(league, OPTIONS, 1)
    league.submissions.artefact_path(jobs[0].black_sha256).unlink()
    engine = LocalEngine(league.folder / "artefacts", OPTIONS, 2)
    records = records_in(engine.play(pairs_of(league)))
    played = [record for record in records if record.kind != VOID]
    assert len(played) == 2 and len(records) == 2 + 4 * ATTEMPTS
    for record in played:
        assert len(record.opening) + len(record.moves) == OPTIONS.max_plies
        assert {move.num_visits for move in record.moves} == {4}
    assert jobs[0].black_sha256 in next(r.reason for r in records if r.kind == VOID)


def endless_memory() -> bytes:
    """An artefact of few parameters whose tensors take 7 GB for eight positions."""
    nodes = [
        encode_node("Unsqueeze", ["planes", "last"], "columns"),
        encode_node("Expand", ["columns", "many"], "wide"),
        encode_node("ReduceMax", ["wide"], "narrow", axes=[-1], keepdims=0),
        encode_node("MatMul", ["narrow", "weights"], "heights"),
        encode_node("Reshape", ["heights", "flat"], "logits"),
        encode_node("Softmax", ["logits"], "policy", axis=-1),
        encode_node("ReduceMax", ["policy"], "value", axes=[1], keepdims=1),
    ]
    constants = {"many": np.array([1, 1, 1, 1, 20_000]), "last": np.array([-1])}
    return artefact_of(nodes, np.zeros((31, 1), np.float32), constants)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's memory")
def test_a_network_that_fails_for_memory_forfeits(tmp_path):
    league = league_of(tmp_path, ("Ada",))
    file_network(league, "Bulk", endless_memory(), tmp_path)
    engine = LocalEngine(league.folder / "artefacts", OPTIONS, 1)
    records = records_in(engine.play(pairs_of(league)))
    assert [record.kind for record in records] == [FORFEIT, FORFEIT]
    for record in records:
        assert getattr(record, record.winner) == "Ada" and "memory" in record.reason


@pytest.mark.slow
def test_a_worker_ends_with_its_coordinator_in_the_middle_of_a_game(league):
    """When the pipe closes the worker stops at once; it doesn't play its game to the end."""
    endless = EventOptions(visits=10_000_000)
    worker = subprocess.Popen(WORKER_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    setup = asdict(WorkerSetup(str(league.folder / "artefacts"), endless.to_json()))
    job = scheduled_jobs(league, OPTIONS, 1)[0].to_json()
    worker.stdin.write((json.dumps(setup) + "\n" + json.dumps(job) + "\n").encode())
    worker.stdin.flush()
    time.sleep(1.5)
    assert worker.poll() is None
    worker.stdin.close()
    assert worker.wait(timeout=60) == 0


def test_no_worker_is_left_when_play_is_left_early(league):
    events = bad_engine(league, "behave", num_workers=1).play(pairs_of(league))
    record = next(event for event in events if isinstance(event, GameRecord))
    events.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(record.host), 0)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no pinning on this system")
def test_each_worker_stays_on_a_core_of_its_own(league):
    assert [s.cpu for s in LocalEngine(league.folder, OPTIONS)._setups] == physical_cores()
    cpu = max(os.sched_getaffinity(0))
    setup = json.dumps(asdict(WorkerSetup(str(league.folder), OPTIONS.to_json(), cpu)))
    worker = (
        "import os, sys; from tournament.running.worker import serve; "
        "serve(iter(sys.argv[1:]), sys.stdout); print(os.sched_getaffinity(0))"
    )
    done = subprocess.run([sys.executable, "-c", worker, setup], capture_output=True, text=True)
    assert done.stdout == f"{{{cpu}}}\n"


def test_two_threads_of_a_core_count_as_one(tmp_path):
    for cpu, siblings in {0: "0,4", 1: "1,5", 4: "0,4", 5: "1,5"}.items():
        folder = tmp_path / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(siblings)
    assert physical_cores({0, 1, 4, 5}, tmp_path, tmp_path) == [0, 1]
    assert physical_cores({1, 4}, tmp_path, tmp_path) == [1, 4]
    assert physical_cores({7, 8}, tmp_path, tmp_path) == [7, 8], "unknown ones are taken for cores"


@pytest.mark.parametrize(
    ("limits", "cores"),
    [
        ({"cpu.max": "250000 100000\n"}, [None, None]),
        ({"cpu.max": "50000 100000\n"}, [None]),
        ({"cpu.max": "400000 100000\n"}, [0, 1, 2, 3]),
        ({"cpu.max": "max 100000\n"}, [0, 1, 2, 3]),
        ({"cpu/cpu.cfs_quota_us": "200000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 2 * [None]),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, [0, 1, 2, 3]),
    ],
)
def test_a_container_has_no_more_workers_than_its_limit_feeds(tmp_path, limits, cores):
    """Of ten times as many, each would seem to hang, and its network would be taken out."""
    for name, text in limits.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert physical_cores(range(4), tmp_path, tmp_path) == cores


def test_workers_and_cores_are_counted():
    assert len(physical_cores()) >= 1
    with pytest.raises(OptionsError, match="workers must be 1 or more, not 0"):
        LocalEngine(Path("nowhere"), OPTIONS, 0)
