"""The site: complete, escaped, without outside help, and rewritten only where something changed."""

import json
import os
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.fake_standings import game, small_league, snapshot_of_games
from tournament.report.markup import embedded_json, file_stem
from tournament.report.pages import MAX_CROSSTABLE_ON_INDEX
from tournament.report.site import publish, write_site

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&$title"


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

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    return write_site(small_league(num_scheduled=30), tmp_path_factory.mktemp("site")).parent


def pages_of(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.html"))


def test_every_link_leads_somewhere_and_nothing_is_fetched_from_elsewhere(site):
    parsed = {path.resolve(): Page(path) for path in pages_of(site)}
    assert len(parsed) == 1 + 3 + 12
    for path, page in parsed.items():
        assert page.open == [] and len(set(page.ids)) == len(page.ids)
        for target in page.targets:
            if target.startswith("data:"):
                continue
            file, _, anchor = target.partition("#")
            goal = (path.parent / file).resolve() if file else path
            assert goal.is_file(), (path, target)
            assert not anchor or anchor in parsed[goal].ids, (path, target)


def test_front_page_says_what_is_open(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    assert "Provisional." in text and "12 of 30 games played" in text
    assert "ada and bob (90\u00a0%)" in text
    assert re.search(r'aria-label="Elo \+257, 95 % interval from −14 to \+528"', text)


def test_cells_of_the_crosstable_open_the_games(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    anchor = f"vs-{file_stem('bob')}"
    assert f'href="networks/{file_stem("ada")}.html#{anchor}">3–1</a>' in text
    games = (site / "networks" / f"{file_stem('ada')}.html").read_text(encoding="utf-8")
    section = games[games.index(f'id="{anchor}"') :].partition("</section>")[0]
    assert section.count("Replay") == 2 * 4  # the links and their labels


def test_a_finished_league_has_no_banner(tmp_path):
    assert "Provisional" not in write_site(small_league(), tmp_path).read_text(encoding="utf-8")


def test_game_page_carries_the_game(site):
    text = (site / "games" / f"{file_stem('g007')}.html").read_text(encoding="utf-8")
    assert "ada (White) wins by forfeit: cyd: expected a finite value: got nan" in text
    data = json.loads(re.search(r'id="game">(.*?)</script>', text)[1])
    assert len(data["points"]) == len(data["visits"]) == len(data["value_black"]) == 12
    assert data["num_opening"] == 3
    assert data["visits"][:4] == [None, None, None, 100]
    assert data["value_black"][3] == 0.75


def test_hostile_names_stay_text(tmp_path):
    snapshot = snapshot_of_games(
        [HOSTILE, "b"],
        [game(0, HOSTILE, "b", "white", kind="forfeit", reason=HOSTILE)],
        title=HOSTILE,
    )
    for path in pages_of(write_site(snapshot, tmp_path).parent):
        text = path.read_text(encoding="utf-8")
        assert "img" not in Page(path).tags
        assert "<img" not in text and "&lt;img src=x" in text
    assert len({file_stem(name) for name in ("a/../b", "a b", "A B", "..", "")}) == 5
    assert not re.search(r"[^a-z0-9-]", "".join(map(file_stem, ("a/../b", "ÅÄÖ\0", "..", HOSTILE))))


def test_embedded_json_cannot_end_its_script():
    text = embedded_json({"name": "</script>&\u2028"})
    assert json.loads(text) == {"name": "</script>&\u2028"}
    assert not set("<>&\u2028") & set(text)


def stamps(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_a_new_game_rewrites_only_what_it_changes(tmp_path):
    full, names, ids = small_league(), ["ada", "bob", "cyd"], [f"g{i:03d}" for i in range(12)]
    before = snapshot_of_games(names, map(full.record, ids[:11]))
    write_site(before, tmp_path)
    for path in tmp_path.rglob("*"):
        os.utime(path, ns=(0, 0))
    write_site(before, tmp_path)
    assert set(stamps(tmp_path).values()) == {0}
    write_site(snapshot_of_games(names, map(full.record, ids)), tmp_path)
    new = {Path(path).name for path, time in stamps(tmp_path).items() if time}
    games = {name for name in new if name.startswith("g0")}
    assert games == {f"{file_stem('g011')}.html", f"{file_stem('g011')}.sgf"}
    assert {"index.html", "games.csv", "ranking.csv", "league.json", "games.zip"} <= new
    with zipfile.ZipFile(tmp_path / "games.zip") as archive:
        assert archive.namelist() == [f"{game_id}.sgf" for game_id in ids]
        assert archive.read("g003.sgf").startswith(b"(;FF[4]")


def test_another_title_rewrites_the_games(tmp_path):
    full = small_league()
    records = [full.record("g000")]
    write_site(snapshot_of_games(["ada", "bob"], records), tmp_path)
    write_site(snapshot_of_games(["ada", "bob"], records, title="Week 7"), tmp_path)
    page = tmp_path / "games" / f"{file_stem('g000')}.html"
    assert "Week 7" in page.read_text(encoding="utf-8")


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
    index = write_site(snapshot_of_games(names, []), tmp_path)
    table = '<table class="crosstable">'
    assert table not in index.read_text(encoding="utf-8")
    assert table in (tmp_path / "crosstable.html").read_text(encoding="utf-8")


def test_csv_has_a_row_a_game_and_a_network(site):
    games = (site / "games.csv").read_text(encoding="utf-8").splitlines()
    assert games[0].startswith("game_id,pair_id,black,white,result,winner,kind,reason,num_plies")
    assert len(games) == 13
    ranking = (site / "ranking.csv").read_text(encoding="utf-8").splitlines()
    assert ranking[1].startswith("1,1,2,ada,257.1,271.2,0.9037,7,8,0.875,0.1169,3,4,4,4,0,")
    document = json.loads((site / "league.json").read_text(encoding="utf-8"))
    assert document["ranking"][0]["name"] == "ada" and len(document["games"]) == 12
