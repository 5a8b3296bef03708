"""Constants of the search and of the race at its root; docs/search.md has the formulas."""

from dataclasses import dataclass

from golois.errors import ArgumentError
from golois.shapes import MAX_INT32


@dataclass(frozen=True)
class SearchOptions:
    """Constants of the search; docs/search.md has the formulas that they stand in.

    Sources: Silver et al. 2017 (AlphaGo Zero), Wu 2019 (KataGo), NoGoZero+, Liu et al. 2020
    ("Watch the unobserved", parallel search).

    c_puct: weight of the exploration term; KataGo and NoGoZero+ take 1.1.
    c_puct_log, c_puct_base: its growth with visits N, c_puct_log · ln((N + base) / base): KataGo.
    fpu_reduction: first-play urgency, an unvisited move is worth its parent minus
        fpu_reduction · √(prior mass of the visited moves): KataGo, 0.2.
    root_fpu_reduction: the same at the root; KataGo takes 0 where it adds noise.
    virtual_loss: losses that a playout under way counts for in a move's mean value, so that a
        batch spreads out: 1 in KataGo, none in Liu et al. 2020 (WU-UCT). The exploration term
        counts it as a visit. A tenth hardly changes where a search looks, and keeps batches full
        (benchmarks/RESULTS.md).
    root_policy_temperature: the root's priors become prior^(1 / temperature), normalised; KataGo
        and NoGoZero+ take 1.03 when they play against themselves to learn.
    root_noise: share of Dirichlet noise in the root's priors, after the temperature; 0.25 in
        AlphaGo Zero, KataGo and NoGoZero+ when they play to learn, 0 in matches.
    root_noise_concentration: sum of the noise's parameters, shared out over the root's moves:
        KataGo, 10.83 = 0.03 · 361.
    random_symmetry: show each position in one of the game's symmetries, decided by seed and
        position; else always as it is.
    cache_positions: evaluations that are kept and used again where a network would see the same,
        at about 1.5 kB each on 19×19; the later of two takes the place of the earlier. 0 for none.

    Raises:
        ArgumentError: a value out of range.
    """

    c_puct: float = 1.1
    c_puct_log: float = 0.45
    c_puct_base: float = 500.0
    fpu_reduction: float = 0.2
    root_fpu_reduction: float = 0.2
    virtual_loss: float = 0.1
    root_policy_temperature: float = 1.0
    root_noise: float = 0.0
    root_noise_concentration: float = 10.83
    random_symmetry: bool = True
    cache_positions: int = 4096

    def __post_init__(self):
        above_zero = ("c_puct_base", "root_policy_temperature", "root_noise_concentration")
        for name, value in vars(self).items():
            if not 0 <= value < float("inf"):
                raise ArgumentError(f"{name} must be a finite number from 0, not {value}")
            if name in above_zero and value == 0:
                raise ArgumentError(f"{name} must be above 0, not {value}")
        if self.cache_positions > MAX_INT32:
            raise ArgumentError(
                f"cache_positions must be up to {MAX_INT32}, not {self.cache_positions}"
            )
        if self.root_noise > 1:
            raise ArgumentError(f"root_noise is a share: it must be up to 1, not {self.root_noise}")


@dataclass(frozen=True)
class RaceOptions:
    """Constants of the race of a root's moves, sequential halving.

    A move scores its logit, log prior, plus (c_visit + most visits of a move) · c_scale · q, where
    q is its value as a win probability, 0 … 1.

    Source: Danihelka et al. 2022 ("Policy improvement by planning with Gumbel").

    num_considered: moves that enter the race; 16 in the paper.
    c_visit: 50 in the paper; `maxvisit_init` of mctx.
    c_scale: twice mctx's `value_scale` without `rescale_values`, since its values are −1 … 1. 1 is
        the paper's; MiniZero has 1 on −1 … 1, which is 2 here.

    Raises:
        ArgumentError: a value out of range.
    """

    num_considered: int = 16
    c_visit: float = 50.0
    c_scale: float = 1.0

    def __post_init__(self):
        if not 2 <= self.num_considered <= MAX_INT32:
            raise ArgumentError(f"num_considered must be 2 or more, not {self.num_considered}")
        for name in ("c_visit", "c_scale"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ArgumentError(
                    f"{name} must be a finite number from 0, not {getattr(self, name)}"
                )
