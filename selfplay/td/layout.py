"""Where the files of a run of TD(λ) lie; all of them appear whole."""

from pathlib import Path

from golois.kit.run_folder import RunFolder


class Layout(RunFolder):
    """The folder of a run."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.journal = path / "journal.csv"
        self.league = path / "league.csv"
        self.league_games = path / "league"
        self.curve = path / "league.png"

    def network(self, games: int) -> Path:
        """The network after so many games."""
        return self.path / "nets" / f"{games:07}.npz"

    def networks(self) -> list[int]:
        """After how many games a network was kept, ascending."""
        return sorted(int(path.stem) for path in (self.path / "nets").glob("[0-9]*.npz"))
