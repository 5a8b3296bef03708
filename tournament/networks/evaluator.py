"""What the search asks of a network, and the networks that answer it."""

import logging
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np
from typing_extensions import override

from golois.constants import BOARD_SIZE, NUM_PLANES, NUM_POINTS, PLANES_SHAPE, TOURNAMENT_KOMI
from golois.games.game import Game
from golois.games.rules import Go
from golois.go.symmetry import INVERSE, NUM_SYMMETRIES, point_table
from golois.katago.answers import answers_of
from golois.katago.inputs import KatagoRules, search_inputs
from golois.katago.reading import katago_suffix, read_network
from tournament.errors import NetworkError, OptionsError
from tournament.networks.katago import KataGoNetwork
from tournament.networks.runtimes import (
    BF16,
    BF16_RUNTIME,
    DEFAULT_RUNTIME,
    FLOAT32,
    compile_network,
    installed_runtimes,
)
from tournament.networks.tuning import DEFAULT_BATCH_SIZE, MAX_BATCH_SIZE, read_tuning

NUM_SAMPLES = 8
KATAGO_GO = Go(BOARD_SIZE, TOURNAMENT_KOMI, planes="katago")


class Evaluator(Protocol):
    """Evaluates positions in batches of at most `batch_size`.

    A search may write its leaves straight into `planes`, float32 [batch_size, *planes_shape], and
    evaluate `planes[:k]`; other planes are copied there first. In the arena the shape is [19, 19,
    31], and a policy has 361 numbers.
    """

    batch_size: int
    planes: np.ndarray

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (policy, value_white) of float32 planes [k, *planes_shape], 1 ≤ k ≤ batch_size.

        `policy` is [k, policy_size], probabilities of the points, then of the pass if there is one;
        `value_white` is [k], P(White wins) in [0, 1]. Illegal moves are not masked. The arrays
        belong to the caller. A failing runtime, or planes of another shape, raise a NetworkError.
        """

    def of_game(self, game: Game) -> "tuple[Evaluator, Game]":
        """Return what evaluates positions of a game, and the game with the planes for it.

        Raises:
            NetworkError: the network doesn't play this game.
        """
        return self, game


class NetworkEvaluator(Evaluator):
    """An artefact of the intake on a runtime, compiled and warm for batches of one and of all.

    More positions than one cost as much as a whole batch. All of its time is processor time of the
    calling thread, so that a CPU clock sees it. Not safe for two threads at once.
    """

    def __init__(
        self,
        model: bytes,
        batch_size: int = DEFAULT_BATCH_SIZE,
        runtime: str = DEFAULT_RUNTIME,
        planes_shape: tuple[int, int, int] = PLANES_SHAPE,
        policy_size: int = NUM_POINTS,
        precision: str = FLOAT32,
    ) -> None:
        """Raise NetworkError for a wrong artefact or shape, OptionsError for too large a batch."""
        _require_small(batch_size)
        self.batch_size = batch_size
        self.planes = np.zeros((batch_size, *planes_shape), np.float32)
        self._run_batch = compile_network(runtime, model, self.planes, precision)
        self._run_one = (
            self._run_batch
            if batch_size == 1
            else compile_network(runtime, model, self.planes[:1], precision)
        )
        for run in 2 * (self._run_batch, self._run_one):  # memory is planned in the second run
            policy, _ = run()
        if policy.shape[1] != policy_size:
            raise NetworkError(
                f"the network answers with a policy of {policy.shape[1]} numbers, not {policy_size}"
            )

    @override
    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        size = len(planes)
        if not self._is_in_place(planes):
            if planes.shape[1:] != self.planes.shape[1:]:
                raise NetworkError(
                    f"the network reads planes {self.planes.shape[1:]}, not {planes.shape[1:]}"
                )
            self.planes[:size] = planes
        policy, value = self._run_one() if size == 1 else self._run_batch()
        return policy[:size].copy(), value[:size, 0].copy()

    def _is_in_place(self, planes: np.ndarray) -> bool:
        return planes is self.planes or (
            planes.ctypes.data == self.planes.ctypes.data
            and planes.strides == self.planes.strides
            and planes.dtype == self.planes.dtype
        )


class SymmetricEvaluator(Evaluator):
    """Gives the mean of a network's answers on a position's symmetries, which form a group.

    A position costs as many evaluations. A turned position gets the same value and the turned
    policy, to within the rounding of float32. A pass stays a pass.
    """

    def __init__(self, evaluator: Evaluator, symmetries: Sequence[int] = range(NUM_SYMMETRIES)):
        self._evaluator = evaluator
        self.batch_size = evaluator.batch_size
        self.planes = np.zeros_like(evaluator.planes)
        points = point_table(self.planes.shape[1])
        # Point p of a board that symmetry s turned was point _came_from[s, p].
        self._came_from = points[[INVERSE[symmetry] for symmetry in symmetries]]
        passes = np.full((len(symmetries), 1), points.shape[1])
        self._moves = np.hstack([points[list(symmetries)], passes])

    @override
    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        num_rows, num_symmetries = len(planes), len(self._moves)
        points = planes.reshape(num_rows, -1, planes.shape[-1])
        turned = points[:, self._came_from].reshape(-1, *planes.shape[1:])
        batches = range(0, len(turned), self.batch_size)
        answers = [self._evaluator.evaluate(turned[at : at + self.batch_size]) for at in batches]
        policies, values = (np.concatenate(parts) for parts in zip(*answers, strict=True))
        policies = policies.reshape(num_rows, num_symmetries, -1)
        moves = self._moves[np.newaxis, :, : policies.shape[2]]
        turned_back = np.take_along_axis(policies, moves, axis=2)
        return _mean(turned_back), _mean(values.reshape(num_rows, num_symmetries))

    @override
    def of_game(self, game: Game) -> tuple[Evaluator, Game]:
        turned = copy(self)
        turned._evaluator, seen = self._evaluator.of_game(game)
        return turned, seen


class KatagoEvaluator(Evaluator):
    """A KataGo network, for games of Go on 19×19 with positional superko.

    It reads the planes of `Go(19, komi, planes="katago")`, which lack the komi; `of_game` sets the
    komi and the size of the policy. The policy is the plain one, not KataGo's optimistic one. One
    network may serve several games. Not safe for two threads at once.
    """

    def __init__(
        self, path: str | Path, batch_size: int = DEFAULT_BATCH_SIZE, precision: str = FLOAT32
    ) -> None:
        """See NetworkEvaluator; raise DataFormatError for a file of something else."""
        _require_small(batch_size)
        self.batch_size = batch_size
        self._network = read_network(path)
        if self._network.pass_alive:
            raise NetworkError(
                f"{path}: the network counts pass-alive areas, which the search does not show"
            )
        self.planes = np.zeros((batch_size, *Game(KATAGO_GO).planes_shape), np.float32)
        self._predict = KataGoNetwork(self._network, batch_size, precision)
        self._komi, self._policy_size = KATAGO_GO.komi, NUM_POINTS

    @override
    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if planes.shape[1:] != self.planes.shape[1:]:
            raise NetworkError(f"the network reads planes of KataGo, not {planes.shape[1:]}")
        positions = search_inputs(planes, self._komi, self._policy_size)
        raw = self._predict(positions.planes, positions.globals)
        answers = answers_of(self._network, raw, positions)
        return answers.policy[:, : self._policy_size], answers.white_wins

    @override
    def of_game(self, game: Game) -> tuple[Evaluator, Game]:
        rules = game.rules
        if not (isinstance(rules, Go) and rules.size == BOARD_SIZE):
            raise NetworkError(f"a network of KataGo plays Go on 19×19, not {rules}")
        KatagoRules(rules.komi)
        own = copy(self)
        own._komi, own._policy_size = rules.komi, game.policy_size
        return own, Game(replace(rules, planes=KATAGO_GO.planes), game.board())


def open_evaluator(
    onnx_path: str | Path,
    batch_size: int | None = None,
    game: Game | None = None,
    precision: str = FLOAT32,
) -> NetworkEvaluator | KatagoEvaluator:
    """Open an artefact with the tuned runtime, or with a warning the default if that is missing.

    None means the tuned batch size and the arena's game. bf16 and the networks of KataGo run on
    OpenVINO alone.

    Raises:
        NetworkError: the artefact cannot be opened, or is for another game.
        OptionsError: the batch is too large.
        DataFormatError: a file with a suffix of KataGo's is no network of KataGo.
    """
    if katago_suffix(onnx_path):
        return KatagoEvaluator(onnx_path, batch_size or DEFAULT_BATCH_SIZE, precision)
    try:
        model = Path(onnx_path).read_bytes()
    except OSError as error:
        raise NetworkError(f"cannot read the artefact {onnx_path}: {error.strerror}") from error
    tuning = read_tuning(onnx_path)
    runtime = BF16_RUNTIME if precision == BF16 else tuning.runtime
    if precision == FLOAT32 and runtime not in installed_runtimes():
        logging.getLogger(__name__).warning(
            "%s is not installed: the network %s, tuned to it, runs on %s",
            runtime,
            Path(onnx_path).stem[:12],
            DEFAULT_RUNTIME,
        )
        runtime = DEFAULT_RUNTIME
    planes_shape = game.planes_shape if game else PLANES_SHAPE
    policy_size = game.policy_size if game else NUM_POINTS
    batch_size = batch_size or tuning.batch_size
    return NetworkEvaluator(model, batch_size, runtime, planes_shape, policy_size, precision)


def _require_small(batch_size: int) -> None:
    if batch_size > MAX_BATCH_SIZE:
        raise OptionsError(
            f"a batch must have at most {MAX_BATCH_SIZE:,} positions, not {batch_size}"
        )


def _mean(answers: np.ndarray) -> np.ndarray:
    return answers.mean(axis=1, dtype=np.float64).astype(np.float32)


def sample_positions(planes_shape: tuple[int, int, int] = PLANES_SHAPE) -> np.ndarray:
    """Return eight fixed inputs [8, *planes_shape].

    Those of 31 planes look like positions of a game of komi 7.5, others are random.
    """
    rng = np.random.default_rng(19)
    if planes_shape[2] != NUM_PLANES:
        return (rng.random((NUM_SAMPLES, *planes_shape)) < 0.2).astype(np.float32)
    planes = np.zeros((NUM_SAMPLES, *planes_shape), np.float32)
    for number, board in enumerate(planes):
        stones = rng.choice(3, size=planes_shape[:2], p=(1 - number / 10, number / 20, number / 20))
        board[..., 0] = number % 2
        for plane in range(1, 11):
            board[..., plane] = (stones > 0) & (rng.random(stones.shape) < 0.2)
        for plane in range(11, 21):
            board[..., plane] = stones == 1 + (plane + 1) % 2
        board[..., 28] = 1
    return planes
