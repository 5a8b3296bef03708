"""Games of a network against itself, many in lockstep: a batch holds one position of each.

    from golois import NoGo, SelfPlay, SelfPlayOptions
    play = SelfPlay(NoGo(5), SelfPlayOptions(num_simulations=32), num_games=100)
    for game in play.run(network):
        print(game.number, game.winner, len(game.moves))

`network` takes planes and returns a policy and P(White wins). docs/student/selfplay.md explains the
options.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from golois.constants import MAX_INT32
from golois.errors import ArgumentError, GoloisError, require_range
from golois.games.game import Game
from golois.games.rules import Rules
from golois.native import (
    Evaluate,
    Exclusive,
    answer_views,
    buffer,
    check,
    ffi,
    last_error,
    lib,
    planes_view,
)
from golois.search.options import RaceOptions, SearchOptions

_ENDLESS = 2**61


@dataclass(frozen=True)
class SelfPlayOptions:
    """How a network plays against itself.

    num_simulations: playouts of a search after the root's evaluation.
    root: "gumbel", where the root's moves race by sequential halving with Gumbel noise, and the
        target is the improved policy; or "puct", where the target is the share of the visits.
    search: constants of the tree below the root, and with "puct" the root's policy temperature
        and Dirichlet noise. Each game keeps `cache_positions`.
    keeps_tree: begin a search with what the last search found below the move; its visits count.
    random_moves: a game begins with 0 to so many random moves, without searches and targets.
    early_moves, early_temperature, late_temperature: a game's first moves are drawn in proportion
        to visits^(1 / temperature) at the first temperature, others at the second; 0 is greedy.
    max_value_loss: a drawn move is worth at most so much less than the most visited move, on
        −1 … 1; 2 for no limit. MiniZero takes 0.2.
    resign_value: a player resigns where the values of search and move, −1 … 1, are below; −1 for
        never. MiniZero takes −0.9.
    hold_out_share: share of games in which nobody resigns; a tenth in AlphaGo Zero.
    quick_simulations, full_share: playout cap randomisation (KataGo): a share of the searches is
        full; the others have so many simulations and no noise, and are no targets.
    victim_simulations: 0, or of another network, which moves second in even games and first in
        odd games, plays its best move, and gives no targets. See `SelfPlay.asks_victim`.

    Raises ArgumentError: a value out of range, Gumbel and Dirichlet noise together, or two networks
    that share `keeps_tree` or a cache.
    """

    num_simulations: int = 64
    root: Literal["gumbel", "puct"] = "gumbel"
    race: RaceOptions = RaceOptions()
    search: SearchOptions = SearchOptions(cache_positions=512)
    keeps_tree: bool = False
    random_moves: int = 0
    early_moves: int = 12
    early_temperature: float = 1.0
    late_temperature: float = 0.0
    max_value_loss: float = 2.0
    resign_value: float = -0.9
    hold_out_share: float = 0.1
    quick_simulations: int = 1
    full_share: float = 1.0
    victim_simulations: int = 0

    def __post_init__(self):
        if self.root not in ("gumbel", "puct"):
            raise ArgumentError(f"root must be gumbel or puct, not {self.root!r}")
        for name in ("num_simulations", "quick_simulations"):
            _require_whole(name, getattr(self, name), 1)
        for name in ("random_moves", "early_moves", "victim_simulations"):
            _require_whole(name, getattr(self, name), 0)
        for name in ("early_temperature", "late_temperature"):
            require_range(name, getattr(self, name), 0, 100)
        require_range("max_value_loss", self.max_value_loss, 0, 2)
        require_range("resign_value", self.resign_value, -1, 1)
        require_range("hold_out_share", self.hold_out_share, 0, 1)
        require_range("full_share", self.full_share, 0, 1)
        if self.root == "gumbel" and self.search.root_noise > 0:
            raise ArgumentError(
                "Gumbel noise takes the place of Dirichlet noise: set root_noise to 0, or root to "
                "puct"
            )
        if self.victim_simulations and (self.keeps_tree or self.search.cache_positions):
            raise ArgumentError(
                "with a victim, searches share no evaluations: set keeps_tree to False and "
                "cache_positions to 0"
            )


@dataclass(frozen=True, eq=False)
class PlayedGame:
    """A game that is over; Black moved first, and the players alternated.

    moves: int16 [n], points, size² for a pass.
    values_white: float32 [n], P(White wins) before each move, by its search: the mean of the
        improved policy's values, or with "puct" of the root's visits; ½ before a random move.
    policy_ends: int64 [n]; the targets of position i are from policy_ends[i − 1], or 0, to
        policy_ends[i] in the two arrays that follow; none after a quick search or a random move.
    policy_moves, policy_shares: int16 and float32 [k]; the moves of a position ascend, and its
        shares sum to 1. Shares below 1/1000 are left out.
    winner: BLACK, WHITE, or EMPTY after a draw.
    has_resigned: whether the player to move after the last move resigned.
    resignable_from: moves before the first position where a resignation was due, or None.
    is_held_out: whether nobody could resign.
    """

    number: int
    rules: Rules
    moves: np.ndarray
    values_white: np.ndarray
    policy_ends: np.ndarray
    policy_moves: np.ndarray
    policy_shares: np.ndarray
    winner: int
    has_resigned: bool
    resignable_from: int | None
    is_held_out: bool

    def policy(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """The target of the position before a move: points [k] and shares [k]; none if k is 0."""
        ends = self.policy_ends
        part = slice(ends[index - 1] if index > 0 else 0, ends[index])
        return self.policy_moves[part], self.policy_shares[part]


class SelfPlay:
    """Games of a network against itself, `num_parallel` at a time, which is the size of a batch.

    `collect` and `answer` alternate: the first writes the planes of one position of each game, the
    second takes the evaluations in the same order; `run` does both. A game depends only on the
    rules, the options, the seed, its number and the evaluations. The object belongs to one thread
    at a time. Games of Go need `max_moves`. No `num_games` is no end; `first_game` is the first
    number; thousands of games profit from `threads`. Raises ArgumentError: a number out of range;
    ArgumentTypeError: no rules.
    """

    def __init__(
        self,
        rules: Rules,
        options: SelfPlayOptions | None = None,
        num_games: int | None = None,
        *,
        seed: int = 0,
        first_game: int = 0,
        num_parallel: int = 64,
        threads: int = 1,
    ):
        num_games = _ENDLESS if num_games is None else num_games
        _require_whole("num_games", num_games, 0, _ENDLESS)
        _require_whole("first_game", first_game, 0, _ENDLESS)
        _require_whole("num_parallel", num_parallel, 1, 2**20)
        _require_whole("threads", threads, 1, 1024)
        start = Game(rules)
        with start.exclusive as game:
            handle = lib.golois_selfplay_create(
                game,
                _native(options or SelfPlayOptions(), seed),
                first_game,
                num_games,
                num_parallel,
                threads,
            )
        if handle == ffi.NULL:
            raise GoloisError(last_error())
        self._exclusive = Exclusive(ffi.gc(handle, lib.golois_selfplay_destroy), "SelfPlay")
        self.rules = rules
        self.num_parallel = num_parallel
        self.planes_shape = start.planes_shape
        self.policy_size = start.policy_size
        self._num_rows = -1  # of the last collect

    def run(self, evaluate: Evaluate) -> Iterator[PlayedGame]:
        """Play, and yield each game when it is over.

        `evaluate` answers planes, float32 [k, *planes_shape], with what `answer` takes, else
        ArgumentError.
        """
        planes = np.empty((self.num_parallel, *self.planes_shape), np.float32)
        while num_rows := self.collect(planes):
            yield from self.finished()
            self.answer(*evaluate(planes[:num_rows]))
        yield from self.finished()

    def collect(self, planes: np.ndarray) -> int:
        """Play on until each game has a position to evaluate; return the number of rows.

        It overwrites the first rows of `planes`, float32 [num_parallel, *planes_shape],
        C-contiguous. `answer` must follow; 0 means that all games are over. Raises ArgumentError:
        other planes, or no `answer` since the last `collect`; ConcurrentUseError: another thread is
        using it.
        """
        rows = planes_view(planes, self.planes_shape)
        if len(planes) < self.num_parallel:
            raise ArgumentError(
                f"planes must have a row a game, {self.num_parallel}, not {len(planes)}"
            )
        with self._exclusive as handle:
            num_rows = lib.golois_selfplay_collect(handle, rows)
            if num_rows < 0:
                raise ArgumentError(last_error())
            self._num_rows = num_rows
        return num_rows

    def asks_victim(self, num_rows: int) -> np.ndarray:
        """Whether each of the last rows is the victim's: bool [num_rows]; ArgumentError: others."""
        with self._exclusive as handle:
            if num_rows != self._num_rows:
                raise ArgumentError("num_rows must be the number that the last collect returned")
            flags = np.empty(num_rows, np.bool_)
            lib.golois_selfplay_asks_victim(handle, buffer(flags, "bool[]"))
        return flags

    def answer(self, policy: np.ndarray, value_white: np.ndarray) -> None:
        """Take the evaluations of the last `collect`: policy [k, policy_size], value_white [k].

        A policy has the probabilities of the points as the row showed them, and of the pass last; a
        row sums to 0.99 … 1.01. A value is P(White wins) in [0, 1]. Raises ArgumentError: other
        shapes or ranges, or no `collect` before: another answer may follow; ConcurrentUseError:
        another thread is using it.
        """
        policies, values = answer_views(policy, value_white, self.policy_size)
        with self._exclusive as handle:
            status = lib.golois_selfplay_answer(handle, policies, values, len(value_white))
        check(status, ArgumentError)

    def finished(self) -> list[PlayedGame]:
        """The games that are over since the last call; `num_parallel` decides their order."""
        games = []
        header = ffi.new("golois_played_game *")
        with self._exclusive as handle:
            while lib.golois_selfplay_finished(handle, header):
                games.append(_take(handle, header, self.rules))
        return games

    @property
    def num_moves(self) -> int:
        """Moves played so far, of all games together."""
        with self._exclusive as handle:
            return lib.golois_selfplay_num_moves(handle)


def _take(handle, header, rules: Rules) -> PlayedGame:
    moves = np.empty(header.num_moves, np.int16)
    values_white = np.empty(header.num_moves, np.float32)
    policy_ends = np.empty(header.num_moves, np.int64)
    policy_moves = np.empty(header.num_shares, np.int16)
    policy_shares = np.empty(header.num_shares, np.float32)
    check(
        lib.golois_selfplay_take(
            handle,
            buffer(moves, "int16_t[]"),
            buffer(values_white, "float[]"),
            buffer(policy_ends, "int64_t[]"),
            len(moves),
            buffer(policy_moves, "int16_t[]"),
            buffer(policy_shares, "float[]"),
            len(policy_moves),
        )
    )
    return PlayedGame(
        header.number,
        rules,
        moves,
        values_white,
        policy_ends,
        policy_moves,
        policy_shares,
        header.winner,
        header.has_resigned,
        header.resignable_from if header.resignable_from >= 0 else None,
        header.is_held_out,
    )


def _native(options: SelfPlayOptions, seed: int):
    fields = vars(options) | {
        "search": vars(options.search) | {"seed": seed % 2**64},
        "race": vars(options.race),
        "is_race": options.root == "gumbel",
    }
    del fields["root"]
    return ffi.new("golois_selfplay_options *", fields)


def _require_whole(name: str, value: int, least: int, most: int = MAX_INT32) -> None:
    if not isinstance(value, int) or not least <= value <= most:
        raise ArgumentError(f"{name} must be a whole number from {least} to {most}, not {value!r}")
