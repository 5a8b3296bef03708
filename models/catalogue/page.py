"""The parts of docs/models.md that follow from the registry, which `make docs` writes."""

import re
from pathlib import Path

from models.catalogue.registry import REGISTRY
from models.catalogue.table import table

FILE = Path(__file__).resolve().parents[2] / "docs" / "models.md"


def generated(text: str) -> str:
    """Write the parts of a page between `<!-- generated: NAME -->` and `<!-- end -->` anew."""
    return re.sub(
        r"(<!-- generated: (\w+) -->\n)(?:(?!<!-- ).)*(\n<!-- end -->)",
        lambda part: part[1] + PARTS[part[2]]() + part[3],
        text,
        flags=re.DOTALL,
    )


def _sizes() -> str:
    return table(markdown=True)


def _families() -> str:
    rows = [f"| {spec.name} | {spec.idea} |" for spec in REGISTRY.values()]
    return "\n".join(["| family | idea |", "|---|---|", *rows])


def _pictures() -> str:
    families: dict[str, list[str]] = {}
    for spec in REGISTRY.values():
        families.setdefault(spec.family, []).append(spec.name)
    parts = []
    for family, names in families.items():
        title = ", ".join(names)
        parts.append(f"### {title}\n\n![{title}](pictures/{family}.png)")
    return "\n\n".join(parts)


PARTS = {"sizes": _sizes, "families": _families, "pictures": _pictures}
