"""A season: the results of its weeks' leagues, side by side."""

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

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

    def rows(self, written: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return the placings by week, then by total, for tables.

        Args:
            written: names as people write them, by those of the networks.
        """
        return [
            {"title": week, **asdict(placing), "written_name": written.get(name, name)}
            for week in self.weeks
            for name in self.names()
            if (placing := self.placings[name].get(week))
        ]


def league_folders(folders: Iterable[Path]) -> list[Path]:
    """Return each folder that is a league, and in the place of others the leagues inside them.

    Raises:
        LeagueError: a folder that is neither.
    """
    return [league for folder in folders for league in _leagues_in(folder)]


def anchors_of(leagues: Iterable[League]) -> set[str]:
    """Return the names of the networks that fix the scale."""
    return {
        one.name for league in leagues for one in league.submissions.current()
        if one.anchor_elo is not None
    }


def written_names_of(leagues: Sequence[League]) -> Mapping[str, str]:
    """Return the names as people write them, those of later leagues first."""
    return ChainMap(*(league.written_names.all() for league in reversed(leagues)))


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


def _leagues_in(folder: Path) -> Sequence[Path]:
    if (folder / "league.sqlite").exists():
        return [folder]
    found = sorted(path.parent for path in folder.glob("*/league.sqlite"))
    if not found:
        raise LeagueError(f"{folder} is neither a league nor a folder of leagues")
    return found
