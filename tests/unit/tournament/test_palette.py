"""The contrast of every pair of colours that meet on the pages, by WCAG 2.1's formula."""

import re

import pytest

from tournament.report.site import ASSETS

# What is read on what wants 4.5 or more (1.4.3), what is seen on what wants 3 (1.4.11).
TEXT = [
    *((text, "paper") for text in ("ink", "soft", "accent")),
    *((text, "raised") for text in ("ink", "soft")),
    *(("ink", shade) for shade in ("lost", "lost-2", "lost-1", "even", "won-1", "won-2", "won")),
    ("ink", "banner"),
    ("grid", "wood-light"),
    ("grid", "wood-dark"),
]
GRAPHICS = [(mark, "paper") for mark in ("accent", "accent-soft", "curve-black", "focus", "soft")]


def palettes() -> dict[str, dict[str, str]]:
    """The custom properties of style.css, light and dark."""
    style = (ASSETS / "style.css").read_text(encoding="utf-8")
    light, dark = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    colours = [dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in (light, dark)]
    return {"light": colours[0], "dark": {**colours[0], **colours[1]}}


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_formula_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_and_marks_are_visible(scheme):
    palette = palettes()[scheme]
    low = {
        (front, back): round(contrast(palette[front], palette[back]), 2)
        for pairs, least in ((TEXT, 4.5), (GRAPHICS, 3))
        for front, back in pairs
        if contrast(palette[front], palette[back]) < least
    }
    assert low == {}
