"""`season`: points, ratings and grades over the weeks of a league, or of several."""

import argparse
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from golois.kit.console import Console
from golois.kit.files import write_whole
from tournament.commands.arguments import finite
from tournament.commands.output import output_file, refuse_inside, refuse_to_overwrite
from tournament.commands.tokens import add_columns_argument, roster_of, write_private
from tournament.errors import OptionsError
from tournament.league.gradebooks import Assignment
from tournament.league.journal import may_write
from tournament.league.late_days import Late, late_weeks
from tournament.league.league import League
from tournament.league.roster import Person, Roster, networks_of
from tournament.league.season import (
    RULES,
    Scale,
    Season,
    anchors_of,
    grades_of,
    league_folders,
    season_of,
    unseparated_weeks,
    written_names_of,
)
from tournament.server.ledger import accepted_files, ledger_file
from tournament.server.tokens import ids_of

MAX_WIDTH = 10_000  # more than a term's table needs
Lates = Mapping[str, Mapping[str, Late]]  # by name and by missed week


def add_season_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "leagues", nargs="+", type=Path, metavar="LEAGUE",
        help="leagues in the order of their weeks, or a folder of them, in the order of names",
    )
    parser.add_argument("--csv", type=output_file, metavar="FILE", help="also write the table here")
    parser.add_argument(
        "--grades", choices=RULES,
        help="grade by the rank, by the best rank of its interval, or by the score against anchors",
    )
    parser.add_argument(
        "--scale", type=finite, nargs=2, metavar=("LOWEST", "HIGHEST"),
        help="range of grades (default 0 100, or 0 and the points of the roster's assignment)",
    )
    parser.add_argument(
        "--roster", type=Path, metavar="STUDENTS.csv",
        help="write a copy with the grades to STUDENTS.grades.csv, in the column of its assignment "
        "(--columns grade=TITLE) or in new columns",
    )
    add_columns_argument(parser)


def season_command(arguments: argparse.Namespace) -> int:
    """Print the season's table."""
    _refuse_idle(arguments)
    roster = None if arguments.roster is None else _roster(arguments)
    assignment = None if roster is None else _assignment(arguments.roster, roster)
    scale = _scale(arguments, assignment)
    folders = league_folders(arguments.leagues)
    if arguments.csv is not None:
        refuse_inside(folders, arguments.csv)
    leagues = [League(folder, create=False) for folder in folders]
    season = season_of(leagues)
    grades, notes, lates = {}, [], None
    anchors: set[str] = set()
    if arguments.grades is not None:
        anchors = anchors_of(leagues)
        lates = _lates(season, leagues)
        shares_of = {
            name: {week: late.share_of for week, late in weeks.items()}
            for name, weeks in (lates or {}).items()
        }
        grades = grades_of(season, arguments.grades, anchors, scale, shares_of)
        notes = [
            *_notes(arguments.grades, unseparated_weeks(season, anchors)),
            *_notes_on_uploads(leagues),
        ]
    written = written_names_of(leagues)
    # In its own width, also where the terminal is narrower.
    Console(width=MAX_WIDTH).print(_table(season, grades, written, lates))
    for week in season.before_term:
        print(f"{week} does not count: its games were before the first deadline of the term")
    for week in season.provisional:
        print(f"{week} is provisional: its run has not ended, or its table is not kept")
    for note in notes:
        print(note)
    if arguments.csv is not None:
        import pandas as pd

        text = pd.DataFrame(season.rows(written)).to_csv(index=False, lineterminator="\n")
        write_whole(arguments.csv, text.encode())
    if roster is not None:
        networks = networks_of(arguments.roster, roster, ids_of(folders))
        cells = _cells(networks, season, grades, scale, lates, anchors)
        titles = ("league network", "points", *_late_title(lates), "grade")
        _write_grades(arguments.roster, roster, assignment, titles, cells)
        if ungraded := sorted(anchors & set(networks.values())):
            print(f"anchors get no grade: {', '.join(ungraded)}", file=sys.stderr)
        if missing := sorted(grades.keys() - networks.values()):
            print(f"graded, but not in {arguments.roster}: {', '.join(missing)}", file=sys.stderr)
    return 0


def _lates(season: Season, leagues: Sequence[League]) -> Lates | None:
    """Return the weeks that late days make up for; None if no term gives late days."""
    if not any(map(_gives_late_days, leagues)):
        return None
    lates: dict[str, dict[str, Late]] = {}
    for league in leagues:
        of_league = late_weeks(season, league, accepted_files(league.folder))
        for name, weeks in of_league.items():
            lates.setdefault(name, {}).update(weeks)
    return lates


def _gives_late_days(league: League) -> bool:
    term = league.settings().term
    return term is not None and bool(term.late_days)


def _notes_on_uploads(leagues: Sequence[League]) -> list[str]:
    """Say for which leagues with late days the uploads are unknown."""
    ledgers = [ledger_file(league.folder) for league in leagues if _gives_late_days(league)]
    return [
        f"late days count only files that joined the league: {ledger} is missing, or you may not "
        "write it"
        for ledger in ledgers if not may_write(ledger)
    ]


def _late_title(lates: Lates | None) -> list[str]:
    return [] if lates is None else ["late days"]


def _late_cell(lates: Lates | None, name: str) -> list[str]:
    """Return how many late days a student has used, if the term gives late days."""
    if lates is None:
        return []
    return [str(sum(late.days for late in lates.get(name, {}).values()))]


def _refuse_idle(arguments: argparse.Namespace) -> None:
    for name in ("roster", "scale"):
        if getattr(arguments, name) is not None and arguments.grades is None:
            raise OptionsError(f"--{name} needs --grades, one of {', '.join(RULES)}")
    if arguments.columns is not None and arguments.roster is None:
        raise OptionsError("--columns names columns of the roster: give --roster too")


def _roster(arguments: argparse.Namespace) -> Roster:
    """Return the roster, which no table may overwrite, nor grades that are there."""
    roster, grades = roster_of(arguments.roster, arguments), _grades_file(arguments.roster)
    if arguments.csv is not None:
        refuse_to_overwrite("roster", arguments.roster, arguments.csv)
        refuse_to_overwrite("grades", grades, arguments.csv)
    if grades.exists():
        raise OptionsError(f"{grades} already exists, with earlier grades: move it away first")
    return roster


def _assignment(path: Path, roster: Roster) -> Assignment | None:
    """Return the column for the grades, or None; raise OptionsError if there are several."""
    if len(roster.assignments) > 1:
        titles = [one.title for one in roster.assignments]
        raise OptionsError(
            f"{path}: which column gets the grades, {' or '.join(map(repr, titles))}? Name it "
            f"with --columns, such as grade={titles[0]!r}"
        )
    return next(iter(roster.assignments), None)


def _scale(arguments: argparse.Namespace, assignment: Assignment | None) -> Scale:
    if arguments.scale is None and assignment is not None and assignment.points:
        return Scale(highest=assignment.points)
    return Scale(*arguments.scale or ())


def _grades_file(roster: Path) -> Path:
    return roster.with_suffix(".grades.csv")


def _cells(
    networks: Mapping[Person, str], season: Season, grades: Mapping[str, float], scale: Scale,
    lates: Lates | None, anchors: Collection[str],
) -> dict[Person, tuple[str, ...]]:
    """Return each student's network, points, late days if any, and grade, "" for an anchor."""

    def cells(name: str) -> tuple[str, ...]:
        has_played = name in season.placings
        points = season.points(name) if has_played else 0.0
        grade = "" if name in anchors else f"{grades.get(name, scale.at(0)):g}"
        network = name if has_played else ""
        return network, f"{points:.1f}", *_late_cell(lates, name), grade

    return {person: cells(name) for person, name in networks.items()}


def _write_grades(
    path: Path, roster: Roster, assignment: Assignment | None, titles: Sequence[str],
    cells: Mapping[Person, tuple[str, ...]],
) -> None:
    """Write the roster with the grades, in its assignment's column or in new columns."""
    written = _grades_file(path)
    if assignment is not None:
        content = roster.with_grades(
            assignment, lambda person: cells[person][-1] or person.cells[assignment.index]
        )
        where = f"its column {assignment.title!r}"
    else:
        content = roster.with_columns(titles, cells.__getitem__, is_whole=True)
        where = "a new column; --columns grade=TITLE chooses an existing column"
    write_private(written, content)
    num_graded = sum(bool(row[-1]) for row in cells.values())
    people = "1 person" if num_graded == 1 else f"{num_graded} people"
    print(f"the grades of {people} are in {written}, in {where}")


def _notes(rule: str, weeks: Sequence[str]) -> list[str]:
    """Say in which weeks there are too few games for grades to differ, if in any."""
    if not weeks:
        return []
    meaning = {
        "interval": "so all networks of a week get the same share",
        "rank": "so the order, and with it the grades, may be chance",
        "anchors": "so differences of the grades may be chance",
    }
    return [
        f"Too few games to separate anybody at 95 %, {meaning[rule]}: {', '.join(weeks)}. "
        "More --rounds of python -m tournament run separate them."
    ]


def _table(
    season: Season, grades: Mapping[str, float], written: Mapping[str, str], lates: Lates | None
) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.title, table.title_justify = "points, and Elo in brackets", "left"
    graded = ["grade", *_late_title(lates)] if grades else []
    for title in ("#", "network", *graded, "points", *season.weeks):
        table.add_column(
            Text(title), justify="left" if title == "network" else "right", no_wrap=True
        )
    totals = [season.points(name) for name in season.names()]  # most first
    for name, total in zip(season.names(), totals, strict=True):
        cells = [_cell(season, name, week, (lates or {}).get(name, {})) for week in season.weeks]
        grade = [f"{grades[name]:g}" if name in grades else "anchor"] if grades else []
        # Text, and not str, so that a name is never read as markup.
        shown = Text(written.get(name, name))
        place = str(totals.index(total) + 1)
        table.add_row(place, shown, *grade, *_late_cell(lates, name), f"{total:.1f}", *cells)
    return table


def _cell(season: Season, name: str, week: str, lates: Mapping[str, Late]) -> str:
    if (placing := season.placings[name].get(week)) is not None:
        return f"{placing.points:.1f} ({placing.elo:+.0f})"
    return "late" if week in lates else "–"
