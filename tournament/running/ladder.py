"""A ladder: players of known ratings, against which one network is rated in a few games."""

import math
import tomllib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typing_extensions import override

from tournament.errors import OptionsError
from tournament.game.job import Entrant, GameJob
from tournament.league.games import GameRow
from tournament.league.league import League
from tournament.players.registry import names_player
from tournament.ratings.bradley_terry import Known, Ratings, rate
from tournament.ratings.informative import most_informative_opponent
from tournament.ratings.ranking import Score
from tournament.running.match import check_games, entrant_of, renamed
from tournament.running.plan import AdaptivePlan
from tournament.running.schedule import game_pair
from tournament.running.sides import Side, parse_side

KIT = Path(__file__).resolve().parents[2]
LADDER = KIT / "data" / "ladder.toml"
KEYS = {"name", "plays", "elo", "halfwidth", "measured"}
TOP_PAIRS = 2


@dataclass(frozen=True)
class Rung:
    """A player of a ladder; `known` is None for a top of unknown strength."""

    side: Side
    entrant: Entrant
    known: Known | None = None

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.entrant.name

    @property
    def is_network(self) -> bool:
        """Whether it is a network of the ladder without options of its own."""
        return self.known is not None and not self.side.options


@dataclass(frozen=True)
class Ladder:
    """The rungs from weakest to strongest; `left_out` says why the others are absent."""

    rungs: tuple[Rung, ...]
    left_out: tuple[str, ...] = ()

    def has(self, entrant: Entrant) -> bool:
        """Return whether a rung plays as this entrant does."""
        return any(rung.entrant.identity == entrant.identity for rung in self.rungs)

    def without(self, entrant: Entrant) -> "Ladder":
        """Return the ladder without the rung that plays as this entrant does."""
        kept = tuple(rung for rung in self.rungs if rung.entrant.identity != entrant.identity)
        return Ladder(kept, self.left_out)

    def with_top(self, text: str) -> "Ladder":
        """Return the ladder with a side of a match as its top rung, of unknown strength.

        Raises:
            OptionsError: the side is not valid, or the ladder has it already.
            OSError: its file cannot be read.
        """
        side = parse_side(text)
        name = side.text if side.name in self.names else side.name
        top = Rung(side, entrant_of(side, name))
        if self.has(top.entrant):
            raise OptionsError(f"{text} is a rung of the ladder already: leave out --top")
        return Ladder((*self.rungs, top), self.left_out)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rungs, in their order."""
        return tuple(rung.name for rung in self.rungs)

    @property
    def known(self) -> dict[str, Known]:
        """The known ratings by name."""
        return {rung.name: rung.known for rung in self.rungs if rung.known is not None}


def read_ladder(path: Path = LADDER) -> Ladder:
    """Read a file like data/ladder.toml; its players' files lie below the kit's folder.

    Raises:
        OptionsError: the file is no ladder.
        OSError: the file, or the file of a network, cannot be read.
    """
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))["rung"]
        found = [
            (entry["name"], entry["plays"], Known(float(entry["elo"]), float(entry["halfwidth"])))
            for entry in entries
            if entry.keys() == KEYS
        ]
        if len({name for name, _, _ in found}) < len(entries) or not entries:
            raise ValueError(f"expected rungs of different names, each with {sorted(KEYS)}")
        for name, plays, known in found:
            _check(name, plays, known)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise OptionsError(f"{path} is not a ladder: {error}") from error
    rungs, left_out = [], []
    for name, plays, known in sorted(found, key=lambda rung: rung[2].elo):
        try:
            side = parse_side(plays if names_player(plays) else str(KIT / plays))
        except OptionsError as error:
            if not names_player(plays):
                raise
            left_out.append(f"{name} is left out: {error}")
            continue
        rungs.append(Rung(side, entrant_of(side, name), known))
    return Ladder(tuple(rungs), tuple(left_out))


def _check(name: Any, plays: Any, known: Known) -> None:
    if not (isinstance(name, str) and isinstance(plays, str)):
        raise ValueError(f"name and plays must be texts, not {name!r} and {plays!r}")
    if not (math.isfinite(known.elo) and 0 < known.halfwidth < math.inf):
        raise ValueError(
            f"elo must be finite, and halfwidth finite and above 0: {name} has {known.elo:g} and "
            f"{known.halfwidth:g}"
        )


class LadderPlan(AdaptivePlan):
    """Pairs of one network: two with a top of unknown strength, then those that tell most.

    `prepare` is called with each opponent before its pair is handed out. OptionsError: the folder
    holds other games.
    """

    def __init__(
        self,
        league: League,
        candidate: Entrant,
        ladder: Ladder,
        num_games: int,
        seed: int,
        openings: Sequence[tuple[int, ...]],
        prepare: Callable[[Rung], None],
    ):
        self._candidate, self._ladder, self._prepare = candidate, ladder, prepare
        self._rungs = {rung.name: rung for rung in ladder.rungs}
        book = tuple(openings)
        num_pairs = max(num_games, len(league.games.finished_ids())) // 2 + 1
        self._jobs = [
            job
            for rung in ladder.rungs
            for number in range(num_pairs)
            for job in game_pair(candidate, rung.entrant, number, seed, book)
        ]
        check_games(league, self._jobs)
        tops = {rung.name for rung in ladder.rungs if rung.known is None}
        first = [
            job for job in self._jobs if job.round < TOP_PAIRS and {job.black, job.white} & tops
        ]
        super().__init__(league, first[:num_games], book)
        self._seed = seed
        self._entrants = [candidate, *(rung.entrant for rung in ladder.rungs)]
        self.num_games = num_games

    @override
    def __iter__(self) -> Iterator[list[GameJob]]:
        for pair in super().__iter__():
            (name,) = {pair[0].black, pair[0].white} - {self._candidate.name}
            self._prepare(self._rungs[name])
            yield pair

    @override
    def next_pair(self) -> list[GameJob] | None:
        """See Plan."""
        if pair := super().next_pair() or self._half_played():
            return pair
        begun = self._under_way.keys() | {row.pair_id for row in self.rows()}
        return self._informative() if 2 * len(begun) < self.num_games else None

    @override
    def rows(self) -> list[GameRow]:
        """See AdaptivePlan; the network may have had another name."""
        return renamed(self._league.games.rows(), self._jobs)

    @override
    def _choose(
        self, rows: Sequence[GameRow], under_way: Sequence[tuple[str, str]]
    ) -> tuple[str, str]:
        name, known = self._candidate.name, self._ladder.known
        ratings = rate([name, *self._ladder.names], rows, known=known)
        return name, most_informative_opponent(ratings, name, known.keys(), under_way)


@dataclass(frozen=True)
class RungResult:
    """What a network won against a rung, with Wilson's 95 % interval; no share without a game."""

    name: str
    elo: float | None
    elo_halfwidth: float | None
    wins: int
    losses: int
    win_rate: float | None
    win_rate_low: float
    win_rate_high: float


@dataclass(frozen=True)
class LadderResult:
    """A network's rating on the scale of a ladder, and its rank among the ladder's networks.

    `of` counts these networks and itself; `rank_low` to `rank_high` is the rank's 95 % interval.
    """

    name: str
    games: int
    elo: float
    elo_halfwidth: float
    rank: int
    rank_low: int
    rank_high: int
    of: int
    rungs: tuple[RungResult, ...]


def ladder_result(name: str, ladder: Ladder, rows: Sequence[GameRow]) -> LadderResult:
    """Rate a network, of this name, by its games with the rungs."""
    ratings = rate([name, *ladder.names], rows, known=ladder.known)
    place = ratings.names.index(name)
    rank, low, high, of = _rank(name, ratings, [r.name for r in ladder.rungs if r.is_network])
    return LadderResult(
        name=name,
        games=len(rows),
        elo=float(ratings.elo[place]),
        elo_halfwidth=float(ratings.elo_halfwidth[place]),
        rank=rank,
        rank_low=low,
        rank_high=high,
        of=of,
        rungs=tuple(_rung_result(rung, rows) for rung in ladder.rungs),
    )


def _rank(name: str, ratings: Ratings, others: Collection[str]) -> tuple[int, int, int, int]:
    among = ratings.among({name, *others})
    place = among.names.index(name)
    low, high = (int(ranks[place]) for ranks in among.rank_intervals())
    return place + 1, low, high, len(among.names)


def _rung_result(rung: Rung, rows: Sequence[GameRow]) -> RungResult:
    met = [row for row in rows if rung.name in (row.black, row.white)]
    losses = sum(row.winner_name == rung.name for row in met)
    score = Score(len(met) - losses, losses)
    low, high = score.interval
    known = rung.known
    return RungResult(
        name=rung.name,
        elo=known.elo if known else None,
        elo_halfwidth=known.halfwidth if known else None,
        wins=score.num_wins,
        losses=losses,
        win_rate=score.winrate if met else None,
        win_rate_low=low,
        win_rate_high=high,
    )
