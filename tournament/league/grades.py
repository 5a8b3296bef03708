"""Grades from a season, by a rule: each week's share, 0 … 1, and the mean of the weeks on a scale.

Anchors are references and get no grade. A week without a network brings the lowest grade.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from tournament.errors import LeagueError, OptionsError
from tournament.league.placings import Placing
from tournament.league.season import Season

Rule = Callable[[Placing, Sequence[Placing], Sequence[Placing]], float]


@dataclass(frozen=True)
class Scale:
    """The lowest and the highest grade.

    Raises:
        OptionsError: they are the same, or not finite.
    """

    lowest: float = 0.0
    highest: float = 100.0

    def __post_init__(self) -> None:
        if not 0 < abs(self.highest - self.lowest) < float("inf"):
            raise OptionsError(
                f"expected two different numbers for a scale: got {self.lowest:g} {self.highest:g}"
            )

    def at(self, share: float) -> float:
        """Return the grade of a share, rounded to hundredths."""
        return round(self.lowest + (self.highest - self.lowest) * share, 2)


def by_rank(placing: Placing, students: Sequence[Placing], anchors: Sequence[Placing]) -> float:
    """Return 1 for the first, 0 for the last, and even steps between."""
    return _place(sum(one.rank < placing.rank for one in students), students)


def by_interval(placing: Placing, students: Sequence[Placing], anchors: Sequence[Placing]) -> float:
    """Return the same of the best rank in the 95 % interval, so that chance takes nothing away."""
    above = sum(one.rank < placing.rank_low for one in anchors)
    return _place(max(0, placing.rank_low - 1 - above), students)


def by_anchors(placing: Placing, students: Sequence[Placing], anchors: Sequence[Placing]) -> float:
    """Return the share of games that the network would win, by its rating, against the anchors.

    Raises:
        LeagueError: no anchor has played in this week.
    """
    if not anchors:
        raise LeagueError(
            f"no anchor has played in the week {placing.week}: python -m tournament anchor makes "
            "one, before the games"
        )
    wins = [1 / (1 + 10 ** ((anchor.elo - placing.elo) / 400)) for anchor in anchors]
    return sum(wins) / len(wins)


RULES: dict[str, Rule] = {"rank": by_rank, "interval": by_interval, "anchors": by_anchors}


def grades_of(
    season: Season, rule: str, anchors: Collection[str], scale: Scale
) -> dict[str, float]:
    """Return the grade of every network of a season but the anchors, by name.

    Args:
        season: the weeks.
        rule: one of RULES.
        anchors: their names.
        scale: of the grades.

    Raises:
        LeagueError: a rule that needs anchors, and a week without.
    """
    shares: dict[str, float] = {name: 0.0 for name in season.placings if name not in anchors}
    for week in season.weeks:
        placings = [weeks[week] for weeks in season.placings.values() if week in weeks]
        students = [one for one in placings if one.name not in anchors]
        references = [one for one in placings if one.name in anchors]
        for one in students:
            shares[one.name] += RULES[rule](one, students, references)
    return {name: scale.at(share / len(season.weeks)) for name, share in shares.items()}


def unseparated_weeks(season: Season, anchors: Collection[str]) -> list[str]:
    """Return the weeks whose games are too few to tell any two students' networks apart.

    Args:
        season: the weeks.
        anchors: names of networks that are no student's.
    """
    found = []
    for week in season.weeks:
        placings = [weeks[week] for weeks in season.placings.values() if week in weeks]
        students = [one for one in placings if one.name not in anchors]
        references = [one for one in placings if one.name in anchors]
        shares = {by_interval(one, students, references) for one in students}
        if len(students) > 1 and shares == {1.0}:
            found.append(week)
    return found


def _place(num_better: int, students: Sequence[Placing]) -> float:
    return 1 - num_better / (len(students) - 1) if len(students) > 1 else 1.0
