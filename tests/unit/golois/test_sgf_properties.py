"""One table of SGF's properties: the core's readers.

The writer and docs/maintainer/formats.md agree.
"""

import re

import pytest

from golois.errors import DataFormatError
from golois.go.coords import BLACK, WHITE
from golois.sgf.properties import sgf_properties
from golois.sgf.reading import read_sgf
from golois.sgf.writing import WRITERS, Node, properties_text
from tests.data import ROOT

ROWS = {row.name: row for row in sgf_properties()}


def documented() -> dict[str, tuple[str, str]]:
    """Where each property stands, and its type, as the page has them."""
    page = (ROOT / "docs" / "maintainer" / "formats.md").read_text("utf-8")
    _, _, table = page.partition("| property | where | type | |\n|---|---|---|---|\n")
    found = {}
    for line in table.partition("\n\n")[0].splitlines():
        names, where, kind = line.split(" | ")[:3]
        found |= dict.fromkeys(re.findall(r"`(\w+)`", names), (where, kind))
    return found


VALUES = {"number": "2", "size": "13", "real": "4.5", "colour": "W", "simple text": "B+R"}


def says_something(name: str, value: str) -> bool:
    """Whether a single game is read otherwise with the property."""
    try:
        return read_sgf(f"(;B[dd];W[pp]{name}[{value}])".encode()) != read_sgf(b"(;B[dd];W[pp])")
    except DataFormatError:
        return True


def test_the_page_has_the_properties_of_the_table():
    shown = documented()
    assert shown == {name: (ROWS[name].kind, ROWS[name].type) for name in shown}


def test_the_page_has_every_property_that_is_read():
    only_packed = {"BR", "WR", "SO", "HA", "AP", "PC", "RL"}
    tried = {name: row for name, row in ROWS.items() if row.type in VALUES}
    read = {name for name, row in tried.items() if says_something(name, VALUES[row.type])}
    assert read | only_packed == documented().keys() & tried.keys()


def test_no_property_is_listed_twice():
    assert len(ROWS) == len(sgf_properties())


def test_every_type_has_a_writer():
    assert {row.type for row in ROWS.values()} == set(WRITERS)


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ({"B": 361, "C": "a]\\\nb"}, "B[]C[a\\]\\\\\nb]"),
        ({"AB": [0, 18], "AW": [360], "PL": WHITE}, "AB[aa][sa]AW[ss]PL[W]"),
        ({"KM": 6.5, "SZ": 19, "PB": "a\nb", "W": 0}, "KM[6.5]SZ[19]PB[a b]W[aa]"),
        ({"KM": 0.0, "XX": "]", "PL": BLACK}, "KM[0]XX[\\]]PL[B]"),
    ],
)
def test_values_are_written_by_their_types(properties, text):
    assert properties_text(Node(properties)) == text
