"""A network that can be looked into: whose it thinks each point is, and where its heads look."""

from collections.abc import Sequence

import numpy as np

from golois.board import Board
from golois.coords import BLACK
from models.errors import EvaluationError
from models.evaluation.network import Network
from models.evaluation.probes.attention import AttentionReader, attention_layers, contrasted


class Insight:
    """Answers about positions of a game, for `tournament.gtp.insight_commands`.

    `contrast` shows the attention on the curve of `contrasted`.

    Raises:
        EvaluationError: a network with neither ownership nor attention over the points.
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
        answers = self._network.predict(board.planes(komi)[None]).ownership
        assert answers is not None  # asked only of a network that has them
        return answers[0] if board.to_play == BLACK else -answers[0]

    def attention(
        self, board: Board, komi: float, block: int, head: int, point: int
    ) -> np.ndarray:
        """Return where a head looks from a point, `[361]` from 0, the least, to 1, the most."""
        assert self._reader is not None  # asked only about `heads`
        maps = self._reader.maps(board.planes(komi))
        shades = maps[self.heads.index((block, head))].map_of(point)
        return (contrasted(shades) if self._contrast else shades).reshape(-1)
