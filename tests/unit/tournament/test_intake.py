"""What the intake tries a network on: positions of all kinds and a game; and what it shows."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from golois.constants import PASS
from golois.go.board import Board
from tests.data import ROOT
from tests.fake_arena import artefact_of, tiny_network
from tournament.game import play
from tournament.intake import IntakeError, JudgeOptions, Manifest, Verdict, trial
from tournament.intake.bake import try_positions, without_positions
from tournament.intake.child import Message
from tournament.intake.faults import Refused, printable, quoted
from tournament.intake.graph.onnx import encode_node
from tournament.intake.keras.layers import LAYERS
from tournament.intake.real_positions import draw_opening, draw_positions, with_positions
from tournament.networks.evaluator import NetworkEvaluator

BLACK_TO_PLAY, OWN, OPPONENTS, KOMI = 0, 11, 12, slice(21, 31)


@pytest.fixture(scope="module", params=[0, 1])
def planes(request) -> np.ndarray:
    return draw_positions(request.param)


def num_stones(planes: np.ndarray) -> np.ndarray:
    return planes[..., [OWN, OPPONENTS]].sum((1, 2, 3), dtype=int)


def test_a_seed_decides_the_positions_and_openings_that_can_be_played():
    assert (draw_positions(0) == draw_positions(0)).all()
    assert not np.array_equal(draw_positions(0)[:150], draw_positions(1)[:150])
    openings = [draw_opening(seed) for seed in range(5)]
    assert openings[3] == draw_opening(3) and len(set(openings)) == 5
    for opening in openings:
        board = Board()
        for point in opening:
            board.play(point)
        assert PASS not in opening[-2:] and len(opening) < 120


def test_positions_are_of_all_phases_colours_and_komi_and_any_part_is_a_mixture(planes):
    assert len(planes) > 150 and set(np.unique(planes)) == {0, 1}
    stones = num_stones(planes)
    shares = [(stones < 60).mean(), ((stones > 60) & (stones < 200)).mean(), (stones > 200).mean()]
    assert min(shares) > 0.05 and stones.min() < 20 and stones.max() > 300
    assert 0.3 < planes[:, 0, 0, BLACK_TO_PLAY].mean() < 0.7
    komi = planes[:, 0, 0, KOMI]
    assert 0.4 < komi[:, 7].mean() < 0.7
    assert komi.any(axis=0).all() and not komi.any(axis=1).all(), "0 … 9, and beyond"
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


def test_an_honest_network_answers_and_nonsense_after_thirty_stones_is_found(planes):
    evaluator = NetworkEvaluator(tiny_network(0))
    done, milliseconds = try_positions(evaluator, planes, 0)
    assert done == len(planes) and milliseconds > 0
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


def test_a_game_that_breaks_off_is_no_fault_of_the_network(tmp_path, monkeypatch):
    path = tmp_path / "network.onnx"
    path.write_bytes(tiny_network(0))
    manifest = Manifest("a", "b", 1, 1, 1, "3", {}, 8, 0.5, 0.0, "none")

    def adjudicate(*arguments: object) -> None:
        raise MemoryError("of this machine")

    monkeypatch.setattr(trial, "judge", lambda *_, **__: Verdict(True, (), manifest, path))
    assert trial.judge_and_try("x.h5", work_dir=tmp_path, options=JudgeOptions()).accepted
    monkeypatch.setattr(play, "_decided", adjudicate)
    with pytest.raises(IntakeError, match="broke off: MemoryError: of this machine"):
        trial.judge_and_try("x.h5", work_dir=tmp_path, options=JudgeOptions())


DOCS = ROOT / "docs" / "maintainer" / "intake.md"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("conv2d_1", "conv2d_1"),
        ("a\nb", r"a\nb"),
        ("\x1b[31m", r"\x1b[31m"),
        ("é\u202e", r"\xe9\u202e"),
        ("\ud800", r"\ud800"),
    ],
)
def test_other_characters_are_written_out(text, expected):
    assert printable(text) == expected


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=500), st.integers(5, 100))
def test_any_text_is_one_short_line(text, limit):
    for shown in (printable(text, limit), quoted(text, limit)):
        assert shown.isascii() and shown.isprintable() and len(shown) <= limit


def test_the_documentation_lists_every_layer_that_is_taken():
    text = DOCS.read_text(encoding="utf-8").partition("* Layers that compute")[2]
    listed = re.findall(r"\b[A-Z]\w+", text.partition("* Activations")[0])
    assert {name for name in listed if name != "Layers"} == {
        name.removeprefix("golois>") for name in LAYERS
    }
