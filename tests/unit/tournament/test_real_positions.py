"""The positions that the intake tries a network on: real ones, of all kinds, others each time."""

import numpy as np
import pytest

from golois.constants import PASS
from golois.go.board import Board
from tests.fake_arena import artefact_of, tiny_network
from tournament.intake.bake import try_positions, without_positions
from tournament.intake.child import Message
from tournament.intake.faults import IntakeError, Refused
from tournament.intake.graph.onnx import encode_node
from tournament.intake.real_positions import draw_opening, draw_positions, with_positions
from tournament.networks.evaluator import NetworkEvaluator

BLACK_TO_PLAY, OWN, OPPONENTS, KOMI = 0, 11, 12, slice(21, 31)


@pytest.fixture(scope="module", params=[0, 1])
def planes(request) -> np.ndarray:
    return draw_positions(request.param)


def num_stones(planes: np.ndarray) -> np.ndarray:
    return planes[..., [OWN, OPPONENTS]].sum((1, 2, 3), dtype=int)


def test_a_seed_decides_the_positions():
    assert (draw_positions(0) == draw_positions(0)).all()
    assert not np.array_equal(draw_positions(0)[:150], draw_positions(1)[:150])


def test_there_are_some_hundred_of_all_phases_up_to_full_boards(planes):
    assert len(planes) > 150 and set(np.unique(planes)) == {0, 1}
    stones = num_stones(planes)
    shares = [(stones < 60).mean(), ((stones > 60) & (stones < 200)).mean(), (stones > 200).mean()]
    assert min(shares) > 0.05 and stones.min() < 20 and stones.max() > 300


def test_both_colours_are_to_move_and_the_komi_differs(planes):
    assert 0.3 < planes[:, 0, 0, BLACK_TO_PLAY].mean() < 0.7
    komi = planes[:, 0, 0, KOMI]
    assert 0.4 < komi[:, 7].mean() < 0.7
    assert komi.any(axis=0).all() and not komi.any(axis=1).all(), "0 … 9, and beyond"


def test_any_part_of_them_is_a_mixture(planes):
    stones = num_stones(planes[:32])
    assert stones.min() < 60 and stones.max() > 200


def test_there_are_kos(monkeypatch):
    kos = []
    seen = Board.planes

    def noting(board, *arguments):
        kos.append(board.ko_point is not None)
        return seen(board, *arguments)

    monkeypatch.setattr(Board, "planes", noting)
    draw_positions(2)
    assert np.mean(kos) > 0.1


def test_an_opening_can_be_played_and_its_seed_decides_it():
    openings = [draw_opening(seed) for seed in range(5)]
    assert openings[3] == draw_opening(3) and len(set(openings)) == 5
    for opening in openings:
        board = Board()
        for point in opening:
            board.play(point)
        assert PASS not in opening[-2:] and len(opening) < 120


def test_games_that_are_not_there_are_said(monkeypatch, tmp_path):
    monkeypatch.setattr("tournament.intake.real_positions.GAMES", tmp_path / "none.games")
    with pytest.raises(IntakeError, match="the games to judge by cannot be read: .*none.games"):
        draw_positions(0)


def test_positions_travel_as_bits_behind_the_payload(planes):
    request = with_positions(Message({"weights": []}, b"weights!"), planes, 5)
    assert len(request.payload) < len(b"weights!") + 400_000
    assert (request.header["seed"], request.header["weights"]) == (5, [])
    payload, again = without_positions(Message.decode(request.encode()))
    assert payload == b"weights!" and (again == planes).all()


def test_an_honest_network_answers_all_of_them(planes):
    evaluator = NetworkEvaluator(tiny_network(0))
    done, milliseconds = try_positions(evaluator, planes, 0)
    assert done == len(planes) and milliseconds > 0


def test_nonsense_after_thirty_stones_is_found_with_any_seed(planes):
    weights = np.zeros((31, 1), np.float32)
    weights[[OWN, OPPONENTS]] = 361 / 30  # the mean over the board is 1 with thirty stones
    nodes = [
        encode_node("MatMul", ["planes", "weights"], "heights"),
        encode_node("Reshape", ["heights", "flat"], "logits"),
        encode_node("Softmax", ["logits"], "policy", axis=-1),
        encode_node("ReduceMean", ["logits"], "value", axes=[1], keepdims=1),
    ]
    evaluator = NetworkEvaluator(artefact_of(nodes, weights))
    few = planes[num_stones(planes) <= 30]
    assert try_positions(evaluator, few, 7)[0] == len(few)
    with pytest.raises(Refused, match=r"on a position of a real game \(seed 7\)"):
        try_positions(evaluator, planes, 7)
