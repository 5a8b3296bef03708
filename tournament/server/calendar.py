"""Until when files count: for ever, until one deadline, or week by week in a term."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tournament.league.deadline import BEFORE_ALL, Deadline
from tournament.league.term import Term
from tournament.league.weeks import Week


@dataclass(frozen=True)
class Calendar:
    """The deadlines of a league, and the time.

    now: returns the time as the ledger writes it; tests move it.
    deadline: the only one; None for ever, and in a term.
    term: the weeks' deadlines, or None.
    """

    now: Callable[[], str]
    deadline: Deadline | None = None
    term: Term | None = None

    def last(self) -> Deadline | None:
        """Return the deadline before which files have counted so far, by the clock."""
        if self.term is None:
            return self.deadline
        return self.term.passed(self.now()) or BEFORE_ALL

    def next(self) -> Deadline | None:
        """Return the deadline until which a file counts that comes now; None without one."""
        return self.deadline if self.term is None else self.term.next(self.now())

    def is_over(self) -> bool:
        """Return whether the last deadline of a term has passed."""
        return self.term is not None and self.next() is None

    def words_of_waiting(self, received_at: str) -> str:
        """Return what a student is told of an accepted file that came after `last`."""
        if self.term is None:
            return "Accepted: it came after the deadline and waits for the next week."
        deadline = self.term.next(received_at)
        if deadline is None:
            return "Accepted, but it came after the last deadline: it doesn't play."
        return f"Accepted: it plays after the deadline, {deadline}, unless you send a later file."

    def when_it_plays(self, received_at: str) -> str:
        """Return when a file plays that came after `last`: the end of a sentence."""
        if self.term is None:
            return "waits for the next week"
        deadline = self.term.next(received_at)
        if deadline is None:
            return "came after the last deadline and doesn't play"
        return f"plays at the deadline, {deadline}"

    def weeks(self, closed: list[Week]) -> list[dict[str, Any]]:
        """Return the weeks of a term for the teacher's page, as plain data.

        Args:
            closed: those that the league has closed.
        """
        if self.term is None:
            return []
        late = closed[-1].first_late if closed else ""
        to_come = [one for one in self.term.deadlines if one.first_late > late]
        return [
            *({"ends": week.label, "state": "kept" if week.kept_at else "playing"}
              for week in closed),
            *({"ends": str(one), "state": self._state(one)} for one in to_come),
        ]

    def _state(self, deadline: Deadline) -> str:
        if deadline == self.next():
            return "open"
        return "to come" if deadline.includes(self.now()) else "due"
