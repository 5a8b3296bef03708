"""The site as files: each is written beside and moved into place, and only when it has changed."""

import hashlib
import os
import shutil
from collections import defaultdict
from pathlib import Path

from golois.kit.files import BESIDE, remove_unfinished, write_whole
from tournament.league.games import GameRow
from tournament.league.league import LIVE, NOTHING_LIVE
from tournament.report import pages
from tournament.report.archive import SgfArchive
from tournament.report.boards import Boards
from tournament.report.downloads import game_rows, games_csv, league_json, ranking_csv, turns_csv
from tournament.report.feed import FEED, feed_xml
from tournament.report.formats import network_page, sgf_name_of
from tournament.report.history import weeks_of
from tournament.report.meetings import kept_judged, meetings_of
from tournament.report.snapshot import Snapshot
from tournament.report.standings import Standings
from tournament.report.trophies import trophies_of
from tournament.report.turns import Judged, judged, phases_by_name

ASSETS = Path(__file__).parent / "assets"
SHOWS_GAMES = ("style.css", "sgf.js", "replay.js", "board.js", "chart.js", "viewer.js", "game.js")
COPIED = (*SHOWS_GAMES, "live.js")
# Folders that hold nothing but what the site's builder writes.
OWN_FOLDERS = ("games", "networks")
WEEKS = "weeks"
BOARDS = "boards.json"


def write_site(standings: Standings, folder: Path) -> Path:
    """Bring the site in a folder up to date and return its front page; only one builder may run.

    Files of games stay unless the kit has changed. Files of networks, games and crosstables that no
    longer belong to the league are removed.
    """
    for name in COPIED:
        publish(folder / name, (ASSETS / name).read_bytes())
    snapshot = standings.snapshot
    meetings, said = _write_games(snapshot, folder)
    if snapshot.awards_trophies:
        standings.trophies = trophies_of(standings, said.errors)
    own = {*meetings, *_write_networks(standings, folder, said)}
    publish(folder / "game.html", pages.game(snapshot).encode())
    publish(folder / "ranking.csv", ranking_csv(standings).encode())
    games = game_rows(snapshot)
    publish(folder / "games.csv", games_csv(games).encode())
    publish(folder / "turns.csv", turns_csv(snapshot, said.turns).encode())
    publish(folder / "league.json", league_json(standings, games).encode())
    publish(folder / FEED, feed_xml(standings))
    if not (folder / LIVE).exists():  # else a run writes it
        publish(folder / LIVE, NOTHING_LIVE)
    crosstable = folder / "crosstable.html"
    is_apart = pages.MAX_CROSSTABLE_ON_INDEX < len(standings.rows) <= pages.MAX_CROSSTABLE
    if is_apart:
        publish(crosstable, pages.crosstable_page(standings).encode())
    # Last, so that the front page never leads to a page that isn't there yet.
    publish(folder / "index.html", pages.index(standings).encode())
    if not is_apart:
        crosstable.unlink(missing_ok=True)
    _sweep(folder, own)
    return folder / "index.html"


def keep_site(standings: Standings, folder: Path, label: str) -> Path:
    """Keep a week's site in a subfolder, hard-linked where possible; return its front page."""
    kept = folder / WEEKS / label
    beside = folder / WEEKS / f"{BESIDE}{label}"
    for left in (beside, kept):  # by a process that was killed
        shutil.rmtree(left, ignore_errors=True)
    everything_else = shutil.ignore_patterns(WEEKS, FEED, LIVE, f"{BESIDE}*")
    shutil.copytree(folder, beside, ignore=everything_else, copy_function=_link)
    publish(beside / "index.html", pages.index(standings, of_week=label).encode())
    beside.rename(kept)
    return kept / "index.html"


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def publish(path: Path, content: bytes) -> bool:
    """Replace a file in one step if its content differs, without a flush; return whether it did."""
    if _read(path) == content:
        return False
    write_whole(path, content, durable=False, public=True)
    return True


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _stamp() -> str:
    """Return what a game's files depend on besides the game: the sources that write them."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _write_games(snapshot: Snapshot, folder: Path) -> tuple[list[Path], Judged]:
    """Bring the meetings and the archive of SGF up to date; what the games' values say, too."""
    games, failed = (*snapshot.games, *snapshot.struck), {one.name for one in snapshot.taken_out}
    ranked = {network.name for network in snapshot.networks}
    stamp, meetings = _stamp(), meetings_of(games, failed, snapshot.written_names, ranked)
    all_ids = {game.game_id for game in games}
    said = Judged()
    with SgfArchive(folder / "games.zip", stamp, all_ids) as archive:
        for meeting in meetings:
            ids = [game.game_id for game in meeting.games]
            kept = _judged_kept(folder / meeting.path, meeting.head(stamp))
            if kept is not None and archive.missing.isdisjoint(ids):
                said.add(kept)
                continue
            texts = {game_id: snapshot.sgf(game_id) for game_id in ids}
            for game in meeting.games:
                archive.add(game.game_id, sgf_name_of(game), texts[game.game_id])
            found = judged(meeting.games, texts.__getitem__)
            publish(folder / meeting.path, meeting.script(stamp, texts, found).encode())
            said.add(found)
    return [folder / meeting.path for meeting in meetings], said


def _judged_kept(path: Path, head: str) -> Judged | None:
    """Return what a meeting's file keeps of its values; None unless the file is up to date."""
    try:
        with path.open(encoding="ascii") as file:
            is_up_to_date = file.readline() == head
            return kept_judged(file.readline()) if is_up_to_date else None
    except (FileNotFoundError, ValueError):  # missing, or damaged
        return None


def _write_networks(standings: Standings, folder: Path, said: Judged) -> list[Path]:
    games: dict[str, list[GameRow]] = defaultdict(list)
    for game in standings.snapshot.games:
        games[game.black].append(game)
        games[game.white].append(game)
    weeks = weeks_of(standings)
    phases = phases_by_name(standings.snapshot.games, said.losses)
    written = []
    boards = Boards(standings.snapshot.sgf, folder / BOARDS, _stamp())
    for row in standings.rows:
        played, rated = games[row.name], weeks.get(row.name, ())
        lost = phases.get(row.name, ())
        page = pages.network(standings, row, played, rated, said.turns, lost, boards)
        written.append(folder / network_page(row.name))
        publish(written[-1], page.encode())
    publish(folder / BOARDS, boards.content())
    return written


def _sweep(folder: Path, own: set[Path]) -> None:
    """Remove what earlier builds left behind: of networks that are gone, and of killed builds."""
    for name in OWN_FOLDERS:
        for path in (folder / name).rglob("*"):
            if path not in own and path.is_file():
                path.unlink()
    remove_unfinished(folder)
