"""What a move may cost."""

from dataclasses import dataclass

from golois.constants import MAX_INT32
from tournament.errors import OptionsError
from tournament.players.time_plan import TIME_PLANS

# Of a search for a person: some hundred megabytes of tree.
MAX_VISITS = 100_000


@dataclass(frozen=True)
class Limits:
    """What a player may spend on a move: CPU seconds of its process, or else visits.

    Under a limit of visits the seeds decide everything. `plan`, a name of TIME_PLANS, changes the
    seconds from move to move. None or both, or a value out of range, raise an OptionsError.
    """

    seconds: float | None = None
    visits: int | None = None
    plan: str = "flat"

    def __post_init__(self):
        if (self.seconds is None) == (self.visits is None):
            raise OptionsError(
                f"a move must have either seconds or visits, not {self.seconds} and {self.visits}"
            )
        limit = self.visits if self.seconds is None else self.seconds
        if not 0 < limit < float("inf"):
            raise OptionsError(f"seconds or visits a move must be above 0, not {limit}")
        if self.visits is not None and self.visits > MAX_INT32:
            raise OptionsError(f"visits a move must be at most {MAX_INT32}, not {self.visits}")
        if self.plan not in TIME_PLANS:
            raise OptionsError(
                f"a time plan must be of {', '.join(TIME_PLANS)}, not {self.plan!r}"
            )
        if self.visits is not None and self.plan != "flat":
            raise OptionsError(f"the time plan {self.plan} needs seconds a move, not visits")

    def seconds_of_move(self, num_plies: int, is_decided: bool) -> float | None:
        """Return the CPU seconds for the move after these plies; None under a limit of visits."""
        if self.seconds is None:
            return None
        return TIME_PLANS[self.plan](self.seconds, num_plies, is_decided)
