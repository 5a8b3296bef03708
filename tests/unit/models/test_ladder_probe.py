"""Ladders read to their end, positions that ask for one, and the rule of right and wrong."""

import re
from dataclasses import astuple

import numpy as np
import pytest

from golois.data.dataset import Dataset
from golois.go.board import Board
from golois.go.chains import chain_of
from golois.go.coords import BLACK, gtp_to_point, opponent, point_to_gtp
from golois.go.symmetry import transform_point
from models.errors import EvaluationError
from models.evaluation.probes import ladder_positions
from models.evaluation.probes.ladder_positions import (
    CAPTURED,
    ESCAPES,
    Ladders,
    board_of,
    find_ladders,
    ladder_length,
    ladder_target,
)
from models.evaluation.probes.ladder_reading import LadderTooLong, escapes, ladder_line
from models.evaluation.probes.ladder_sgf import ladders_text, read_ladders
from tests.data import EMBEDDED_GAMES
from tests.diagrams import board_after, moves_of
from tests.reference_planes import LadderBoard, LadderReader

LADDER = "W D4, B C4, B D3, B E3, B D5"  # White runs from D4, which is in atari


class PatientReader(LadderReader):
    """The slow reference without its limits."""

    def _over_limit(self, depth: int) -> bool:
        return False


def ladder_board(rng: np.random.Generator) -> tuple[Board, int] | None:
    """A ladder somewhere, seen from anywhere, among random stones; None where that is no ladder."""
    symmetry, flipped = int(rng.integers(8)), bool(rng.integers(2))
    up, right = (int(shift) for shift in rng.integers(0, 9, 2))
    board = Board()
    ladder = {}
    for colour, point in moves_of(LADDER, 19):
        moved = transform_point(point - 19 * up + right, symmetry)
        ladder[moved] = opponent(colour) if flipped else colour
    others = rng.choice(361, int(rng.integers(0, 50)), replace=False).tolist()
    scattered = {point: int(rng.integers(1, 3)) for point in others}
    for point, colour in {**scattered, **ladder}.items():
        if not board.is_legal(point, colour):
            return None
        board.play(point, colour)
    stone = transform_point(gtp_to_point("D4") - 19 * up + right, symmetry)
    is_whole = len(board.moves) == (board.stones() > 0).sum()
    in_atari = board.num_liberties().flat[stone] == 1
    board.to_play = int(board.stones().flat[stone]) or BLACK
    return (board, stone) if is_whole and in_atari else None


def generated(count: int, seed: int = 0) -> list[tuple[Board, int]]:
    rng = np.random.default_rng(seed)
    boards = []
    while len(boards) < count:
        if (drawn := ladder_board(rng)) is not None:
            boards.append(drawn)
    return boards


def reads_as_played_out(board: Board, stone: int) -> bool:
    stones = tuple(board.stones().reshape(-1).tolist())
    is_caught = PatientReader(stone, stones[stone]).captured(LadderBoard(stones, 19))
    return escapes(board, stone) is not is_caught


@pytest.mark.parametrize("count", [20, pytest.param(500, marks=pytest.mark.slow)])
def test_the_reader_agrees_with_playing_out(count):
    assert all(reads_as_played_out(*drawn) for drawn in generated(count))


def test_the_reader_agrees_with_the_core():
    """The core proves what it marks; it calls safe what it could not read within its bounds."""
    found = []
    for board, stone in generated(200):
        is_marked = bool(board.planes(7.5).reshape(361, 31)[stone, 1])
        found.append((escapes(board, stone), not is_marked))
    assert not any(ours and not cores for ours, cores in found)
    assert sum(ours != cores for ours, cores in found) <= 2
    assert 40 < sum(ours for ours, _ in found) < 160


@pytest.mark.parametrize(
    ("moves", "target"),
    [
        (LADDER, CAPTURED),
        (f"{LADDER}, W Q16", ESCAPES),  # a stone of the runner on the way
        (f"{LADDER}, W A10, B B10, B A11", None),  # two chains in atari
        ("W D4, B C4, B D3, B D5", None),  # extending leads to three liberties
        ("W A1, B B1, B B2", None),  # extending leads to one
        ("W D4, B Q16", None),
    ],
)
def test_a_position_asks_for_one_ladder(moves, target):
    board = board_after(moves_of(moves, 19))
    board.to_play = 2
    planes = board.planes(7.5).astype(np.uint8)
    assert ladder_target(planes) == target
    again = board_of(planes)
    np.testing.assert_array_equal(again.stones(), board.stones())
    assert again.to_play == board.to_play


def test_a_ladder_that_is_too_long_is_no_sample(monkeypatch):
    ((board, stone),) = generated(1)
    monkeypatch.setattr("models.evaluation.probes.ladder_reading.MAX_BOARDS", 2)
    with pytest.raises(LadderTooLong):
        escapes(board, stone)
    planes = board.planes(7.5).astype(np.uint8)
    assert ladder_target(planes) is None and ladder_length(planes) is None


def test_a_line_is_played_until_the_ladder_is_decided():
    """Whatever the loser tries first: the chain is gone, or has liberties enough, at its end."""
    for board, stone in generated(40):
        after, owner = board.copy(), board.to_play
        line = ladder_line(board, stone)
        for number, move in enumerate(line):
            after.play(move, owner if number % 2 == 0 else opponent(owner))
        stones = after.stones().reshape(-1).tolist()
        liberties = chain_of(stones, stone)[1] if stones[stone] == owner else set()
        if escapes(board, stone):
            assert len(liberties) >= (3 if len(line) % 2 else 2)
        else:
            assert not liberties or (len(liberties) == 1 and len(line) % 2 == 0)
    board = board_after(moves_of("W B2, B A2, B B3, B C2", 19))
    # After B1 Black must leave A1, where its stones could be taken; then White has no answer.
    line = ladder_line(board, gtp_to_point("B2"))
    assert [point_to_gtp(move) for move in line] == ["B1", "C1"]


@pytest.fixture(scope="module")
def found() -> tuple[Ladders, Ladders, list[int]]:
    """The ladders of 40 games, to train on and to test by, and the games as they were searched."""
    searched: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladder_positions, "_games", first_games(40, ladder_positions._games))
        patch.setattr(ladder_positions, "MIN_SAMPLES", 5)
        dataset = Dataset(EMBEDDED_GAMES, planes="bits", threads=1)
        return *find_ladders([dataset], 0, searched.append), searched


@pytest.mark.slow
def test_samples_are_balanced_and_their_games_apart(found):
    training, test, searched = found
    assert searched == list(range(1, 41))
    games = np.concatenate([training.games, test.games])
    assert len(set(games)) == len(games) > 25
    for ladders in (training, test):
        assert abs(ladders.targets.sum()) <= 1
        targets = [ladder_target(planes) for planes in ladders.planes]
        assert targets == ladders.targets.tolist()


def test_ladders_are_written_as_sgf_and_read_back(found, tmp_path):
    training, path = found[0], tmp_path / "ladders.sgf"
    path.write_text(ladders_text(training))
    lines = path.read_text().splitlines()
    assert len(lines) == len(training)
    assert ["LA[T]" in line for line in lines] == (training.targets > 0).tolist()
    lengths = [int(re.search(r"LN\[(\d+)\]", line)[1]) for line in lines]
    assert lengths == [ladder_length(planes) for planes in training.planes] and min(lengths) > 0
    again = read_ladders([path])
    np.testing.assert_array_equal(again.planes, training.planes)
    np.testing.assert_array_equal(again.targets, training.targets)
    assert len(read_ladders([path, path])) == 2 * len(training)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(;GM[1]SZ[19];B[aa])", "game 1 of {} needs LA[T], the chain escapes, or LA[F]"),
        ("(;GM[1]SZ[19]LA[T];B[aa])\n(;GM[1]SZ[19]LA[X];B[aa])", "game 2 of {} needs LA[T]"),
        ("(;GM[1]SZ[19]LA[T]LN[far];B[aa])", "LN of game 1 of {} must be a number of moves"),
        ("(;GM[1]SZ[19]LA[T];B[aa];W[aa])", "game 1 of {}: White cannot play A19"),
        (" ", "there is no game tree of SGF in {}"),
        ("(;GM[1]SZ[19]LA[T];B[aa])", "of both kinds: all are marked LA[T]"),
    ],
)
def test_marks_that_say_nothing_are_refused(tmp_path, text, words):
    path = tmp_path / "marked.sgf"
    path.write_text(text)
    with pytest.raises(EvaluationError) as error:
        read_ladders([path])
    assert words.format(path) in str(error.value)


def test_too_few_ladders_are_said(monkeypatch):
    monkeypatch.setattr(ladder_positions, "_games", first_games(5, ladder_positions._games))
    dataset = Dataset(EMBEDDED_GAMES, planes="bits", threads=1)
    with pytest.raises(EvaluationError, match="training needs 20 games with ladders"):
        find_ladders([dataset], 0, lambda _: None)


def first_games(count: int, games):
    def some(datasets):
        for _, planes in zip(range(count), games(datasets), strict=False):
            yield planes

    return some


def test_half_is_sure_enough_and_less_is_wrong():
    from models.evaluation.probes.ladder import score

    predicted = np.array([0.5, 0.49, -0.5, -0.49, -0.9, 0.9])
    targets = np.array([1, 1, -1, -1, 1, -1])
    assert astuple(score(predicted, targets)) == pytest.approx((2 / 6, 2 / 6, 1 / 3, 1 / 3))
