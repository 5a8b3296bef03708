"""The pages of the kit: links, tables and pictures are whole, and shown output is real."""

import os
import re
import subprocess
import sys
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

SHOWN = [
    ("student/models.md", "Sizes and cost"),
    ("student/data.md", "Games and batches"),
    ("student/play.md", "Annotating a game"),
]
"""Headings whose first block of commands prints what the page shows, numbers aside."""

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


def _shape(line: str) -> str:
    """A line of output without its own numbers and points of the board."""
    return " ".join(re.sub(r"(\b[A-T])?\d[\d,.]*", "0", line).split())


@pytest.mark.parametrize(("page", "heading"), SHOWN)
def test_a_block_prints_what_the_page_shows(page, heading, tmp_path):
    _, _, section = (ROOT / "docs" / page).read_text("utf-8").partition(f"# {heading}\n")
    lines = section.partition("```console\n")[2].partition("```")[0].splitlines()
    (tmp_path / "data").symlink_to(ROOT / "data")
    paths = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-ec", "\n".join(line[2:] for line in lines if line.startswith("$ "))],
        cwd=tmp_path, env={**os.environ, "PATH": paths, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    printed = iter([_shape(line) for line in (done.stdout + done.stderr).splitlines()])
    shown = [_shape(line) for line in lines if not line.startswith(("$ ", "…"))]
    assert shown and all(line in printed for line in shown), (shown, done.stdout)


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
