"""Writes the generated parts of the pages in docs/ anew.

    python -m docs.write

A part stands between `<!-- generated: NAME -->` and `<!-- end -->`. NAME is one of `parts`, or the
dataclass of options that becomes a table, as `MODULE:CLASS`. Further dataclasses behind it have
their table on the same page: the options that they share with it are left out.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path

from golois.kit.files import write_whole
from golois.kit.options import markdown_table
from models.training.quiet import import_keras_quietly

FOLDER = Path(__file__).resolve().parent
PART = re.compile(r"(<!-- generated: ([\w.: ]+) -->\n)(?:(?!<!-- ).)*(\n<!-- end -->)", re.DOTALL)


def parts() -> Mapping[str, Callable[[], str]]:
    """What follows from the registry of networks."""
    from models.catalogue import table

    return {
        "sizes": partial(table.table, markdown=True),
        "families": table.families,
        "pictures": table.pictures,
    }


def generated(text: str) -> str:
    """Return a page whose generated parts are new; one without an end stays as it is."""
    return PART.sub(lambda part: part[1] + _content(part[2]) + part[3], text)


def _content(name: str) -> str:
    if ":" in name:
        return markdown_table(*map(_dataclass, name.split()))
    return parts()[name]()


def _dataclass(name: str) -> type:
    module, _, options = name.partition(":")
    return getattr(import_module(module), options)


def main() -> None:
    """Write every page that has such a part."""
    import_keras_quietly()
    for page in sorted(FOLDER.rglob("*.md")):
        text = page.read_text("utf-8")
        if PART.search(text):
            write_whole(page, generated(text).encode(), durable=False)
            print(f"written: {page}")


if __name__ == "__main__":
    main()
