"""A native handle serves one thread at a time; a data set, which never changes, serves them all."""

import io
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from golois.data.dataset import Batch, Dataset
from golois.errors import ConcurrentUseError
from golois.games.game import Game
from golois.games.rules import Go, NoGo
from golois.go.board import Board
from golois.go.coords import BLACK
from golois.native import Exclusive
from golois.records.packing import Packer
from golois.search.selfplay import SelfPlay
from golois.search.tree import Tree
from tests.data import EMBEDDED_GAMES
from tests.games import SHORT_GAME

BOARD_CALLS = {
    "play": lambda board: board.play(0),
    "play_unchecked": lambda board: board.play_unchecked(0),
    "is_legal": lambda board: board.is_legal(0, BLACK),
    "legal_moves": lambda board: board.legal_moves(),
    "to_play": lambda board: board.to_play,
    "num_moves": lambda board: board.num_moves,
    "ko_point": lambda board: board.ko_point,
    "key": lambda board: board.key,
    "stones": lambda board: board.stones(),
    "num_liberties": lambda board: board.num_liberties(),
    "area": lambda board: board.area(),
    "planes": lambda board: board.planes(7.5),
    "is_consistent": lambda board: board.is_consistent(),
    "copy": lambda board: board.copy(),
    "a tree of it": lambda board: Tree(board, 7.5),
}
GAME_CALLS = {
    "play": lambda game: game.play(0),
    "take_back": lambda game: game.take_back(),
    "is_legal": lambda game: game.is_legal(0),
    "legal_moves": lambda game: game.legal_moves(),
    "candidates": lambda game: game.candidates(),
    "is_over": lambda game: game.is_over,
    "outcome_white": lambda game: game.outcome_white,
    "stones": lambda game: game.stones(),
    "planes": lambda game: game.planes(),
    "board": lambda game: game.board(),
    "winning_moves": lambda game: game.winning_moves(),
    "copy": lambda game: game.copy(),
    "a tree of it": lambda game: Tree(game),
}
TREE_CALLS = {
    "select": lambda tree: tree.select(np.empty((1, 19, 19, 31), np.float32)),
    "apply": lambda tree: tree.apply(np.empty((0, 361), np.float32), np.empty(0, np.float32)),
    "advance": lambda tree: tree.advance(0),
    "visits": lambda tree: tree.visits(),
    "num_visits": lambda tree: tree.num_visits,
    "root_value_to_play": lambda tree: tree.root_value_to_play,
    "best_move": lambda tree: tree.best_move(),
    "start_race": lambda tree: tree.start_race(),
    "select_race": lambda tree: tree.select_race(np.empty((1, 19, 19, 31), np.float32), 1),
    "race_winner": lambda tree: tree.race_winner(),
    "improved_policy": lambda tree: tree.improved_policy(),
}
SELFPLAY_CALLS = {
    "collect": lambda games: games.collect(np.empty((64, 5, 5, 21), np.float32)),
    "answer": lambda games: games.answer(np.empty((0, 25)), np.empty(0)),
    "finished": lambda games: games.finished(),
    "num_moves": lambda games: games.num_moves,
}
PACKER_CALLS = {
    "begin_source": lambda packer: packer.begin_source("here", "source"),
    "feed": lambda packer: packer.feed(SHORT_GAME.encode()),
    "end_source": lambda packer: packer.end_source(),
    "num_games": lambda packer: packer.num_games,
    "num_positions": lambda packer: packer.num_positions,
    "dropped": lambda packer: packer.dropped(),
    "reports": lambda packer: packer.reports(),
    "drops": lambda packer: packer.drops(),
    "assumptions": lambda packer: packer.assumptions(),
    "finish": lambda packer: packer.finish({}),
}


def in_other_thread(call):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


@pytest.mark.parametrize(
    ("make", "call"),
    [
        pytest.param(make, call, id=f"{kind} {name}")
        for kind, make, calls in (
            ("Board", Board, BOARD_CALLS),
            ("Game", lambda: Game(Go(5)), GAME_CALLS),
            ("Tree", lambda: Tree(Board(), 7.5), TREE_CALLS),
            ("SelfPlay", lambda: SelfPlay(NoGo(5)), SELFPLAY_CALLS),
            ("Packer", lambda: Packer(io.BytesIO()), PACKER_CALLS),
        )
        for name, call in calls.items()
    ],
)
def test_a_call_that_meets_another_thread_is_refused(make, call):
    owner = make()
    name = type(owner).__name__
    with owner._exclusive, pytest.raises(ConcurrentUseError, match=f"two threads use one {name}"):
        in_other_thread(lambda: call(owner))


def test_a_refused_move_leaves_the_board_as_it_was():
    board = Board()
    with board.exclusive, pytest.raises(ConcurrentUseError):
        in_other_thread(lambda: board.play(72))
    assert board.num_moves == 0 and board.moves == []
    in_other_thread(lambda: board.play(72))
    assert board.moves == [(BLACK, 72)]


def test_a_handle_is_free_again_after_an_error():
    exclusive = Exclusive("handle", "Thing")
    with pytest.raises(ZeroDivisionError), exclusive:
        raise ZeroDivisionError
    with exclusive as handle:
        assert handle == "handle"


def test_only_one_of_many_threads_has_the_handle():
    """Each thread counts with a pause between reading and writing; two at once would spoil it."""
    exclusive, counts, taken = Exclusive(None, "Thing"), [0], []

    def count():
        for _ in range(2000):
            try:
                with exclusive:
                    before = counts[0]
                    taken.append(True)
                    counts[0] = before + 1
            except ConcurrentUseError:
                pass

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts[0] == len(taken) > 0


def test_threads_may_share_a_dataset():
    dataset = Dataset(EMBEDDED_GAMES, seed=11, threads=2)
    expected = [dataset.sample(64, step) for step in range(4)]
    with ThreadPoolExecutor(4) as pool:
        batches = list(pool.map(lambda step: dataset.sample(64, step), [*range(4)] * 3))
    for step, batch in enumerate(batches):
        for name in Batch._fields:
            np.testing.assert_array_equal(
                getattr(batch, name), getattr(expected[step % 4], name), err_msg=name
            )
