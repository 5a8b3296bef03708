"""FishNet: Blair's network of 714 weights, which plays Go by valuing each position it can move to.

    from papers.fishnet.game import FishNet
    from papers.fishnet.network import IsnNetwork
    game = FishNet(IsnNetwork(weights, size=9))
    game.play(40, BLACK)
    game.values()          what each of White's moves would be worth to White

README.md has the scoring, the inputs and how the weights are learned.

Source: Blair, "Learning the game of Go with Internal Symmetry Networks", 2009. Its White is the
player in view here: one network plays both colours, each as its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from golois.errors import ArgumentError, GoloisError, IllegalMoveError
from golois.native import Exclusive, buffer, check, ffi, last_error, lib
from papers.fishnet.network import NUM_OUTPUTS, IsnNetwork, SelectionNetwork

MAX_DEPTH = 32
_MAX_CHAIN_SIZES = 16


@dataclass(frozen=True)
class Scoring:
    """What a game is played for: an empty point of territory counts 1.

    A captured stone counts `captured`, and a stone on the board at the end `stone`. Chinese rules
    are (0, 1), Japanese about (1, 0), Blair's (0.4, 0.4). Raises ArgumentError: outside 0 … 1.
    """

    captured: float = 0.4
    stone: float = 0.4

    def __post_init__(self):
        for name, value in vars(self).items():
            if not 0 <= value <= 1:
                raise ArgumentError(f"{name} must be from 0 to 1, not {value}")


@dataclass(frozen=True)
class SearchedMove:
    """A move, size² for a pass, its value to the side to move, in points, and the evaluations."""

    move: int
    value: float
    num_evaluations: int


@dataclass(frozen=True)
class ChainRules:
    """How chains are classed; what is given here is FishNet2's way.

    least_eye: a liberty that is no likelier to become an eye counts for none; the paper has 0.2.
    openings: by the number of a chain's stones, the last for all larger ones, up to 16 rows of
        three ascending numbers: from how many openings on a chain without an eye is in the second,
        the third and the fourth class. One eye is then the fifth class, and two are the sixth.
        Without rows the limits are those of FishNet1.

    Raises ArgumentError: a number out of range, other rows, or too many.
    """

    least_eye: float = 0.0
    openings: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self):
        if not 0 <= self.least_eye <= 1:
            raise ArgumentError(f"least_eye must be from 0 to 1, not {self.least_eye}")
        if len(self.openings) > _MAX_CHAIN_SIZES:
            raise ArgumentError(f"openings must be up to {_MAX_CHAIN_SIZES} rows, one a size")
        for row in self.openings:
            if len(row) != 3 or not (0 <= row[0] <= row[1] <= row[2] < inf):
                raise ArgumentError(f"a row of openings must be three ascending numbers, not {row}")

    def fields(self) -> dict:
        """Those of golois_fishnet_options."""
        numbers = [number for row in self.openings for number in row]
        return dict(least_eye=self.least_eye, num_sizes=len(self.openings), openings=numbers)


class FishNet:
    """A game from the empty board, as two players see it that use one network.

    A player's last evaluation classes the chains of the next, so what the network says depends on
    the moves. `captured` of the scoring, and `chains`, are what the network has learned with. A new
    stone moves the likelihoods of the points beside it by `step`, in favour of its owner, until the
    next evaluation. A game belongs to one thread at a time.
    """

    def __init__(
        self,
        network: IsnNetwork,
        scoring: Scoring | None = None,
        step: float = 0.1,
        chains: ChainRules | None = None,
    ):
        fields = player_fields(scoring or Scoring(), step, chains or ChainRules())
        options = ffi.new("golois_fishnet_options *", fields)
        handle = lib.golois_fishnet_create(network.handle, options)
        if handle == ffi.NULL:
            raise GoloisError(last_error())
        self._exclusive = Exclusive(ffi.gc(handle, lib.golois_fishnet_destroy), "FishNet")
        self.network = network  # which must outlive the game
        self.size = network.size

    def play(self, move: int, colour: int) -> None:
        """Play a move, 0 … size² − 1 or size² for a pass, of any colour; else IllegalMoveError."""
        with self._exclusive as handle:
            check(lib.golois_fishnet_play(handle, move, colour), IllegalMoveError)

    def values(self) -> np.ndarray:
        """The board's worth to the side to move after each move: float32 [size² + 1], or NaN."""
        return self._filled(lib.golois_fishnet_values, np.empty(self.size**2 + 1, np.float32))

    def search(
        self,
        depth: int,
        selection: SelectionNetwork | None = None,
        widths: Sequence[int] = (24, 12, 8, 6, 4),
    ) -> SearchedMove:
        """The best move by alpha-beta to `depth` plies; the last ply is valued as in `values`.

        Positions of the tree are seen with the likelihoods of the root, adjusted beside new stones.
        SelNet orders and chooses the moves: `widths` of each ply beside the pass, the last for
        further plies. Without SelNet all are searched, ordered by value. Raises ArgumentError: a
        depth below 1, no widths, or a SelNet for another size.
        """
        if not 1 <= depth <= MAX_DEPTH or any(width < 1 for width in widths):
            raise ArgumentError(f"depth must be from 1 to {MAX_DEPTH}, and widths 1 or more")
        choice = ffi.new("golois_fishnet_choice *")
        chosen = ffi.NULL if selection is None else selection.handle
        with self._exclusive as handle:
            status = lib.golois_fishnet_search(
                handle, depth, chosen, list(widths), len(widths), choice
            )
        check(status, ArgumentError)
        return SearchedMove(choice.move, choice.value, choice.num_evaluations)

    def selection(self, selection: SelectionNetwork) -> np.ndarray:
        """What SelNet says of each move: float32 [size² + 1]; 0 for the pass, NaN if illegal."""
        values = np.empty(self.size**2 + 1, np.float32)
        select = lib.golois_fishnet_selection
        return self._filled(select, values, selection.handle, error=ArgumentError)

    def selection_inputs(self) -> np.ndarray:
        """What SelNet is shown of the side to move: uint8 [size + 2, size + 2]."""
        inputs = np.empty((self.size + 2, self.size + 2), np.uint8)
        return self._filled(lib.golois_fishnet_selection_inputs, inputs)

    def outputs(self, colour: int) -> np.ndarray:
        """What the network said after a colour's last move: float32 [size, size, 7] in 0 … 1.

        They are Z+, Zo, Z•, A+o, A+•, Ao and A•; NaN for an output that a point's state lacks.
        """
        outputs = np.empty((self.size, self.size, NUM_OUTPUTS), np.float32)
        return self._filled(lib.golois_fishnet_outputs, outputs, colour)

    def inputs(self, colour: int) -> np.ndarray:
        """What it was shown then: uint8 [size + 2, size + 2], as in `IsnNetwork.sums`."""
        inputs = np.empty((self.size + 2, self.size + 2), np.uint8)
        return self._filled(lib.golois_fishnet_inputs, inputs, colour)

    def _filled(self, function, array: np.ndarray, *given, error=GoloisError) -> np.ndarray:
        target = buffer(array, "float[]" if array.dtype == np.float32 else "uint8_t[]")
        with self._exclusive as handle:
            check(function(handle, *given, target, array.size), error)
        return array


def player_fields(scoring: Scoring, step: float, chains: ChainRules) -> dict:
    """The fields of golois_fishnet_options."""
    return {**vars(scoring), "step": step, **chains.fields()}
