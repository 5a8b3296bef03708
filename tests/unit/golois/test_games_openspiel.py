"""Go and Hex as OpenSpiel plays them; skipped without it (pip install open_spiel)."""

import random

import pytest

from golois.games.game import Game
from golois.games.rules import Go, Hex

NUM_PLIES = 100_000  # of all games of a size


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_go_is_that_of_openspiel_where_no_position_repeats(size):
    """OpenSpiel allows a move that repeats a position, and ends the game with it as a draw."""
    pyspiel = pytest.importorskip("pyspiel")
    rules = Go(size, komi=0.5, max_moves=2 * size * size)
    theirs = pyspiel.load_game("go", {"board_size": size, "komi": 0.5})
    for seed in range(NUM_PLIES // rules.max_moves):
        rng, game, state = random.Random(seed), Game(rules), theirs.new_initial_state()
        while not game.is_over:
            assert not state.is_terminal()
            legal = {go_action(move, size) for move in game.candidates()}
            others = set(state.legal_actions())
            assert legal <= others
            assert all(is_repetition(state.child(action)) for action in others - legal)
            points = game.candidates()[:-1]
            move = rng.choice(points) if points and rng.random() < 0.95 else size * size
            game.play(move)
            state.apply_action(go_action(move, size))
        assert state.is_terminal()


def go_action(move: int, size: int) -> int:
    """OpenSpiel counts rows from the bottom."""
    row, column = divmod(move, size)
    return move if move == size * size else size * (size - 1 - row) + column


def is_repetition(state) -> bool:
    return state.is_terminal() and list(state.returns()) == [0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("size", [2, 3, 5, 11])
def test_hex_is_that_of_openspiel(size, swap):
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("hex", {"board_size": size, "swap": swap})
    for seed in range(NUM_PLIES // size**2):
        rng, game, state = random.Random(seed), Game(Hex(size, swap)), theirs.new_initial_state()
        while not game.is_over:
            assert not state.is_terminal()
            actions = {hex_action(move, game): move for move in game.candidates()}
            assert set(actions) == set(state.legal_actions())
            action = rng.choice(list(actions))
            game.play(actions[action])
            state.apply_action(action)
        assert state.is_terminal()
        assert list(state.returns()) == ([-1, 1] if game.outcome_white else [1, -1])


def hex_action(move: int, game: Game) -> int:
    """In OpenSpiel, Black joins the top with the bottom, and the swap is size²."""
    row, column = divmod(move, game.size)
    return game.size * column + row if game.stones()[row, column] == 0 else game.size**2
