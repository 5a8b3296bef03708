"""Where the tests find games and golden files."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EMBEDDED_GAMES = ROOT / "data" / "katago_b6.games"
LABELLED_GAMES = ROOT / "data" / "katago_b15.games"
GOLDEN_FOLDERS = tuple(
    folder
    for folder in (ROOT / "tests" / "golden" / "data", ROOT.parent / "shared" / "golden")
    if (folder / "planes.npz").exists()
)


def examples_of(page: str, heading: str) -> list[str]:
    """The Python examples of a page of docs, between a heading and the next one."""
    _, _, rest = (ROOT / "docs" / page).read_text("utf-8").partition(f"# {heading}\n")
    assert rest, f"{page} has no heading {heading!r}"
    section = rest.partition("\n## ")[0]
    return [part.partition("```")[0] for part in section.split("```python\n")[1:]]
