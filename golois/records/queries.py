"""Queries and configuration for KataGo's analysis engine. Source: its docs/Analysis_Engine.md."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from golois.constants import BOARD_SIZE, MAX_INT32
from golois.errors import require_range
from golois.go.coords import COLOUR_LETTERS, point_to_gtp
from golois.kit.files import replaced_file
from golois.kit.processes import num_cpus
from golois.records.importing import packed_copy
from golois.records.packed_file import GameFile, Record, first_of_every

GAMES_BETWEEN_REPORTS = 500

CONFIG = """\
# KataGo's analysis engine, for the policy and the value of its network alone: one visit a position.
logToStderr = true
logAllRequests = false
logAllResponses = false
reportAnalysisWinratesAs = BLACK
maxVisits = 1
# Games at a time. On a GPU take 64 and more, and nnMaxBatchSize alike.
numAnalysisThreads = {threads}
numSearchThreadsPerAnalysisThread = 1
nnMaxBatchSize = {threads}
nnRandomize = true
"""


@dataclass(frozen=True)
class LabellingFiles:
    """The files of one labelling; KataGo writes the answers."""

    queries: Path
    config: Path
    answers: Path
    num_games: int
    num_positions: int


def write_queries(
    games: str | Path,
    folder: str | Path,
    *,
    every: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
) -> LabellingFiles:
    """Write one query per game, and the configuration for KataGo's analysis engine.

    `folder` gets `queries.jsonl` and `analysis.cfg`. They ask for each `every`-th training
    position, see `GameFile.training_plies`. `on_progress` gets the games done and their total.
    Raises ArgumentError: `every` out of range; DataFormatError: no games, or others than Go on
    19×19; OSError: a file cannot be read or written.
    """
    require_range("every", every, 1, MAX_INT32)
    source, folder = GameFile.open(packed_copy(games)), Path(folder)
    source.require_arena_game()
    folder.mkdir(parents=True, exist_ok=True)
    names = ("queries.jsonl", "analysis.cfg", "answers.jsonl")
    queries, config, answers = (folder / name for name in names)
    num_positions = 0
    with replaced_file(queries) as file:
        for index, record in enumerate(source):
            turns = source.training_plies(index, record)
            query = to_query(record, f"game-{index}", turns, index, every)
            num_positions += len(query["analyzeTurns"])
            file.write((json.dumps(query, separators=(",", ":")) + "\n").encode())
            if on_progress is not None and index % GAMES_BETWEEN_REPORTS == 0:
                on_progress(index, len(source))
    with replaced_file(config) as file:
        file.write(CONFIG.format(threads=num_cpus()).encode())
    return LabellingFiles(queries, config, answers, len(source), num_positions)


def to_query(
    record: Record, id: str, turns: np.ndarray, index: int = 0, every: int = 1
) -> dict[str, Any]:
    """A game as a query of KataGo's analysis engine, for each `every`-th of some positions.

    `turns` says how many moves were made before each position, see `GameFile.training_plies`.
    It asks by area scoring and positional superko, as tournaments play, and by the record's
    `half_komi`. It leaves out a second move of one colour, before which the engine would answer for
    the other colour. `index` is the game's number in its file. Answers refer to `id`.
    """
    moves_again = np.append(False, record.colours[1:] == record.colours[:-1])
    moves = [[COLOUR_LETTERS[colour], point_to_gtp(point)] for colour, point in record.moves]
    asked = turns[~moves_again[turns]]
    return {
        "id": id,
        "moves": moves,
        "rules": {"ko": "POSITIONAL", "scoring": "AREA", "tax": "NONE", "suicide": False},
        "komi": record.half_komi,
        "boardXSize": BOARD_SIZE,
        "boardYSize": BOARD_SIZE,
        "includePolicy": True,
        "analyzeTurns": asked[first_of_every(index, len(asked), every) :: every].tolist(),
    }
