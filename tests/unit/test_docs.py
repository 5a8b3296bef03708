"""The pages of the kit: links lead somewhere, tables have even rows, and pictures are whole."""

import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from docs.pictures.draw import draw
from models.parts.diagram import Column
from tests.data import ROOT

PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "data").rglob("*.md"),
    *(ROOT / "benchmarks").glob("*.md"),
    *(ROOT / "papers").rglob("*.md"),
]


MADE_BY_READERS = {"models/families/mine.py", "data/games.data"}


def _prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


def _anchors(page: Path) -> set[str]:
    """The names that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", _prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def _tables(page: Path) -> list[list[str]]:
    """The rows of each table of a page."""
    found = re.findall(r"(?:^ *\|.*\|\n)+", _prose(page), flags=re.MULTILINE)
    return [table.splitlines() for table in found]


def _count_cells(row: str) -> int:
    return re.sub(r"`[^`]*`|\\\|", "", row).count("|") - 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", _prose(page)):
        path, _, anchor = target.partition("#")
        if path.startswith(("https://", "http://", "mailto:")):
            continue
        goal = page.parent / path if path else page
        assert goal.exists(), target
        assert not anchor or anchor in _anchors(goal), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_names_are_there(page):
    rooms = "|".join(path.name for path in ROOT.iterdir() if path.is_dir())
    named = re.findall(rf"`((?:{rooms})/[\w./-]+\.\w+)`", page.read_text("utf-8"))
    missing = {name for name in named if not (ROOT / name).exists()}
    assert not missing - MADE_BY_READERS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_rows_have_the_cells_of_their_head(page):
    for head, *rows in _tables(page):
        for row in rows:
            assert _count_cells(row) == _count_cells(head), row


def test_a_picture_that_is_not_drawn_to_its_end_leaves_the_old_one(tmp_path, monkeypatch):
    def stopped(figure: Figure, path: Path, **_look: object) -> None:
        path.write_bytes(b"half of")
        raise OSError("no space left")

    monkeypatch.setattr(Figure, "savefig", stopped)
    (tmp_path / "net.png").write_bytes(b"the old one")
    with pytest.raises(OSError, match="no space left"):
        draw("net", (Column("net", ("conv: 3×3",)),), tmp_path)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"the old one"]


def test_the_tables_were_found():
    studies = (ROOT / "docs" / "studies").glob("*.md")
    assert sum(len(_tables(page)) for page in studies) > 30
