"""Which chains a controller is told to be alive, dead or in seki."""

from golois.go.coords import gtp_to_point
from tests.diagrams import set_up
from tournament.gtp.game import ALIVE, DEAD, SEKI, chains_by_status

# Black's chain at the top and White's beside it share two liberties and have no eye.
SHARED_LIBERTIES = """
O X X . O O X .
O X X . O O X X
O X X X O O X .
O O O O X X X X
O . O O X X . X
O O O O X X X X
O . O O X . X .
O O O O X X X X
"""


def test_chains_that_share_their_liberties_are_in_seki():
    chains = chains_by_status(set_up(SHARED_LIBERTIES))
    assert [chain[0] for chain in chains[SEKI]] == [gtp_to_point("B8", 8), gtp_to_point("E8", 8)]
    assert [len(chain) for chain in chains[SEKI]] == [7, 6]
    assert [len(chain) for chain in chains[ALIVE]] == [21, 21]
    assert chains[DEAD] == []


def test_stones_within_settled_points_are_dead():
    board = set_up(
        """
        . X . X O .
        X X X X O .
        . O X O O .
        X X X O . .
        O O O O . .
        . . . . . .
        """
    )
    chains = chains_by_status(board)
    assert chains[DEAD] == [[gtp_to_point("B4", 6)]]
    assert [len(chain) for chain in chains[ALIVE]] == [10, 9]
