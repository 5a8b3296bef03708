"""Go and Hex as OpenSpiel plays them; skipped without it (pip install open_spiel)."""

import random

import pytest

from golois.games import Game
from golois.rules import Go, Hex

NUM_GAMES = 10_000


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 5, 9])
def test_go_is_that_of_openspiel_where_no_position_would_repeat(size):
    """OpenSpiel knows simple ko only, and ends a game that repeats as a draw."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("go", {"board_size": size, "komi": 0.5, "handicap": 0})
    for seed in range(NUM_GAMES // size):
        rng, ours, state = random.Random(seed), Game(Go(size, komi=0.5)), theirs.new_initial_state()
        while not ours.is_over and not state.is_terminal():
            legal = {go_action(move, size) for move in ours.candidates()}
            assert legal <= set(state.legal_actions())
            # What is more there repeats a position.
            for action in set(state.legal_actions()) - legal:
                repeated = state.child(action)
                assert repeated.is_terminal() and repeated.returns() == [0, 0]
            points = ours.candidates()[:-1]
            move = rng.choice(points) if points and rng.random() < 0.95 else size * size
            ours.play(move)
            state.apply_action(go_action(move, size))
            if ours.num_moves > 4 * size * size:
                break


def go_action(move: int, size: int) -> int:
    """OpenSpiel counts rows from the bottom."""
    row, column = divmod(move, size)
    return move if move == size * size else size * (size - 1 - row) + column


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 5, 11])
def test_hex_is_that_of_openspiel(size):
    """In OpenSpiel, Black joins the top with the bottom: the board is reflected."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("hex", {"board_size": size})
    for seed in range(NUM_GAMES // size):
        rng, ours, state = random.Random(seed), Game(Hex(size)), theirs.new_initial_state()
        while not ours.is_over:
            reflected = {move % size * size + move // size for move in ours.candidates()}
            assert reflected == set(state.legal_actions()) and not state.is_terminal()
            move = rng.choice(ours.candidates())
            ours.play(move)
            state.apply_action(move % size * size + move // size)
        assert state.is_terminal()
        assert state.returns() == ([-1, 1] if ours.outcome_white else [1, -1])
