"""The pages of papers/: each row stands once, and commands are such as the kit takes."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.data import ROOT

PAGES = sorted((ROOT / "papers").rglob("*.md"))
ROWS = {"K": 15, "R": 20, "V": 16, "I": 27, "N": 16}
"""How many rows each paper has, in the order of the page."""

FOLDERS = ("benchmarks/", "data/", "docs/", "papers/", "tests/")
"""What a command names in these must be there; folders such as runs/ are the reader's."""


def _commands() -> Iterator[list[str]]:
    """The words of each command in a block for the console or between backticks."""
    for page in PAGES:
        text = page.read_text("utf-8").replace("\\\n", " ")
        for command in re.findall(r"^\$ (python .*)$|`(python [^`]*)`", text, flags=re.MULTILINE):
            yield shlex.split("".join(command))


def _called(words: list[str]) -> tuple[str, ...]:
    """The script or module of a command, with its actions: the plain words behind it."""
    begin = 3 if words[1] == "-m" else 2
    end = begin
    while end < len(words) and re.fullmatch("[a-z]+", words[end]):
        end += 1
    return tuple(words[1:end])


COMMANDS = {shlex.join(words): words for words in _commands()}
TESTS = [words for words in COMMANDS.values() if words[1:3] == ["-m", "pytest"]]
CALLED = sorted({_called(words) for words in COMMANDS.values() if words not in TESTS})


@cache
def _help(called: tuple[str, ...]) -> str:
    done = subprocess.run(
        [sys.executable, *called, "--help"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_row_stands_once():
    text = (ROOT / "papers" / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| ([A-Z]-\d\d) \|", text, flags=re.MULTILINE)
    assert rows == [f"{one}-{row:02}" for one, last in ROWS.items() for row in range(1, last + 1)]


@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_a_command_names_are_there(command):
    words = COMMANDS[command]
    script = [] if words[1] == "-m" else words[1:2]
    for word in [*script, *(word for word in words[2:] if word.startswith(FOLDERS))]:
        assert (ROOT / word.partition(",")[0]).exists(), word


@pytest.mark.parametrize("called", CALLED, ids=" ".join)
def test_options_are_known_to_the_help(called):
    for words in COMMANDS.values():
        if _called(words) == called:
            for word in (word.partition("=")[0] for word in words if word.startswith("--")):
                assert re.search(rf"(?<![\w-]){word}(?![\w-])", _help(called)), word


def test_tests_that_a_command_chooses_are_there():
    for _, _, _, file, *selection in TESTS:
        names = re.findall(r"^def (test_\w+)", (ROOT / file).read_text("utf-8"), flags=re.MULTILINE)
        for word in selection[1:]:
            assert any(word in name for name in names), (file, word)


def test_the_example_of_fishnets_page_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / "papers" / "fishnet" / "README.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    assert names["values"].shape == (82,) and np.isnan(names["values"]).nonzero()[0].tolist() == [
        40
    ]
