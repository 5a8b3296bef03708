"""The options of an event, the same for every game of a league: clock, komi, openings, endings."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from golois.constants import NUM_POINTS, TOURNAMENT_KOMI, TOURNAMENT_SECONDS
from golois.kit.options import changed, check, option
from golois.search.tree import SearchOptions
from tournament.errors import OptionsError
from tournament.networks.runtimes import BF16, FLOAT32, PRECISIONS
from tournament.networks.tuning import DEFAULT_BATCH_SIZE, MAX_BATCH_SIZE
from tournament.players import PLAYERS
from tournament.players.gumbel import GumbelOptions
from tournament.players.limits import Limits
from tournament.players.time_plan import TIME_PLANS

LIMITS = ("seconds", "visits")


@dataclass(frozen=True)
class EventOptions:
    """How the games of a league are played; a value out of range raises an OptionsError."""

    seconds: float | None = option(
        None, f"CPU seconds a move [{TOURNAMENT_SECONDS:g}]", of_a_side=True
    )
    visits: int | None = option(
        None, "visits a move; every game is then reproducible", of_a_side=True
    )
    scale_clock: bool = option(False, "give slow machines more seconds and fast ones fewer")
    time_plan: str = option(
        "flat", "how the seconds change from move to move",
        of_a_side=True, choices=tuple(TIME_PLANS),
    )
    komi: float = option(
        TOURNAMENT_KOMI, "points for White; it ends in .5, so that no game is drawn"
    )
    seed: int | None = option(
        None, "seed of schedule, openings and searches [drawn for a league, 0 for a match]"
    )
    max_plies: int = option(2 * NUM_POINTS, "plies after which a game is ended and scored")
    opening_plies: int = option(6, "plies from the book before the networks think")
    batch_size: int | None = option(
        None,
        # Equal visits are equal searches in equal batches only.
        "positions evaluated at a time [as each network was tuned, or "
        f"{DEFAULT_BATCH_SIZE} with --visits]",
        of_a_side=True, least=1, most=MAX_BATCH_SIZE,
    )
    resign: bool = option(True, "adjudicate decided games; --no-resign: play each game to its end")
    resign_value: float = option(
        0.03, "a game counts as lost at this chance of winning", least=0, below=0.5
    )
    resign_plies: int = option(
        0, "moves in a row for which both networks must agree; 0: only settled points decide"
    )
    player: str = option(
        "puct", "how all networks choose their moves", of_a_side=True, choices=tuple(PLAYERS)
    )
    tta: bool = option(
        False,
        "average every evaluation over the eight symmetries, at eight times its cost",
        of_a_side=True,
    )
    precision: str = option(
        FLOAT32,
        f"number format of the networks; {BF16} is faster, needs OpenVINO and AVX512_BF16 or AMX",
        of_a_side=True,
        choices=PRECISIONS,
    )
    search: SearchOptions = field(default_factory=SearchOptions)
    gumbel: GumbelOptions = field(default_factory=GumbelOptions)

    def __post_init__(self):
        if self.seconds is None and self.visits is None:
            object.__setattr__(self, "seconds", TOURNAMENT_SECONDS)
        check(self, OptionsError)
        Limits(self.seconds, self.visits, self.time_plan)
        if self.scale_clock and self.seconds is None:
            raise OptionsError("--scale-clock needs seconds per move, not visits")
        if self.batch_size is None and self.visits is not None:
            object.__setattr__(self, "batch_size", DEFAULT_BATCH_SIZE)
        if self.komi % 1 != 0.5 or abs(self.komi) > NUM_POINTS:
            raise OptionsError(f"komi must have half a point, such as 7.5, not {self.komi}")
        if self.max_plies <= self.opening_plies:
            raise OptionsError(
                f"max_plies must be above the opening's {self.opening_plies} plies, "
                f"not {self.max_plies}"
            )
        if self.resign_plies < 0 or self.resign_plies == 1:
            raise OptionsError(
                "resign_plies must be 2 or more, or 0, where only settled points decide, "
                f"not {self.resign_plies}"
            )

    @property
    def limits(self) -> Limits:
        """What a player may spend on a move."""
        return Limits(self.seconds, self.visits, self.time_plan)

    def to_json(self) -> dict:
        """Return the options as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict) -> "EventOptions":
        """Return the options that `to_json` wrote; raise OptionsError for another version's."""
        try:
            parts = {
                "search": SearchOptions(**data["search"]),
                "gumbel": GumbelOptions(**data["gumbel"]),
            }
            return cls(**{**data, **parts})
        except (KeyError, TypeError) as error:
            raise OptionsError(f"the options are of another version of the kit: {error}") from None

    def changed(self, changes: Mapping[str, Any]) -> "EventOptions":
        """Return the options with these changes, also of the search; seconds replace visits.

        A value out of range raises an OptionsError.
        """
        limits = dict.fromkeys(LIMITS) if changes.keys() & set(LIMITS) else {}
        return changed(self, {**limits, **changes})

    def differences(self, other: "EventOptions") -> list[str]:
        """Return each option in which the two differ, as `name mine → other`."""
        return [
            f"{name} {mine} → {theirs}"
            for name in (option.name for option in fields(self))
            if (mine := getattr(self, name)) != (theirs := getattr(other, name))
        ]
