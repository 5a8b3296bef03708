"""What a stranger wrote becomes one line of plain text before anybody sees it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data import ROOT
from tournament.intake.faults import printable, quoted
from tournament.intake.keras.layers import LAYERS

DOCS = ROOT / "docs" / "maintainer" / "intake.md"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("conv2d_1", "conv2d_1"),
        ("a\nb", r"a\nb"),
        ("\x1b[31m", r"\x1b[31m"),
        ("é\u202e", r"\xe9\u202e"),
        ("\ud800", r"\ud800"),
    ],
)
def test_other_characters_are_written_out(text, expected):
    assert printable(text) == expected


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=500), st.integers(5, 100))
def test_any_text_is_one_short_line(text, limit):
    for shown in (printable(text, limit), quoted(text, limit)):
        assert shown.isascii() and shown.isprintable() and len(shown) <= limit


def test_the_documentation_lists_every_layer_that_is_taken():
    text = DOCS.read_text(encoding="utf-8").partition("* Layers that compute")[2]
    listed = re.findall(r"\b[A-Z]\w+", text.partition("* Activations")[0])
    assert {name for name in listed if name != "Layers"} == {
        name.removeprefix("golois>") for name in LAYERS
    }
