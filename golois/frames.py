"""What the kit keeps of runs, sweeps, leagues and courses, as DataFrames of pandas.

    from golois import frames
    frames.history("runs/mine")["val_policy_accuracy"].plot()
    frames.ranking("league")

docs/dataframes.md has more. Each function reads the files as they are now and changes nothing.
Names of networks and numbers of students stay text, with leading zeros. This is the only module of
golois that knows the tournament; pandas and the tournament are imported in the functions.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from tournament.league.league import League

Folder = str | Path
TIMES = ["started_at", "finished_at"]


def history(run: Folder) -> "pd.DataFrame":
    """Return what a run of `train.py` or `selfplay.py` has measured: a row an epoch or iteration.

    Returns:
        The columns of history.csv (docs/training.md) by "epoch", or those of journal.csv
        (docs/selfplay.md) by "iteration"; NaN is what was not measured.

    Raises:
        FileNotFoundError: the folder has neither.
    """
    import pandas as pd

    for name, counted in (("history.csv", "epoch"), ("journal.csv", "iteration")):
        if (path := Path(run) / name).is_file():
            return pd.read_csv(path, index_col=counted)
    raise FileNotFoundError(f"{run} has no history yet: neither history.csv nor journal.csv")


def sweep(folder: Folder) -> "pd.DataFrame":
    """Return the results of a sweep, best first.

    Returns:
        The columns of table.csv, attributes of `models.sweeps.results.Result`, by the run's name.

    Raises:
        FileNotFoundError: the folder has no table.
    """
    import pandas as pd

    path = Path(folder) / "table.csv"
    if not path.is_file():
        raise FileNotFoundError(f"{folder} has no results yet: there is no table.csv")
    table = pd.read_csv(path, dtype={"is_separated": "boolean"})
    # On their own, as text: a run may be called 007 or NA.
    names = pd.read_csv(path, usecols=["name"], dtype=str, na_filter=False)["name"]
    return table.drop(columns="name").set_index(names.rename("run"))


def ranking(league: Folder) -> "pd.DataFrame":
    """Return the ranking of a league as it is now, best first.

    Returns:
        The columns of ranking.csv (docs/report.md) by the name of the "network".

    Raises:
        TournamentError: no league that this version of the kit can read.
    """
    import pandas as pd

    from tournament.league.league import League
    from tournament.report.downloads import ranking_rows
    from tournament.report.snapshot import snapshot_of
    from tournament.report.standings import Standings

    with closing(League(league, create=False)) as opened:
        rows = ranking_rows(Standings(snapshot_of(opened)))
    names = pd.Index([row.pop("name") for row in rows], name="network", dtype=str)
    return pd.DataFrame(rows, names)


def games(league: Folder) -> "pd.DataFrame":
    """Return the games of a league that count, oldest first.

    Returns:
        The columns of games.csv (docs/report.md); `started_at` and `finished_at` are times.

    Raises:
        TournamentError: no league that this version of the kit can read.
    """
    import pandas as pd

    from tournament.league.league import League
    from tournament.report.downloads import GAME_TITLES, game_rows
    from tournament.report.snapshot import snapshot_of

    with closing(League(league, create=False)) as opened:
        table = pd.DataFrame(game_rows(snapshot_of(opened)), columns=GAME_TITLES)
    table[TIMES] = table[TIMES].apply(pd.to_datetime, utc=True, format="ISO8601")
    return table


def season(*leagues: Folder) -> "pd.DataFrame":
    """Return where each network stood at the end of each week.

    Args:
        *leagues: in the order of their weeks; a folder of leagues counts as these.

    Returns:
        The columns of `season --csv`, a row a week and network: `title` of the week, `name` and
        `written_name` of the network, `rank`, `elo`, `points` and more.

    Raises:
        TournamentError: no league that this version of the kit can read, or one without a table.
    """
    import pandas as pd

    from tournament.league.season import season_of, written_names_of

    with _opened(*leagues) as opened:
        return pd.DataFrame(season_of(opened).rows(written_names_of(opened)))


def grades(
    *leagues: Folder, rule: str = "interval", scale: tuple[float, float] = (0.0, 100.0)
) -> "pd.DataFrame":
    """Return the grades of a season, the highest first.

    Args:
        *leagues: as for `season`.
        rule: "interval", "rank" or "anchors" (docs/league.md).
        scale: the lowest and the highest grade.

    Returns:
        `written_name`, `points` and `grade` by the name of the "network"; anchors have no grade.

    Raises:
        TournamentError: as for `season`; no such rule or scale.
    """
    import pandas as pd

    from tournament.errors import OptionsError
    from tournament.league.season import (
        RULES,
        Scale,
        anchors_of,
        grades_of,
        season_of,
        written_names_of,
    )

    if rule not in RULES:
        raise OptionsError(f"expected a rule of {', '.join(RULES)}: got {rule!r}")
    with _opened(*leagues) as opened:
        placed, written = season_of(opened), written_names_of(opened)
        found = grades_of(placed, rule, anchors_of(opened), Scale(*scale))
    names = sorted(found, key=lambda name: (-found[name], -placed.points(name), name))
    rows = [(written.get(name, name), placed.points(name), found[name]) for name in names]
    titles = ["written_name", "points", "grade"]
    return pd.DataFrame(rows, pd.Index(names, name="network", dtype=str), titles)


def roster(
    path: Folder, *leagues: Folder, columns: Mapping[str, str] | None = None
) -> "pd.DataFrame":
    """Return the people of a course, in the order of their file: its columns, as text.

    Rows are by the name of the "network".

    Args:
        path: a file that a course system has exported (docs/server.md).
        *leagues: where `tokens` has noted the numbers of students, by which they are found then.
        columns: titles by what they are for, as `--columns` has them, such as {"name": "Student"}.

    Raises:
        TournamentError: no roster, or two people with one network.
    """
    import pandas as pd

    from tournament.league.roster import networks_of, read_roster
    from tournament.league.season import league_folders
    from tournament.server.tokens import ids_of

    read = read_roster(Path(path), columns)
    ids = ids_of(league_folders(map(Path, leagues)))
    people = networks_of(Path(path), read, ids)
    index = pd.Index([*people.values()], name="network", dtype=str)
    return pd.DataFrame([person.cells for person in people], index, read.titles, dtype=str)


@contextmanager
def _opened(*folders: Folder) -> "Iterator[list[League]]":
    from tournament.league.league import League
    from tournament.league.season import league_folders

    with ExitStack() as stack:
        yield [
            stack.enter_context(closing(League(folder, create=False)))
            for folder in league_folders(map(Path, folders))
        ]
