"""What GoGui shows of a network: policy, value, search, count, ownership and attention.

Sources: GoGui's manual, "Analyze Commands"; the commands `bv` and `a` of ResTNet's released code.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from golois.constants import NUM_POINTS, PASS
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE, point_to_gtp
from golois.search.tree import Tree
from tournament.gtp.game import GtpGame, vertices
from tournament.gtp.protocol import SYNTAX_ERROR, Arguments, GtpError, Handler
from tournament.gtp.thinking import Thinker
from tournament.players.search import shown_moves

SEARCHED_VISITS = 200
SHOWN_MOVES = 20
ANALYZE_COMMANDS = (
    "gfx/Policy/golois-policy",
    "gfx/Search/golois-search",
    "gfx/Area/golois-area",
    "string/Value/golois-value",
)


class GoGuiCommands:
    """Pictures of a search for GoGui's analyze window, all for the side to move."""

    def __init__(self, game: GtpGame, thinker: Thinker):
        self._game = game
        self._thinker = thinker

    def handlers(self) -> dict[str, Handler]:
        """Return the commands by name."""
        return {
            "gogui-analyze_commands": lambda arguments: "\n".join(ANALYZE_COMMANDS),
            "golois-policy": lambda arguments: self._policy(),
            "golois-search": lambda arguments: self._search(),
            "golois-area": lambda arguments: self._area(),
            "golois-value": lambda arguments: _verdict(self._searched()),
        }

    def _policy(self) -> str:
        """Return the network's policy over the likeliest candidates, in percent."""
        tree = self._thinker.analyse(self._board(), self._game.komi, num_visits=1)
        moves = tree.root_moves()
        lines = []
        for i in np.argsort(-moves.priors, kind="stable")[:SHOWN_MOVES]:
            if moves.points[i] != PASS:
                vertex = point_to_gtp(int(moves.points[i]))
                lines.append(f"COLOR {heat(moves.priors[i] / moves.priors.max())} {vertex}")
                lines.append(f"LABEL {vertex} {100 * moves.priors[i]:.0f}")
        return "\n".join([*lines, f"TEXT {_verdict(tree)}"])

    def _search(self) -> str:
        tree = self._searched()
        moves = shown_moves(tree)
        colours = ("b", "w") if self._board().to_play == BLACK else ("w", "b")
        line = [
            f"{colours[ply % 2]} {point_to_gtp(point)}"
            for ply, point in enumerate(tree.principal_variation(int(moves.points[0])))
        ]
        labels = [
            f"LABEL {point_to_gtp(point)} {num_visits}"
            for point, num_visits in zip(moves.points.tolist(), moves.visits.tolist(), strict=True)
            if point != PASS
        ]
        return "\n".join([f"VAR {' '.join(line)}", *labels, f"TEXT {_verdict(tree)}"])

    def _area(self) -> str:
        owners = self._game.board.area().reshape(-1)
        names = {BLACK: "TERRITORY_BLACK", WHITE: "TERRITORY_WHITE"}
        return "\n".join(
            f"{name} {vertices(np.flatnonzero(owners == colour).tolist())}".rstrip()
            for colour, name in names.items()
        )

    def _board(self) -> Board:
        return self._game.without_passes() if self._game.is_over() else self._game.board

    def _searched(self) -> Tree:
        return self._thinker.analyse(self._board(), self._game.komi, SEARCHED_VISITS)


def _verdict(tree: Tree) -> str:
    win_rate = (1 + tree.root_value_to_play) / 2
    return f"{win_rate:.1%} for the side to move, {tree.num_visits} visits"


def heat(share: float) -> str:
    """Return a colour between white, for 0, and red, for 1."""
    rest = round(255 * (1 - share))
    return f"#ff{rest:02x}{rest:02x}"


class Insight(Protocol):
    """A network that can be looked into.

    `has_ownership` says whether it predicts the points' owners. `heads` has block and head of each
    attention, from 1.
    """

    has_ownership: bool
    heads: Sequence[tuple[int, int]]

    def ownership(self, board: Board, komi: float) -> np.ndarray:
        """Return the owner of each point, `[361]` from -1, White's, to 1, Black's."""

    def attention(
        self, board: Board, komi: float, block: int, head: int, point: int
    ) -> np.ndarray:
        """Return where a head looks from a point, `[361]` from 0, the least, to 1, the most."""


class InsightCommands:
    """Pictures of a network's inside for GoGui's analyze window."""

    def __init__(self, game: GtpGame, insight: Insight):
        self._game = game
        self._insight = insight

    def handlers(self) -> dict[str, Handler]:
        """Return the commands that the network can answer, by name."""
        shown: dict[str, tuple[bool, Callable[[Arguments], str]]] = {
            "gogui-analyze_commands": (True, lambda arguments: self._pictures()),
            "golois-ownership": (self._insight.has_ownership, lambda arguments: self._owners()),
            "golois-attention": (bool(self._insight.heads), self._attention),
        }
        return {name: handler for name, (is_there, handler) in shown.items() if is_there}

    def _pictures(self) -> str:
        """Return GoGui's list: the ownership, and each head with the point that is clicked."""
        ownership = ["gfx/Ownership/golois-ownership"] if self._insight.has_ownership else []
        heads = [
            f"gfx/Attention of block {block}, head {head}/golois-attention {block} {head} %p"
            for block, head in self._insight.heads
        ]
        return "\n".join([*ownership, *heads])

    def _owners(self) -> str:
        """Return whose each point is, from -1, White's, to 1, Black's."""
        owners = self._insight.ownership(self._game.board, self._game.komi)
        pairs = (f"{point_to_gtp(point)} {owner:.2f}" for point, owner in enumerate(owners))
        return f"INFLUENCE {' '.join(pairs)}\nTEXT {owners.sum():+.1f} points for Black"

    def _attention(self, arguments: Arguments) -> str:
        """Return what a head, given by its block, itself and a point, looks at from there."""
        block, head, point = arguments.integer(), arguments.integer(), arguments.point()
        if point == PASS:
            raise GtpError(SYNTAX_ERROR)
        if (block, head) not in self._insight.heads:
            raise GtpError(f"the network has no head {head} in a block {block} of attention")
        shades = self._insight.attention(self._game.board, self._game.komi, block, head, point)
        colours = (f"COLOR {heat(shades[i])} {point_to_gtp(i)}" for i in range(NUM_POINTS))
        return "\n".join([*colours, f"SQUARE {point_to_gtp(point)}"])
