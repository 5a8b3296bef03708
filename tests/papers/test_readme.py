"""The pages of papers/: each row stands once, and the tests that they name are there."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.data import ROOT

PAGES = sorted((ROOT / "papers").rglob("*.md"))
ROWS = {"K": 15, "R": 20, "V": 16, "I": 27, "N": 16}
"""How many rows each paper has, in the order of the page."""


def _commands() -> Iterator[list[str]]:
    """The words of each command in a block for the console or between backticks."""
    for page in PAGES:
        text = page.read_text("utf-8").replace("\\\n", " ")
        for command in re.findall(r"^\$ (python .*)$|`(python [^`]*)`", text, flags=re.MULTILINE):
            yield shlex.split("".join(command))


COMMANDS = {shlex.join(words): words for words in _commands()}
TESTS = [words for words in COMMANDS.values() if words[1:3] == ["-m", "pytest"]]


def test_each_row_stands_once():
    text = (ROOT / "papers" / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| ([A-Z]-\d\d) \|", text, flags=re.MULTILINE)
    assert rows == [f"{one}-{row:02}" for one, last in ROWS.items() for row in range(1, last + 1)]


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
