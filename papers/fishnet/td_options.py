"""The options of a run of TD(λ), and the named run of the paper."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from golois.errors import ArgumentError
from golois.kit.command import UsageError
from golois.kit.options import check, flag, option
from golois.kit.run_folder import Preset, RunFolder
from models.training.options import END_OF_SEEDS
from papers.fishnet.game import ChainRules, Scoring
from papers.fishnet.td_game import TdOptions

LENGTHS = ("games", "minutes")
"""Options that change nothing before the run ends, so a resumed run may have others."""

@dataclass(frozen=True)
class Options:
    """Everything that decides a run, written to its config.json."""

    size: int = option(9, "points on a side, 2 to 19", least=2, most=19)
    captured: float = option(Scoring.captured, "what a captured stone counts")
    stone: float = option(
        Scoring.stone, "what a stone counts that is on the board at the end"
    )
    step: float = option(
        TdOptions.step, "a new stone moves the likelihoods beside it by so much"
    )
    least_eye: float = option(
        ChainRules.least_eye, "a liberty counts for an eye where one is likelier than this"
    )
    openings: str = option(
        "", "limits of the classes by a chain's stones, as `td thresholds` prints them"
    )
    beta: float = option(TdOptions.beta, "a move is drawn in proportion to e^(beta · value)")
    trace_decay: float = option(TdOptions.trace_decay, "the λ of TD(λ)")
    every_move: bool = option(
        TdOptions.every_move, "learn through the opponent's positions as well, as FishNet2"
    )
    max_moves: int = option(0, "a game ends after so many moves; 0: 3·size²")
    lr: float = option(5e-6, "learning rate, of gradients summed over a game", least=0)
    hidden_scale: float = option(
        0.1, "deviation of the first weights from inputs to hidden units", least=0
    )
    shortcut_games: int = option(20_000, "games that train the shortcut alone", least=0)
    games: int = option(880_000, "end after so many games", least=1)
    minutes: float = option(0.0, "end after so many minutes; 0: by --games", least=0)
    block_games: int = option(100, "games between two checkpoints", least=1)
    snapshot_games: int = option(20_000, "games between two networks that are kept", least=1)
    seed: int = option(0, "of everything", least=0, below=END_OF_SEEDS)

    def __post_init__(self) -> None:
        check(self)
        for name in ("games", "shortcut_games", "snapshot_games"):
            if getattr(self, name) % self.block_games:
                raise UsageError(
                    f"{flag(name)} must be a multiple of --block-games {self.block_games}, "
                    f"not {getattr(self, name)}"
                )
        try:
            self.of_games()
        except ArgumentError as error:
            raise UsageError(str(error)) from error

    def scoring(self) -> Scoring:
        """What games are played for."""
        return Scoring(self.captured, self.stone)

    def chains(self) -> ChainRules:
        """How chains are classed. Raises UsageError: `openings` are no rows of three numbers."""
        rows = [row.split(":") for row in self.openings.split(",") if row]
        try:
            openings = tuple(tuple(map(float, row)) for row in rows)
        except ValueError as error:
            raise UsageError(
                "--openings must be rows such as 0.5:1:1.7,0.6:1.1:1.9, one for each number of "
                f"stones, not {self.openings!r}"
            ) from error
        return ChainRules(self.least_eye, openings)

    def of_games(self) -> TdOptions:
        """How the network plays against itself."""
        return TdOptions(
            scoring=self.scoring(),
            step=self.step,
            beta=self.beta,
            trace_decay=self.trace_decay,
            every_move=self.every_move,
            max_moves=self.max_moves or 3 * self.size**2,
            chains=self.chains(),
        )


# Of `td thresholds --games 60` with a network of isn_td9 after 12,000 games, which it then still
# played with least_eye 0.2. The network had learned with 0.
_OPENINGS = (
    "0.00:0.88:1.91,0.00:1.13:2.46,0.00:1.47:2.96,0.87:2.24:3.61,"
    "1.06:2.40:3.74,0.63:2.44:4.25,0.23:2.47:4.71,0.00:0.54:3.97"
)

# Blair 2009. Open there: the step, the first weights, the games of the shortcut alone, max_moves.
PRESETS: Mapping[str, Preset[Options]] = {
    "isn_td9": Preset(
        Options(), "Blair's FishNet: 860,000 games of 9×9 after 20,000 of the shortcut"
    ),
    "fishnet2_td9": Preset(
        Options(
            lr=1e-4,
            trace_decay=0.95,
            every_move=True,
            least_eye=0.2,
            openings=_OPENINGS,
            games=400_000,
        ),
        "Blair's FishNet2: Negatrain, and limits of the classes by a chain's stones",
    ),
    "isn_td5": Preset(
        Options(size=5, lr=5e-5, shortcut_games=2_000, games=20_000, snapshot_games=2_000),
        "isn_td9 on 5×5, in a few minutes",
    ),
}


class Layout(RunFolder):
    """The folder of a run."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.journal = path / "journal.csv"
        self.league = path / "league.csv"
        self.league_games = path / "league"
        self.curve = path / "league.png"

    def options(self) -> Options:
        """The options of the run. Raises CheckpointError: there is no such run of TD(λ)."""
        return self.read_options(Options, "td_options", "a run of TD(λ)")

    def network(self, games: int) -> Path:
        """The network after so many games."""
        return self.path / "nets" / f"{games:07}.npz"

    def networks(self) -> list[int]:
        """After how many games a network was kept, ascending."""
        return sorted(int(path.stem) for path in (self.path / "nets").glob("[0-9]*.npz"))
