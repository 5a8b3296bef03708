"""Go for training: rules, planes, records and batches, on a native core.

    from golois import Board, Dataset
    batch = Dataset("data/katago_b6.games").sample(128, step=0)

The course's own calls, `getBatch`, `getValidation` and `setSoft`, are here as well (course/).
A name is imported when it is first used, so that `--help` waits for neither NumPy nor the core.
"""

import sys
from importlib import import_module

TYPE_CHECKING = False  # as type checkers know it; `typing` may not be imported from here yet
if TYPE_CHECKING:
    from typing import Any

_MODULE_OF = {
    "BLACK": "go.coords",
    "BOARD_SIZE": "constants",
    "EMPTY": "go.coords",
    "NUM_PLANES": "constants",
    "NUM_POINTS": "constants",
    "NoGo": "games.rules",
    "PASS": "constants",
    "PLANES_SHAPE": "constants",
    "WHITE": "go.coords",
    "Batch": "data.batch",
    "Board": "go.board",
    "Dataset": "data.dataset",
    "FinishedGame": "records.finished_games",
    "Game": "games.game",
    "GameFile": "records.packed_file",
    "Go": "games.rules",
    "GoloisError": "errors",
    "Hex": "games.rules",
    "Mixture": "data.mixture",
    "PlayedGame": "search.selfplay",
    "RaceOptions": "search.options",
    "Record": "records.packed_file",
    "SearchOptions": "search.options",
    "SelfPlay": "search.selfplay",
    "SelfPlayOptions": "search.selfplay",
    "Tree": "search.tree",
    "add_ladders": "records.ladders",
    "export_games": "records.exporting",
    "getBatch": "course.calls",
    "getBatchVal": "course.calls",
    "getValidation": "course.calls",
    "import_analysis": "records.importing",
    "import_games": "records.importing",
    "setSoft": "course.calls",
    "write_finished_games": "records.finished_games",
    "write_queries": "records.queries",
}

__all__ = list(_MODULE_OF)

import_module("golois.finder").join_installation(__path__)


def _hint_after(report: "Any") -> "Any":
    """An excepthook that adds a line for scripts that Keras 3 refuses."""

    def hook(kind, error, frames) -> None:
        report(kind, error, frames)
        hint = import_module("golois.course.keras_3").hint if "keras" in sys.modules else None
        if hint and (said := hint(error, sys.argv[0])):
            print(f"golois: {said}", file=sys.stderr)

    return hook


sys.excepthook = _hint_after(sys.excepthook)


def __getattr__(name: str) -> "Any":
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
