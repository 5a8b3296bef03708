"""Export: a packed file back to SGF or games.data.

docs/maintainer/formats.md says what each cannot hold.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from golois.constants import KOMI_UNKNOWN, PASS
from golois.errors import ArgumentError, DataFormatError, require_one_of
from golois.go.coords import BLACK, COLOUR_LETTERS, WHITE, point_to_sgf
from golois.kit.files import replaced_file
from golois.records.packed_file import NO_VALUE, GameFile, Record, to_hundredths
from golois.sgf.writing import properties_text, root_node

GAMES_BETWEEN_REPORTS = 500

# One text for each point, 0 … 361, and for each value in hundredths, NO_VALUE for none.
TEXT_MOVES = {
    colour: [f" {point} {code} " for point in range(PASS + 1)]
    for colour, code in ((WHITE, 0), (BLACK, 1))
}
TEXT_VALUES = {NO_VALUE: "-1.00 0.00"} | {v: f"{v / 100:.2f} 0.00" for v in range(101)}
SGF_MOVES = {
    colour: [f";{letter}[{point_to_sgf(point)}]" for point in range(PASS + 1)]
    for colour, letter in COLOUR_LETTERS.items()
}
SGF_VALUES = {NO_VALUE: ""} | {
    v: f"C[{v / 100:.2f} {(100 - v) / 100:.2f} 0.00 0.0]" for v in range(101)
}


@dataclass(frozen=True)
class ExportSummary:
    """How many games an export has written, and the games left out by the format's reason."""

    path: Path
    num_games: int
    left_out: Mapping[str, int]


def export_games(
    source: str | Path,
    output: str | Path,
    format: str,
    *,
    on_progress: Callable[[int, int], None] | None = None,
) -> ExportSummary:
    """Write the games of a packed file as text; the file appears only when it is complete.

    Games that the format cannot hold are left out and counted. `format` is "games.data", as the
    course's files are since 2022, or "sgf", one game a line. `on_progress` gets the games done and
    their total. Raises ArgumentError: an unknown format, or source and output are the same;
    DataFormatError: no packed file, a damaged one, another game than Go on 19×19, or no game that
    the format can hold; OSError: a file cannot be read or written.
    """
    require_one_of("format", format, FORMATS)
    games, output = GameFile.open(source), Path(output)
    games.verify()
    games.require_arena_game()
    if output.exists() and output.samefile(games.path):
        raise ArgumentError(f"the output would overwrite the packed file {output}: choose another")
    text_format = FORMATS[format]
    losses = text_format.losses(games.rows)
    is_written = ~np.any([np.zeros(len(games), bool), *losses.values()], axis=0)
    left_out = {reason: int(lost.sum()) for reason, lost in losses.items() if lost.any()}
    if not is_written.any():
        raise DataFormatError(
            f"{format} can hold none of the games in {games.path} ({_listed(left_out)})"
        )
    chosen = np.flatnonzero(is_written)
    with replaced_file(output) as file:
        file.write(text_format.head(chosen.size).encode())
        for num_done, index in enumerate(chosen.tolist(), 1):
            file.write(text_format.write(games[index]).encode(errors="replace"))
            if on_progress is not None and num_done % GAMES_BETWEEN_REPORTS == 0:
                on_progress(num_done, chosen.size)
    return ExportSummary(output, chosen.size, left_out)


def to_games_text(record: Record) -> str:
    """A game with komi and winner as a line of games.data; its lead, not in the record, is 0.00."""
    hundredths = to_hundredths(record.values)
    if (hundredths == NO_VALUE).all():
        hundredths[:] = 100 if record.winner == WHITE else 0  # what the result stands for
    if record.komi is None:
        raise ArgumentError("a line of games.data needs a komi, and the game has none")
    is_tenths = round(10 * record.komi) == 10 * record.komi
    komi = f"{record.komi:.{1 if is_tenths else 2}f}"
    moves = _joined(TEXT_MOVES, TEXT_VALUES, record, hundredths)
    return f"{komi} {COLOUR_LETTERS[record.winner]} {record.num_moves}{moves} \n"


def to_sgf_line(record: Record) -> str:
    """Return the game as one line of SGF; a move's value is the first number of its comment."""
    root = root_node(KM=record.komi, RU=record.rules, RE=record.result, SO=record.source)
    moves = _joined(SGF_MOVES, SGF_VALUES, record, to_hundredths(record.values))
    return f"(;{properties_text(root)}{moves})\n"


def _games_text_losses(rows: np.ndarray) -> dict[str, np.ndarray]:
    is_known = rows["komi_quarters"] != KOMI_UNKNOWN
    has_no_winner = is_known & ~np.isin(rows["winner"], list(COLOUR_LETTERS))
    is_drawn = rows["margin_halves"] == 0
    return {
        "unknown komi": ~is_known,
        "drawn": has_no_winner & is_drawn,
        "unknown result": has_no_winner & ~is_drawn,
    }


class TextFormat(NamedTuple):
    """How games are written: head of the file, games, and which rows cannot be, by reason."""

    head: Callable[[int], str]
    write: Callable[[Record], str]
    losses: Callable[[np.ndarray], dict[str, np.ndarray]]


FORMATS = {
    "games.data": TextFormat("{}\n".format, to_games_text, _games_text_losses),
    "sgf": TextFormat(lambda num_games: "", to_sgf_line, lambda rows: {}),
}


def _joined(
    moves: Mapping[int, list[str]],
    values: Mapping[int, str],
    record: Record,
    hundredths: np.ndarray,
) -> str:
    valued = zip(record.moves, hundredths.tolist(), strict=True)
    return "".join(moves[colour][point] + values[value] for (colour, point), value in valued)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in counts.items()) or "it is empty"
