"""Games as records, and the packed file of them; `data/README.md` gives its format byte by byte."""

import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from golois.constants import BOARD_SIZE, KOMI_UNKNOWN, PASS, TOURNAMENT_KOMI
from golois.errors import DataFormatError
from golois.games.rules import Go, Hex, NoGo, Rules
from golois.go.coords import BLACK, COLOUR_LETTERS, EMPTY, WHITE
from golois.native import buffer, ffi, last_error, lib
from golois.planes.row_shapes import GAMES, GO, NOGO
from golois.records.targets import NO_OWNERSHIP, Targets

MAGIC = b"GOLOIS\x1a\n"
NO_VALUE = 127
HAS_VALUES, COLOURS_LISTED, PLAYED_OUT = 1, 2, 4
RESULT_VALUES = {EMPTY: 50, BLACK: 0, WHITE: 100}  # by winner, in hundredths
BLOCK_GAMES = 1 << 13

ROW = np.dtype(
    [
        ("first_word", "<u8"),
        ("first_position", "<u8"),
        ("num_moves", "<u2"),
        ("num_positions", "<u2"),
        ("num_capture_words", "<u2"),
        ("komi_quarters", "<i2"),
        ("margin_halves", "<i2"),
        ("text", "<u2"),
        ("winner", "u1"),
        ("flags", "u1"),
        ("text_high", "<u2"),
    ]
)

# What margin_halves says besides a margin, as SGF's RE writes it after "B+" or "W+".
MARGIN_CODES = {-1: "", -2: "R", -3: "T", -4: "F"}
CODES_BY_TEXT = {text: code for code, text in MARGIN_CODES.items()}
RESULT = re.compile(r"(?P<winner>[BW])\+(?P<margin>R|T|F|\d{1,5}(\.[05])?|)")
DRAW = "0"
UNKNOWN = "?"

CHECKSUM_CHUNK = 1 << 24  # bytes
SECTIONS = ("words", "ladders", "games", "targets", "ownership", "provenance")


@dataclass(frozen=True, eq=False)
class Record:
    """One game as it was played; it says nothing about the boards between the moves.

    komi: White's compensation in points, None where the source gives none.
    result: `B+3.5`, `W+R` (resignation), `B+T` (time), `W+F` (forfeit), `B+` (unknown margin),
        `0` (draw) or `?` (unknown).
    points: uint16 [n], row-major from 0, size² for a pass: 0 … 360 and 361 on 19×19.
    colours: uint8 [n], BLACK or WHITE; the same colour may move twice (handicap, set-up).
    values: float32 [n], P(White wins) before the move in hundredths, NaN for none; all NaN when the
        result is the only label.
    played_out: whether the last position can be scored, so that its stones are a target.
    targets: what a teacher or a search thinks of the training positions; None where nothing is.
    """

    komi: float | None
    rules: str
    result: str
    points: np.ndarray
    colours: np.ndarray
    values: np.ndarray
    source: str
    played_out: bool
    targets: Targets | None = None
    game: str = GO
    size: int = BOARD_SIZE

    @property
    def num_moves(self) -> int:
        """Moves of both colours, passes included."""
        return len(self.points)

    @property
    def moves(self) -> list[tuple[int, int]]:
        """The moves as (colour, point), as a Board has them."""
        return list(zip(self.colours.tolist(), self.points.tolist(), strict=True))

    @property
    def half_komi(self) -> float:
        """The komi that a teacher is told: the nearest half; a tournament's if it is unknown."""
        return round(2 * (TOURNAMENT_KOMI if self.komi is None else self.komi)) / 2

    @property
    def winner(self) -> int:
        """BLACK or WHITE, EMPTY for a draw."""
        return {"B": BLACK, "W": WHITE}.get(self.result[:1], EMPTY)

    @property
    def margin(self) -> float | None:
        """The winner's margin in points; None without a count."""
        halves = parse_result(self.result)[1]
        return halves / 2 if halves >= 0 else None


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of some games, and of each of their moves its game among them, its ply and its word."""

    rows: np.ndarray
    game: np.ndarray
    ply: np.ndarray
    words: np.ndarray

    @property
    def has_own_values(self) -> np.ndarray:
        """Which games have a value other than the result's label: bool, of each row."""
        values, winner = self.words >> 9, self.rows["winner"]
        labels = np.select([winner == w for w in RESULT_VALUES], [*RESULT_VALUES.values()])
        is_own = (values != NO_VALUE) & (values != labels[self.game])
        found = np.bincount(self.game[is_own], minlength=self.rows.size) > 0
        return found & (self.rows["flags"] & HAS_VALUES != 0)


def is_packed(path: str | Path) -> bool:
    """Whether a file begins as packed files do; it may still be damaged."""
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def provenance_of(path: Path) -> Mapping[str, Any]:
    """The provenance of a packed file; empty for any other file, and a damaged one."""
    try:
        return GameFile.open(path).provenance
    except DataFormatError:
        return {}


def parse_result(text: str) -> tuple[int, int]:
    """The winner and the margin in half points, or a code; DataFormatError: no such result."""
    if text == DRAW:
        return EMPTY, 0
    if text == UNKNOWN:
        return EMPTY, CODES_BY_TEXT[""]
    match = RESULT.fullmatch(text)
    if match is None:
        raise DataFormatError(f"{text!r} is not a result such as B+3.5, W+R, B+, 0 or ?")
    winner = BLACK if match["winner"] == "B" else WHITE
    margin = match["margin"]
    code = CODES_BY_TEXT.get(margin)
    halves = round(2 * float(margin)) if code is None else code
    if halves > np.iinfo(np.int16).max:
        raise DataFormatError(f"{text!r} has a margin above 16383.5 points")
    return winner, halves


def text_indices(rows: np.ndarray) -> np.ndarray:
    """Which of the provenance's texts each row refers to: uint32."""
    return rows["text"] + (rows["text_high"].astype(np.uint32) << 16)


def format_result(winner: int, margin_halves: int) -> str:
    """The text of `Record.result`; an undefined margin code reads as unknown."""
    if winner not in COLOUR_LETTERS:
        return DRAW if margin_halves == 0 else UNKNOWN
    margin = f"{margin_halves / 2:g}" if margin_halves >= 0 else MARGIN_CODES.get(margin_halves, "")
    return f"{COLOUR_LETTERS[winner]}+{margin}"


def first_of_every(games: Any, num_positions: Any, every: int) -> Any:
    """Return where each `every`-th position of games begins, by their numbers; 0 without any."""
    return games % np.maximum(np.minimum(num_positions, every), 1)


def to_hundredths(values: np.ndarray) -> np.ndarray:
    """Values as a packed file has them: uint8 0 … 100, or NO_VALUE; DataFormatError: not 0 … 1."""
    values = np.asarray(values, np.float32)
    is_none = np.isnan(values)
    if not ((values[~is_none] >= 0) & (values[~is_none] <= 1)).all():
        raise DataFormatError("values must be from 0 to 1, or NaN for none")
    return np.where(is_none, NO_VALUE, np.rint(np.nan_to_num(values) * 100)).astype(np.uint8)


class GameFile(Sequence[Record]):
    """A packed file of games, memory-mapped: opening reads only the header, whatever its size.

    `game` is "go", "nogo" or "hex"; `policy_size` is size², and one more where a pass is a move
    like others. `data` are the file's bytes, `rows` the games' rows of dtype ROW, `words` the
    games' words, uint16 (data/README.md). Raises DataFormatError: no packed file of this version,
    cut short, or with a damaged header; OSError: the file cannot be read.
    """

    def __init__(self, path: str | PathLike):
        self.path = Path(path)
        if self.path.stat().st_size == 0:
            raise self.damaged("the file has 0 bytes")
        self.data = np.memmap(self.path, np.uint8, mode="r")
        pointer = ffi.from_buffer("uint8_t[]", self.data)
        handle = lib.golois_packed_file_open(pointer, self.data.size)
        if handle == ffi.NULL:
            raise self.damaged(last_error())
        self.handle = ffi.gc(handle, lib.golois_packed_file_close)  # for the rest of golois, too
        self._layout = lib.golois_packed_file_layout(handle)
        self.game = list(GAMES)[self._layout.game.kind]
        self.size: int = self._layout.game.size
        self.policy_size: int = self.size**2 + self._layout.game.has_pass
        self.rows = np.frombuffer(self.data, ROW, self._layout.num_games, self._layout.games_offset)
        self.words = np.frombuffer(
            self.data, "<u2", self._layout.num_words, self._layout.words_offset
        )

    @classmethod
    def open(cls, path: str | PathLike) -> "GameFile":
        """The packed file at this path; see the class for what it raises."""
        return cls(path)

    @property
    def num_positions(self) -> int:
        """Training positions: before a move on the board, with a label."""
        return self._layout.num_positions

    @property
    def title(self) -> str:
        """The game and the board, such as `Go on 9×9 with passes in the policy`."""
        options = " with passes in the policy" if self._layout.game.has_pass else ""
        options += " with swap" if self._layout.game.has_swap else ""
        return f"{GAMES[self.game]} on {self.size}×{self.size}{options}"

    def rules_of(self, index: int) -> Rules:
        """The rules of a game, to replay it; unknown komi is a tournament's."""
        if self.game != GO:
            has_swap = self._layout.game.has_swap
            return NoGo(self.size) if self.game == NOGO else Hex(self.size, has_swap)
        komi = self[index].komi
        shown = TOURNAMENT_KOMI if komi is None else komi
        return Go(self.size, shown, "free" if self._layout.game.has_pass else "arena")

    def require_arena_game(self) -> None:
        """Raise DataFormatError unless the games are Go on 19×19, as in the arena."""
        if (self.game, self.size, self.policy_size) != (GO, BOARD_SIZE, PASS):
            raise DataFormatError(
                f"{self.path} has games of {self.title}: this needs games of Go on 19×19, as "
                "they are imported"
            )

    def __len__(self) -> int:
        return self._layout.num_games

    def __getitem__(self, index: int) -> Record:  # type: ignore[override]  # no slices
        if not -len(self) <= index < len(self):
            raise IndexError(f"{self.path} has {len(self)} games: there is no game {index}")
        row = self.rows[index % len(self)]
        points, colours, values = self._moves(index % len(self), int(row["num_moves"]))
        texts = self._texts_of(int(text_indices(row)))
        komi = int(row["komi_quarters"])
        return Record(
            komi=None if komi == KOMI_UNKNOWN else komi / 4,
            rules=texts["rules"],
            result=format_result(int(row["winner"]), int(row["margin_halves"])),
            points=points,
            colours=colours,
            values=values,
            source=texts["source"],
            played_out=bool(row["flags"] & PLAYED_OUT),
            targets=self._targets(index % len(self)) if self.has_targets else None,
            game=self.game,
            size=self.size,
        )

    @property
    def has_targets(self) -> bool:
        """Whether a teacher or a search has labelled positions of this file."""
        return self._layout.targets_offset > 0

    @property
    def has_ownership(self) -> bool:
        """Whether a teacher has labelled the points of positions with their owners."""
        return self._layout.ownership_offset > 0

    @property
    def has_ladders(self) -> bool:
        """Whether the ladders of all positions are in the file (golois.add_ladders)."""
        return self._layout.ladders_offset > 0

    @property
    def checksums(self) -> dict[str, int]:
        """The CRC-32 of each section but the ladders, which follow from the others."""
        return {name: crc for name, *_, crc in self._sections() if name != "ladders"}

    @cached_property
    def provenance(self) -> Mapping[str, Any]:
        """The sources, and counts of games; DataFormatError: another checksum, or no provenance."""
        self._verify(self._sections()[-1])
        start = self._layout.provenance_offset
        try:
            return read_provenance(self.data[start : self._layout.file_size].tobytes())
        except ValueError as error:
            raise self.damaged(f"the provenance from byte {start} on: {error}") from error

    def komi_histogram(self) -> dict[float | None, int]:
        """Games by komi, ascending; None for unknown."""
        quarters, counts = np.unique(self.rows["komi_quarters"], return_counts=True)
        return {
            None if komi == KOMI_UNKNOWN else komi / 4: count
            for komi, count in zip(quarters.tolist(), counts.tolist(), strict=True)
        }

    def length_histogram(self, bin_moves: int = 50) -> dict[int, int]:
        """Games by number of moves: the least number of each bin, and its games."""
        counts = np.bincount(self.rows["num_moves"] // bin_moves)
        return {bin_moves * i: count for i, count in enumerate(counts.tolist()) if count}

    def num_valued_positions(self) -> int:
        """Training positions of games with a value other than the result's label."""
        blocks = self.blocks()
        return sum(int(b.rows["num_positions"][b.has_own_values].sum()) for b in blocks)

    def training_plies(self, index: int, record: Record, every: int = 1) -> np.ndarray:
        """Return how many moves were made before each training position of a game, int64.

        With `every` only each `every`-th position, at least one of a game. The games begin at
        different positions, so that not each of them has the empty board.
        """
        is_labelled = record.points < self.policy_size
        if self.rows["flags"][index] & HAS_VALUES:  # otherwise the result is the label of all
            is_labelled &= ~np.isnan(record.values)
        plies = np.flatnonzero(is_labelled)
        return plies[first_of_every(index, len(plies), every) :: every]

    def blocks(self) -> Iterator[Block]:
        """Yield the moves of all games in blocks; DataFormatError: a damaged row."""
        for first in range(0, len(self), BLOCK_GAMES):
            rows = self.rows[first : first + BLOCK_GAMES]
            num_moves = rows["num_moves"].astype(np.int64)
            game = np.repeat(np.arange(rows.size), num_moves)
            ply = np.arange(game.size) - (np.cumsum(num_moves) - num_moves)[game]
            indices = rows["first_word"].astype(np.int64)[game] + ply
            if indices.size and indices.max() >= self.words.size:
                raise self.damaged("the moves of some games lie outside of the file")
            yield Block(rows, game, ply, self.words[indices])

    def num_soft_positions(self) -> int:
        """Training positions with a policy of a teacher or a search."""
        if not self.has_targets:
            return 0
        layout = self._layout
        index = np.frombuffer(self.data, "<u4", layout.num_positions, layout.targets_offset)
        words_at = layout.targets_offset + index.nbytes
        words = np.frombuffer(self.data, "<u2", layout.num_target_words, words_at)
        if index.max(initial=0) >= layout.num_target_words:
            raise self.damaged("some targets begin outside of the file")
        return int(np.count_nonzero(words[index]))

    def num_owned_positions(self) -> int:
        """Training positions with a teacher's ownership."""
        return int(np.count_nonzero(self._ownership()[:, :1] != NO_OWNERSHIP))

    def verify(self) -> None:
        """Read the whole file; DataFormatError names a section that differs from its checksum."""
        for section in self._sections():
            self._verify(section)

    def _sections(self) -> tuple[tuple[str, int, int, int], ...]:
        """Name, first byte, end and CRC-32 of each section; it ends where the next one begins."""
        starts = {name: getattr(self._layout, f"{name}_offset") for name in SECTIONS}
        present = {name: start for name, start in starts.items() if start}
        ends = [*present.values(), self._layout.file_size][1:]
        return tuple(
            (name, start, end, getattr(self._layout, f"{name}_crc"))
            for (name, start), end in zip(present.items(), ends, strict=True)
        )

    def _verify(self, section: tuple[str, int, int, int]) -> None:
        name, start, end, expected = section
        crc = 0
        for at in range(start, end, CHECKSUM_CHUNK):
            crc = zlib.crc32(self.data[at : min(at + CHECKSUM_CHUNK, end)].data, crc)
        if crc != expected:
            raise self.damaged(
                f"the {name} at bytes {start} to {end} have the CRC-32 {crc:08x} "
                f"instead of {expected:08x}"
            )

    def _moves(self, index: int, num_moves: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        points = np.empty(num_moves, np.uint16)
        colours = np.empty(num_moves, np.uint8)
        hundredths = np.empty(num_moves, np.uint8)
        status = lib.golois_packed_file_moves(
            self.handle,
            index,
            buffer(points, "uint16_t[]"),
            buffer(colours, "uint8_t[]"),
            buffer(hundredths, "uint8_t[]"),
            num_moves,
        )
        if status != 0:
            raise self.damaged(last_error())
        values = np.where(hundredths <= 100, hundredths / np.float32(100), np.float32(np.nan))
        if self.size < BOARD_SIZE:
            points[points == PASS] = self.size**2
        return points, colours, values.astype(np.float32)

    def _targets(self, index: int) -> Targets | None:
        num_words = lib.golois_packed_file_num_target_words(self.handle, index)
        if num_words < 0:
            raise self.damaged(last_error())
        words = np.empty(num_words, np.uint16)
        status = lib.golois_packed_file_targets(
            self.handle, index, buffer(words, "uint16_t[]"), num_words
        )
        if status != 0:
            raise self.damaged(last_error())
        try:
            targets = Targets.from_words(words, self.size)
        except DataFormatError as error:
            raise self.damaged(f"game {index}: {error}") from error
        if not targets.policies.any() and np.isnan(targets.values).all():
            return None
        first = int(self.rows[index]["first_position"])
        ownership = self._ownership()[first : first + len(targets)]
        has_ownership = (ownership[:, :1] != NO_OWNERSHIP).any()
        return targets.with_ownership(ownership) if has_ownership else targets

    def _ownership(self) -> np.ndarray:
        """Of all training positions, int8 [num_positions, size²]; no row in a file without."""
        num_positions = self.num_positions if self.has_ownership else 0
        at, shape = self._layout.ownership_offset, (num_positions, self.size**2)
        return np.frombuffer(self.data, np.int8, num_positions * self.size**2, at).reshape(shape)

    def _texts_of(self, index: int) -> Mapping[str, str]:
        texts = self.provenance.get("texts", [])
        if index >= len(texts):
            raise self.damaged(f"a game's row refers to text {index}, of {len(texts)}")
        return texts[index]

    def damaged(self, why: str) -> DataFormatError:
        """The error to raise where this file is not what it says, for the rest of golois."""
        return DataFormatError(f"{self.path}: {why}; import the games again")


_TEXT_FIELDS = {"rules": str, "source": str}
_SOURCE_FIELDS = {"name": str, "bytes": int, "sha256": str, "games": int}
_TEACHER_FIELDS = {"name": str, "sha256": str}


def read_provenance(data: bytes) -> Mapping[str, Any]:
    """Read the section, with the types of data/README.md; ValueError if it is something else."""
    try:
        found = json.loads(data)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("it is not an object")
    for name, fields in (("texts", _TEXT_FIELDS), ("sources", _SOURCE_FIELDS)):
        entries = found.get(name, [])
        if not isinstance(entries, list) or not all(_has(entry, fields) for entry in entries):
            raise ValueError(f"its {name} are not objects with {', '.join(fields)}")
    for name, by in (("dropped", "reason"), ("assumed", "text")):
        counts = found.get(name, {})
        if not isinstance(counts, dict) or not all(type(n) is int for n in counts.values()):
            raise ValueError(f"its {name} games are not counted by {by}")
    labelled = found.get("labelled", {"teacher": dict.fromkeys(_TEACHER_FIELDS, "")})
    if not (isinstance(labelled, dict) and _has(labelled.get("teacher"), _TEACHER_FIELDS)):
        raise ValueError(f"its teacher is no object with {', '.join(_TEACHER_FIELDS)}")
    return found


def _has(entry: Any, fields: Mapping[str, type]) -> bool:
    is_object = isinstance(entry, dict)
    return is_object and all(isinstance(entry.get(name), kind) for name, kind in fields.items())
