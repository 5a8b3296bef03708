"""Go for training: rules, planes, records and batches, on a native core.

It doesn't depend on the tournament.

    from golois import Board, Dataset
    batch = Dataset("data/katago_b6.games").sample(128, step=0)

The course's own calls, `getBatch`, `getValidation` and `setSoft`, are here as well (course.py).
"""

from golois.batch import Batch
from golois.board import Board
from golois.coords import BLACK, EMPTY, WHITE
from golois.course import getBatch, getValidation, setSoft
from golois.dataset import Dataset
from golois.errors import GoloisError
from golois.exporting import export_games
from golois.importing import import_games
from golois.mixture import Mixture
from golois.records import GameFile, Record
from golois.search import SearchOptions, Tree
from golois.shapes import BOARD_SIZE, NUM_PLANES, NUM_POINTS, PASS, PLANES_SHAPE

__all__ = [
    "BLACK",
    "BOARD_SIZE",
    "EMPTY",
    "NUM_PLANES",
    "NUM_POINTS",
    "PASS",
    "PLANES_SHAPE",
    "WHITE",
    "Batch",
    "Board",
    "Dataset",
    "GameFile",
    "GoloisError",
    "Mixture",
    "Record",
    "SearchOptions",
    "Tree",
    "export_games",
    "getBatch",
    "getValidation",
    "import_games",
    "setSoft",
]
