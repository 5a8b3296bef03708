"""The networks and players of the page; each takes one by one the requests that come at once."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from golois.constants import BOARD_SIZE
from golois.games.game import Game
from golois.games.rules import Go
from golois.kit.command import escaped
from golois.kit.run_folder import named_by, network_file
from golois.search.tree import SearchOptions, Tree, arena_game
from tournament.board.asked import Asked
from tournament.errors import NetworkError, OptionsError, RequestError
from tournament.intake.artefact import open_network
from tournament.networks.evaluator import Evaluator
from tournament.networks.runtimes import BF16, FLOAT32
from tournament.players.limits import Limits
from tournament.players.protocol import Choice, Player, Resignation
from tournament.players.registry import find_player
from tournament.players.search import Search
from tournament.review.game_review import PositionReview, position_review

NUM_CANDIDATES = 5
WAIT_SECONDS = 0.1  # between two looks at whether whoever waits for a network is still there

Stay = Callable[[], None]
"""Called again and again during long work; it raises what ends the work."""


class SharedNetwork:
    """A network that evaluates for one request at a time; the others wait."""

    def __init__(self, name: str, evaluator: Evaluator):
        self.name = name
        self._evaluator = evaluator
        self._lock = threading.Lock()

    def look(self, asked: Asked, first: int, stay: Stay) -> tuple[np.ndarray, list[float]]:
        """Evaluate the positions of a game from `first` moves up to the asked position.

        Returns:
            The policy of the asked position, float32 [361], and P(White wins) of each position.

        Raises:
            IllegalMoveError: a move that docs/teacher/rules.md forbids.
            NetworkError: the network failed.
        """
        policies, values = [], []
        with _reserved(self._lock, stay):
            for evaluator, planes in self._batches(asked, first):
                stay()
                policy, value = evaluator.evaluate(planes)
                if not (np.isfinite(policy).all() and np.isfinite(value).all()):
                    raise NetworkError("the network answered with numbers that are not finite")
                policies.append(policy[-1])
                values += value.tolist()
        return policies[-1], values

    def _batches(self, asked: Asked, first: int) -> Iterator[tuple[Evaluator, np.ndarray]]:
        """Yield the planes of all positions, as many at a time as the network takes."""
        rows, num_rows = self._evaluator.planes, 0
        for ply, board in enumerate(asked.game.boards(first), start=first):
            evaluator, game = self._evaluator.of_game(arena_game(board, asked.komi))
            rows[num_rows] = game.planes()
            num_rows += 1
            if ply == asked.ply or num_rows == len(rows):
                yield evaluator, rows[:num_rows]
                num_rows = 0
            if ply == asked.ply:
                return

    def search(self, asked: Asked, limits: Limits, stay: Stay) -> tuple[Choice, PositionReview]:
        """Choose a move as the league's player does, in a new tree, and say what the search saw.

        Equal questions have equal answers under a limit of visits.

        Raises:
            IllegalMoveError: a move that docs/teacher/rules.md forbids.
            NetworkError: the network failed.
        """

        def go_on(tree: Tree) -> bool:
            stay()
            return True

        board = asked.game.replay(asked.ply)
        with _reserved(self._lock, stay):
            # The time of this thread is the network's, whatever the other one does meanwhile.
            search = Search(self._evaluator, SearchOptions(), limits, 0, time.thread_time)
            if limits.seconds is not None:
                search.warm_up()
            tree = search.think(board, asked.komi, go_on=go_on)
            choice = search.choice(tree.best_move(), tree.root_value_to_play)
        return choice, position_review(tree, board.to_play, NUM_CANDIDATES)


class SharedPlayer:
    """A player by name, such as a program, that chooses for one request at a time, unlimited."""

    def __init__(self, name: str, player: Player):
        self.name = name
        self._player = player
        self._lock = threading.Lock()

    def search(self, asked: Asked, limits: Limits, stay: Stay) -> tuple[Choice, None]:
        """Choose a move.

        Raises:
            IllegalMoveError: a move of the game that docs/teacher/rules.md forbids.
            EngineError: the program failed.
            RequestError: the player resigns.
        """
        rules = Go(BOARD_SIZE, asked.komi, passes="arena")
        game = Game(rules, asked.game.replay(asked.ply))
        with _reserved(self._lock, stay):
            try:
                return self._player.choose(game), None
            except Resignation:
                raise RequestError(f"{self.name} resigns") from None


@contextmanager
def _reserved(lock: threading.Lock, stay: Stay) -> Iterator[None]:
    while not lock.acquire(timeout=WAIT_SECONDS):
        stay()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def open_players(names: Sequence[str]) -> Iterator[list[SharedPlayer]]:
    """Open players by their names (tournament.players.registry) for as long as the context lasts.

    Raises:
        OptionsError: an unknown name, or a program that is not installed.
        DataFormatError: a file that is no network of FishNet.
    """
    openers = [find_player(name, Go(BOARD_SIZE)) for name in names]
    with ExitStack() as opened:
        yield [
            SharedPlayer(escaped(name), opened.enter_context(opener(True))(0))
            for name, opener in zip(names, openers, strict=True)
        ]


def open_networks(
    paths: Sequence[Path], batch_size: int | None = None, precision: str = FLOAT32
) -> list[SharedNetwork]:
    """Return the networks of .h5 and .keras files, artefacts, or folders with a best.h5.

    Batch size None means what suits each network. bf16 shows in the networks' names.

    Raises:
        OptionsError: a file twice, too large a batch, or a precision that this machine lacks.
        NetworkError: the runtime or the intake refuses a file.
        IntakeError: this machine cannot judge.
        OSError: a file cannot be read.
    """
    files = [network_file(path) for path in paths]
    names = names_of([path.resolve() for path in files])
    if precision == BF16:
        names = [f"{name} ({BF16})" for name in names]
    opened = [
        open_network(path, batch_size, is_timed=True, precision=precision).evaluator
        for path in files
    ]
    return [SharedNetwork(*pair) for pair in zip(names, opened, strict=True)]


def names_of(files: Sequence[Path]) -> list[str]:
    """Return a name for each file, with as many of its folders as tell it from the others.

    The network of a run has the name of its folder. Bytes that are no UTF-8 are escaped. A file
    that is given twice raises an OptionsError.
    """
    telling = list(map(named_by, files))
    telling = [
        file if telling.count(path) > 1 else path
        for file, path in zip(files, telling, strict=True)
    ]
    num_parts = [1] * len(files)
    while True:
        names = [
            "/".join(path.parts[-num:]) for path, num in zip(telling, num_parts, strict=True)
        ]
        repeated = {name for name, count in Counter(names).items() if count > 1}
        if not repeated:
            return list(map(escaped, names))
        for i, path in enumerate(telling):
            if names[i] in repeated:
                if num_parts[i] > len(path.parts):
                    raise OptionsError(f"{files[i]} is given twice")
                num_parts[i] += 1
