"""Small games whose winners are known, found again on the native core.

NoGo: the winners are those of Müller's page
(https://webdocs.cs.ualberta.ca/~mmueller/nogo/solving.html). Hex: up to 3×3 the slow game finds
the same openings. Go: van der Werf, "Solving Go on small boards", 2003.
"""

from functools import cache

import pytest

from golois.games.game import Game
from golois.games.rules import Go, Hex, NoGo
from golois.go.coords import BLACK, WHITE, opponent
from golois.go.symmetry import point_table
from tests.reference_games import ReferenceHex


@pytest.mark.parametrize(
    ("size", "winning"),
    [(2, range(4)), (3, range(9)), pytest.param(4, (), marks=pytest.mark.slow)],
)
def test_who_wins_nogo(size, winning):
    """The first player on 2×2 and 3×3, with any move; the second on 4×4."""
    assert Game(NoGo(size)).winning_moves() == list(winning)


@pytest.mark.parametrize(
    ("size", "winning"),
    [
        (2, [1, 2]),
        (3, [1, 2, 4, 6, 7]),
        pytest.param(4, [3, 6, 9, 12], marks=pytest.mark.slow),
    ],
)
def test_which_openings_win_hex(size, winning):
    """On 4×4 those of the short diagonal."""
    assert Game(Hex(size)).winning_moves() == winning


@pytest.mark.parametrize("size", [2, 3])
def test_the_slow_game_of_hex_has_the_same_winning_openings(size):
    @cache
    def wins(moves: frozenset[int], to_play: int, taken: frozenset[int]) -> bool:
        """Whether the side to move wins, whose opponent has taken these points."""
        game = ReferenceHex(Hex(size))
        stones = [to_play] * size**2
        for point in range(size**2):
            if point in moves:
                stones[point] = 0
            elif point in taken:
                stones[point] = opponent(to_play)
        game.states, game.to_play = [tuple(stones)], to_play
        if game.outcome_white() is not None:
            return False
        own = frozenset(range(size**2)) - moves - taken
        return any(not wins(moves - {m}, opponent(to_play), own | {m}) for m in moves)

    points = frozenset(range(size**2))
    winning = [p for p in sorted(points) if not wins(points - {p}, WHITE, frozenset({p}))]
    assert winning == Game(Hex(size)).winning_moves()


@pytest.mark.parametrize("size", [2, 3])
def test_with_the_swap_the_second_player_wins_hex(size):
    assert Game(Hex(size, swap=True)).winning_moves() == []


def test_an_opening_that_wins_hex_is_swapped():
    for opening in range(9):
        game = Game(Hex(3, swap=True))
        game.play(opening)
        winning = game.winning_moves()
        is_good = opening in Game(Hex(3)).winning_moves()
        assert (opening in winning) == is_good
        assert any(move != opening for move in winning) != is_good


def test_the_half_turn_maps_wins_of_hex_to_wins():
    game = Game(Hex(3))
    game.play(0)
    turned = Game(Hex(3))
    turned.play(8)
    half_turn = point_table(3)[3]
    assert sorted(half_turn[game.winning_moves()]) == turned.winning_moves() != []


def perft(game: Game, depth: int) -> int:
    """How many sequences of so many moves there are."""
    moves = game.candidates()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        game.play(move)
        total += perft(game, depth - 1)
        game.take_back()
    return total


@pytest.mark.parametrize(
    ("size", "counts"),
    [
        pytest.param(
            3, (9, 72, 496, 2_832, 12_768, 41_328, 80_352), marks=pytest.mark.slow
        ),
        (4, (16, 240, 3_352, 43_264, 511_776)),
        (5, (25, 600, 13_792, 302_896)),
    ],
)
def test_how_many_games_of_nogo_there_are(size, counts):
    """As counted by another program that knows boards as tuples only."""
    game = Game(NoGo(size))
    assert tuple(perft(game, depth) for depth in range(1, len(counts) + 1)) == counts


def proves(game: Game, colour: int, points: int, depth: int) -> bool:
    """Whether a colour can be at least so many points ahead, shown within so many moves.

    Points that are settled for the opponent can't become the colour's any more, and the other way
    round: that ends most lines.
    """
    board, area = game.board(), game.size**2
    ours, theirs = (int((board.settled() == c).sum()) for c in (colour, opponent(colour)))
    if 2 * ours - area >= points:
        return True
    if area - 2 * theirs < points:
        return False
    if game.is_over:
        return (board.score_black() if colour == BLACK else -board.score_black()) >= points
    is_own = game.to_play == colour
    for move in from_the_middle(game) if depth > 0 else ():
        game.play(move)
        succeeds = proves(game, colour, points, depth - 1)
        game.take_back()
        if succeeds == is_own:
            return is_own
    return depth > 0 and not is_own


def from_the_middle(game: Game) -> list[int]:
    """The candidates, the pass first."""
    middle = (game.size - 1) / 2

    def distance(move: int) -> float:
        row, column = divmod(move, game.size)
        return abs(row - middle) + abs(column - middle) if move < game.pass_point else -1

    return sorted(game.candidates(), key=distance)


@pytest.mark.parametrize(
    ("size", "colour", "points"),
    [(2, BLACK, 1), (2, WHITE, -1), pytest.param(3, BLACK, 9, marks=pytest.mark.slow)],
)
def test_what_go_is_worth_on_tiny_boards(size, colour, points):
    """2×2 one point to Black, who can't have more; 3×3 all nine."""
    game = Game(Go(size, komi=0.0))
    assert any(proves(game, colour, points, depth) for depth in range(1, 16, 2))
