"""KataGo's inputs show the areas, and what superko forbids, that slow Python finds."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golois.go.coords import BLACK, EMPTY, WHITE, opponent
from golois.katago.inputs import KO_RULES, KatagoRules, game_inputs
from tests.property.test_life_properties import game_without_filled_eyes
from tests.reference_board import neighbours
from tests.reference_katago_rules import PASS, SIZE, ReferenceKatagoGame, areas

EYE = [0, 1]
POINTS = [*EYE]
"""Where the games with kos are played: an eye of Black's of two points, and three kos."""
SETUP = {2: BLACK, 19: BLACK, 20: BLACK}
for left in (60, 136, 231):
    above, below = left + 1 - SIZE, left + 1 + SIZE
    SETUP |= {left: BLACK, above: BLACK, below: BLACK}
    SETUP |= {left + 3: WHITE, above + 1: WHITE, below + 1: WHITE, left + 1: WHITE}
    POINTS += [left + 1, left + 2]


def check_areas(board):
    stones = tuple(board.stones().reshape(-1).tolist())
    own, theirs = (WHITE, BLACK) if board.to_play == WHITE else (BLACK, WHITE)
    setup = [(colour, point) for point, colour in enumerate(stones) if colour != EMPTY]
    for all_points in (False, True):
        inputs = game_inputs([], [0], setup=setup, first=own, pass_alive=all_points)
        planes = inputs.planes.reshape(PASS, 22)
        shown = np.where(planes[:, 18], own, np.where(planes[:, 19], theirs, EMPTY))
        assert not (planes[:, 18] * planes[:, 19]).any()
        assert shown.tolist() == list(areas(stones, all_points))


ROUNDS, SEEDS = st.integers(1, 6), st.integers(0, 10**6)


@settings(max_examples=15, deadline=None)
@given(ROUNDS, SEEDS)
def test_areas(num_rounds, seed):
    check_areas(game_without_filled_eyes(SIZE, num_rounds, seed))


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(ROUNDS, SEEDS)
def test_areas_thoroughly(num_rounds, seed):
    check_areas(game_without_filled_eyes(SIZE, num_rounds, seed))


def game_of_kos(ko, suicide, seed, num_moves):
    """Random moves where positions come back soon: nobody fills a ko, and Black no eye.

    Returns the inputs before each move, and what the reference says: the legal and the forbidden
    ones of POINTS, and whether a pass would end the game.
    """
    stones = tuple(SETUP.get(point, EMPTY) for point in range(PASS))
    reference = ReferenceKatagoGame(stones, ko, suicide)
    rng, moves, expected = random.Random(seed), [], []
    for _ in range(num_moves):
        legal, forbidden = reference.moves(POINTS)
        expected.append((legal, forbidden, reference.pass_ends))
        enemy = opponent(reference.to_play)
        takes = [
            point
            for point in legal
            if (point in EYE and enemy == BLACK)
            or all(reference.stones[near] == enemy for near in neighbours(point, SIZE))
        ]
        moves.append(rng.choice([*takes, PASS]))
        reference.play(moves[-1])
    setup = [(colour, point) for point, colour in SETUP.items()]
    inputs = game_inputs(moves, range(num_moves), KatagoRules(0.5, ko, suicide), setup=setup)
    return inputs, expected


@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("ko", KO_RULES)
def test_what_ko_and_superko_forbid(ko, suicide):
    num_forbidden, forbids_suicide = [], False
    for seed in range(4):
        inputs, expected = game_of_kos(ko, suicide, seed, 60)
        for row, (legal, forbidden, pass_ends) in enumerate(expected):
            shown = np.flatnonzero(inputs.legal[row]).tolist()
            assert sorted({*POINTS, PASS}.intersection(shown)) == sorted([*legal, PASS])
            assert np.flatnonzero(inputs.planes[row, ..., 6]).tolist() == sorted(forbidden)
            assert inputs.globals[row, 14] == pass_ends
            num_forbidden.append(len(forbidden))
            forbids_suicide |= bool(set(EYE).intersection(forbidden))
    assert max(num_forbidden) > (ko != "simple")
    assert forbids_suicide == (suicide and ko != "simple")
