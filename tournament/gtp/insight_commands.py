"""What GoGui shows of a network's inside: whose it thinks each point is, and where it looks.

Sources: GoGui's manual, "Analyze Commands"; the commands `bv` and `a` of ResTNet's released code.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from golois.board import Board
from golois.coords import point_to_gtp
from golois.shapes import NUM_POINTS, PASS
from tournament.gtp.game import GtpGame
from tournament.gtp.gogui_commands import heat
from tournament.gtp.protocol import SYNTAX_ERROR, Arguments, GtpError
from tournament.gtp.session import Handler


class Insight(Protocol):
    """A network that can be looked into.

    Attributes:
        has_ownership: whether it says whose the points are.
        heads: block and head of each attention, from 1.
    """

    has_ownership: bool
    heads: Sequence[tuple[int, int]]

    def ownership(self, board: Board, komi: float) -> np.ndarray:
        """Return the owner of each point, `[361]` from -1, White's, to 1, Black's."""
        ...

    def attention(
        self, board: Board, komi: float, block: int, head: int, point: int
    ) -> np.ndarray:
        """Return where a head looks from a point, `[361]` from 0, the least, to 1, the most."""
        ...


class InsightCommands:
    """Pictures for GoGui's analyze window.

    Args:
        game: the game that the controller sets up.
        insight: the network.
    """

    def __init__(self, game: GtpGame, insight: Insight):
        self._game = game
        self._insight = insight

    def handlers(self) -> dict[str, Handler]:
        """Return the commands that the network can answer, by name."""
        shown: dict[str, tuple[bool, Callable[[Arguments], str]]] = {
            "gogui-analyze_commands": (True, self.analyze_commands),
            "golois-ownership": (self._insight.has_ownership, self.ownership),
            "golois-attention": (bool(self._insight.heads), self.attention),
        }
        return {name: handler for name, (is_there, handler) in shown.items() if is_there}

    def analyze_commands(self, arguments: Arguments) -> str:
        """Return GoGui's list: the ownership, and each head with the point that is clicked."""
        ownership = ["gfx/Ownership/golois-ownership"] if self._insight.has_ownership else []
        heads = [
            f"gfx/Attention of block {block}, head {head}/golois-attention {block} {head} %p"
            for block, head in self._insight.heads
        ]
        return "\n".join([*ownership, *heads])

    def ownership(self, arguments: Arguments) -> str:
        """Return whose each point is, from -1, White's, to 1, Black's."""
        owners = self._insight.ownership(self._game.board, self._game.komi)
        pairs = (f"{point_to_gtp(point)} {owner:.2f}" for point, owner in enumerate(owners))
        return f"INFLUENCE {' '.join(pairs)}\nTEXT {owners.sum():+.1f} points for Black"

    def attention(self, arguments: Arguments) -> str:
        """Return what a head, given by its block, itself and a point, looks at from there."""
        block, head, point = arguments.integer(), arguments.integer(), arguments.point()
        if point == PASS:
            raise GtpError(SYNTAX_ERROR)
        if (block, head) not in self._insight.heads:
            raise GtpError(f"the network has no head {head} in a block {block} of attention")
        shades = self._insight.attention(self._game.board, self._game.komi, block, head, point)
        colours = (f"COLOR {heat(shades[i])} {point_to_gtp(i)}" for i in range(NUM_POINTS))
        return "\n".join([*colours, f"SQUARE {point_to_gtp(point)}"])
