"""The options of a run of self-play: what is played, how it searches, what it learns, how long."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from math import inf
from typing import Any, Literal, get_args

from golois.constants import TOURNAMENT_KOMI
from golois.errors import ArgumentError
from golois.games.rules import Go, Hex, NoGo, Rules
from golois.kit.command import UsageError
from golois.kit.options import check, like, option
from golois.records.packing import MAX_KOMI
from golois.search.options import RaceOptions, SearchOptions
from golois.search.selfplay import SelfPlayOptions
from models.training.optimizers import OF_SGD, OptimizerName
from models.training.options import END_OF_SEEDS
from models.training.targets import ValueLoss
from tournament.networks.runtimes import BF16, BF16_RUNTIME, FLOAT32, PRECISIONS
from tournament.networks.tuning import MAX_BATCH_SIZE
from tournament.players.simple import is_solvable

GAMES: dict[str, type[Go | NoGo | Hex]] = {"go": Go, "nogo": NoGo, "hex": Hex}

LENGTHS = ("iterations", "minutes", "patience", "workers")
"""Options that change no byte of an iteration, so a resumed run may have others."""

UNTRAINED = "untrained"
"""What files of matches call network 0, even where it had learned before."""

KOMIS_SHOWN = 10
"""The course's planes show the whole part of a komi below it (docs/maintainer/formats.md)."""


@dataclass(frozen=True)
class Options:
    """Everything that decides a run, for config.json; LENGTHS decide only its end and speed."""

    game: str = option("nogo", "what is played", choices=tuple(GAMES))
    size: int = option(4, "points on a side, 2 to 19")
    planes: str = option("", "set of planes (docs/student/selfplay.md); the game's own if empty")
    komi: float = option(TOURNAMENT_KOMI, "komi of Go")
    komis: str = option(
        "", "several komis of Go, such as 2.5,3.5, which change from shard to shard, so that the "
        "value depends on the komi",
    )
    max_moves: int = option(0, "a game of Go ends after N moves; 0: 2·size²")
    swap: bool = option(False, "the second player of Hex may take the first stone")
    model: str = option("resnet", "network that plays at any size: resnet, restnet or nogozero")
    set: Mapping[str, str] = field(default_factory=dict)

    init_from: str = option(
        "", "a network (.h5) to begin with: its weights are copied into the layers that fit"
    )
    games_from: str = option("", "a run whose newest games train the network before it plays")

    victim: str = option(
        "", "a network (.h5) that the run's network learns to beat; the victim never learns"
    )
    victim_simulations: int = option(16, "playouts of the victim's searches", least=1)

    simulations: int = option(16, "playouts of a search", least=1)
    root: Literal["gumbel", "puct"] = option(
        "gumbel", "how a search begins", choices=("gumbel", "puct")
    )
    considered: int = like(RaceOptions, "num_considered")
    c_visit: float = like(RaceOptions, "c_visit")
    c_scale: float = like(RaceOptions, "c_scale")
    c_puct: float = like(SearchOptions, "c_puct")
    c_puct_log: float = like(SearchOptions, "c_puct_log")
    c_puct_base: float = like(SearchOptions, "c_puct_base")
    fpu_reduction: float = like(SearchOptions, "fpu_reduction")
    root_fpu_reduction: float = like(SearchOptions, "root_fpu_reduction")
    root_noise: float = like(SearchOptions, "root_noise")
    root_noise_concentration: float = like(SearchOptions, "root_noise_concentration")
    root_policy_temperature: float = like(SearchOptions, "root_policy_temperature")
    keeps_tree: bool = option(False, "a search keeps the tree of the search before it")
    random_moves: int = option(0, "begin each game with 0 to N moves drawn with equal chance")
    early_moves: int = option(12, "moves of a game that are drawn at the early temperature")
    early_temperature: float = option(
        1.0, "early moves are drawn by visits^(1 / temperature); 0: the best move"
    )
    late_temperature: float = option(0.0, "temperature of the later moves")
    max_value_loss: float = option(2.0, "largest loss of value, on −1 … 1, of a move that is drawn")
    resign_value: float = option(-1.0, "a player resigns below this value; -1: never")
    hold_out_share: float = option(0.1, "share of games in which nobody resigns")
    quick_simulations: int = option(1, "playouts of the searches that are not used as targets")
    full_share: float = option(
        1.0, "share of the searches that are used as targets; 1: all", above=0, most=1
    )
    parallel: int = option(
        64, "games that a process plays in lockstep", least=1, most=MAX_BATCH_SIZE
    )
    device: str = option(
        "cpu", "where the network plays; cuda: on a GPU, in this process", choices=("cpu", "cuda")
    )
    runtime: str = option(
        "openvino", "runtime of the networks that play", choices=("openvino", "onnxruntime")
    )
    precision: str = option(
        FLOAT32,
        f"number format in games to learn from and in the gate; {BF16} needs AVX512_BF16 or AMX",
        choices=PRECISIONS,
    )

    games_per_iteration: int = option(200, "games before the network is trained again", least=1)
    games_per_shard: int = option(50, "games that one process plays in one go", least=1)
    window_games: int = option(1000, "newest games that are trained on", least=1)
    window_growth: float = option(
        0.0, "exponent of the window's growth with all games; 0: it doesn't grow",
        least=0, most=1,
    )
    reuse: float = option(4.0, "how often a position is trained on at most, on average", least=0)
    steps_per_iteration: int = option(0, "batches at most; 0: as many as --reuse allows", least=0)
    batch_size: int = option(64, "positions of a batch", least=1)
    optimizer: OptimizerName = option(
        "sgd", "optimizer of the weights", choices=get_args(OptimizerName)
    )
    lr: float = option(0.02, "initial learning rate", least=0)
    lr_drops: str = option("", "later learning rates by batch, such as 70000:0.01,90000:0.005")
    momentum: float = option(0.9, "momentum of sgd; 0: none", least=0, below=1)
    nesterov: bool = option(False, "use Nesterov's momentum in sgd")
    weight_decay: float = option(0.0, "decoupled weight decay", least=0)
    l2: float = option(1e-4, "penalty on the squares of all kernels, in the loss", least=0)
    policy_weight: float = option(1.0, "weight of the policy's loss", least=0)
    value_weight: float = option(1.0, "weight of the value's loss", least=0)
    value_loss: ValueLoss = option(
        "crossentropy", "loss of the value", choices=get_args(ValueLoss)
    )
    result_share: float = option(
        1.0, "share of the game's result in the value's target", least=0, most=1
    )
    dominion_weight: float = option(
        0.5, "loss weight of each point of nogozero's dominion, with --set multitask=true",
        least=0,
    )
    score_weight: float = option(
        0.25, "loss weight of nogozero's score, with --set multitask=true", least=0
    )

    gate_games: int = option(0, "games of a new network against the last; 0: no gate", least=0)
    gate_threshold: float = option(
        0.5, "a new network that wins this share of the games or less is discarded", least=0, most=1
    )
    gate_simulations: int = option(32, "playouts of a search in the gate's games", least=1)
    measure_positions: int = option(
        500, "won positions to test the network on, in games that can be solved", least=0
    )

    iterations: int = option(0, "end after N iterations; 0: by --minutes", least=0)
    minutes: float = option(0.0, "end after N minutes; 0: by --iterations, or never", least=0)
    patience: int = option(
        0, "end after N iterations without a better network, by the gate or by solved positions; "
        "0: never",
        least=0,
    )  # fmt: skip
    workers: int = option(
        2,
        "processes that play, and games of the gate at a time; with --device cuda the threads of "
        "the searches",
        least=1,
    )
    seed: int = option(0, "seed of everything", least=0, below=END_OF_SEEDS)

    def __post_init__(self) -> None:
        check(self)
        if self.games_per_iteration % self.games_per_shard:
            raise UsageError(
                f"--games-per-iteration must be a multiple of --games-per-shard "
                f"{self.games_per_shard}, not {self.games_per_iteration}"
            )
        if self.precision == BF16 and (self.runtime != BF16_RUNTIME or self.device == "cuda"):
            raise UsageError(
                f"--precision {BF16} is only for --device cpu with --runtime {BF16_RUNTIME}; a GPU "
                f"always computes in {BF16}"
            )
        if self.victim and self.keeps_tree:
            raise UsageError("--keeps-tree cannot be given with --victim: leave it out")
        if self.gate_games % 2:
            raise UsageError(
                f"--gate-games must be even, not {self.gate_games}: each opening is played with "
                "both colours"
            )
        if self.patience and not (self.gate_games or self.is_measured):
            raise UsageError(
                "--patience needs a comparison of networks: add --gate-games, or "
                "play NoGo or Hex on up to 16 points"
            )
        if self.game == "go" and (abs(self.komi) > MAX_KOMI or 4 * self.komi % 1):
            raise UsageError(
                f"--komi must be quarters of points from −{MAX_KOMI} to {MAX_KOMI}, not {self.komi}"
            )
        self.rates()
        self.all_komis()
        try:
            self.rules()
            self.of_games()
        except ArgumentError as error:
            raise UsageError(str(error)) from error

    def rules(self) -> Rules:
        """What is played, in matches too; shards may have another komi, see `rules_of`."""
        planes = {"planes": self.planes} if self.planes else {}
        if self.game == "go":
            if self.planes == "katago":
                raise UsageError("--planes katago is only for searches: choose course or zero")
            max_moves = self.max_moves or 2 * self.size**2
            return Go(self.size, self.komi, max_moves=max_moves, **planes)  # type: ignore[arg-type]
        if self.game == "hex":
            if self.planes:
                raise UsageError(f"Hex has one set of planes: leave out --planes {self.planes}")
            return Hex(self.size, self.swap)
        return NoGo(self.size, **planes)  # type: ignore[arg-type]

    def rules_of(self, first_game: int) -> Rules:
        """What a shard is played by, given the number of its first game: komis take turns."""
        rules, komis = self.rules(), self.all_komis()
        if not isinstance(rules, Go):
            return rules
        return replace(rules, komi=komis[first_game // self.games_per_shard % len(komis)])

    def all_komis(self) -> list[float]:
        """Every komi that games of Go have; UsageError: no numbers, or planes can't show them."""
        if not self.komis:
            return [self.komi]
        if self.game != "go" or self.planes not in ("", Go.planes):
            raise UsageError(
                f"--komis needs planes that show the komi, --game go with --planes {Go.planes}"
            )
        try:
            komis = [float(part) for part in self.komis.split(",")]
        except ValueError:
            komis = []
        if not komis or any(not 0 <= komi < KOMIS_SHOWN or 4 * komi % 1 for komi in komis):
            raise UsageError(
                f"--komis must be quarters of points from 0 to below {KOMIS_SHOWN}, whose whole "
                f"parts the planes show, such as 2.5,3.5, not {self.komis!r}"
            )
        if len(set(map(int, komis))) < len(komis):
            raise UsageError(
                f"--komis must differ in the whole parts that the planes show, not {self.komis}"
            )
        return komis

    @property
    def trains_heads(self) -> bool:
        """Whether its network is a nogozero with outputs for dominion and score."""
        is_on = str(self.set.get("multitask")).lower() in ("true", "1")
        return self.model == "nogozero" and is_on

    @property
    def first_network(self) -> str:
        """What network 0 is called in matches."""
        return "first" if self.init_from or self.games_from else UNTRAINED

    @property
    def is_measured(self) -> bool:
        """Whether solved positions tell how well its networks play."""
        return bool(self.measure_positions) and is_solvable(self.rules())

    def of_games(self) -> SelfPlayOptions:
        """How the network plays against itself."""
        race = RaceOptions(self.considered, self.c_visit, self.c_scale)
        shared = [item.name for item in fields(SelfPlayOptions) if hasattr(self, item.name)]
        settings = {name: getattr(self, name) for name in shared}
        settings["victim_simulations"] *= bool(self.victim)
        return SelfPlayOptions(
            num_simulations=self.simulations,
            race=race,
            search=self._of_search(cache_positions=0 if self.victim else 512),
            **settings,
        )

    def of_matches(self) -> SearchOptions:
        """How two networks search in a match: without noise."""
        return self._of_search(cache_positions=512, root_noise=0.0, root_policy_temperature=1.0)

    def of_compilation(self) -> dict[str, Any]:
        """What `compile_for_training` takes, but for the heads of the network."""
        names = ["policy_weight", "value_weight", "value_loss", "optimizer", "weight_decay"]
        names += OF_SGD if self.optimizer == "sgd" else ()
        return {"learning_rate": self.lr, **{name: getattr(self, name) for name in names}}

    def rates(self) -> list[tuple[int, float]]:
        """Learning rates, each from a batch on, counted from 0; UsageError: a bad `lr_drops`."""
        try:
            drops = [part.split(":") for part in self.lr_drops.split(",") if part]
            rates = [(0, self.lr), *((int(step), float(rate)) for step, rate in drops)]
        except ValueError:
            rates = []
        steps = [step for step, _ in rates]
        if not rates or steps != sorted(set(steps)) or any(not 0 <= r < inf for _, r in rates):
            raise UsageError(
                "--lr-drops must be batches and rates such as 70000:0.01,90000:0.005, "
                f"not {self.lr_drops!r}"
            )
        return rates

    def rate(self, step: int) -> float:
        """The learning rate of a batch, counted from 0."""
        return next(rate for first, rate in reversed(self.rates()) if step >= first)

    def _of_search(self, **others: float) -> SearchOptions:
        shared = [item.name for item in fields(SearchOptions) if hasattr(self, item.name)]
        return SearchOptions(**{name: getattr(self, name) for name in shared} | others)
