"""What a page says and where its links lead, without its style: what golden tests keep."""

import re
from html.parser import HTMLParser

# Elements within a line; any other one begins a new line.
CELLS = {"td", "th"}
INLINE = {"a", "em", "span", "strong", *CELLS}
# Attributes that are style, or that say the same on every page.
LEFT_OUT = {"class", "lang", "scope", "tabindex"}


class _Outline(HTMLParser):
    """Collects the lines of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self._is_at_start = True

    def handle_starttag(self, tag, attrs):
        kept = [f' {name}="{value or ""}"' for name, value in sorted(attrs) if name not in LEFT_OUT]
        self._begin(tag)
        self.lines[-1] += "|" if tag in CELLS else ""
        self.lines[-1] += f"<{tag}{''.join(kept)}>" if kept else ""

    def handle_endtag(self, tag):
        self.lines[-1] += "</a>" if tag == "a" else ""
        self._begin(tag)

    def handle_data(self, data):
        # Spaces at the start of a block or a cell aren't shown.
        shown = data.lstrip(" \n") if self._is_at_start else data
        self.lines[-1] += shown
        self._is_at_start &= not shown

    def _begin(self, tag: str) -> None:
        if tag not in INLINE:
            self.lines.append("")
        self._is_at_start |= tag not in INLINE or tag in CELLS


def outline_of(page: str) -> str:
    """The lines of a page: text, and tags with their attributes other than style.

    A cell of a table begins with `|`. Spaces are as a browser shows them.
    """
    outline = _Outline()
    outline.feed(page)
    outline.close()
    lines = (re.sub("[ \n]+", " ", line).strip() for line in outline.lines)
    return "".join(re.sub(r" ?\| ?", " | ", line).strip() + "\n" for line in lines if line)
