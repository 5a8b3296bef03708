"""The displays of strategy for NoGo: by the kit's own rules, and by positions set up by hand."""

from random import Random

import pytest

from golois.games.game import Game, after_moves
from golois.games.rules import NoGo
from golois.go.coords import BLACK, EMPTY, WHITE, gtp_to_point
from selfplay.nogo_display import display, marks_of, may_play, prediction, spoiled

SIZE = 5


def after(*moves: str) -> Game:
    return after_moves(NoGo(SIZE), (gtp_to_point(move, SIZE) for move in moves))


def mark(game: Game, name: str) -> str | None:
    return marks_of(game.stones().ravel().tolist()).get(gtp_to_point(name, SIZE))


@pytest.mark.parametrize("seed", range(6))
def test_who_may_play_is_as_the_rules_say(seed):
    random, game = Random(seed), Game(NoGo(SIZE))
    while not game.is_over:
        stones, legal = game.stones().ravel().tolist(), game.candidates()
        empty = [point for point, colour in enumerate(stones) if colour == EMPTY]
        assert [one for one in empty if may_play(stones, one, game.to_play)] == legal
        game.play(random.choice(legal))
    assert not [one for one in game.candidates()]
    stones = game.stones().ravel().tolist()
    marks = marks_of(stones)
    for point in (one for one, colour in enumerate(stones) if colour == EMPTY):
        alone = {BLACK: "▲b", WHITE: "△w"}
        may = [one for one in (BLACK, WHITE) if may_play(stones, point, one)]
        assert len(may) < 2 and marks[point] in (alone[may[0]] if may else "×")


def test_a_diamond_and_the_triangle_of_an_edge_are_layouts():
    game = after("B3", "E1", "C4", "E2", "D3", "E5", "C2", "A1")
    assert mark(game, "C3") == "▲" and mark(game, "A3") is None
    game = after("E1", "A2", "E2", "B1", "E5", "A4", "E4", "B3")
    assert mark(game, "A3") == "△" and mark(game, "A1") == "△"
    assert mark(game, "B2") is None
    assert display(game).splitlines()[2] == " 3 △ O . . ."


def test_a_layout_is_spoiled_when_its_owner_may_not_play_either():
    # Black's chains around A1 have A1 and C1 as their only liberties beside White's stones.
    game = after("A2", "A3", "B1", "B2")
    assert mark(game, "A1") == "▲"
    line = [gtp_to_point(name, SIZE) for name in ("E5", "C1")]
    assert list(spoiled(game, line)) == [(gtp_to_point("A1", SIZE), 6, line[1])]
    words = prediction(game, line)
    assert "then it expects E5 C1" in words and "move 6, C1, spoils the layout at A1" in words
    assert mark(after("A2", "A3", "B1", "B2", "E5", "C1"), "A1") == "×"


def test_nothing_is_expected_of_no_move():
    assert "expects no move" in prediction(after("A2"), [])
