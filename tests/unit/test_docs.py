"""The pages of docs: links lead somewhere, and the rows of a table have the cells of its head."""

import re
from pathlib import Path

import pytest

from tests.data import ROOT

PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "data").rglob("*.md"),
    *(ROOT / "benchmarks").glob("*.md"),
]


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
def test_rows_have_the_cells_of_their_head(page):
    for head, *rows in _tables(page):
        for row in rows:
            assert _count_cells(row) == _count_cells(head), row


def test_the_tables_were_found():
    assert len(_tables(ROOT / "docs" / "what-works.md")) > 10
