"""Ladders as SGF, `LA[T]` if it escapes, `LA[F]`, `LN[moves]`. Source: ResTNet's sample code."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from golois.constants import TOURNAMENT_KOMI
from golois.errors import GoloisError
from golois.records.exporting import SGF_MOVES
from golois.sgf.reading import read_sgf
from golois.sgf.writing import properties_text, root_node
from models.errors import EvaluationError
from models.evaluation.probes.circular import marked_values
from models.evaluation.probes.ladder_positions import (
    CAPTURED,
    ESCAPES,
    Ladders,
    Origin,
    ladder_length,
)

LETTERS = {ESCAPES: "T", CAPTURED: "F"}
TARGETS = {letter: target for target, letter in LETTERS.items()}
GAME_BEGINS = re.compile(rb"(?m)^(?=\(;\s*(?:GM|FF|SZ|CA|AP)\[)")


def ladders_text(ladders: Ladders) -> str:
    """Return ladders of packed files as SGF, one game a line; `read_ladders` reads it."""
    return "".join(
        _ladder_text(origin, int(target), ladder_length(planes))
        for origin, target, planes in zip(
            ladders.origins, ladders.targets, ladders.planes, strict=True
        )
    )


def read_ladders(paths: Sequence[Path]) -> Ladders:
    """Read marked ladders; the position of each is the last position of its game.

    Raises EvaluationError: a game without `LA[T]` or `LA[F]`, with an `LN` that is no number, or
    unreadable; a file without games; or ladders of one kind alone; OSError: an unreadable file.
    """
    samples = []
    for path in paths:
        games = [game for game in GAME_BEGINS.split(path.read_bytes()) if game.strip()]
        if not games:
            raise EvaluationError(f"there is no game tree of SGF in {path}")
        samples += [_sample(f"game {n} of {path}", game) for n, game in enumerate(games, 1)]
    planes, targets = zip(*samples, strict=True)
    if len(set(targets)) < len(TARGETS):
        (letter,) = {LETTERS[target] for target in targets}
        raise EvaluationError(f"a test needs ladders of both kinds: all are marked LA[{letter}]")
    return Ladders(np.stack(planes), np.array(targets, np.float32), np.arange(len(targets)))


def _sample(title: str, data: bytes) -> tuple[np.ndarray, int]:
    text = data.decode(errors="replace")
    marks, lengths = marked_values(text, "LA"), marked_values(text, "LN")
    if marks not in (["T"], ["F"]):
        raise EvaluationError(
            f"{title} needs LA[T], the chain escapes, or LA[F], it is captured: it has LA {marks}"
        )
    if lengths and not (len(lengths) == 1 and lengths[0].isdecimal()):
        raise EvaluationError(f"LN of {title} must be a number of moves, not {lengths}")
    try:
        game = read_sgf(data)
        board = game.replay()
    except GoloisError as error:
        raise EvaluationError(f"{title}: {error}") from error
    komi = TOURNAMENT_KOMI if game.komi is None else game.komi
    return board.planes(komi).astype(np.uint8), TARGETS[marks[0]]


def _ladder_text(origin: Origin, target: int, length: int | None) -> str:
    record = origin.file[origin.game]
    root = root_node(KM=record.komi, LA=LETTERS[target], LN="" if length is None else str(length))
    played = record.moves[: origin.num_moves]
    moves = "".join(SGF_MOVES[colour][point] for colour, point in played)
    return f"(;{properties_text(root)}{moves})\n"
