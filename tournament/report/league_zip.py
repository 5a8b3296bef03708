"""Leagues to one file and back: a zip that this kit can restore and other programs can use.

    LEAGUE/league.json                  which version of the journal
    LEAGUE/league.toml                  the title and the term, where the league has them
    LEAGUE/journal/TABLE.jsonl          every table of the journal, a JSON object a row
    LEAGUE/submissions/SHA256.h5        LEAGUE/artefacts/SHA256.onnx and .json
    LEAGUE/games/NAME.sgf               every game that counts or was struck, by date and players
    LEAGUE/games.csv, ranking.csv       the tables

The journal's rows are the truth; SGF and CSV are for other programs and are not read back.
"""

import hashlib
import json
import os
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from golois.kit.files import replaced_file, write_whole
from tournament.errors import LeagueError
from tournament.game.sgf import sgf_name, to_sgf
from tournament.league.journal import SCHEMA_VERSION, Journal
from tournament.league.league import League, make_folder
from tournament.league.settings import FILE
from tournament.report.archive import sgf_entry, zip_entry
from tournament.report.downloads import game_rows, games_csv, ranking_csv
from tournament.report.snapshot import snapshot_of
from tournament.report.standings import Standings

STORED_FILE = re.compile(
    r"league\.toml|submissions/([0-9a-f]{64})\.h5|artefacts/[0-9a-f]{64}\.(onnx|json)"
)
# What reading a damaged or forged archive raises.
DAMAGE = (
    zipfile.BadZipFile, zlib.error, sqlite3.Error, ArithmeticError, AttributeError, EOFError,
    LookupError, RuntimeError, TypeError, ValueError,
)
GAME_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
FOLDER_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,63}")


def export_leagues(leagues: Sequence[League], path: Path) -> None:
    """Write leagues, each as of one moment, into a zip, each under the name of its folder.

    Raises:
        LeagueError: two leagues of one name, or a name that an archive cannot have.
    """
    names = [league.folder.resolve().name for league in leagues]
    unfit = [name for name in names if names.count(name) > 1 or not FOLDER_NAME.fullmatch(name)]
    if unfit:
        raise LeagueError(
            f"leagues need folders with different plain names: rename {unfit[0]!r}"
        )
    with replaced_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        os.chmod(file.name, 0o600)  # it holds networks and journals
        for name, league in zip(names, leagues, strict=True):
            _export(league, archive, name)


def import_leagues(path: Path, folder: Path) -> list[Path]:
    """Restore leagues from an archive, each in a folder of its name, and return the folders.

    Files must be what their names say, and lie inside the folder. Import only archives that you
    trust.

    Raises:
        LeagueError: no archive of this version, a damaged one, or a folder that is there already.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = _league_names(archive)
            folder.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=folder) as beside:
                for name in names:
                    if (folder / name).exists():
                        raise LeagueError(f"{folder / name} already exists: move it away first")
                    _import(archive, name, Path(beside) / name)
                for name in names:
                    (Path(beside) / name).rename(folder / name)
    except LeagueError:
        raise
    except DAMAGE as error:
        raise LeagueError(f"{path} is not an archive of leagues: {error}") from error
    return [folder / name for name in names]


def _export(league: League, archive: zipfile.ZipFile, name: str) -> None:
    with league.at_one_moment() as journal:
        _write(archive, f"{name}/league.json", json.dumps({"version": SCHEMA_VERSION}))
        for table in journal.tables():
            entry = zip_entry(f"{name}/journal/{table}.jsonl")
            with archive.open(entry, "w", force_zip64=True) as lines:  # moves may pass 2 GB
                for row in journal.rows_of(table):
                    lines.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        taken: set[str] = set()
        for game in league.games.kept():
            file = sgf_name(game.started_at, game.black, game.white, game.result)
            entry = sgf_entry(game.game_id, f"{name}/games/{file}", taken)
            taken.add(entry.filename)
            archive.writestr(entry, to_sgf(game))
        standings = Standings(snapshot_of(league, with_hidden=True))
        _write(archive, f"{name}/ranking.csv", ranking_csv(standings))
        _write(archive, f"{name}/games.csv", games_csv(game_rows(standings.snapshot)))
        if (settings := league.folder / FILE).exists():
            _write(archive, f"{name}/{FILE}", settings.read_bytes())
        for kind in ("submissions", "artefacts"):
            for stored in sorted((league.folder / kind).glob("[!.]*")):
                _write(archive, f"{name}/{kind}/{stored.name}", stored.read_bytes())


def _import(archive: zipfile.ZipFile, name: str, folder: Path) -> None:
    about = json.loads(archive.read(f"{name}/league.json"))
    if about["version"] != SCHEMA_VERSION:
        raise LeagueError(
            f"{name} is of version {about['version']}, and this kit reads {SCHEMA_VERSION}: "
            "import it with the version of the kit that wrote it"
        )
    make_folder(folder)
    with closing(Journal(folder / "league.sqlite")) as journal, journal.transaction():
        for table in journal.tables():
            columns = journal.columns_of(table)
            for row in _rows(archive, f"{name}/journal/{table}.jsonl"):
                if row.keys() != columns:
                    raise ValueError(f"{name}/journal/{table}.jsonl has a row with other columns")
                journal.insert(table, row)
    for entry in archive.namelist():
        if (stored := STORED_FILE.fullmatch(entry.removeprefix(f"{name}/"))) is not None:
            content = archive.read(entry)
            if stored[1] and hashlib.sha256(content).hexdigest() != stored[1]:
                raise LeagueError(f"the archive is damaged: {entry} differs from its checksum")
            write_whole(folder / stored[0], content)
    league = League(folder, create=False)
    for game_id in league.games.finished_ids():
        if not GAME_ID.fullmatch(game_id):
            raise LeagueError(f"the archive is damaged: {name} has the game id {game_id!r}")
    league.hidden.guard_files()
    for game in league.games.kept():
        write_whole(league.games.path_of(game.game_id), to_sgf(game).encode())
    league.close()


def _league_names(archive: zipfile.ZipFile) -> list[str]:
    paths = map(PurePosixPath, archive.namelist())
    names = [str(path.parent) for path in paths if path.name == "league.json"]
    if not names or not all(map(FOLDER_NAME.fullmatch, names)):
        raise ValueError("it holds no league")
    return names


def _rows(archive: zipfile.ZipFile, entry: str) -> Iterator[dict[str, Any]]:
    with archive.open(entry) as lines:
        yield from map(json.loads, lines)


def _write(archive: zipfile.ZipFile, name: str, content: str | bytes) -> None:
    archive.writestr(zip_entry(name), content)
