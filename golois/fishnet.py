"""FishNet: Blair's network of 714 weights plays Go by what it says of each position it can move to.

    from golois.fishnet import FishNet, IsnNetwork
    game = FishNet(IsnNetwork(weights, size=9))
    game.play(40, BLACK)
    game.values()          what each of White's moves would be worth to White

docs/selfplay.md has the scoring, the inputs and how the weights are learned.

Source: Blair, "Learning the game of Go with Internal Symmetry Networks", 2009. Its White is the
player in view here: one network plays both colours, each as its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from golois.errors import ArgumentError, GoloisError, IllegalMoveError
from golois.irreps import Fields, Sharing, share_kernel
from golois.native import Exclusive, buffer, check, ffi, last_error, lib

_MAX_DEPTH = 32
NUM_INPUTS = 14
NUM_OUTPUTS = 7
HIDDEN = Fields(T=4, S=2, D=2, F=2)

EMPTY_POINT, OWN_STONE, ENEMY_STONE = range(3)
"""The states of a point, as a player sees it."""

_SHARINGS = (
    share_kernel(Fields(T=NUM_INPUTS), HIDDEN, 3),
    share_kernel(HIDDEN, Fields(T=NUM_OUTPUTS), 3),
    share_kernel(Fields(T=NUM_INPUTS), Fields(T=NUM_OUTPUTS), 3),
)
NUM_WEIGHTS = sum(sharing.num_free for sharing in _SHARINGS)
"""Those from inputs to hidden units, from hidden units to outputs, and of the shortcut: 714."""

INNER = slice(0, _SHARINGS[0].num_free)
"""Those from inputs to hidden units among them."""

SHORTCUT = slice(NUM_WEIGHTS - _SHARINGS[2].num_free, NUM_WEIGHTS)
"""Those from inputs to outputs."""

_NUM_NUMBERS = sum(sharing.index.size for sharing in _SHARINGS)

_SELECTION_OUTPUT = Fields(T=1)
_SELECTION_SHARINGS = (
    _SHARINGS[0],
    share_kernel(HIDDEN, _SELECTION_OUTPUT, 3),
    share_kernel(Fields(T=NUM_INPUTS), _SELECTION_OUTPUT, 3),
)
NUM_SELECTION_WEIGHTS = sum(sharing.num_free for sharing in _SELECTION_SHARINGS)
"""Those of SelNet, which has one output: 342. INNER are the same."""


@dataclass(frozen=True)
class Scoring:
    """What a game is played for: an empty point of territory counts 1.

    Chinese rules are (0, 1), Japanese ones about (1, 0); Blair's network learns with (0.4, 0.4).

    captured: what a captured stone counts.
    stone: what a stone counts that is on the board at the end.

    Raises:
        ArgumentError: a number outside 0 … 1.
    """

    captured: float = 0.4
    stone: float = 0.4

    def __post_init__(self):
        for name, value in vars(self).items():
            if not 0 <= value <= 1:
                raise ArgumentError(f"{name} must be from 0 to 1, not {value}")


def point_rewards(state: int, outputs: np.ndarray, captured: float) -> tuple[float, float]:
    """What a point is worth to the player if stones count 1, and if they count 0 (Table III).

    Args:
        state: EMPTY_POINT, OWN_STONE or ENEMY_STONE.
        outputs: float32 [7], Z+, Zo, Z•, A+o, A+•, Ao, A•.
        captured: what a captured stone counts.
    """
    rewards = np.empty(2, np.float32)
    lib.golois_point_rewards(state, _floats(outputs), captured, buffer(rewards, "float[]"))
    return float(rewards[0]), float(rewards[1])


def point_targets(state: int, rewards: tuple[float, float], captured: float) -> np.ndarray:
    """The outputs that promise such rewards, within 0 … 1: float32 [7], NaN where there is none.

    Args:
        state: as in `point_rewards`.
        rewards: likewise.
        captured: likewise.
    """
    targets = np.full(NUM_OUTPUTS, np.nan, np.float32)
    wanted = np.asarray(rewards, np.float32)
    lib.golois_point_targets(state, _floats(wanted), captured, buffer(targets, "float[]"))
    return targets


def expand(weights: np.ndarray) -> np.ndarray:
    """The 3150 numbers of the three kernels that 714 weights stand for: float32."""
    if np.shape(weights) != (NUM_WEIGHTS,):
        raise ArgumentError(f"the network has {NUM_WEIGHTS} weights, not {np.shape(weights)}")
    parts = (kernel.ravel() for kernel in _parts(_SHARINGS, weights))
    return np.concatenate([part.astype(np.float32) for part in parts])


def reduce_gradient(gradient: np.ndarray) -> np.ndarray:
    """How a loss changes with the 714 weights, given how it does with the 3150 numbers."""
    ends = np.cumsum([sharing.index.size for sharing in _SHARINGS])[:-1]
    return _reduced(_SHARINGS, np.split(gradient, ends))


def _reduced(sharings: Sequence[Sharing], gradients: Sequence[np.ndarray]) -> np.ndarray:
    parts = []
    for sharing, gradient in zip(sharings, gradients, strict=True):
        signed = gradient.ravel() * sharing.sign.ravel()
        parts.append(np.bincount(sharing.index.ravel(), signed, sharing.num_free))
    return np.concatenate(parts)


def _parts(sharings: Sequence[Sharing], weights: np.ndarray) -> Iterator[np.ndarray]:
    """The kernels that weights stand for, one after the other."""
    start = 0
    for sharing in sharings:
        yield sharing.expand(np.asarray(weights[start : start + sharing.num_free]))
        start += sharing.num_free


class IsnNetwork:
    """Blair's network on one size of board, for any number of games and threads; it never changes.

    Args:
        weights: [714], in the order of NUM_WEIGHTS; they fit any size.
        size: points on a side, 2 … 19.

    Raises:
        ArgumentError: another number of weights, or another size.
    """

    def __init__(self, weights: np.ndarray, size: int):
        self._adopt(expand(weights), size)

    def _adopt(self, kernels: np.ndarray, size: int) -> None:
        handle = lib.golois_isn_create(size, _floats(kernels), kernels.size)
        if handle == ffi.NULL:
            raise ArgumentError(last_error())
        self.size = size
        self.handle = ffi.gc(handle, lib.golois_isn_destroy)

    def sums(self, inputs: np.ndarray) -> np.ndarray:
        """The outputs before the sigmoid: float32 [size, size, 7], NaN where a state has none.

        Args:
            inputs: uint8 [size + 2, size + 2], the input that is 1 at each point: 0 … 12 on the
                board, 13 around it.

        Raises:
            ArgumentError: other inputs.
        """
        sums = np.full((self.size, self.size, NUM_OUTPUTS), np.nan, np.float32)
        shown = np.ascontiguousarray(inputs, np.uint8)
        target = buffer(sums, "float[]")
        status = lib.golois_isn_sums(self.handle, _bytes(shown), shown.size, target, sums.size)
        check(status, ArgumentError)
        return sums

    def gradient(self, inputs: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """How a loss changes with the weights: [714].

        Args:
            inputs: as for `sums`.
            errors: [size, size, 7], how the loss changes with the sums; others don't count.

        Raises:
            ArgumentError: other inputs.
        """
        shown = np.ascontiguousarray(inputs, np.uint8)
        wrong = np.ascontiguousarray(errors, np.float32)
        numbers = np.zeros(_NUM_NUMBERS)
        status = lib.golois_isn_gradient(
            self.handle,
            _bytes(shown),
            shown.size,
            _floats(wrong),
            wrong.size,
            buffer(numbers, "double[]"),
            numbers.size,
        )
        check(status, ArgumentError)
        return self._reduced(numbers)

    def _reduced(self, numbers: np.ndarray) -> np.ndarray:
        return reduce_gradient(numbers)


class SelectionNetwork(IsnNetwork):
    """SelNet: what a move on a point adds to the value, seen before the move. It never changes.

    It computes the first of the seven sums alone, and only that of empty points counts.

    Args:
        weights: [342], in the order of NUM_WEIGHTS; they fit any size.
        size: points on a side, 2 … 19.

    Raises:
        ArgumentError: another number of weights, or another size.
    """

    def __init__(self, weights: np.ndarray, size: int):
        if np.shape(weights) != (NUM_SELECTION_WEIGHTS,):
            raise ArgumentError(
                f"SelNet has {NUM_SELECTION_WEIGHTS} weights, not {np.shape(weights)}"
            )
        inner, *outer = _parts(_SELECTION_SHARINGS, weights)
        widened = [np.pad(kernel, ((0, 0),) * 3 + ((0, NUM_OUTPUTS - 1),)) for kernel in outer]
        kernels = [kernel.ravel().astype(np.float32) for kernel in (inner, *widened)]
        self._adopt(np.concatenate(kernels), size)

    def _reduced(self, numbers: np.ndarray) -> np.ndarray:
        ends = np.cumsum([sharing.index.size for sharing in _SHARINGS])[:-1]
        inner, *outer = np.split(numbers, ends)
        first = [kernel.reshape(-1, NUM_OUTPUTS)[:, 0] for kernel in outer]
        return _reduced(_SELECTION_SHARINGS, [inner, *first])


@dataclass(frozen=True)
class SearchedMove:
    """What a search has found.

    move: 0 … size² − 1, or size² for a pass.
    value: to the side to move, in points.
    num_evaluations: positions that were evaluated.
    """

    move: int
    value: float
    num_evaluations: int


class FishNet:
    """A game from the empty board, as two players see it that use one network.

    A player evaluates the position that it moves to. Its last evaluation classes the chains of the
    next one, so that what the network says depends on the moves and not on the position alone. A
    game belongs to one thread at a time.

    Args:
        network: of both.
        scoring: what moves are chosen for; `captured` is what the network has learned with.
        step: how far a new stone moves the likelihoods of the points beside it, in favour of its
            owner, until the next evaluation. The paper gives no number.
    """

    def __init__(
        self, network: IsnNetwork, scoring: Scoring | None = None, step: float = 0.1
    ):
        options = ffi.new("golois_fishnet_options *", _player(scoring or Scoring(), step))
        handle = lib.golois_fishnet_create(network.handle, options)
        if handle == ffi.NULL:
            raise GoloisError(last_error())
        self._exclusive = Exclusive(ffi.gc(handle, lib.golois_fishnet_destroy), "FishNet")
        self.network = network  # which must outlive the game
        self.size = network.size

    def play(self, move: int, colour: int) -> None:
        """Play a move, by either colour.

        Args:
            move: 0 … size² − 1, or size² for a pass.
            colour: BLACK or WHITE.

        Raises:
            IllegalMoveError: the rules forbid it; the game is left as it is.
        """
        with self._exclusive as handle:
            check(lib.golois_fishnet_play(handle, move, colour), IllegalMoveError)

    def values(self) -> np.ndarray:
        """What the board is worth to the side to move after each move: float32 [size² + 1].

        The unit is a point of territory; it is NaN for illegal moves, and the pass is last.
        """
        values = np.empty(self.size**2 + 1, np.float32)
        with self._exclusive as handle:
            check(lib.golois_fishnet_values(handle, buffer(values, "float[]"), values.size))
        return values

    def search(
        self,
        depth: int,
        selection: SelectionNetwork | None = None,
        widths: Sequence[int] = (12, 8, 6, 4, 3),
    ) -> SearchedMove:
        """The best move by alpha-beta; the last ply is valued as in `values`.

        Positions of the tree are seen with the likelihoods of the root, adjusted beside each stone
        since.

        Args:
            depth: plies; 1 is the best of `values`.
            selection: SelNet, which orders the moves and leaves most of them out; without it all
                are searched, and their values order them.
            widths: with SelNet, how many moves a position of each ply has beside the pass; further
                plies have as many as the last. The paper gives no numbers.

        Raises:
            ArgumentError: a depth below 1, no widths, or a SelNet for another size.
        """
        if not 1 <= depth <= _MAX_DEPTH or any(width < 1 for width in widths):
            raise ArgumentError(f"depth must be from 1 to {_MAX_DEPTH}, and widths 1 or more")
        choice = ffi.new("golois_fishnet_choice *")
        chosen = ffi.NULL if selection is None else selection.handle
        with self._exclusive as handle:
            status = lib.golois_fishnet_search(
                handle, depth, chosen, list(widths), len(widths), choice
            )
        check(status, ArgumentError)
        return SearchedMove(choice.move, choice.value, choice.num_evaluations)

    def selection(self, selection: SelectionNetwork) -> np.ndarray:
        """What SelNet says of the moves of the side to move: float32 [size² + 1].

        0 for the pass, and NaN for illegal moves.

        Raises:
            ArgumentError: a SelNet for another size.
        """
        values = np.empty(self.size**2 + 1, np.float32)
        target = buffer(values, "float[]")
        with self._exclusive as handle:
            status = lib.golois_fishnet_selection(handle, selection.handle, target, values.size)
        check(status, ArgumentError)
        return values

    def selection_inputs(self) -> np.ndarray:
        """What SelNet is shown of the side to move: uint8 [size + 2, size + 2]."""
        inputs = np.empty((self.size + 2, self.size + 2), np.uint8)
        target = buffer(inputs, "uint8_t[]")
        with self._exclusive as handle:
            check(lib.golois_fishnet_selection_inputs(handle, target, inputs.size))
        return inputs

    def outputs(self, colour: int) -> np.ndarray:
        """What the network said after a colour's last move: float32 [size, size, 7] in 0 … 1.

        They are Z+, Zo, Z•, A+o, A+•, Ao and A•; those that a point's state doesn't have are NaN.
        """
        outputs = np.empty((self.size, self.size, NUM_OUTPUTS), np.float32)
        target = buffer(outputs, "float[]")
        with self._exclusive as handle:
            check(lib.golois_fishnet_outputs(handle, colour, target, outputs.size))
        return outputs

    def inputs(self, colour: int) -> np.ndarray:
        """What it was shown then: uint8 [size + 2, size + 2], as in `IsnNetwork.sums`."""
        inputs = np.empty((self.size + 2, self.size + 2), np.uint8)
        target = buffer(inputs, "uint8_t[]")
        with self._exclusive as handle:
            check(lib.golois_fishnet_inputs(handle, colour, target, inputs.size))
        return inputs


@dataclass(frozen=True)
class TdOptions:
    """How FishNet plays against itself, and what it learns of a game.

    scoring: what the game is played for.
    step: as in `FishNet`.
    beta: a move is drawn in proportion to e^(beta · value).
    trace_decay: the λ of TD(λ).
    every_move: the return of a position goes through the position after the opponent's next move,
        as in FishNet2 ("Negatrain"), not through the one after the player's own next move.
    max_moves: the game is over after so many, passes included; it ends after two passes as well.

    Raises:
        ArgumentError: a number out of range.
    """

    scoring: Scoring = Scoring()
    step: float = 0.1
    beta: float = 4.0
    trace_decay: float = 0.9
    every_move: bool = False
    max_moves: int = 243

    def __post_init__(self):
        for name in ("step", "trace_decay"):
            if not 0 <= getattr(self, name) <= 1:
                raise ArgumentError(f"{name} must be from 0 to 1, not {getattr(self, name)}")
        if not 0 <= self.beta <= 1000:
            raise ArgumentError(f"beta must be from 0 to 1000, not {self.beta}")
        if not 1 <= self.max_moves <= 10_000:
            raise ArgumentError(f"max_moves must be from 1 to 10000, not {self.max_moves}")


@dataclass(frozen=True, eq=False)
class TdGame:
    """A game that was played to learn from.

    moves: int16, Black's first; size² is a pass.
    is_cut: it had `max_moves` and no two passes.
    score_black: Black's points less White's, by the scoring.
    loss: cross-entropy between what the outputs said and what they should have said, in nats, over
        all `num_outputs` of them.
    """

    moves: np.ndarray
    is_cut: bool
    score_black: float
    loss: float
    num_outputs: int


def play_td_game(
    network: IsnNetwork, options: TdOptions, seed: int
) -> tuple[TdGame, np.ndarray]:
    """Play a game; return it, and how its loss changes with the weights: [714].

    The returns and with them the targets are constants to the gradient. The loss is summed over
    all positions, points and outputs, and over both players.

    Args:
        network: of both players.
        options: how.
        seed: decides the draws of moves.
    """
    native = ffi.new(
        "golois_td_options *",
        {
            "player": _player(options.scoring, options.step),
            "beta": options.beta,
            "lambda": options.trace_decay,
            "every_move": options.every_move,
            "max_moves": options.max_moves,
        },
    )
    game, numbers = ffi.new("golois_td_game *"), np.zeros(_NUM_NUMBERS)
    moves = np.empty(options.max_moves, np.int16)
    status = lib.golois_td_play(
        network.handle,
        native,
        seed % 2**64,
        game,
        buffer(moves, "int16_t[]"),
        moves.size,
        buffer(numbers, "double[]"),
        numbers.size,
    )
    check(status)
    played = moves[: game.num_moves].copy()
    return (
        TdGame(played, game.is_cut, game.score_black, game.loss, game.num_outputs),
        reduce_gradient(numbers),
    )


def _player(scoring: Scoring, step: float) -> dict[str, float]:
    return {**vars(scoring), "step": step}


def _floats(array: np.ndarray):
    return ffi.from_buffer("float[]", np.ascontiguousarray(array, np.float32))


def _bytes(array: np.ndarray):
    return ffi.from_buffer("uint8_t[]", array)
