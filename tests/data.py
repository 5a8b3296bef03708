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
