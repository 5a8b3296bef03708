"""Where the files of a run of TD(λ) lie; all of them appear whole."""

from pathlib import Path

from golois.kit.files import remove_unfinished
from models.training.run_folder import RunFolder


class Layout:
    """The folder of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run = RunFolder(path)
        self.checkpoint = path / "checkpoint.npz"
        self.journal = path / "journal.csv"
        self.league = path / "league.csv"
        self.curve = path / "league.png"

    def network(self, games: int) -> Path:
        """The network after so many games."""
        return self.path / "nets" / f"{games:07}.npz"

    def remove_unfinished(self) -> None:
        """Remove what killed processes have left beside the networks."""
        remove_unfinished(self.path / "nets")

    def networks(self) -> list[int]:
        """After how many games a network was kept, ascending."""
        return sorted(int(path.stem) for path in (self.path / "nets").glob("[0-9]*.npz"))
