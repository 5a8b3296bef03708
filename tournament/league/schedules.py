"""What a league was to play: its targets, and the schedules that were run."""

from dataclasses import dataclass

from tournament.errors import OptionsError


@dataclass(frozen=True)
class Target:
    """How much of a league is to be played in all, earlier runs included.

    rounds: game pairs of every two networks.
    budget_hours: hours of running after which no game pair is begun; what they leave after the
        rounds goes to the most informative pairs. None: the rounds, however long they take.

    Raises:
        OptionsError: a value out of range.
    """

    rounds: int = 1
    budget_hours: float | None = None

    def __post_init__(self):
        if self.rounds < 1:
            raise OptionsError(f"expected 1 round or more: got {self.rounds}")
        if self.budget_hours is not None and not 0 < self.budget_hours < float("inf"):
            raise OptionsError(f"expected a positive number of hours: got {self.budget_hours}")


@dataclass(frozen=True)
class Schedule:
    """A schedule that was run.

    hash: equal ones mean the same games in the same order, up to those that a budget added.
    target: what it was to reach.
    num_games: games of it, and those that count besides.
    noted_at: ISO 8601, UTC.
    """

    hash: str
    target: Target
    num_games: int
    noted_at: str
