"""The clock sees all that a move costs, and the record says so."""

import json
import os
import subprocess
import sys

from golois.search.tree import SearchOptions
from tests.data import ROOT
from tests.fake_arena import FakeClock, FakeEvaluator, heavy_network
from tournament.game.job import Entrant
from tournament.game.play import play_game
from tournament.game.record import GameRecord
from tournament.game.rules import EventOptions
from tournament.players.limits import Limits
from tournament.players.puct import PuctPlayer
from tournament.running.local_engine import ONE_THREAD
from tournament.running.schedule import pairings

JOB = pairings([Entrant("Ada", "a" * 64), Entrant("Grace", "b" * 64)], 1, 0, [(60, 300)])[0]

# Plays a game twice as a worker does, and prints the main thread's share of the second one's time.
SHARE_OF_MAIN_THREAD = """
import json, sys, time
from pathlib import Path
from tournament.game.job import GameJob
from tournament.game.rules import EventOptions
from tournament.running.worker import Worker

worker = Worker(Path(sys.argv[1]), EventOptions(seconds=0.1, max_plies=12))
job = GameJob.from_json(json.loads(sys.argv[2]))
assert worker.play(job, print, print).kind == "played"
before = time.process_time(), time.thread_time()
worker.play(job, print, print)
print((time.thread_time() - before[1]) / (time.process_time() - before[0]))
"""


def test_a_worker_thinks_in_one_thread(tmp_path):
    for sha256 in (JOB.black_sha256, JOB.white_sha256):
        (tmp_path / f"{sha256}.onnx").write_bytes(heavy_network())
    result = subprocess.run(
        [sys.executable, "-c", SHARE_OF_MAIN_THREAD, tmp_path, json.dumps(JOB.to_json())],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **ONE_THREAD},
    )
    assert result.returncode == 0, result.stderr
    assert float(result.stdout.split()[-1]) > 0.8, "of two threads, each would have a half"


def test_a_record_says_what_each_move_had_and_took():
    options = EventOptions(seconds=0.05, opening_plies=2, max_plies=6)
    clock = FakeClock()
    evaluator = FakeEvaluator(clock=clock, cpu_seconds=0.002)
    ada, grace = (
        PuctPlayer(evaluator, SearchOptions(), options.limits, clock=clock) for _ in range(2)
    )
    record = play_game(JOB, ada, grace, options)
    assert [move.budget_seconds for move in record.moves] == [0.05] * 4
    for move in record.moves:
        assert -0.2 < move.cpu_seconds / 0.05 - 1 < 1e-6
    assert GameRecord.from_json(json.loads(json.dumps(record.to_json()))) == record


def test_a_move_by_visits_has_no_budget():
    ada = PuctPlayer(FakeEvaluator(), SearchOptions(), Limits(visits=2))
    record = play_game(JOB, ada, ada, EventOptions(visits=2, opening_plies=2, max_plies=3))
    assert record.moves[0].budget_seconds is None
