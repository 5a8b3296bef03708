"""HTML from values: everything is escaped unless it is Markup already."""

import hashlib
import html
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from string import Template

ASSETS = Path(__file__).parent / "assets"


class Markup(str):
    """Text that is HTML already and goes into a page as it is."""


def escape(value: object) -> Markup:
    """Any value as HTML text that is safe in elements and in quoted attributes."""
    return value if isinstance(value, Markup) else Markup(html.escape(str(value)))


def join(parts: Iterable[object], separator: str = "") -> Markup:
    """The parts one after the other, each escaped; the separator is HTML."""
    return Markup(separator.join(escape(part) for part in parts))


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """An HTML or SVG element.

    Args:
        attributes: `class_` is `class`, inner underscores are hyphens, None leaves one out.
    """
    listed = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{tag}{listed}>{join(children)}</{tag}>")


def fill(template: str, **fields: object) -> Markup:
    """A file of `assets/` with each `$field` replaced by its value, escaped."""
    escaped = {name: escape(value) for name, value in fields.items()}
    return Markup(_template(template).substitute(escaped))


def file_stem(name: str) -> str:
    """A file name without its ending: safe on every system, distinct for distinct names."""
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:32].rstrip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{readable}-{digest}" if readable else digest


@cache
def _template(name: str) -> Template:
    return Template((ASSETS / name).read_text(encoding="utf-8"))
