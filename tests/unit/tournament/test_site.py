"""The site: complete, escaped, readable, and rewritten only where something changed."""

import json
import os
import re
import zipfile
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.fake_standings import game, small_league, small_records, snapshot_of_games
from tournament.game.sgf import to_sgf
from tournament.report import pages
from tournament.report.formats import file_stem, network_page
from tournament.report.meetings import game_address, meeting_address, meeting_key
from tournament.report.pages import MAX_CROSSTABLE_ON_INDEX, Scale
from tournament.report.site import ASSETS, publish, write_site
from tournament.report.snapshot import Snapshot, TakenOut
from tournament.report.standings import Standings

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&$title"
MEETING = re.compile(
    r"// \w{16} (\[.*?\])(?: without \[.*?\])?(?: no page \[.*\])?\n// judged \[.*\]\n"
    r"showMeeting\((.*)\);\n"
)
NAMES = ["ada", "bob", "cyd"]
IDS = [f"g{i:03d}" for i in range(12)]


class Page(HTMLParser):
    """Ids, links and unclosed or stray tags of a page."""

    VOID = {"meta", "link", "input", "img", "br"}

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids, self.targets, self.open, self.tags = [], [], [], []
        self.feed(path.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        attributes = dict(attrs)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.targets += [attributes[name] for name in ("href", "src") if name in attributes]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag


def written(snapshot: Snapshot, folder: Path) -> Path:
    return write_site(Standings(snapshot), folder).parent


def meeting_games(folder: Path, one: str, other: str) -> list[dict]:
    """What the file of two networks' games tells the board."""
    key = meeting_key(one, other)
    text = (folder / "games" / key[:2] / f"{key}.js").read_text(encoding="ascii")
    ids, games = map(json.loads, MEETING.fullmatch(text).groups())
    assert [game["id"] for game in games] == ids
    return games


def ids_in(archive: zipfile.ZipFile) -> list[str]:
    """The games of an archive of SGF; each entry's comment has one."""
    return [entry.comment.decode() for entry in archive.infolist()]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    return written(small_league(num_scheduled=30), tmp_path_factory.mktemp("site"))


def pages_of(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.html"))


def test_every_link_leads_somewhere_and_nothing_is_fetched_from_elsewhere(site):
    parsed = {path.resolve(): Page(path) for path in pages_of(site)}
    assert len(parsed) == 1 + 3 + 1
    num_games = 0
    for path, page in parsed.items():
        assert page.open == [] and len(set(page.ids)) == len(page.ids)
        for target in page.targets:
            if target.startswith("data:"):
                continue
            file, _, anchor = target.partition("#")
            goal = (path.parent / file).resolve() if file else path
            assert goal.is_file(), (path, target)
            if goal.name == "game.html" and goal != path:
                key, _, game_id = anchor.partition("/")
                script = (site / "games" / key[:2] / f"{key}.js").read_text(encoding="ascii")
                assert f'"id":"{game_id}"' in script if game_id else script
                num_games += 1
            else:
                assert not anchor or anchor in parsed[goal].ids, (path, target)
    # Crosstable, latest games, pages of networks, the one forfeit, and the giant-killer's game.
    assert num_games == 6 + 10 + 3 * (2 + 8) + 1 + 1


def test_a_cell_opens_its_games_which_a_meeting_carries_as_sgf(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    address = meeting_address("ada", "bob")
    assert meeting_address("bob", "ada") == address
    assert f'class="won-1"><a href="{address}">3–1</a>' in text
    assert f'class="lost-1"><a href="{address}">1–3</a>' in text
    games = meeting_games(site, "bob", "ada")
    assert [game["black"]["name"] for game in games] == ["ada", "bob", "ada", "bob"]
    record = small_records()[7]
    shown = next(game for game in meeting_games(site, "ada", "cyd") if game["id"] == "g007")
    assert shown["sgf"] == to_sgf(record)
    assert shown["outcome"] == "ada (White) wins by forfeit: cyd: expected a finite value: got nan"
    assert shown["white"] == {
        "name": "ada",
        "page": network_page("ada"),
        "visits": "100",
        "cpu": "1.50 s",
    }


@pytest.mark.parametrize(
    ("result", "reason", "words"),
    [
        ("B+12.5", "", "ada (Black) wins by 12.5 points"),
        ("B+R", "", "ada (Black) wins by adjudication"),
        ("B+R", "adjudicated, all saw it", "ada (Black) wins by adjudication: all saw it"),
        ("B+T", "", "ada (Black) wins on time"),
    ],
)
def test_outcomes_in_words(tmp_path, result, reason, words):
    record = game(0, "ada", "bob", "black", reason=reason, result=result)
    folder = written(snapshot_of_games(["ada", "bob"], [record]), tmp_path)
    assert meeting_games(folder, "ada", "bob")[0]["outcome"] == words


def test_hostile_names_stay_text(tmp_path):
    snapshot = snapshot_of_games(
        [HOSTILE, "b"],
        [game(0, HOSTILE, "b", "white", kind="forfeit", reason=HOSTILE)],
        title=HOSTILE,
    )
    folder = written(snapshot, tmp_path)
    for path in pages_of(folder):
        text = path.read_text(encoding="utf-8")
        assert "img" not in Page(path).tags
        assert "<img" not in text and "&lt;img src=x" in text
    assert meeting_games(folder, HOSTILE, "b")[0]["black"]["name"] == HOSTILE
    assert len({file_stem(name) for name in ("a/../b", "a b", "A B", "..", "")}) == 5
    assert not re.search(r"[^a-z0-9-]", "".join(map(file_stem, ("a/../b", "ÅÄÖ\0", "..", HOSTILE))))


def test_hostile_words_of_networks_rules_and_games_stay_text():
    lost = game(0, "a", HOSTILE, "black", kind="forfeit", reason=HOSTILE, result=HOSTILE)
    snapshot = snapshot_of_games(["a", HOSTILE], [lost], num_scheduled=2, title=HOSTILE)
    about = dict.fromkeys(("sha256", "keras_version", "submitted_at", "note", "message"), HOSTILE)
    about["layers"] = ((HOSTILE, 3),)
    standings = Standings(
        replace(
            snapshot,
            networks=tuple(replace(entry, **about) for entry in snapshot.networks),
            games=(replace(snapshot.games[0], started_at=HOSTILE, game_id=HOSTILE),),
            rules=tuple((what, HOSTILE) for what in ("A move", "Komi", "Kit", HOSTILE)),
            created_at=HOSTILE,
        )
    )
    games = standings.snapshot.games
    texts = [pages.network(standings, row, games, (), {}) for row in standings.rows]
    texts += [pages.index(standings), pages.crosstable_page(standings), pages.game(snapshot)]
    for text in texts:
        assert "<img" not in text and "&lt;img src=x" in text
        assert not re.search(r"alert\(1\)(>|&gt;[\"'])", text)


def stamps(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_a_new_game_rewrites_only_what_it_changes(tmp_path):
    records = small_records()
    before = snapshot_of_games(NAMES, records[:11])
    written(before, tmp_path)
    for path in tmp_path.rglob("*"):
        os.utime(path, ns=(0, 0))
    written(before, tmp_path)
    assert set(stamps(tmp_path).values()) == {0}
    written(snapshot_of_games(NAMES, records), tmp_path)
    new = {Path(path).name for path, time in stamps(tmp_path).items() if time}
    assert {name for name in new if meeting_key("bob", "cyd") in name} == {
        name for name in new if re.fullmatch(r"[0-9a-f]{12}\.js", name)
    }
    assert {"index.html", "games.csv", "ranking.csv", "league.json", "games.zip"} <= new
    assert len(meeting_games(tmp_path, "bob", "cyd")) == 4
    with zipfile.ZipFile(tmp_path / "games.zip") as archive:
        assert ids_in(archive) == IDS
        names = archive.namelist()
        assert len(set(names)) == len(names)
        assert archive.read(names[3]).decode() == to_sgf(records[3])
        assert names[3].startswith(f"{records[3].started_at[:10]}_bob_vs_ada_")


def test_what_left_the_league_leaves_the_site(tmp_path):
    written(small_league(), tmp_path)
    for killed in (tmp_path / "networks" / ".new-x", tmp_path / ".new-y"):
        killed.write_text("half a page")
    written(snapshot_of_games(["ada", "bob"], small_records()[:4]), tmp_path)
    scripts = [path.stem for path in (tmp_path / "games").rglob("*.js")]
    assert scripts == [meeting_key("ada", "bob")]
    pages = {f"networks/{path.name}" for path in (tmp_path / "networks").iterdir()}
    assert pages == {network_page("ada"), network_page("bob")}
    assert not list(tmp_path.rglob(".new-*"))
    with zipfile.ZipFile(tmp_path / "games.zip") as archive:
        assert ids_in(archive) == IDS[:4]


def without_cyd() -> Snapshot:
    """The small league after cyd was taken out for the game that it lost by failing."""
    snapshot = small_league()
    struck = tuple(game for game in snapshot.games if "cyd" in (game.black, game.white))
    (failure,) = (game for game in struck if game.kind == "forfeit")
    return replace(
        snapshot,
        networks=tuple(one for one in snapshot.networks if one.name != "cyd"),
        games=tuple(game for game in snapshot.games if game not in struck),
        taken_out=(TakenOut("cyd", "c" * 64, f"taken out ({HOSTILE})", failure, len(struck)),),
        struck=struck,
    )


def test_who_has_no_page_is_linked_to_the_front_page(tmp_path):
    written(small_league(), tmp_path)
    snapshot = without_cyd()
    bob_left = tuple(one for one in snapshot.networks if one.name != "bob")
    written(replace(snapshot, networks=bob_left, games=()), tmp_path)
    assert not (tmp_path / network_page("bob")).exists()
    for shown in meeting_games(tmp_path, "bob", "cyd"):
        players = {shown[colour]["name"]: shown[colour]["page"] for colour in ("black", "white")}
        assert players == {"bob": "index.html", "cyd": "index.html#taken-out"}


def test_a_web_server_may_read_all_files(tmp_path):
    before = os.umask(0o077)
    try:
        written(small_league(), tmp_path)
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*.*")}
    assert modes and set(modes.values()) == {0o644}


def test_the_games_of_a_network_that_was_taken_out_count_no_more_and_are_kept(tmp_path):
    written(small_league(), tmp_path)
    written(without_cyd(), tmp_path)
    page = Page(tmp_path / "index.html")
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    failure = without_cyd().taken_out[0].failure
    assert game_address(failure) in page.targets and ">cyd: expected a finite value" in text
    assert "taken-out" in page.ids and not (tmp_path / network_page("cyd")).exists()
    games = meeting_games(tmp_path, "ada", "cyd")
    assert [game["id"] for game in games] == IDS[4:8]
    for shown in games:
        assert shown["outcome"].endswith(". It doesn't count: cyd failed in a game")
        players = {shown[colour]["name"]: shown[colour]["page"] for colour in ("black", "white")}
        assert players == {"ada": network_page("ada"), "cyd": "index.html#taken-out"}
    with zipfile.ZipFile(tmp_path / "games.zip") as archive:
        assert sorted(ids_in(archive)) == IDS
    for table in ("ranking.csv", "games.csv"):
        assert "cyd" not in (tmp_path / table).read_text(encoding="utf-8")
    told = json.loads((tmp_path / "league.json").read_text(encoding="utf-8"))
    assert [game["game_id"] for game in told["games"]] == IDS[:4]
    (failed,) = told["taken_out"]
    assert (failed["name"], failed["game_id"], failed["num_games"]) == ("cyd", failure.game_id, 8)
    written(small_league(), tmp_path)
    assert "doesn't count" not in meeting_games(tmp_path, "ada", "cyd")[0]["outcome"]


@pytest.mark.parametrize("damage", [b"", b"no zip", b"\xff\n"])
def test_damaged_files_are_written_anew(tmp_path, damage):
    written(small_league(), tmp_path)
    key = meeting_key("ada", "bob")
    for path in (tmp_path / "games.zip", tmp_path / "games" / key[:2] / f"{key}.js"):
        path.write_bytes(damage)
    written(small_league(), tmp_path)
    assert len(meeting_games(tmp_path, "ada", "bob")) == 4
    assert len(zipfile.ZipFile(tmp_path / "games.zip").namelist()) == 12


def test_publish_leaves_the_old_file_when_it_fails(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    assert publish(path, b"old") and not publish(path, b"old")

    def full_disk(source, target):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full_disk)
    with pytest.raises(OSError, match="no space"):
        publish(path, b"new")
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_a_large_league_has_its_crosstable_apart(tmp_path):
    names = [f"network{i}" for i in range(MAX_CROSSTABLE_ON_INDEX + 1)]
    folder = written(snapshot_of_games(names, []), tmp_path)
    table = '<table class="crosstable">'
    assert table not in (folder / "index.html").read_text(encoding="utf-8")
    assert table in (folder / "crosstable.html").read_text(encoding="utf-8")
    written(snapshot_of_games(names[1:], []), tmp_path)
    assert table in (folder / "index.html").read_text(encoding="utf-8")
    assert not (folder / "crosstable.html").exists()


def test_a_league_of_hundreds_has_no_crosstable(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "MAX_CROSSTABLE", MAX_CROSSTABLE_ON_INDEX + 1)
    names = [f"network{i}" for i in range(MAX_CROSSTABLE_ON_INDEX + 2)]
    written(snapshot_of_games(names[1:], []), tmp_path)
    folder = written(snapshot_of_games(names, []), tmp_path)
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "The page of each network has its results." in page
    assert not (folder / "crosstable.html").exists() and "crosstable.html" not in page


def test_tables_have_a_row_a_game_and_a_network_and_titles_before_the_first(site, tmp_path):
    games = (site / "games.csv").read_text(encoding="utf-8").splitlines()
    assert games[0].startswith("game_id,pair_id,black,white,result,winner,kind,reason,num_plies")
    assert len(games) == 13
    ranking = (site / "ranking.csv").read_text(encoding="utf-8").splitlines()
    assert ranking[1].startswith("1,1,2,ada,257.1,271.2,0.9037,43.2,7,8,0.875,0.1169,3,4,4,4,0,")
    document = json.loads((site / "league.json").read_text(encoding="utf-8"))
    assert document["ranking"][0]["name"] == "ada" and len(document["games"]) == 12
    assert document["title"] == "Week 6"
    folder = written(snapshot_of_games(NAMES, []), tmp_path)
    titles = (site / "games.csv").read_text(encoding="utf-8").splitlines(keepends=True)[0]
    assert (folder / "games.csv").read_text(encoding="utf-8") == titles


@pytest.mark.parametrize("halfwidth", [90, 240, 390, 600, 970, 1450, 2300])
def test_the_numbers_of_the_scale_have_room_beside_one_another(halfwidth):
    """A letter takes about a twentieth of the axis, and a little less."""
    scale = Scale.of([SimpleNamespace(elo=0.0, elo_halfwidth=halfwidth)])
    places = [float(scale.position(tick).rstrip("%")) for tick in scale.ticks()]
    longest = max(len(f"{tick:+}") for tick in scale.ticks())
    assert len(places) > 1
    assert min(after - before for before, after in pairwise(places)) > 4.5 * longest


# What is read on what wants 4.5 or more (1.4.3), what is seen on what wants 3 (1.4.11).
TEXT = [
    *((text, "paper") for text in ("ink", "soft", "accent")),
    *((text, "raised") for text in ("ink", "soft")),
    *(("ink", shade) for shade in ("lost", "lost-2", "lost-1", "even", "won-1", "won-2", "won")),
    ("ink", "banner"),
    ("grid", "wood-light"),
    ("grid", "wood-dark"),
]
GRAPHICS = [(mark, "paper") for mark in ("accent", "accent-soft", "curve-black", "focus", "soft")]


def palettes() -> dict[str, dict[str, str]]:
    """The custom properties of style.css, light and dark."""
    style = (ASSETS / "style.css").read_text(encoding="utf-8")
    light, dark = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    colours = [dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in (light, dark)]
    return {"light": colours[0], "dark": {**colours[0], **colours[1]}}


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_formula_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_and_marks_are_visible(scheme):
    palette = palettes()[scheme]
    low = {
        (front, back): round(contrast(palette[front], palette[back]), 2)
        for pairs, least in ((TEXT, 4.5), (GRAPHICS, 3))
        for front, back in pairs
        if contrast(palette[front], palette[back]) < least
    }
    assert low == {}
