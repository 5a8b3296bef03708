"""The site as files: each is written beside and moved into place, and only when it has changed."""

import hashlib
import os
import tempfile
from collections import defaultdict
from pathlib import Path

from tournament.report import pages
from tournament.report.downloads import games_csv, league_json, ranking_csv, sgf_archive
from tournament.report.markup import ASSETS
from tournament.report.snapshot import GameRow, Snapshot
from tournament.report.standings import Standings
from tournament.report.tables import game_page, game_sgf, network_page
from tournament.sgf_out import to_sgf

COPIED = ("style.css", "replay.js", "viewer.js")
STAMP = "built-by.txt"


def write_site(snapshot: Snapshot, folder: Path) -> Path:
    """Brings the site in a folder up to date with a snapshot.

    Games never change, so the pages of those that are there already stay, unless the kit or the
    league's title has changed since. Pages of networks that have left are not removed.

    Returns:
        the front page.
    """
    stamp = _stamp(snapshot)
    is_same_kit = _read(folder / STAMP) == stamp.encode()
    standings = Standings(snapshot)
    for name in COPIED:
        publish(folder / name, (ASSETS / name).read_bytes())
    _write_games(snapshot, folder, is_same_kit)
    _write_networks(standings, folder)
    previous = _read(folder / "games.zip") if is_same_kit else b""
    publish(folder / "games.zip", sgf_archive(snapshot, previous))
    publish(folder / "ranking.csv", ranking_csv(standings).encode())
    publish(folder / "games.csv", games_csv(snapshot).encode())
    publish(folder / "league.json", league_json(standings).encode())
    if len(standings.rows) > pages.MAX_CROSSTABLE_ON_INDEX:
        publish(folder / "crosstable.html", pages.crosstable_page(standings).encode())
    # Last, so that the front page never leads to a page that isn't there yet.
    publish(folder / "index.html", pages.index(standings).encode())
    publish(folder / STAMP, stamp.encode())
    return folder / "index.html"


def publish(path: Path, content: bytes) -> bool:
    """Replaces a file in one step if its content differs; a reader sees the old or the new one.

    Doesn't wait for the disk: a site can be built again.

    Returns:
        whether the file was written.
    """
    if _read(path) == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(beside, 0o644)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
    return True


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _stamp(snapshot: Snapshot) -> str:
    """What every game's page depends on besides its game."""
    digest = hashlib.sha256(repr((snapshot.title, snapshot.rules)).encode())
    for path in sorted(Path(__file__).parent.rglob("*.*")):
        if path.suffix in (".py", ".html", ".css", ".js"):
            digest.update(path.read_bytes())
    return digest.hexdigest() + "\n"


def _write_games(snapshot: Snapshot, folder: Path, is_same_kit: bool) -> None:
    for game in snapshot.games:
        page, sgf = folder / game_page(game.game_id), folder / game_sgf(game.game_id)
        # The page comes second: where it is, the SGF is.
        if is_same_kit and page.exists():
            continue
        record = snapshot.record(game.game_id)
        publish(sgf, to_sgf(record).encode())
        publish(page, pages.game(snapshot, record).encode())


def _write_networks(standings: Standings, folder: Path) -> None:
    games: dict[str, list[GameRow]] = defaultdict(list)
    for game in standings.snapshot.games:
        games[game.black].append(game)
        games[game.white].append(game)
    for row in standings.rows:
        page = pages.network(standings, row, games[row.name])
        publish(folder / network_page(row.name), page.encode())
