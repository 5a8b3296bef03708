"""Where the files of a run lie; all of them appear whole, so what is there is done."""

from dataclasses import dataclass
from pathlib import Path

from golois.kit.run_folder import RunFolder
from selfplay.options import Options


@dataclass(frozen=True, order=True)
class Shard:
    """Some games of an iteration, which one process plays in one go; iteration 0 is inherited."""

    iteration: int
    number: int

    @property
    def name(self) -> str:
        """Of its files."""
        return f"{self.iteration:04}-{self.number:02}"


class Layout(RunFolder):
    """The folder of a run."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.journal = path / "journal.csv"
        self.pretraining = path / "pretraining.npz"
        self.oracle = path / "oracle.json"
        self.inherited = path / "inherited.json"
        self.measured = path / "measured.csv"
        self.league = path / "league.csv"
        self.league_games = path / "league"
        self.matches = path / "matches"
        self.victim = path / "victim.onnx"
        self.page = path / "page.html"
        self.sgf = path / "games.sgf"

    def network(self, iteration: int) -> Path:
        """The .h5 that an iteration ended with; 0 is the network that the run began with."""
        return self.path / "nets" / f"{iteration:04}.h5"

    def artefact(self, iteration: int) -> Path:
        """The same network, baked to play."""
        return self.network(iteration).with_suffix(".onnx")

    def games(self, shard: Shard) -> Path:
        """The packed file of a shard; what was counted is beside it, as .json."""
        return self.path / "games" / f"{shard.name}.games"

    def gate(self, iteration: int) -> Path:
        """What the match of a new network against the last one came to."""
        return self.path / "gate" / f"{iteration:04}.json"

    def options(self) -> Options:
        """The options of the run. Raises CheckpointError: there is no such run."""
        return self.read_options(Options, what="a run of self-play")

    def shards(self) -> list[Shard]:
        """Those that have been played or inherited, oldest first."""
        names = (path.stem.split("-") for path in (self.path / "games").glob("[0-9]*.games"))
        return sorted(Shard(int(iteration), int(number)) for iteration, number in names)

    def newest_shards(self) -> list[Shard]:
        """Those of the last iteration that has any."""
        shards = self.shards()
        return [shard for shard in shards if shard.iteration == shards[-1].iteration]

    def baked(self) -> list[int]:
        """The iterations whose networks can play, in order; 0 is the first one."""
        return sorted(int(path.stem) for path in (self.path / "nets").glob("[0-9]*.onnx"))


def shards_of(options: Options, iteration: int) -> list[Shard]:
    """The shards of an iteration, counted from 1."""
    count = options.games_per_iteration // options.games_per_shard
    return [Shard(iteration, number) for number in range(count)]


def first_game(options: Options, shard: Shard) -> int:
    """The number of a shard's first game among all of the run, from 0."""
    before = (shard.iteration - 1) * options.games_per_iteration
    return before + shard.number * options.games_per_shard
