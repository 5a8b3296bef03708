"""What a teacher says of positions of records, and where a network differs from the teacher."""

import numpy as np
import pytest

from golois.constants import PASS
from golois.games.game import Game
from golois.games.rules import Go
from golois.go.coords import BLACK, WHITE
from golois.katago.inputs import search_inputs
from golois.katago.reading import read_network
from golois.labels.positions import game_positions
from golois.records.packed_file import Record
from models.evaluation.pictures import gallery_picture
from models.evaluation.positions import Split, held_out_positions, open_datasets
from models.evaluation.symmetric import Outputs
from models.evaluation.teacher import (
    LEAST_SHARE,
    NUM_SHOWN,
    compare,
    largest_disagreements,
    records_of,
    teacher_outputs,
)
from tests.data import EMBEDDED_GAMES
from tests.diagrams import board_after
from tests.games import moves_of
from tests.katago_files import write_network
from tournament.networks.evaluator import KatagoEvaluator

NUM_POSITIONS = 40


@pytest.fixture(scope="module")
def asked():
    """Held-out positions, and the record of each."""
    datasets = open_datasets(Split((EMBEDDED_GAMES,), seed=3, fraction=0.05, remark=""))
    positions = held_out_positions([*datasets, *datasets], NUM_POSITIONS)
    return positions, records_of([*datasets, *datasets], positions)


@pytest.fixture(scope="module")
def said(asked, tmp_path_factory):
    """A teacher's file, and what it says of the positions."""
    path = write_network(tmp_path_factory.mktemp("teacher") / "tiny.bin.gz", 14)
    evaluator = KatagoEvaluator(path)
    return path, teacher_outputs(read_network(path), evaluator._predict, asked[1])


def record(*moves: tuple[int, int], komi: float | None = 7.5) -> Record:
    colours, points = (np.array(column) for column in zip(*moves, strict=True))
    values = np.full(len(points), np.nan, np.float32)
    points, colours = points.astype(np.uint16), colours.astype(np.uint8)
    return Record(komi, "", "?", points, colours, values, "", False)


def test_a_teacher_agrees_with_itself(asked, said):
    report = compare(said[1], said[1], asked[0])
    for group in (report, *report["by_phase"].values()):
        assert group["top1"] == 1 and group["cross_entropy"] == group["entropy"] > 0
        assert group["value_mse"] == group["value_mae"] == 0
    assert report["num_positions"] == NUM_POSITIONS and report["disagreements"] == []


def test_a_position_of_a_record_is_shown_as_its_board(asked):
    positions, records = asked
    assert {int(file) for file in positions.files} == {0, 1}
    for row, (game, ply) in enumerate(records):
        board = board_after(moves_of(game)[:ply])
        komi = 7.5 if game.komi is None else game.komi
        seen = Game(Go(19, komi, planes="katago"), board)
        expected = search_inputs(seen.planes()[np.newaxis], komi)
        found = game_positions(game, np.array([ply]), False, hide_end=False)
        np.testing.assert_array_equal(found.planes, expected.planes)
        np.testing.assert_array_equal(found.globals, expected.globals)
        assert found.white_to_move == expected.white_to_move
        np.testing.assert_array_equal(found.legal[0], board.legal_moves())
        assert game.points[ply] == positions.moves[row]


def test_the_policy_is_over_the_legal_points(asked, said):
    for (game, ply), policy in zip(asked[1], said[1].policy, strict=True):
        legal = game_positions(game, np.array([ply]), False).legal[0, :PASS]
        assert (policy[~legal] == 0).all() and policy.sum() == pytest.approx(1, abs=1e-5)


def test_handicap_stones_are_set_up_and_komi_is_to_the_half():
    moves = ((BLACK, 60), (BLACK, 300), (BLACK, 72), (WHITE, 288), (BLACK, 41), (WHITE, 40))
    shown = game_positions(record(*moves, komi=0.3), np.array([5]), False)
    assert shown.white_to_move[0]
    own, other = shown.planes[0, ..., 1].ravel(), shown.planes[0, ..., 2].ravel()
    assert np.flatnonzero(own).tolist() == [288]
    assert np.flatnonzero(other).tolist() == [41, 60, 72, 300]
    last = [np.flatnonzero(shown.planes[0, ..., 9 + ago]).tolist() for ago in range(5)]
    assert last == [[41], [288], [], [], []]
    assert shown.globals[0, 5] == pytest.approx(0.5 / 20)
    # before the second stone of three in a row
    first = game_positions(record(*moves), np.array([1]), False)
    assert not first.white_to_move[0] and first.planes[0, ..., 1].sum() == 1


def test_the_largest_disagreements_come_first(asked):
    positions, _ = asked
    shares = np.linspace(0.9, 0.6, NUM_POSITIONS)
    teacher = np.zeros((NUM_POSITIONS, PASS))
    teacher[:, 3], teacher[:, 72] = shares[::-1], 1 - shares[::-1]
    student = np.zeros((NUM_POSITIONS, PASS))
    student[:, 72] = 1
    student[-1] = teacher[-1]  # the teacher is surest here, and they agree
    values = np.full(NUM_POSITIONS, 0.25)
    one, other = Outputs(student, values, None), Outputs(teacher, values + 0.5, None)
    rows = largest_disagreements(one, other)
    assert rows.tolist() == list(range(NUM_POSITIONS - 2, NUM_POSITIONS - 2 - NUM_SHOWN, -1))
    report = compare(one, other, positions)
    assert report["top1"] == 1 / NUM_POSITIONS
    assert (report["value_mse"], report["value_mae"]) == (0.25, 0.5)
    missed = -np.log(LEAST_SHARE) * teacher[:-1, 3].sum()
    agreed = -(teacher[-1] * np.log(np.maximum(teacher[-1], LEAST_SHARE))).sum()
    assert report["cross_entropy"] == pytest.approx((missed + agreed) / NUM_POSITIONS)
    worst = report["disagreements"][0]
    alone, of_two = (
        gallery_picture([{**worst, "file": file}], "the teacher's").axes[0].get_title()
        for file in (0, 1)
    )
    assert alone.startswith("game ") and of_two == f"file 1, {alone}"
    assert worst["student"] == {"move": "Q16", "share": 1, "value_white": 0.25}
    assert worst["teacher"]["move"] == "D19" and worst["teacher"]["value_white"] == 0.75
    assert worst["move_number"] == positions.plies[rows[0]] + 1
    assert worst["to_play"] in ("Black", "White")
