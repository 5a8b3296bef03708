"""The leaves that a search hands out: their planes, and the cache that spares them."""

import hashlib
from collections import Counter

import numpy as np
import pytest

from golois.constants import NUM_POINTS
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE
from golois.records.packed_file import GameFile
from golois.search.tree import SearchOptions, Tree
from tests.data import EMBEDDED_GAMES
from tests.diagrams import board_after
from tests.fake_network import decided, hashed, search
from tests.games import moves_of
from tests.random_games import fighting_game

KOMI = 7.5
PLAIN = SearchOptions(random_symmetry=False, cache_positions=0)
LADDERS_AND_LIBERTIES, PRESENT_STONES, KOMI_PLANES = range(1, 11), (11, 12), range(21, 31)


def embedded_position(index: int, num_moves: int) -> Board:
    return board_after(moves_of(GameFile.open(EMBEDDED_GAMES)[index])[:num_moves])


def fight(seed: int) -> Board:
    return board_after(fighting_game(seed, 120))


def board_shown_by(planes: np.ndarray) -> Board:
    """The stones and the turn that planes show, without their past."""
    own, enemy = (BLACK, WHITE) if planes[0, 0, 0] == 1 else (WHITE, BLACK)
    board = Board()
    for colour, plane in zip((own, enemy), PRESENT_STONES, strict=True):
        for point in np.flatnonzero(planes[..., plane]):
            board.play_unchecked(int(point), colour)
    board.to_play = own
    return board


@pytest.mark.parametrize(
    "board",
    [Board(), embedded_position(3, 60), embedded_position(700, 150), embedded_position(1500, 230)]
    + [fight(seed) for seed in range(3)],
    ids=["empty", "60", "150", "230", "fight0", "fight1", "fight2"],
)
def test_leaves_show_the_planes_of_their_position(board):
    """What a node remembers of its ladders gives what reading all of them gives."""
    tree = Tree(board, KOMI, PLAIN)
    planes = np.empty((8, 19, 19, 31), np.float32)
    same = [*LADDERS_AND_LIBERTIES, *PRESENT_STONES, *KOMI_PLANES]
    for batch in range(1, 41):
        rows = planes[: tree.select(planes)]
        for row in rows:
            expected = board_shown_by(row).planes(KOMI)
            assert np.array_equal(row[..., same], expected[..., same])
        tree.apply(*decided(rows))
        if batch % 10 == 0:
            tree.advance(tree.best_move())


@pytest.mark.parametrize("seed", range(4))
def test_lines_in_the_tree_are_legal(seed):
    """Kos and captures on the way change what a later node may play."""
    board = fight(seed)
    tree = Tree(board, KOMI, seed=seed)
    search(tree, 600, decided)
    lengths = []
    for move in tree.root_moves().points:
        line = tree.principal_variation(int(move))
        copy = board.copy()
        for point in line:
            copy.play(point)  # raises for an illegal one, superko included
        lengths.append(len(line))
    assert max(lengths) >= 4


def few_moves(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same few moves everywhere, so that they come in many orders; arbitrary values."""
    policy = np.full((len(planes), NUM_POINTS), 1e-9, np.float32)
    policy[:, [60, 72, 180, 288, 300]] = 0.2
    return policy, hashed(planes)[1]


def search_leaf_by_leaf(options: SearchOptions, num_visits: int) -> tuple[Tree, Counter]:
    """A tree searched leaf by leaf, and how often each position was asked for."""
    tree = Tree(Board(), KOMI, options, seed=1)
    planes = np.empty((1, 19, 19, 31), np.float32)
    asked = Counter()
    while tree.num_visits < num_visits:
        rows = planes[: tree.select(planes)]
        asked.update(hashlib.sha256(row).digest() for row in rows)
        tree.apply(*few_moves(rows))
    return tree, asked


@pytest.mark.parametrize("random_symmetry", [False, True])
def test_a_cache_spares_evaluations_and_changes_nothing_else(random_symmetry):
    def options(cache_positions: int) -> SearchOptions:
        return SearchOptions(random_symmetry=random_symmetry, cache_positions=cache_positions)

    without, asked_without = search_leaf_by_leaf(options(0), 1500)
    cached, asked = search_leaf_by_leaf(options(10_000), 1500)
    assert without.num_cache_hits == 0 and asked_without.total() == 1500
    assert set(asked) == set(asked_without)
    assert cached.num_cache_hits == 1500 - asked.total() > 30
    assert cached.visits().tolist() == without.visits().tolist()
    assert cached.root_value_to_play == without.root_value_to_play
    assert cached.is_consistent()


def test_a_small_cache_forgets_and_stays_right():
    without, _ = search_leaf_by_leaf(PLAIN, 800)
    small, _ = search_leaf_by_leaf(SearchOptions(random_symmetry=False, cache_positions=3), 800)
    large, _ = search_leaf_by_leaf(SearchOptions(random_symmetry=False), 800)
    assert small.num_cache_hits < large.num_cache_hits
    assert small.visits().tolist() == without.visits().tolist()
