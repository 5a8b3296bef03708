"""The pages of the kit: links, tables and pictures are whole, and shown output is real."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
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

NET = "cp data/networks/nogozero/best.h5 net.h5"
LAMBDA = """python -c "
import keras
board = keras.Input((19, 19, 31), name='board')
pooled = keras.layers.GlobalAveragePooling2D()(board)
policy = keras.layers.Dense(361, activation='softmax', name='policy')(pooled)
named = keras.layers.Lambda(lambda x: x, name='lambda')(policy)
value = keras.layers.Dense(1, activation='sigmoid', name='value')(named)
keras.Model(board, [policy, value]).save('lambda.h5')
" 2>log"""
LEAGUE = """
for name in Ada_Lovelace=mobilenet Emmy=nogozero Bob=resnet; do
  python submit.py data/networks/${name#*=}/best.h5 --name ${name%=*} --league league >>log
done
python -m tournament anchor Bob --elo 0 --league league >>log
python -m tournament run --league league --visits 16 --rounds 2 --seed 1 --quiet >>log
printf 'id;network\n1;Ada_Lovelace\n2;Emmy\n3;Bob\n4;Zoe\n' >students.csv
"""
slow = pytest.mark.slow

SHOWN = [
    pytest.param("student/data.md", "Games and batches", "", 9, marks=slow),
    pytest.param(
        "teacher/security.md", "What the kit promises", f"mkdir handed_in; {NET}", 9, marks=slow
    ),
    pytest.param("maintainer/intake.md", "The intake", LAMBDA, 1, marks=slow),
    pytest.param("student/models.md", "Sizes and cost", "", 9, marks=slow),
    pytest.param("student/play.md", "Annotating a game", "", 9, marks=slow),
    pytest.param("student/evaluate.md", "Measuring a network", "", 1, marks=slow),
    pytest.param("student/training.md", "Training", "", 1, marks=slow),
    pytest.param("student/sweep.md", "Comparing networks", "", 1, marks=slow),
    pytest.param("student/selfplay.md", "Self-play", "", 2, marks=slow),
    pytest.param("teacher/table.md", "Read the table", LEAGUE, 1, marks=slow),
]
"""Headings whose first block of commands prints what the page shows, numbers aside; what it needs,
as commands; and how many of its commands are run."""

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
    """A line of output without its own numbers, heights of bars, and points of the board."""
    level = re.sub("[▁-█]", "▁", line)
    return " ".join(re.sub(r"[+-]?(\b[A-T])?\d([\d,.]*\d)?", "0", level).split())


def _is_printed(shown: str, printed: Iterator[str]) -> bool:
    """Whether the next lines have one of this shape; an ellipsis stands for anything."""
    pattern = re.escape(_shape(shown)).replace("…", ".*")
    return any(re.fullmatch(pattern, line) for line in printed)


@pytest.mark.parametrize(("page", "heading", "needed", "number"), SHOWN)
def test_a_block_prints_what_the_page_shows(page, heading, needed, number, tmp_path):
    _, found, section = (ROOT / "docs" / page).read_text("utf-8").partition(f"# {heading}")
    lines = section.partition("```console\n")[2].partition("```")[0].splitlines()
    for name in ("data", "examples", "train.py", "submit.py", "evaluate.py", "selfplay.py"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "sweep.py").symlink_to(ROOT / "sweep.py")
    commands = [line[2:] for line in lines if line.startswith("$ ")][:number]
    paths = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", "\n".join([needed, *commands])],
        cwd=tmp_path, env={**os.environ, "PATH": paths, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert found and commands and "Traceback" not in done.stderr, done.stderr
    printed = iter([_shape(line) for line in (done.stdout + done.stderr).splitlines()])
    ends = [at for at, line in enumerate(lines) if line.startswith("$ ")][number:]
    shown = [line for line in lines[: ends[0] if ends else None] if line[:1] not in ("$", "…", "")]
    missing = [line for line in shown if not _is_printed(line, printed)]
    assert shown and not missing, (missing, done.stdout, done.stderr)


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
