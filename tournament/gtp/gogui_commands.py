"""What GoGui shows of a network: its policy as a heat map, its value, the search, the count.

Source: GoGui's manual, "Analyze Commands".
"""

import numpy as np

from golois.board import Board
from golois.coords import BLACK, WHITE, point_to_gtp
from golois.search import Tree
from golois.shapes import PASS
from tournament.gtp.game import GtpGame
from tournament.gtp.game_commands import vertices
from tournament.gtp.protocol import Arguments
from tournament.gtp.session import Handler
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
    """Pictures for GoGui's analyze window, all for the side to move.

    Args:
        game: the game that the engine is in.
        thinker: who searches.
    """

    def __init__(self, game: GtpGame, thinker: Thinker):
        self._game = game
        self._thinker = thinker

    def handlers(self) -> dict[str, Handler]:
        """Return the commands by name."""
        return {
            "gogui-analyze_commands": lambda arguments: "\n".join(ANALYZE_COMMANDS),
            "golois-policy": self.policy,
            "golois-search": self.search,
            "golois-area": self.area,
            "golois-value": self.value,
        }

    def policy(self, arguments: Arguments) -> str:
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

    def search(self, arguments: Arguments) -> str:
        """Return the visits of each searched move, and the search's main line."""
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

    def area(self, arguments: Arguments) -> str:
        """Return the owner of each point if the game ended now."""
        owners = self._game.board.area().reshape(-1)
        names = {BLACK: "TERRITORY_BLACK", WHITE: "TERRITORY_WHITE"}
        return "\n".join(
            f"{name} {vertices(np.flatnonzero(owners == colour).tolist())}".rstrip()
            for colour, name in names.items()
        )

    def value(self, arguments: Arguments) -> str:
        """Return the win rate of the side to move after a short search."""
        return _verdict(self._searched())

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
