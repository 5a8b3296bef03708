"""The pages of papers/: each row stands once, and the example runs."""

import re
from typing import Any

import numpy as np

from tests.data import ROOT

ROWS = {"K": 15, "R": 20, "V": 16, "I": 27, "N": 16}
"""How many rows each paper has, in the order of the page."""


def test_each_row_stands_once():
    text = (ROOT / "papers" / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| ([A-Z]-\d\d) \|", text, flags=re.MULTILINE)
    assert rows == [f"{one}-{row:02}" for one, last in ROWS.items() for row in range(1, last + 1)]


def test_the_example_of_fishnets_page_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / "papers" / "fishnet" / "README.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    assert names["values"].shape == (82,) and np.isnan(names["values"]).nonzero()[0].tolist() == [
        40
    ]
