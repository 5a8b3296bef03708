"""The kit's fingerprint: ten seeded batches and three searches.

A refactoring must not change it. A change that means to, says so in CHANGELOG.md and writes the
new digests here: `python -m tests.golden.test_signature` prints them.
"""

import hashlib
import json

import numpy as np

from golois.data.dataset import Dataset
from golois.go.board import Board
from golois.search.tree import Tree
from tests.data import EMBEDDED_GAMES
from tests.fake_network import search

BATCHES = "eac62d4fb540c55348afc1e994f2fe1ec23ae8e66364e1fea2124ddcefbeaecb"
SEARCHES = "7fdd78fc5ed85fc2b3784fdb47e2105090fa8691baa3cf8f67e0187c7cedb683"

OPENINGS = ((), (60, 300, 72, 288), (180, 181, 161, 162, 199, 200, 160))


def batches_digest() -> str:
    """SHA-256 of all arrays of batches 0 … 9 of 16 rows, seed 2026."""
    dataset = Dataset(EMBEDDED_GAMES, seed=2026)
    digest = hashlib.sha256()
    for step in range(10):
        for array in dataset.sample(16, step):
            digest.update(array.astype(np.float32).tobytes())
    return digest.hexdigest()


def searches_digest() -> str:
    """SHA-256 of the root visits of searches of 400 visits from three openings."""
    visits = []
    for seed, opening in enumerate(OPENINGS):
        board = Board()
        for point in opening:
            board.play(point)
        tree = Tree(board, 7.5, seed=seed)
        search(tree, 400)
        visits.append([tree.visits().tolist(), round(tree.root_value_to_play, 6)])
    return hashlib.sha256(json.dumps(visits).encode()).hexdigest()


def test_ten_batches():
    assert batches_digest() == BATCHES


def test_three_searches():
    assert searches_digest() == SEARCHES


if __name__ == "__main__":
    print(f'BATCHES = "{batches_digest()}"\nSEARCHES = "{searches_digest()}"')
