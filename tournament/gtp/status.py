"""Which chains are alive, dead or in seki at the end, as docs/rules.md counts the board."""

import numpy as np

from golois.board import Board
from golois.chains import all_chains

STATUSES = ALIVE, DEAD, SEKI = ("alive", "dead", "seki")


def chains_by_status(board: Board) -> dict[str, list[list[int]]]:
    """Return the chains of each status, every chain as its points.

    Dead are those that the count takes off the board. In seki are those of the others whose
    liberties count for nobody. All the rest are alive: the arena's games end by the count, not by
    an agreement on stones that could be captured.
    """
    stones, owners = board.stones().reshape(-1), board.area().reshape(-1)
    found: dict[str, list[list[int]]] = {status: [] for status in STATUSES}
    for points, liberties in all_chains(stones.tolist()):
        chain = sorted(points)
        first = chain[0]
        if owners[first] != stones[first]:
            found[DEAD].append(chain)
        elif not np.any(owners[list(liberties)]):
            found[SEKI].append(chain)
        else:
            found[ALIVE].append(chain)
    return found
