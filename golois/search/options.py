"""Constants of the search and of the race at its root.

docs/maintainer/search.md has the formulas.
"""

from dataclasses import dataclass

from golois.constants import MAX_INT32
from golois.errors import ArgumentError
from golois.kit.options import check, option


@dataclass(frozen=True)
class SearchOptions:
    """Constants of the search; docs/maintainer/search.md has the formulas that they stand in.

    `virtual_loss` is 1 in KataGo and none in WU-UCT; the exploration term counts it as a visit. A
    tenth hardly changes where a search looks, and keeps batches full. Raises ArgumentError: a value
    out of range. Sources: Silver et al. 2017 (AlphaGo Zero), Wu 2019 (KataGo), NoGoZero+, Liu et
    al. 2020 ("Watch the unobserved", parallel search).
    """

    c_puct: float = option(
        1.1, "weight of the exploration term; KataGo and NoGoZero+ take 1.1", least=0
    )
    c_puct_log: float = option(
        0.45, "growth of c_puct with visits N, by c_puct_log · ln((N + base) / base), as in "
        "KataGo",
        least=0,
    )  # fmt: skip
    c_puct_base: float = option(500.0, "base of this growth: visits from which it begins", above=0)
    fpu_reduction: float = option(
        0.2, "how much less a move without visits is worth than its parent, times √(prior mass of "
        "the visited moves), as in KataGo",
        least=0,
    )  # fmt: skip
    root_fpu_reduction: float = option(
        0.2, "the same at the root; KataGo takes 0 where it adds noise", least=0
    )
    virtual_loss: float = option(
        0.1, "losses that an unfinished playout counts as, so that a batch spreads out", least=0
    )
    root_policy_temperature: float = option(
        1.0, "the root's priors become prior^(1 / temperature); 1.03 in KataGo's and NoGoZero+'s "
        "self-play",
        above=0,
    )  # fmt: skip
    root_noise: float = option(
        0.0, "share of Dirichlet noise in the root's priors; 0.25 in self-play of AlphaGo Zero, "
        "KataGo and NoGoZero+, 0 in matches",
        least=0, most=1,
    )  # fmt: skip
    root_noise_concentration: float = option(
        10.83, "sum of the noise's parameters, shared out over the root's moves; KataGo takes "
        "10.83 = 0.03 · 361",
        above=0,
    )  # fmt: skip
    random_symmetry: bool = option(
        True, "show each position to the network in a symmetry, chosen by seed and position"
    )
    cache_positions: int = option(
        4096, "evaluations that are kept for the same position, about 1.5 kB each on 19×19; new "
        "evaluations replace old ones; 0: none",
        least=0, most=MAX_INT32,
    )  # fmt: skip

    def __post_init__(self):
        check(self, ArgumentError, str)


@dataclass(frozen=True)
class RaceOptions:
    """Constants of the race of a root's moves, sequential halving.

    A move scores log prior + (c_visit + most visits of a move) · c_scale · q, where q is its value
    as a win probability, 0 … 1. `c_visit` is `maxvisit_init` of mctx. `c_scale` is twice mctx's
    `value_scale` without `rescale_values`, whose values are −1 … 1. Raises ArgumentError: a value
    out of range. Source: Danihelka et al. 2022 ("Policy improvement by planning with Gumbel").
    """

    num_considered: int = option(
        16, "moves that enter the race of a Gumbel root", least=2, most=MAX_INT32
    )
    c_visit: float = option(50.0, "visits added to the visits of the most visited move", least=0)
    c_scale: float = option(
        1.0, "weight of a value of 0 … 1 in the race: twice mctx's value_scale", least=0
    )

    def __post_init__(self):
        check(self, ArgumentError, str)
