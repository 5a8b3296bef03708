"""What each head of a network's transformer blocks looks at from one point; and whose it is.

Source: ResTNet, "Defense against Adversarial Policies via Transformer in Computer Go".
"""

from collections.abc import Sequence
from dataclasses import dataclass

import keras
import numpy as np
from keras import layers

from golois.constants import BOARD_SIZE, NUM_POINTS
from golois.go.board import Board
from golois.go.coords import GTP_COLUMNS
from models.errors import EvaluationError
from models.evaluation.network import Network
from models.evaluation.symmetric import owners

SHADES = " .:-=+*#%@"


@dataclass(frozen=True, eq=False)
class Attention:
    """The weights `[361, 361]` of a head: a row, of sum 1, says what a point takes from others."""

    block: int
    head: int
    weights: np.ndarray

    def map_of(self, point: int) -> np.ndarray:
        """Return a point's row as `[19, 19]`, stretched from 0, the least, to 1, the most."""
        row = self.weights[point]
        spread = float(row.max() - row.min())
        return ((row - row.min()) / (spread or 1.0)).reshape(BOARD_SIZE, BOARD_SIZE)


class AttentionReader:
    """Reads the weights of heads (block, number), from 1; EvaluationError: the network has none."""

    def __init__(self, network: Network):
        softmaxes = attention_layers(network.model)
        if not softmaxes:
            raise EvaluationError(
                f"{network.title} has no transformer blocks over the 361 points: "
                "take a network such as restnet or efficientformer"
            )
        self._network = network
        self._model = keras.Model(network.model.inputs, [layer.output for layer in softmaxes])
        blocks = [_norm_before(network.model, layer) for layer in softmaxes]
        in_order = list(dict.fromkeys(blocks))
        self.heads = tuple(
            (in_order.index(block) + 1, blocks[: i + 1].count(block))
            for i, block in enumerate(blocks)
        )

    def maps(self, planes: np.ndarray) -> list[Attention]:
        """Return the weights of every head for planes `[19, 19, 31]`."""
        answers = self._model.predict_on_batch(self._network.shown(np.asarray(planes)[None]))
        if len(self.heads) == 1:  # Keras gives a single output without its list
            answers = [answers]
        return [
            Attention(block, head, weights[0])
            for (block, head), weights in zip(self.heads, answers, strict=True)
        ]


def attention_layers(model: keras.Model) -> list[layers.Softmax]:
    """Return the Softmax layers over `[B, 361, 361]`, one a head; see `models.parts.attention`."""
    return [
        layer
        for layer in model.layers
        if isinstance(layer, layers.Softmax)
        and tuple(layer.output.shape[1:]) == (NUM_POINTS, NUM_POINTS)
    ]


def _norm_before(model: keras.Model, softmax: layers.Softmax) -> str:
    """Return the name of the last LayerNormalization before a layer; a block's heads share it."""
    before = keras.Model(model.inputs, softmax.output).layers
    norms = [layer.name for layer in before if isinstance(layer, layers.LayerNormalization)]
    return norms[-1] if norms else ""


def contrasted(shades: np.ndarray) -> np.ndarray:
    """Return shades of 0 … 1 on the released code's curve, which parts the middle ones."""
    return (np.tanh(4 * (shades - 0.5)) + 1) / 2


def drawn(shades: np.ndarray, point: int) -> str:
    """Return a map `[19, 19]` of 0 … 1 as text, the point itself in brackets."""
    lines = []
    for row, values in enumerate(shades):
        cells = [f" {SHADES[min(int(value * len(SHADES)), len(SHADES) - 1)]} " for value in values]
        if row == point // BOARD_SIZE:
            column = point % BOARD_SIZE
            cells[column] = f"[{cells[column][1]}]"
        lines.append(f"{BOARD_SIZE - row:2} {''.join(cells)}".rstrip())
    return "\n".join([*lines, "   " + "".join(f" {letter} " for letter in GTP_COLUMNS)])


class Insight:
    """Answers about positions of a game, for `tournament.gtp.insight_commands`.

    `contrast` shows the attention on the curve of `contrasted`. Raises EvaluationError: a network
    with neither ownership nor attention over the points.
    """

    def __init__(self, network: Network, contrast: bool):
        self._network = network
        self._contrast = contrast
        self._reader = AttentionReader(network) if attention_layers(network.model) else None
        self.has_ownership = network.has_ownership
        self.heads: Sequence[tuple[int, int]] = self._reader.heads if self._reader else ()
        if not (self.has_ownership or self.heads):
            raise EvaluationError(
                f"{network.title} has neither an output named ownership nor transformer blocks "
                "over the 361 points: there is nothing to show"
            )

    def ownership(self, board: Board, komi: float) -> np.ndarray:
        """Return the owner of each point, `[361]` from -1, White's, to 1, Black's."""
        return owners(self._network.predict, board, komi)

    def attention(self, board: Board, komi: float, block: int, head: int, point: int) -> np.ndarray:
        """Return where a head looks from a point, `[361]` from 0, the least, to 1, the most."""
        assert self._reader is not None  # asked only about `heads`
        maps = self._reader.maps(board.planes(komi))
        shades = maps[self.heads.index((block, head))].map_of(point)
        return (contrasted(shades) if self._contrast else shades).reshape(-1)
