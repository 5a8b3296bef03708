"""The write side of packed files: games go in, sections and checksums come out."""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from golois.constants import BOARD_SIZE, KOMI_UNKNOWN, PASS
from golois.errors import ArgumentError, DataFormatError, GoloisError
from golois.games.rules import Go, Hex, NoGo, Rules
from golois.kit.files import replaced_file
from golois.kit.processes import num_cpus
from golois.native import Exclusive, buffer, check, ffi, last_error, lib
from golois.planes.row_shapes import GAMES, GO
from golois.records.packed_file import ROW, Record, parse_result, to_hundredths
from golois.records.targets import NO_OWNERSHIP

HEADER_BYTES = 128
ROW_ALIGNMENT = 8
MAX_KOMI = 100
DRAIN_WORDS = 1 << 20
FEW_TEXTS = 1 << 16


class AnalysisOptions(NamedTuple):
    """Whose win rates KataGo's answers have (EMPTY: the side to move), and the least share kept."""

    winrates_of: int
    least_share: float


class Count(NamedTuple):
    """Games that have something in common: why they were dropped, or what was taken to be meant.

    `reason` is empty for games that are packed. `cause` is what in them is the reason, such as
    `RE[Void] is neither a winner nor a draw`; "others" where a reason has many causes. `example` is
    the first game: location and line, and what is wrong.
    """

    reason: str
    cause: str
    example: str
    num_games: int


class GameFilter(NamedTuple):
    """Which games of the streams are wanted.

    `dedupe` drops repeated moves and colours, under any symmetry; `no_handicap` drops handicap or
    set-up stones in SGF. Both players must have ranks from `min_rank` to `max_rank`, such as "4d";
    a game without ranks is then dropped. An empty rank is any.
    """

    dedupe: bool = False
    no_handicap: bool = False
    min_rank: str = ""
    max_rank: str = ""

    def to_core(self) -> Any:
        """The filter as the core takes it; ArgumentError: no rank, or none from min to max."""
        lowest, highest = (_rank(text) for text in (self.min_rank, self.max_rank))
        if highest and lowest > highest:
            raise ArgumentError(
                f"min_rank must be at most max_rank, {self.max_rank}, not {self.min_rank}"
            )
        fields = (self.dedupe, self.no_handicap, lowest, highest)
        return ffi.new("golois_game_filter *", fields)


EVERY_GAME = GameFilter()


class Packer:
    """Packs games into an open file: words as they come, rows and provenance at the end.

    Memory holds one piece of input, 32 bytes a game, and all targets and ownership. A packer
    belongs to one thread at a time: two calls at once raise ConcurrentUseError. `file` is writable,
    seekable and empty. With `analysis`, the streams are KataGo's queries and answers. `rules` are
    those of all games of `add_finished`; otherwise Go on 19×19.
    """

    def __init__(
        self,
        file: BinaryIO,
        *,
        wanted: GameFilter = EVERY_GAME,
        analysis: AnalysisOptions | None = None,
        rules: Rules | None = None,
    ):
        threads = num_cpus()
        if analysis is None:
            handle = lib.golois_importer_create(wanted.to_core(), threads)
        else:
            handle = lib.golois_analysis_importer_create(
                analysis.winrates_of, analysis.least_share, threads
            )
        if handle == ffi.NULL:
            raise GoloisError(last_error())
        self._exclusive = Exclusive(ffi.gc(handle, lib.golois_importer_destroy), "Packer")
        self._file = file
        self._rules = rules
        self._num_words = 0
        self._words_crc = 0
        self._ownership = bytearray()
        file.write(bytes(HEADER_BYTES))

    @property
    def num_games(self) -> int:
        """Games packed so far."""
        with self._exclusive as handle:
            return lib.golois_importer_num_games(handle)

    @property
    def num_positions(self) -> int:
        """Training positions packed so far: one for each labelled move on the board."""
        with self._exclusive as handle:
            return lib.golois_importer_num_positions(handle)

    def begin_source(self, location: str, source: str) -> None:
        """Start a stream; see `Importer` in csrc/importing/importer.hpp."""
        with self._exclusive as handle:
            check(lib.golois_importer_begin_source(handle, _c_text(location), _c_text(source)))

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream; they may end anywhere."""
        pointer = ffi.from_buffer("uint8_t[]", data)
        with self._exclusive as handle:
            check(lib.golois_importer_feed(handle, pointer, len(data)))
            self._drain(handle, DRAIN_WORDS)

    def end_source(self, fault: str | None = None) -> None:
        """End the stream; a fault says why it could not be read to its end."""
        text = ffi.NULL if fault is None else _c_text(fault)
        with self._exclusive as handle:
            check(lib.golois_importer_end_source(handle, text))

    def add(self, record: Record) -> None:
        """Pack one record; DataFormatError if it is inconsistent or breaks the rules."""
        if self._rules is not None:
            raise GoloisError("a packer with rules packs finished games")
        if (record.game, record.size) != (GO, BOARD_SIZE):
            raise DataFormatError(
                f"only Go on 19×19 is packed from records, not {GAMES[record.game]} on "
                f"{record.size}×{record.size}: see golois.write_finished_games"
            )
        points = np.ascontiguousarray(record.points, np.uint16)
        colours = np.ascontiguousarray(record.colours, np.uint8)
        if (points != record.points).any() or (colours != record.colours).any():
            raise DataFormatError(f"expected points from 0 to {PASS}, and colours 1 and 2")
        hundredths = to_hundredths(record.values)
        if not points.shape == colours.shape == hundredths.shape == (points.size,):
            raise DataFormatError(
                "expected points, colours and values of one length: got shapes "
                f"{points.shape}, {colours.shape} and {hundredths.shape}"
            )
        winner, margin_halves = parse_result(record.result)
        words, ownership = np.empty(0, np.uint16), None
        if record.targets is not None:
            words, ownership = record.targets.to_words(), record.targets.ownership_numbers()
        with self._exclusive as handle:
            first_position = lib.golois_importer_num_positions(handle)
            status = lib.golois_importer_add(
                handle,
                buffer(points, "uint16_t[]"),
                buffer(colours, "uint8_t[]"),
                buffer(hundredths, "uint8_t[]"),
                points.size,
                _komi_quarters(record.komi),
                winner,
                margin_halves,
                record.played_out,
                _c_text(record.rules),
                _c_text(record.source),
                buffer(words, "uint16_t[]"),
                words.size,
            )
            check(status, DataFormatError)
            if ownership is not None:
                self._fill_ownership(first_position)
                self._ownership += ownership.tobytes()
            self._drain(handle, DRAIN_WORDS)

    def add_finished(
        self, moves: np.ndarray, hundredths: np.ndarray, winner: int, target_words: np.ndarray
    ) -> None:
        """Pack one game of the packer's rules; DataFormatError: an illegal move, another winner.

        moves: int32 [n], as `Game.play` takes them.
        hundredths: uint8 [n], P(White wins) before each move; NO_VALUE: no training position.
        winner: BLACK, WHITE, or EMPTY after a draw.
        target_words: uint16, the targets of the n positions, as data/README.md has them.
        """
        rules = self._rules
        if rules is None:
            raise GoloisError("a packer without rules packs records")
        komi = _komi_quarters(rules.komi if isinstance(rules, Go) else None)
        start = ffi.gc(rules.create(), lib.golois_game_destroy)
        with self._exclusive as handle:
            status = lib.golois_importer_add_finished(
                handle,
                start,
                ffi.new("golois_game_type *", _game_type(rules)),
                buffer(moves, "int32_t[]"),
                buffer(hundredths, "uint8_t[]"),
                len(moves),
                komi,
                winner,
                -1 if winner else 0,
                buffer(target_words, "uint16_t[]"),
                target_words.size,
            )
            check(status, DataFormatError)
            self._drain(handle, DRAIN_WORDS)

    def end_sources(self) -> None:
        """Pack the games that waited for the end of all streams."""
        with self._exclusive as handle:
            check(lib.golois_importer_finish(handle))
            self._drain(handle, DRAIN_WORDS)

    def dropped(self) -> dict[str, int]:
        """Dropped games by reason, only reasons that occurred."""
        names = _c_texts(lib.golois_drop_reason)
        with self._exclusive as handle:
            counts = {
                name: lib.golois_importer_num_dropped(handle, reason)
                for reason, name in enumerate(names)
            }
        return {name: count for name, count in counts.items() if count}

    def drops(self) -> list[Count]:
        """Dropped games by reason and cause."""
        with self._exclusive as handle:
            return list(_counts(handle, lib.golois_importer_drop))

    def assumptions(self) -> list[Count]:
        """Return what packed games were taken to mean, such as komi in hundredths, with counts."""
        with self._exclusive as handle:
            return list(_counts(handle, lib.golois_importer_assumption))

    def reports(self) -> list[str]:
        """The first ten drops: location, line, reason and why."""
        with self._exclusive as handle:
            return list(_c_texts(lambda i: lib.golois_importer_report(handle, i)))

    def finish(self, provenance: Mapping[str, Any]) -> None:
        """Write the end with `provenance`, and the header; nothing can be packed afterwards."""
        with self._exclusive as handle:
            self._drain(handle, 0)
            rows = _rows(handle)
            targets = _targets(handle)
            texts = _texts(handle)
        words_end = HEADER_BYTES + 2 * self._num_words
        padding = bytes(-words_end % ROW_ALIGNMENT)
        text = json.dumps(
            {**provenance, "texts": texts}, ensure_ascii=False, separators=(",", ":")
        ).encode(errors="replace")
        if self._ownership:
            self._fill_ownership(self.num_positions)
        for data in (padding, rows, targets, self._ownership, text):
            self._file.write(data)

        layout = ffi.new("golois_file_layout *")
        layout.num_games = self.num_games
        layout.num_words = self._num_words
        layout.num_positions = self.num_positions
        layout.words_offset = HEADER_BYTES
        layout.games_offset = words_end + len(padding)
        layout.provenance_offset = layout.games_offset + len(rows) + len(targets)
        if self._ownership:
            layout.ownership_offset = layout.provenance_offset
            layout.ownership_crc = zlib.crc32(self._ownership)
            layout.provenance_offset += len(self._ownership)
        layout.file_size = layout.provenance_offset + len(text)
        layout.words_crc = zlib.crc32(padding, self._words_crc)
        layout.games_crc = zlib.crc32(rows)
        layout.provenance_crc = zlib.crc32(text)
        if targets:
            layout.targets_offset = layout.games_offset + len(rows)
            layout.num_target_words = (len(targets) - 4 * self.num_positions) // 2
            layout.targets_crc = zlib.crc32(targets)
        layout.game = _game_type(self._rules)
        layout.has_many_texts = len(texts) > FEW_TEXTS
        self._file.seek(0)
        self._file.write(header_of(layout))

    def _fill_ownership(self, num_positions: int) -> None:
        """Say of so many positions, as far as nothing was said, that they have none."""
        none = NO_OWNERSHIP.to_bytes(1, signed=True)
        self._ownership += none * (num_positions * PASS - len(self._ownership))

    def _drain(self, handle, more_than: int) -> None:
        num_words = lib.golois_importer_num_words(handle)
        if num_words <= more_than:
            return
        words = np.empty(num_words, "<u2")
        check(lib.golois_importer_take_words(handle, buffer(words, "uint16_t[]"), num_words))
        self._words_crc = zlib.crc32(words.data, self._words_crc)
        self._num_words += num_words
        self._file.write(words.data)


def header_of(layout) -> memoryview:
    """Return the header of a packed file with this native layout."""
    header = np.zeros(HEADER_BYTES, np.uint8)
    check(lib.golois_packed_file_header(layout, buffer(header, "uint8_t[]"), header.size))
    return header.data


def write_games(records: Iterable[Record], path: str | Path) -> None:
    """Pack records into a file, whole or not at all; DataFormatError: a record breaks the rules."""
    with replaced_file(Path(path)) as file:
        packer = Packer(file)
        for index, record in enumerate(records):
            try:
                packer.add(record)
            except DataFormatError as error:
                raise DataFormatError(f"record {index}: {error}") from error
        packer.finish({"tool": "golois write_games", "kept": packer.num_games})


def _game_type(rules: Rules | None) -> dict[str, int]:
    if rules is None:
        return {"kind": 0, "size": BOARD_SIZE}
    return {
        "kind": (Go, NoGo, Hex).index(type(rules)),
        "size": rules.size,
        "has_pass": isinstance(rules, Go) and rules.passes == "free",
        "has_swap": isinstance(rules, Hex) and rules.swap,
    }


def _rows(handle) -> bytes:
    rows = np.zeros(lib.golois_importer_num_games(handle), ROW).view(np.uint8)
    check(lib.golois_importer_rows(handle, buffer(rows, "uint8_t[]"), rows.size))
    return rows.tobytes()


def _targets(handle) -> bytes:
    words = np.empty(lib.golois_importer_num_target_words(handle), "<u2")
    if not words.size:
        return b""
    index = np.empty(lib.golois_importer_num_positions(handle), "<u4")
    check(lib.golois_importer_target_index(handle, buffer(index, "uint32_t[]"), index.size))
    check(lib.golois_importer_target_words(handle, buffer(words, "uint16_t[]"), words.size))
    return index.tobytes() + words.tobytes()


def _counts(handle, entry_at: Callable[[Any, int, Any], bool]) -> Iterator[Count]:
    entry = ffi.new("golois_tally_entry *")
    index = 0
    while entry_at(handle, index, entry):
        reason, cause, example = (
            ffi.string(text).decode(errors="replace")
            for text in (entry.reason, entry.cause, entry.example)
        )
        yield Count(reason, cause, example, entry.num_games)
        index += 1


def _texts(handle) -> list[dict[str, str]]:
    rules = _c_texts(lambda i: lib.golois_importer_rules(handle, i))
    sources = _c_texts(lambda i: lib.golois_importer_source(handle, i))
    return [{"rules": r, "source": s} for r, s in zip(rules, sources, strict=True)]


def _komi_quarters(komi: float | None) -> int:
    if komi is None:
        return KOMI_UNKNOWN
    if not -MAX_KOMI <= komi <= MAX_KOMI or 4 * komi != round(4 * komi):
        raise DataFormatError(
            f"komi must be a multiple of 1/4 from −{MAX_KOMI} to {MAX_KOMI}, not {komi}"
        )
    return round(4 * komi)


def _rank(text: str) -> int:
    """The core's number for a rank, 0 for an empty text; others raise ArgumentError."""
    rank = lib.golois_rank(_c_text(text))
    if text and not rank:
        raise ArgumentError(f"a rank is written as 4d, 12k or 1p, not {text!r}")
    return rank


def _c_text(text: str) -> bytes:
    return text.replace("\0", "\ufffd").encode(errors="replace")


def _c_texts(text_at) -> Iterator[str]:
    index = 0
    while (text := text_at(index)) != ffi.NULL:
        yield ffi.string(text).decode(errors="replace")
        index += 1
