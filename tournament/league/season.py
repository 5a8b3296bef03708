"""A season: the results of its weeks' leagues side by side, and grades from them.

A rule gives each week's share, 0 … 1; the mean of the weeks is the grade on a scale. Anchors are
references and get no grade. A week without a network brings the lowest grade, unless late days make
up for it.
"""

from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tournament.errors import LeagueError, OptionsError
from tournament.league.league import League
from tournament.league.weeks import Placing

Rule = Callable[[Placing, Sequence[Placing], Sequence[Placing]], float]


@dataclass(frozen=True)
class Season:
    """Networks by name, over weeks in their order; a name's placings may miss weeks.

    labels: what the season calls a week, by the name of its league's folder and by its own name.
    before_term: weeks that do not count, since the term's first deadline came later.
    provisional: weeks whose tables may change, since their runs have not ended.
    """

    weeks: tuple[str, ...]
    placings: dict[str, dict[str, Placing]]
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    before_term: tuple[str, ...] = ()
    provisional: tuple[str, ...] = ()

    def points(self, name: str) -> float:
        """Return the total over all weeks; a missed week gives none."""
        return round(sum(placing.points for placing in self.placings[name].values()), 1)

    def names(self) -> list[str]:
        """Return the names, most points first."""
        return sorted(self.placings, key=lambda name: (-self.points(name), name))

    def rows(self, written: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return the placings by week, then by total, for tables, with the `written` names."""
        return [
            {"title": week, **asdict(placing), "written_name": written.get(name, name)}
            for week in self.weeks
            for name in self.names()
            if (placing := self.placings[name].get(week))
        ]

    def of_week(
        self, week: str, anchors: Collection[str]
    ) -> tuple[list[Placing], list[Placing]]:
        """Return the placings of a week: those of students, and those of anchors."""
        placings = [weeks[week] for weeks in self.placings.values() if week in weeks]
        return (
            [one for one in placings if one.name not in anchors],
            [one for one in placings if one.name in anchors],
        )


def league_folders(folders: Iterable[Path]) -> list[Path]:
    """Return the leagues among and inside the folders; raise LeagueError if a folder has none."""
    return [league for folder in folders for league in _leagues_in(folder)]


def anchors_of(leagues: Iterable[League]) -> set[str]:
    """Return the names whose networks fix the scale, or did before they were replaced."""
    return {
        one.name for league in leagues for one in league.submissions.all()
        if one.anchor_elo is not None
    }


def written_names_of(leagues: Sequence[League]) -> Mapping[str, str]:
    """Return the names as people write them; later leagues come first."""
    return ChainMap(*(league.written_names.all() for league in reversed(leagues)))


def season_of(leagues: Sequence[League]) -> Season:
    """Collect the weeks that leagues have kept; in a term, those of its deadlines.

    A week has the name of its league, the week's own if there is one league, or both names.

    Raises:
        LeagueError: no league has played, or two folders have one name.
    """
    names = [league.folder.resolve().name for league in leagues]
    if len(set(names)) < len(names):
        raise LeagueError(
            f"two leagues have folders of the same name, of {', '.join(names)}: rename one"
        )
    labels: dict[str, dict[str, str]] = {}
    placings: dict[str, dict[str, Placing]] = {}
    before_term: list[str] = []
    provisional: list[str] = []
    for folder, league in zip(names, leagues, strict=True):
        kept, closed = league.weeks.placings(), {week.label for week in league.weeks.all()}
        if closed:
            before_term += dict.fromkeys(one.week for one in kept if one.week not in closed)
            kept = [one for one in kept if one.week in closed]
        has_one = len({placing.week for placing in kept}) == 1
        of_league = labels[folder] = {}
        for placing in kept:
            label = folder if has_one else f"{folder} {placing.week}"
            label = placing.week if len(leagues) == 1 else label
            of_league[placing.week] = label
            placings.setdefault(placing.name, {})[label] = placing
        provisional += [of_league[week] for week in _under_way(league) & of_league.keys()]
    weeks = [label for of_league in labels.values() for label in of_league.values()]
    if not weeks:
        raise LeagueError(
            "no league has a table yet: play one with python -m tournament run, or keep a term's "
            "week with report --keep"
        )
    return Season(tuple(weeks), placings, labels, tuple(before_term), tuple(provisional))


def _under_way(league: League) -> set[str]:
    """Return the week of a league that is not over, if there is one."""
    week, run = league.weeks.under_way(), league.weeks.of_run()
    if league.weeks.all():
        return set() if week is None else {week.label}
    return set() if run is None or (run.is_over and run.is_kept) else {run.label}


def _leagues_in(folder: Path) -> Sequence[Path]:
    if (folder / "league.sqlite").exists():
        return [folder]
    found = sorted(path.parent for path in folder.glob("*/league.sqlite"))
    if not found:
        raise LeagueError(f"{folder} is neither a league nor a folder of leagues")
    return found


@dataclass(frozen=True)
class Scale:
    """The lowest and the highest grade; OptionsError if they are equal or not finite."""

    lowest: float = 0.0
    highest: float = 100.0

    def __post_init__(self) -> None:
        if not 0 < abs(self.highest - self.lowest) < float("inf"):
            raise OptionsError(
                f"a scale must have two different numbers, not {self.lowest:g} {self.highest:g}"
            )

    def at(self, share: float) -> float:
        """Return the grade of a share, rounded to hundredths."""
        return round(self.lowest + (self.highest - self.lowest) * share, 2)


def by_rank(placing: Placing, students: Sequence[Placing], anchors: Sequence[Placing]) -> float:
    """Return 1 for the first, 0 for the last, and even steps between; equal ratings share one."""
    return _place(sum(one.elo > placing.elo for one in students), students)


def by_interval(placing: Placing, students: Sequence[Placing], anchors: Sequence[Placing]) -> float:
    """Return the same of the best rank in the 95 % interval, so that chance takes nothing away."""
    best = min(one.rank_low for one in students if one.elo == placing.elo)  # they are drawn
    above = sum(one.rank < best for one in anchors)
    return _place(max(0, best - 1 - above), students)


def by_anchors(placing: Placing, students: Sequence[Placing], anchors: Sequence[Placing]) -> float:
    """Return the share of games that the network would win against the anchors, by its rating.

    Raises:
        LeagueError: no anchor has played in this week.
    """
    if not anchors:
        raise LeagueError(
            f"no anchor has played in the week {placing.week}: name one with "
            "python -m tournament anchor before the games"
        )
    wins = [1 / (1 + 10 ** ((anchor.elo - placing.elo) / 400)) for anchor in anchors]
    return sum(wins) / len(wins)


RULES: dict[str, Rule] = {"rank": by_rank, "interval": by_interval, "anchors": by_anchors}


def grades_of(
    season: Season, rule: str, anchors: Collection[str], scale: Scale,
    shares_of: Mapping[str, Mapping[str, str]] | None = None,
) -> dict[str, float]:
    """Return the grade of every network except the anchors, by name; `rule` is a key of RULES.

    `shares_of` has, by name and by missed week, the week whose share it takes.

    Raises:
        LeagueError: the rule needs anchors, and a week has none.
    """
    shares: dict[str, dict[str, float]] = {}
    for week in season.weeks:
        students, references = season.of_week(week, anchors)
        shares[week] = {one.name: RULES[rule](one, students, references) for one in students}

    def share(name: str, week: str) -> float:
        taken_from = (shares_of or {}).get(name, {}).get(week, week)
        return shares[taken_from].get(name, 0.0)

    return {
        name: scale.at(sum(share(name, week) for week in season.weeks) / len(season.weeks))
        for name in season.placings if name not in anchors
    }


def unseparated_weeks(season: Season, anchors: Collection[str]) -> list[str]:
    """Return the weeks whose games are too few to tell any two students' networks apart."""
    found = []
    for week in season.weeks:
        students, references = season.of_week(week, anchors)
        shares = {by_interval(one, students, references) for one in students}
        if len(students) > 1 and shares == {1.0}:
            found.append(week)
    return found


def _place(num_better: int, students: Sequence[Placing]) -> float:
    return 1 - num_better / (len(students) - 1) if len(students) > 1 else 1.0
