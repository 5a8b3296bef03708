"""A season: the results of its weeks' leagues, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

from tournament.errors import LeagueError
from tournament.league.league import League
from tournament.league.placings import Placing


@dataclass(frozen=True)
class Season:
    """Networks by name, over weeks.

    Attributes:
        weeks: what the weeks are called, in their order.
        placings: by name, then by week; a name may have missed weeks.
    """

    weeks: tuple[str, ...]
    placings: dict[str, dict[str, Placing]]

    def points(self, name: str) -> float:
        """Return the total over all weeks; a missed week gives none."""
        return sum(placing.points for placing in self.placings[name].values())

    def names(self) -> list[str]:
        """Return the names, most points first."""
        return sorted(self.placings, key=lambda name: (-self.points(name), name))


def season_of(leagues: Sequence[League]) -> Season:
    """Collect the weeks that leagues have kept.

    A week has the name of its league, that of the week where there is one league only, and both
    where leagues have several weeks.

    Raises:
        LeagueError: none of them has played, or two folders have one name.
    """
    names = [league.folder.resolve().name for league in leagues]
    if len(set(names)) < len(names):
        raise LeagueError(
            f"two leagues have folders of the same name, of {', '.join(names)}: rename one"
        )
    weeks: list[str] = []
    placings: dict[str, dict[str, Placing]] = {}
    for folder, league in zip(names, leagues, strict=True):
        kept = league.placings.all()
        has_one = len({placing.week for placing in kept}) == 1
        for placing in kept:
            label = folder if has_one else f"{folder} {placing.week}"
            label = placing.week if len(leagues) == 1 else label
            if label not in weeks:
                weeks.append(label)
            placings.setdefault(placing.name, {})[label] = placing
    if not weeks:
        raise LeagueError(
            "no league has a table yet: python -m tournament run plays one, "
            "report keeps its week"
        )
    return Season(tuple(weeks), placings)
