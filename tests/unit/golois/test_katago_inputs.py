"""KataGo's inputs: what calls are refused, leaves of a search, and rules of the plain kind."""

import json
import random

import numpy as np
import pytest

from golois import Board, Game, Go, SearchOptions, Tree
from golois.errors import ArgumentError
from golois.games.game import after_moves
from golois.go.coords import BLACK, WHITE
from golois.katago.inputs import KatagoRules, game_inputs, search_inputs
from tests.data import ROOT

GAMES = ROOT / "tests" / "golden" / "data" / "katago" / "games.jsonl"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (dict(moves=[0, 0], turns=[2]), "move 2, point 0, is occupied"),
        (dict(moves=[1, 361, 19, 0], turns=[4]), "move 4, point 0, is suicide"),
        (dict(moves=[362], turns=[0]), "moves must be from 0 to 361"),
        (dict(moves=[-1], turns=[0]), "moves must be from 0 to 361"),
        (dict(moves=[0.5], turns=[0]), "moves must be a list of whole numbers"),
        (dict(moves=[[0]], turns=[0]), "moves must be a list of whole numbers"),
        (dict(moves=[0], turns=[2]), "turns must be from 0 to 1"),
        (dict(moves=[0], turns=[-1]), "turns must be from 0 to 1"),
        (dict(moves=[0], turns=[1, 0]), "turns must ascend"),
        (dict(moves=[], turns=[0], setup=[(BLACK, 361)]), "points must be from 0 to 360"),
        (dict(moves=[], turns=[0], setup=[(3, 0)]), "BLACK (1) or WHITE (2), not 3"),
        (dict(moves=[], turns=[0], setup=[(1, 0), (2, 1), (2, 19)]), "a chain without liberties"),
        (dict(moves=[], turns=[0], first=0), "BLACK (1) or WHITE (2), not 0"),
        (dict(moves=[], turns=[0], planes="int8"), "float32, uint8, bits, not 'int8'"),
        (dict(moves=[], turns=[0], hide_end=[True, False]), "hide_end must be True or False"),
    ],
)
def test_a_wrong_call_is_refused_in_words(arguments, words):
    with pytest.raises(ArgumentError) as error:
        game_inputs(**arguments)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (dict(ko="spight"), "positional, situational, simple, not 'spight'"),
        (dict(komi=7.25), "whole or half number, not 7.25"),
        (dict(komi=float("nan")), "whole or half number, not nan"),
        (dict(komi=float("inf")), "whole or half number, not inf"),
    ],
)
def test_other_rules_are_refused_in_words(rules, words):
    with pytest.raises(ArgumentError) as error:
        KatagoRules(**rules)
    assert words in str(error.value)


def test_no_position_is_no_row():
    assert game_inputs([0], []).planes.shape == (0, 19, 19, 22)


def recorded_games():
    games = [json.loads(line) for line in GAMES.open()]
    plain = [game for game in games if (game["ko"], game["suicide"]) == ("positional", False)]
    return [game["moves"] for game in plain if not game["setup"]][::4]


def test_a_few_turns_are_shown_as_all_are():
    moves = recorded_games()[0]
    turns = sorted(random.Random(0).choices(range(len(moves) + 1), k=30))
    every = game_inputs(moves, range(len(moves) + 1))
    for some, all_rows in zip(game_inputs(moves, turns), every, strict=True):
        np.testing.assert_array_equal(some, all_rows[turns])


def test_a_game_that_takes_moves_back_is_shown_where_it_is():
    moves = [72, 288, 300, 60]
    game = after_moves(Go(19, planes="katago"), moves)
    for turn in (4, 3, 2):
        shown, expected = game.planes()[..., :22], game_inputs(moves, [turn]).planes[0]
        np.testing.assert_array_equal(shown, expected)
        game.take_back()


def test_a_search_asks_for_the_inputs_of_its_leaves():
    """The root, then a leaf below each of some moves."""
    rng, moves = np.random.default_rng(0), recorded_games()[0]
    planes = np.empty((1, 19, 19, 28), np.float32)
    answer = np.full((1, 362), 1 / 362, np.float32), np.array([0.5], np.float32)
    for num_moves in (0, 1, 60, 200):
        game = after_moves(Go(19, 6.5, planes="katago"), moves[:num_moves])
        tree = Tree(game, options=SearchOptions(random_symmetry=False))
        points = rng.choice(np.flatnonzero(game.legal_moves()[:361]), 5, replace=False)
        for move in (None, 361, *points.tolist()):
            played = moves[:num_moves] + [move] * (move is not None)
            assert tree.select(planes, move) == 1
            found = search_inputs(planes, 6.5, policy_size=361)
            expected = game_inputs(played, [len(played)], KatagoRules(6.5))
            np.testing.assert_array_equal(found.planes, expected.planes)
            np.testing.assert_array_equal(found.globals, expected.globals)
            assert found.white_to_move == expected.white_to_move
            assert np.flatnonzero(~found.legal).tolist() == [361]
            tree.apply(*answer)


def test_other_planes_of_a_search_are_refused():
    with pytest.raises(ArgumentError, match=r"expected planes \[N, 19, 19, 28\]"):
        search_inputs(np.zeros((1, 19, 19, 31), np.float32))
    with pytest.raises(ArgumentError, match="a board of size 19, not 9"):
        Go(9, planes="katago")


def test_moves_of_one_colour_in_a_row_are_shown_from_the_last_change_of_colours():
    board = Board()
    for point in (72, 288, 300):
        board.play(point, BLACK)
    rules = Go(19, planes="katago")
    shown = Game(rules, board).planes()
    assert [shown[..., 9 + ago].sum() for ago in range(5)] == [1, 0, 0, 0, 0]
    assert shown[300 // 19, 300 % 19, 9] == 1
    board.to_play = BLACK
    assert Game(rules, board).planes()[..., 9:14].sum() == 0


def test_a_record_may_break_a_ko():
    ko = [1, 2, 19, 22, 39, 40, 21, 20]  # White takes at 20, and Black takes back at once
    inputs = game_inputs([*ko, 21], [8, 9])
    assert inputs.planes[0, 1, 2, 6] == 1 and not inputs.legal[0, 21]
    assert inputs.planes[1, 1, 2, 1:3].tolist() == [0, 1]


def test_komi_shows_from_the_mover_and_its_parity_as_a_wave():
    for komi, white, wave_white, wave_black in (
        (7.5, 0.375, 0.5, -0.5),
        (6.5, 0.325, -0.5, 0.5),
        (7, 0.35, 0, 0),
        (-10.5, -0.525, 0.5, -0.5),
        (1000, 19.05, 0, 0),
    ):
        inputs = game_inputs([0], [0, 1], KatagoRules(komi))
        np.testing.assert_allclose(inputs.globals[:, 5], [-white, white], rtol=1e-6)
        assert inputs.globals[:, 18].tolist() == [wave_black, wave_white]


def test_white_may_move_first():
    inputs = game_inputs([0, 1], [0, 1, 2], first=WHITE, setup=[(BLACK, 72)])
    assert inputs.white_to_move.tolist() == [True, False, True]
    assert inputs.planes[0, 72 // 19, 72 % 19, 1:3].tolist() == [0, 1]
