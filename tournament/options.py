"""The rules of an event: one frozen set of options, the same for every game of a league."""

from dataclasses import asdict, dataclass, field, fields

from golois.search import SearchOptions
from golois.shapes import NUM_POINTS
from tournament.errors import OptionsError

DEFAULT_SECONDS = 2.0


@dataclass(frozen=True)
class Limits:
    """What a player may spend on a move: CPU seconds of its process, or else visits.

    With visits everything is decided by the seeds; with seconds it is not.

    Raises:
        OptionsError: none or both of them, or one that is not positive.
    """

    seconds: float | None = None
    visits: int | None = None

    def __post_init__(self):
        if (self.seconds is None) == (self.visits is None):
            raise OptionsError(
                f"expected either seconds or visits a move: got {self.seconds} and {self.visits}"
            )
        if not 0 < (self.seconds or self.visits or 0) < float("inf"):
            raise OptionsError(
                f"expected a positive limit a move: got {self.seconds or self.visits}"
            )


@dataclass(frozen=True)
class EventOptions:
    """How the games of a league are played.

    seconds, visits: see Limits; 2 CPU seconds when neither is given.
    komi: points for White, a half among them so that no game is drawn.
    seed: decides schedule, openings and searches.
    max_plies: a game that lasts longer is scored as it stands (docs/rules.md).
    opening_plies: how much of an opening of the book is played before the networks think.
    batch_size: positions that a network evaluates at a time.
    search: constants of the search.

    Raises:
        OptionsError: a value out of range.
    """

    seconds: float | None = None
    visits: int | None = None
    komi: float = 7.5
    seed: int = 0
    max_plies: int = 2 * NUM_POINTS
    opening_plies: int = 6
    batch_size: int = 8
    search: SearchOptions = field(default_factory=SearchOptions)

    def __post_init__(self):
        if self.seconds is None and self.visits is None:
            object.__setattr__(self, "seconds", DEFAULT_SECONDS)
        Limits(self.seconds, self.visits)
        if self.komi % 1 != 0.5 or abs(self.komi) > NUM_POINTS:
            raise OptionsError(f"expected a komi such as 7.5, half a point in it: got {self.komi}")
        if self.max_plies <= self.opening_plies:
            raise OptionsError(
                f"expected more plies a game than the opening's {self.opening_plies}: "
                f"got {self.max_plies}"
            )
        if self.batch_size < 1:
            raise OptionsError(f"expected a batch size of 1 or more: got {self.batch_size}")

    @property
    def limits(self) -> Limits:
        """What a player may spend on a move."""
        return Limits(self.seconds, self.visits)

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
            return cls(**{**data, "search": SearchOptions(**data["search"])})
        except (KeyError, TypeError) as error:
            raise OptionsError(f"expected options of this version of the kit: {error}") from None

    def differences(self, other: "EventOptions") -> list[str]:
        """Each option in which the two differ, as `name mine → other`."""
        return [
            f"{name} {mine} → {theirs}"
            for name in (option.name for option in fields(self))
            if (mine := getattr(self, name)) != (theirs := getattr(other, name))
        ]
