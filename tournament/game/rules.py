"""The rules of an event: one frozen set of options, the same for every game of a league."""

from dataclasses import asdict, dataclass, field, fields

from golois.search import SearchOptions
from golois.shapes import NUM_POINTS
from tournament.errors import OptionsError
from tournament.networks.tuning import DEFAULT_BATCH_SIZE
from tournament.players import PLAYERS
from tournament.players.gumbel import GumbelOptions
from tournament.players.limits import Limits

DEFAULT_SECONDS = 2.0
LIMITS = ("seconds", "visits")


@dataclass(frozen=True)
class EventOptions:
    """How the games of a league are played.

    seconds, visits: see Limits; 2 CPU seconds when neither is given.
    scale_clock: whether the seconds are a reference machine's: slower hosts get more, faster ones
        fewer (tournament.running.machine).
    time_plan: how the seconds change from move to move, a name of TIME_PLANS.
    komi: points for White, a half among them so that no game is drawn.
    seed: decides schedule, openings and searches.
    max_plies: a game that lasts longer is scored as it stands (docs/rules.md).
    opening_plies: how much of an opening of the book is played before the networks think.
    batch_size: positions that every network evaluates at a time. None, the default under a clock,
        leaves it to each network's tuning; under a limit of visits the default is 8, since equal
        visits are equal searches in equal batches only.
    resign: whether games are adjudicated (docs/rules.md); else each is played to its end.
    resign_value, resign_plies: a game is adjudicated when so many moves in a row gave one colour at
        most this chance; no plies for never, so that settled points alone decide.
    player: how all networks choose their moves, a name of tournament.players.PLAYERS.
    tta: average every evaluation over the eight symmetries, at eight times its cost.
    search: constants of the search.
    gumbel: constants of the player gumbel, which the others do not read.

    Raises:
        OptionsError: a value out of range.
    """

    seconds: float | None = None
    visits: int | None = None
    scale_clock: bool = False
    time_plan: str = "flat"
    komi: float = 7.5
    seed: int = 0
    max_plies: int = 2 * NUM_POINTS
    opening_plies: int = 6
    batch_size: int | None = None
    resign: bool = True
    resign_value: float = 0.03
    resign_plies: int = 0
    player: str = "puct"
    tta: bool = False
    search: SearchOptions = field(default_factory=SearchOptions)
    gumbel: GumbelOptions = field(default_factory=GumbelOptions)

    def __post_init__(self):
        if self.seconds is None and self.visits is None:
            object.__setattr__(self, "seconds", DEFAULT_SECONDS)
        Limits(self.seconds, self.visits, self.time_plan)
        if self.scale_clock and self.seconds is None:
            raise OptionsError("expected seconds a move for a clock to scale: got visits")
        if self.batch_size is None and self.visits is not None:
            object.__setattr__(self, "batch_size", DEFAULT_BATCH_SIZE)
        if self.komi % 1 != 0.5 or abs(self.komi) > NUM_POINTS:
            raise OptionsError(f"expected a komi such as 7.5, half a point in it: got {self.komi}")
        if self.max_plies <= self.opening_plies:
            raise OptionsError(
                f"expected more plies a game than the opening's {self.opening_plies}: "
                f"got {self.max_plies}"
            )
        if self.batch_size is not None and self.batch_size < 1:
            raise OptionsError(f"expected a batch size of 1 or more: got {self.batch_size}")
        if not 0 <= self.resign_value < 0.5:
            raise OptionsError(
                f"expected a chance that counts as none, below 0.5: got {self.resign_value}"
            )
        if self.resign_plies < 0 or self.resign_plies == 1:
            raise OptionsError(
                "expected 2 moves or more for both networks to agree, or 0 for never: "
                f"got {self.resign_plies}"
            )
        if self.player not in PLAYERS:
            raise OptionsError(f"expected a player of {', '.join(PLAYERS)}: got {self.player!r}")

    @property
    def limits(self) -> Limits:
        """What a player may spend on a move."""
        return Limits(self.seconds, self.visits, self.time_plan)

    def to_json(self) -> dict:
        """The options as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict) -> "EventOptions":
        """The options that `to_json` wrote.

        Raises:
            OptionsError: the options of another version of the kit.
        """
        try:
            parts = {
                "search": SearchOptions(**data["search"]),
                "gumbel": GumbelOptions(**data["gumbel"]),
            }
            return cls(**{**data, **parts})
        except (KeyError, TypeError) as error:
            raise OptionsError(f"expected options of this version of the kit: {error}") from None

    def differences(self, other: "EventOptions") -> list[str]:
        """Each option in which the two differ, as `name mine → other`."""
        return [
            f"{name} {mine} → {theirs}"
            for name in (option.name for option in fields(self))
            if (mine := getattr(self, name)) != (theirs := getattr(other, name))
        ]
