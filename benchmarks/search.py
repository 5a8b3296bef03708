"""What the search costs beyond its network, and what it gains over a plainly written search.

Named peers: the network alone, which evaluates batches of the same size again and again; and PUCT
in plain Python that asks Keras' `predict` for one leaf at a time. Rounds of them alternate. Time is
processor time of the process. `tree` is a visit of the same searches once more with the network's
answers from memory: the tree, the planes and the player's Python. `in network` is the evaluator's
part of a search's time. `hits` are playouts that the cache answered, in games of ten moves of 400
visits.

    python -m benchmarks.search [NET.h5|NET.onnx …] [--visits 3200] [--rounds 3] [--batch-size N]
                                                   without files: the registry's networks, untrained
"""

import argparse
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import DATA, saved_presets, show
from golois.games.game import Game
from golois.games.rules import Go
from golois.go.board import Board
from golois.go.coords import WHITE
from golois.records.packed_file import GameFile
from golois.search.tree import SearchOptions, Tree
from tournament.board.networks import names_of
from tournament.intake.artefact import open_network
from tournament.networks.evaluator import Evaluator
from tournament.players.limits import Limits
from tournament.players.puct import PuctPlayer

KOMI = 7.5
PLIES = (10, 50, 90, 130, 170, 210)  # where the searches begin, each in a game of its own
GAME_MOVES, GAME_VISITS = 10, 400
PLAIN_VISITS = 12


def starting_boards() -> list[Board]:
    games = GameFile.open(DATA)
    boards = []
    for index, num_plies in enumerate(PLIES):
        board = Board()
        for colour, point in games[100 * index].moves[:num_plies]:
            board.play(point, colour)
        boards.append(board)
    return boards


def cpu_seconds(work: Callable[..., object], *arguments: Any) -> float:
    started = time.process_time()
    work(*arguments)
    return time.process_time() - started


class TimedEvaluator(Evaluator):
    """An evaluator that adds up its processor time and remembers its answers."""

    def __init__(self, evaluator: Evaluator):
        self.batch_size, self.planes = evaluator.batch_size, evaluator.planes
        self.seconds = 0.0
        self.answers: list[tuple[np.ndarray, np.ndarray]] = []
        self._evaluator = evaluator

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        started = time.process_time()
        answer = self._evaluator.evaluate(planes)
        self.seconds += time.process_time() - started
        self.answers.append(answer)
        return answer


class Replay(Evaluator):
    """An evaluator that gives the answers of another one again, in their order."""

    def __init__(self, recorded: TimedEvaluator):
        self.batch_size, self.planes = recorded.batch_size, recorded.planes
        self._answers = iter(recorded.answers)

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return next(self._answers)


def search_all(evaluator: Evaluator, boards: Sequence[Board], num_visits: int) -> None:
    """One search from each board, as the league's player searches."""
    for seed, board in enumerate(boards):
        player = PuctPlayer(evaluator, SearchOptions(), Limits(visits=num_visits), seed)
        player.choose(Game(Go(19, KOMI, passes="arena"), board))


def evaluate_alone(evaluator: Evaluator, num_batches: int) -> None:
    for _ in range(num_batches):
        evaluator.evaluate(evaluator.planes)


@dataclass
class Costs:
    """Of each round, processor seconds of an evaluation alone, and of a playout."""

    alone: list[float] = field(default_factory=list)
    search: list[float] = field(default_factory=list)
    tree: list[float] = field(default_factory=list)
    share_in_network: list[float] = field(default_factory=list)

    def add_round(self, evaluator: Evaluator, boards: Sequence[Board], num_visits: int) -> None:
        """The network alone before and after the searches, the searches, and their replay."""
        num_playouts = num_visits * len(boards)
        num_batches = num_playouts // (2 * evaluator.batch_size)
        timed = TimedEvaluator(evaluator)
        before = cpu_seconds(evaluate_alone, evaluator, num_batches)
        search = cpu_seconds(search_all, timed, boards, num_visits)
        after = cpu_seconds(evaluate_alone, evaluator, num_batches)
        tree = cpu_seconds(search_all, Replay(timed), boards, num_visits)
        self.alone.append((before + after) / (2 * num_batches * evaluator.batch_size))
        self.search.append(search / num_playouts)
        self.tree.append(tree / num_playouts)
        self.share_in_network.append(timed.seconds / search)

    @property
    def visits_of_evaluations(self) -> float:
        """Visits a second by evaluations a second, the median of the rounds."""
        pairs = zip(self.alone, self.search, strict=True)
        return statistics.median(alone / search for alone, search in pairs)


def cache_hits(evaluator: Evaluator, boards: Sequence[Board]) -> float:
    """The share of playouts that the cache answered, in games that keep their tree."""
    num_hits = num_playouts = 0
    for seed, board in enumerate(boards):
        tree = Tree(board, KOMI, SearchOptions(), seed)
        for _ in range(GAME_MOVES):
            num_playouts += max(0, GAME_VISITS - tree.num_visits)
            while (missing := GAME_VISITS - tree.num_visits) > 0:
                rows = evaluator.planes[:missing]
                if num_leaves := tree.select(rows):
                    tree.apply(*evaluator.evaluate(rows[:num_leaves]))
            tree.advance(tree.best_move())
        num_hits += tree.num_cache_hits
    return num_hits / num_playouts


@dataclass
class PlainNode:
    """A node of the plain search; children by their moves."""

    prior: float
    visits: int = 0
    value_white_sum: float = 0.0
    children: dict[int, "PlainNode"] = field(default_factory=dict)

    def value_for(self, colour: int) -> float:
        value_white = 2 * self.value_white_sum / self.visits - 1
        return value_white if colour == WHITE else -value_white


def plain_search(
    game: Game,
    evaluate: Callable[[np.ndarray], tuple[np.ndarray, float]],
    num_visits: int,
    options: SearchOptions,
) -> PlainNode:
    """PUCT as one writes it first: a game is copied a playout, a leaf is evaluated at a time.

    It knows no batches and no symmetries; else its visits are those of the tree. `evaluate` answers
    planes [n, n, planes] with a policy and P(White wins).
    """
    root = PlainNode(1.0)
    for _ in range(num_visits):
        position, path = game.copy(), [root]
        while path[-1].children:
            move = best_move(path[-1], position.to_play, options)
            position.play(move)
            path.append(path[-1].children[move])
        if position.is_over:
            value_white = position.outcome_white
        else:
            policy, value_white = evaluate(position.planes())
            path[-1].children = unvisited_children(position.candidates(), policy)
        for node in path:
            node.visits += 1
            node.value_white_sum += value_white
    return root


def unvisited_children(moves: list[int], policy: np.ndarray) -> dict[int, PlainNode]:
    """The moves by their priors; a pass that no policy has weighs as much as all of one."""
    priors = np.append(policy, 1)[moves]
    shares = zip(moves, priors / priors.sum(), strict=True)
    return {move: PlainNode(share) for move, share in shares}


def best_move(node: PlainNode, to_play: int, options: SearchOptions) -> int:
    """The move that PUCT chooses."""
    growth = math.log((node.visits + options.c_puct_base) / options.c_puct_base)
    weight = (options.c_puct + options.c_puct_log * growth) * math.sqrt(max(1, node.visits - 1))
    visited = sum(child.prior for child in node.children.values() if child.visits)
    urgency = node.value_for(to_play) - options.fpu_reduction * math.sqrt(visited)

    def score(move: int) -> float:
        child = node.children[move]
        value = child.value_for(to_play) if child.visits else urgency
        return value + weight * child.prior / (1 + child.visits)

    return max(node.children, key=score)


def plain_visits_per_second(path: Path, boards: Sequence[Board]) -> float:
    """Of plain_search with the file's network in Keras."""
    from models.training.quiet import import_keras_quietly

    import_keras_quietly()
    from models.catalogue.saved import open_network

    model = open_network(path)
    outputs = [model.output_names.index(name) for name in ("policy", "value")]

    def evaluate(planes: np.ndarray) -> tuple[np.ndarray, float]:
        answers = model.predict(planes[None], verbose=0)
        policy, value = (answers[index][0] for index in outputs)
        return policy, float(value[0])

    games = [Game(Go(board.size, KOMI, passes="arena"), board) for board in boards]
    evaluate(games[0].planes())
    seconds = [
        cpu_seconds(plain_search, game, evaluate, PLAIN_VISITS, SearchOptions()) for game in games
    ]
    return PLAIN_VISITS / statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="*", type=Path)
    parser.add_argument("--visits", type=int, default=3200, help="of each of six searches")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch-size", type=int, help="default: as tuned to this machine")
    arguments = parser.parse_args()

    boards = starting_boards()
    with tempfile.TemporaryDirectory() as folder:
        paths = arguments.networks or saved_presets(Path(folder), "resnet", "mixnet", "restnet")
        names = names_of([path.resolve() for path in paths])
        measured = [  # before Keras is loaded
            measure(*pair, boards, arguments) for pair in zip(names, paths, strict=True)
        ]
        for path, (figures, visits_per_second) in zip(paths, measured, strict=True):
            if path.suffix == ".h5":  # Keras opens no artefact
                peer = plain_visits_per_second(path, boards)
                figures += [f"{peer:.1f}", f"{visits_per_second / peer:,.0f}×"]
    show(
        f"six searches of {arguments.visits} visits, {arguments.rounds} rounds",
        "network | batch | network/s | visits/s | ratio | in network | tree µs | hits | plain/s "
        "| gain",
        [figures for figures, _ in measured],
    )


def measure(
    name: str, path: Path, boards: Sequence[Board], arguments: argparse.Namespace
) -> tuple[list[str], float]:
    """A network's figures for the table, and its visits a second."""
    evaluator = open_network(path, arguments.batch_size, is_timed=True).evaluator
    costs = Costs()
    for _ in range(arguments.rounds):
        costs.add_round(evaluator, boards, arguments.visits)
    visits_per_second = 1 / statistics.median(costs.search)
    figures = [
        name,
        str(evaluator.batch_size),
        f"{1 / statistics.median(costs.alone):,.0f}",
        f"{visits_per_second:,.0f}",
        f"{costs.visits_of_evaluations:.1%}",
        f"{statistics.median(costs.share_in_network):.1%}",
        f"{1e6 * statistics.median(costs.tree):.1f}",
        f"{cache_hits(evaluator, boards):.1%}",
    ]
    return figures, visits_per_second


if __name__ == "__main__":
    main()
