"""A game of two players: its result, whoever is at fault, its clock, its record and its SGF."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from golois.constants import PASS
from golois.games.game import Game
from golois.games.rules import Go, Hex, NoGo
from golois.go.board import Board
from golois.go.coords import sgf_to_point
from golois.search.tree import SearchOptions
from tests.data import ROOT
from tests.fake_arena import FakeClock, FakeEvaluator, Scripted, heavy_network
from tests.fake_network import hashed, uniform
from tournament.game.job import Entrant
from tournament.game.loop import play_out
from tournament.game.options import EventOptions
from tournament.game.play import play_game
from tournament.game.record import FORFEIT, PLAYED, VOID, GameRecord
from tournament.game.sgf import sgf_name, to_sgf
from tournament.players import make_player
from tournament.players.limits import Limits
from tournament.players.protocol import Player
from tournament.players.puct import PuctPlayer
from tournament.running.local_engine import ONE_THREAD
from tournament.running.schedule import pairings

OPTIONS = EventOptions(visits=4, max_plies=40)
JOB = pairings([Entrant("Ada", "a" * 64), Entrant("Grace", "b" * 64)], 1, 0, [(60, 300)])[0]


def player(answer=hashed, seed=1) -> Player:
    return make_player(FakeEvaluator(answer), OPTIONS, seed)


def decided(record: GameRecord) -> tuple:
    """What the seeds decide of a game."""
    moves = [(move.point, move.num_visits, move.value_white) for move in record.moves]
    return record.result, record.winner, record.opening, moves


@pytest.mark.parametrize(
    ("rules", "moves", "result"),
    [
        (Go(3, komi=0.5), (4, 9, 9), "B+8.5"),
        (Go(2, komi=0.0), (4, 4), "0"),
        (Go(3, komi=0.5, max_moves=1), (4,), "B+8.5"),
        (NoGo(2), (0, 3, 1), "B+"),
        (Hex(2), (0, 2, 1), "B+"),
        (Hex(3), (0,), "B+R"),
    ],
    ids=str,
)
def test_the_loop_plays_any_game_to_its_result(rules, moves, result):
    game, seen = Game(rules), []
    players = (Scripted(*moves[::2]), Scripted(*moves[1::2]))
    outcome = play_out(game, *players, on_choice=lambda choice: seen.append(choice.point))
    assert (outcome.result, tuple(seen)) == (result, moves)
    winners = {"B": "black", "W": "white", "0": None}
    assert outcome.winner == winners[result[0]] and outcome.kind == PLAYED


def test_a_game_by_visits_is_decided_by_its_seed_and_survives_json():
    records = [play_game(JOB, player(seed=1), player(seed=2), OPTIONS) for _ in range(2)]
    assert records[0].kind == PLAYED
    assert decided(records[0]) == decided(records[1])
    record = play_game(JOB, player(), player(), OPTIONS)
    assert GameRecord.from_json(json.loads(json.dumps(record.to_json()))) == record


def test_the_ply_cap_counts_the_opening_and_scores():
    told, warm = [], []

    def note(num_plies, choice) -> None:
        told.append((num_plies, choice))

    record = play_game(JOB, player(), player(), OPTIONS, note, warm.append)
    assert warm == ["black", "white"]
    assert len(record.opening) + len(record.moves) == OPTIONS.max_plies
    assert told == list(enumerate([None, *record.moves], start=2))
    assert re.fullmatch(r"[BW]\+\d+\.5", record.result)


def test_two_passes_end_the_game_and_the_area_is_counted():
    """One black stone owns the whole board; with one of each nobody owns an empty point."""
    record = play_game(JOB, Scripted(PASS), Scripted(PASS), OPTIONS)
    assert (record.result, record.winner, len(record.moves)) == ("W+7.5", "white", 2)
    job = JOB.from_json({**JOB.to_json(), "opening": (60, PASS)})
    record = play_game(job, Scripted(PASS), Scripted(), OPTIONS)
    assert (record.result, record.winner) == ("B+353.5", "black")


@pytest.mark.parametrize("colour", ["black", "white"])
def test_a_network_that_answers_nan_forfeits_with_the_reason(colour):
    def nan(planes):
        policy, value = uniform(planes)
        return policy, value * np.nan

    players = {"black": player(), "white": player(), colour: player(nan)}
    record = play_game(JOB, players["black"], players["white"], OPTIONS)
    winner = {"black": "white", "white": "black"}[colour]
    result = f"{winner[0].upper()}+F"
    assert (record.kind, record.winner, record.result) == (FORFEIT, winner, result)
    assert record.reason.startswith(getattr(JOB, colour) + ": the network answered wrongly")


def test_a_network_that_crashes_forfeits_and_our_own_fault_is_void():
    def crash(planes):
        raise RuntimeError("no such\n\x1b[31mkernel" + 1000 * "!")

    record = play_game(JOB, player(), player(crash), OPTIONS)
    assert (record.kind, record.result) == (FORFEIT, "B+F")
    assert "RuntimeError: no such [31mkernel!!!" in record.reason and len(record.reason) <= 400
    record = play_game(JOB, Scripted(60), player(), OPTIONS)
    assert (record.kind, record.winner, record.result) == (VOID, None, "Void")
    assert "occupied" in record.reason


def test_sgf_replays_to_the_same_result():
    record = play_game(JOB, player(seed=1), player(seed=2), OPTIONS)
    sgf = to_sgf(record)
    for name, text in {"KM": "7.5", "RU": "Chinese", "PB": JOB.black, "RE": record.result}.items():
        assert f"{name}[{text}]" in sgf
    board = Board()
    nodes = re.findall(r";([BW])\[(\w*)\]", sgf)
    for ply, (colour, point) in enumerate(nodes):
        assert colour == "BW"[ply % 2]
        board.play(sgf_to_point(point))
    assert [point for _, point in board.moves] == [*JOB.opening, *(m.point for m in record.moves)]
    lead_black = board.score_black() - 7.5
    assert f"{'B' if lead_black > 0 else 'W'}+{abs(lead_black):g}" == record.result
    assert sgf.count("visits 4") == len(record.moves)


def test_sgf_escapes_what_would_end_a_value():
    record = play_game(JOB, Scripted(PASS), Scripted(PASS), OPTIONS)
    odd = replace(record, reason=r"a ] and a \ in it")
    assert r"GC[a \] and a \\ in it]" in to_sgf(odd)


# Plays a game twice as a worker does, and prints the main thread's share of the second one's time.
SHARE_OF_MAIN_THREAD = """
import json, sys, time
from pathlib import Path
from tournament.game.job import GameJob
from tournament.game.options import EventOptions
from tournament.running.worker import Worker

worker = Worker(Path(sys.argv[1]), EventOptions(seconds=0.05, max_plies=12))
job = GameJob.from_json(json.loads(sys.argv[2]))
assert worker.play(job, print, print).kind == "played"
before = time.process_time(), time.thread_time()
worker.play(job, print, print)
print((time.thread_time() - before[1]) / (time.process_time() - before[0]))
"""


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("game", "name"),
    [
        (
            ("2026-11-21T20:00:00+00:00", "Ada_Lovelace", "Grace Hopper", "W+3.5"),
            "2026-11-21_ada-lovelace_vs_grace-hopper_W+3.5.sgf",
        ),
        (("2026-11-21", "Zoë", "王小明", "B+R"), "2026-11-21_zoë_vs_王小明_B+R.sgf"),
        (("", "net,player=gumbel", "../..\\x:*", ""), "net-player-gumbel_vs_x.sgf"),
        (("2026", "", "...", "Void: a/b"), "2026_unknown_vs_unknown_Voidab.sgf"),
        (("", "a" * 99, "b", "0"), f"{'a' * 40}_vs_b_0.sgf"),
    ],
)
def test_a_file_is_called_by_day_players_and_result(game, name):
    assert sgf_name(*game) == name


def test_long_names_in_any_script_fit_a_file_system(tmp_path):
    name = sgf_name("2026-11-21", "李" * 60, "明" * 60, "中" * 60)
    (tmp_path / f"001_{name}").write_text("")
    assert name.startswith("2026-11-21_李李") and "_vs_明明" in name and name.endswith(".sgf")
