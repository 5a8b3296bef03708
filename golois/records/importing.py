"""Import: games from SGF and games.data, in files, folders and archives, into one packed file."""

import hashlib
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO

from golois.errors import ArgumentError, DataFormatError, require_one_of
from golois.go.coords import BLACK, EMPTY, WHITE
from golois.kit.files import replaced_file
from golois.records.packed_file import is_packed, provenance_of
from golois.records.packing import AnalysisOptions, Count, GameFilter, Packer
from golois.records.sources import Piece, Source, buffered, read_ahead, read_pieces
from golois.sgf.text import TextDecoder

TOOL = "golois import 3"  # one more when the same sources pack into other bytes
SUFFIX = ".games"  # of a packed copy
FILTERED = frozenset({"rank", "handicap", "duplicate"})  # why a filter may drop games
MOST_OF_NAME = 40  # characters, of up to four bytes: file systems take 255 bytes

MAX_LEAST_SHARE = 0.5
WINRATES_OF = {"black": BLACK, "white": WHITE, "sidetomove": EMPTY}
"""Whose win rates and leads KataGo reports, as its `reportAnalysisWinratesAs` says it."""


@dataclass(frozen=True)
class ImportProgress:
    """How far an import has come; bytes are those on disk, compressed or not."""

    location: str
    num_bytes: int
    total_bytes: int
    num_games: int


@dataclass(frozen=True)
class ImportSummary:
    """What an import has kept, and what it has dropped and why.

    `num_positions` counts training positions. `dropped` counts games by reason; `first_drops` has
    ten as "location:line: reason: why"; `drops` has an example of each cause. `assumptions` is what
    was taken to be meant in place of a record's words, such as komi in hundredths.
    """

    path: Path
    num_games: int
    num_positions: int
    dropped: Mapping[str, int]
    first_drops: tuple[str, ...]
    drops: tuple[Count, ...] = ()
    assumptions: tuple[Count, ...] = ()


def import_games(
    sources: Iterable[str | Path],
    output: str | Path,
    *,
    dedupe: bool = False,
    no_handicap: bool = False,
    min_rank: str = "",
    max_rank: str = "",
    on_progress: Callable[[ImportProgress], None] | None = None,
) -> ImportSummary:
    """Pack all games of the sources into one file; the same sources give the same bytes.

    A bad game is counted and skipped; a damaged stream is read as far as it goes. The file appears
    under its name only when it is complete. Sources are files of SGF or games.data of any era,
    plain or compressed (.gz, .xz, .bz2), archives (.zip, .tar, compressed .tar) and folders.

    `dedupe` keeps the first only of games with the same moves and colours, under any symmetry.
    `no_handicap` drops games of SGF with handicap or set-up stones. `min_rank` and `max_rank`, from
    "30k" to "9p", drop games unless both players' ranks are known and within; empty for any.
    `on_progress` is called about once a mebibyte. Raises ArgumentError: no sources, a source that
    is the output, or a text that is no rank; DataFormatError: no game could be kept; OSError: a
    source doesn't exist, or the output cannot be written.
    """
    wanted = GameFilter(dedupe, no_handicap, min_rank, max_rank)
    return _pack(sources, Path(output), partial(Packer, wanted=wanted), on_progress)


def import_analysis(
    sources: Iterable[str | Path],
    output: str | Path,
    *,
    winrates_as: str = "black",
    least_share: float = 0.001,
    on_progress: Callable[[ImportProgress], None] | None = None,
) -> ImportSummary:
    """Pack games and what KataGo's analysis engine says of their positions into one file.

    Each answer labels one position with KataGo's policy, value and lead; positions without an
    answer are not training positions. A line that can't be used is counted and skipped. Sources are
    the file of queries, then files of answers in any order, in JSON lines, plain or compressed
    (.gz, .xz, .bz2). `winrates_as` is `reportAnalysisWinratesAs` of KataGo's configuration:
    "black", "white" or "sidetomove". `least_share` of a policy keeps a move. Raises ArgumentError:
    no sources, a source that is the output, another `winrates_as`, or a share outside of 0 … 0.5;
    DataFormatError: no game has an answer; OSError: a source doesn't exist, or the output cannot be
    written.
    """
    require_one_of("winrates_as", winrates_as, WINRATES_OF)
    require_least_share(least_share)
    options = AnalysisOptions(WINRATES_OF[winrates_as], least_share)
    return _pack(sources, Path(output), partial(Packer, analysis=options), on_progress)


def require_least_share(share: float) -> None:
    """Refuse a `least_share` out of its range, by ArgumentError."""
    if not 0 < share <= MAX_LEAST_SHARE:
        raise ArgumentError(f"least_share must be above 0, up to {MAX_LEAST_SHARE}, not {share}")


def _pack(
    sources: Iterable[str | Path],
    output: Path,
    make_packer: Callable[[BinaryIO], Packer],
    on_progress: Callable[[ImportProgress], None] | None,
) -> ImportSummary:
    found = [Source.at(source) for source in sources]
    if not found:
        raise ArgumentError("no source of games is given: name a file or a folder")
    _refuse_to_overwrite(found, output)
    for source in found:
        if source.path.is_file() and is_packed(source.path):
            raise ArgumentError(
                f"{source.path} is packed already: name each packed file with --data, or export it "
                "to SGF before importing it with others"
            )
    report = _Report(on_progress, sum(source.num_bytes for source in found))
    with replaced_file(output) as file:
        packer = make_packer(file)
        provenance = [_import_source(source, packer, report) for source in found]
        num_before = packer.num_games
        packer.end_sources()
        provenance[0]["games"] += packer.num_games - num_before  # of queries, which come first
        dropped, drops, first_drops = packer.dropped(), packer.drops(), packer.reports()
        if packer.num_games == 0:
            names = ", ".join(source.name for source in found)
            raise DataFormatError(
                f"no games could be read from {names} ({sum(dropped.values())} dropped"
                f"{_most_frequent(drops)})"
            )
        assumptions = packer.assumptions()
        packer.finish(
            {
                "tool": TOOL,
                "sources": provenance,
                "kept": packer.num_games,
                "dropped": dropped,
                "first_drops": first_drops,
                **_assumed(assumptions),
            }
        )
    return ImportSummary(
        output,
        packer.num_games,
        packer.num_positions,
        dropped,
        tuple(first_drops),
        tuple(drops),
        tuple(assumptions),
    )


def _most_frequent(drops: list[Count]) -> str:
    if not drops:
        return ""
    most = max(drops, key=lambda drop: drop.num_games)
    is_only = most.num_games == sum(drop.num_games for drop in drops)
    return f": {most.example}" if is_only else f", {most.num_games} of them as {most.example}"


def _assumed(assumptions: list[Count]) -> dict[str, dict[str, int]]:
    """Nothing where nothing was assumed: the same games pack into the same bytes as before."""
    return {"assumed": {a.cause: a.num_games for a in assumptions}} if assumptions else {}


def _refuse_to_overwrite(sources: list[Source], output: Path) -> None:
    """Keep every source; only a packed file within a folder is none, and may be replaced."""
    if not output.is_file():
        return
    kept = [source for source in sources if source.path.is_file() or not is_packed(output)]
    if any(output.samefile(file) for source in kept for file in source.files):
        raise ArgumentError(f"the output would overwrite the source {output}: choose another")


class _Report:
    def __init__(self, callback: Callable[[ImportProgress], None] | None, total_bytes: int):
        self._callback = callback
        self._total_bytes = total_bytes
        self._done_bytes = 0

    def at(self, location: str, num_bytes: int, num_games: int) -> None:
        if self._callback is not None:
            done = self._done_bytes + num_bytes
            self._callback(ImportProgress(location, done, self._total_bytes, num_games))

    def end_source(self, num_bytes: int) -> None:
        self._done_bytes += num_bytes


def _import_source(source: Source, packer: Packer, report: _Report) -> dict[str, Any]:
    games_before = packer.num_games
    _import_pieces(read_ahead(_pieces(source)), source, packer, report)
    report.end_source(source.num_bytes)
    return {
        "name": source.name,
        "files": len(source.files),
        "bytes": source.num_bytes,
        "sha256": source.sha256(),
        "games": packer.num_games - games_before,
    }


def _pieces(source: Source) -> Iterator[tuple[Path, Piece, int]]:
    """Every piece of every file, with the bytes that have been read of the source."""
    bytes_before = 0
    for path in source.files:
        with buffered(io.FileIO(path)) as file:
            for piece in _in_utf8(read_pieces(file, source.location(path))):
                yield path, piece, bytes_before + file.tell()
        bytes_before += path.stat().st_size


def _in_utf8(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """The same streams with their text in UTF-8."""
    for location, stream in groupby(pieces, key=attrgetter("location")):
        decoder, is_open = TextDecoder(), False
        for piece in stream:
            is_open = piece.fault is None
            if not is_open:
                yield Piece(location, decoder.finish())
                yield piece
                decoder = TextDecoder()
            elif text := decoder.feed(piece.data):
                yield Piece(location, text)
        if is_open:
            yield Piece(location, decoder.finish())


def _import_pieces(
    pieces: Iterator[tuple[Path, Piece, int]], source: Source, packer: Packer, report: _Report
) -> None:
    stream = None  # a file's path and the location in it
    for path, piece, num_bytes in pieces:
        if (path, piece.location) != stream:
            if stream is not None:
                packer.end_source()
            stream = path, piece.location
            packer.begin_source(piece.location, source.name)
        if piece.fault is not None:
            packer.end_source(piece.fault)
            stream = None
        else:
            packer.feed(piece.data)
        report.at(piece.location, num_bytes, packer.num_games)
    if stream is not None:
        packer.end_source()


def packed_copy(
    source: str | Path, *, on_progress: Callable[[ImportProgress], None] | None = None
) -> Path:
    """The file itself if it is packed, else its packed copy, imported now if missing or stale.

    A copy is stale when it is older than the file, comes from a file of another size, or from
    another import. A file of the copy's name that the user made stays as it is. Raises
    DataFormatError: no game could be read; OSError: the file doesn't exist, or neither folder can
    be written.
    """
    source = Path(source)
    if is_packed(source):
        return source
    beside = source.with_name(source.name + SUFFIX)
    in_cache = _place_in_cache(source)
    is_free = not beside.exists() or _is_copy(beside, source)
    for copy in (beside, in_cache) if is_free else (in_cache,):
        if _is_current(copy, source):
            return copy
    copy = beside if is_free and os.access(source.parent, os.W_OK) else in_cache
    copy.parent.mkdir(parents=True, exist_ok=True)
    import_games([source], copy, on_progress=on_progress)
    return copy


def _is_current(copy: Path, source: Path) -> bool:
    if not copy.exists() or copy.stat().st_mtime_ns < source.stat().st_mtime_ns:
        return False
    provenance = provenance_of(copy)
    sizes = [entry["bytes"] for entry in provenance.get("sources", [])]
    return provenance.get("tool") == TOOL and sizes == [source.stat().st_size]


def _is_copy(path: Path, source: Path) -> bool:
    """Return whether a packed file is a whole import of a file, of any age."""
    provenance = provenance_of(path)
    names = [entry["name"] for entry in provenance.get("sources", [])]
    is_import = str(provenance.get("tool")).startswith(TOOL.rstrip("0123456789"))
    is_filtered = not FILTERED.isdisjoint(provenance.get("dropped", {}))
    return is_import and names == [source.resolve().name] and not is_filtered


def _place_in_cache(source: Path) -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    digest = hashlib.sha256(os.fsencode(source.resolve())).hexdigest()
    name = f"{source.name[:MOST_OF_NAME]}-{digest[:32]}{SUFFIX}"
    return Path(root).expanduser() / "golois" / name
