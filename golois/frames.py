"""What the kit keeps of runs, sweeps, leagues and courses, as DataFrames of pandas.

    from golois import frames
    frames.history("runs/mine")["val_policy_accuracy"].plot()
    frames.ranking("league")

docs/student/dataframes.md has more. Names of networks and numbers of students stay text. This is
the only module of golois that knows the tournament.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from tournament.league.league import League
    from tournament.report.snapshot import Snapshot

Folder = str | Path
TIMES = ["started_at", "finished_at"]


def history(run: Folder) -> "pd.DataFrame":
    """What a run of `train.py` or `selfplay.py` has measured: a row an epoch or iteration.

    The columns are those of history.csv (docs/student/training.md) or journal.csv
    (docs/student/selfplay.md); NaN is what was not measured. Raises FileNotFoundError: the folder
    has neither.
    """
    import pandas as pd

    for name, counted in (("history.csv", "epoch"), ("journal.csv", "iteration")):
        if (path := Path(run) / name).is_file():
            return pd.read_csv(path, index_col=counted)
    raise FileNotFoundError(f"{run} has no history yet: neither history.csv nor journal.csv")


def sweep(folder: Folder) -> "pd.DataFrame":
    """The results of a sweep, best first, as in table.csv; FileNotFoundError without a table."""
    import pandas as pd

    path = Path(folder) / "table.csv"
    if not path.is_file():
        raise FileNotFoundError(f"{folder} has no results yet: there is no table.csv")
    table = pd.read_csv(path, dtype={"is_separated": "boolean"})
    # On their own, as text: a run may be called 007 or NA.
    names = pd.read_csv(path, usecols=["name"], dtype=str, na_filter=False)["name"]
    return table.drop(columns="name").set_index(names.rename("run"))


def ranking(league: Folder) -> "pd.DataFrame":
    """The ranking of a league by "network", best first, with the columns of docs/teacher/table.md.

    Raises TournamentError: no league that this version of the kit can read.
    """
    import pandas as pd

    from tournament.report.downloads import ranking_rows
    from tournament.report.standings import Standings

    with _snapshot(league) as snapshot:
        rows = ranking_rows(Standings(snapshot))
    names = pd.Index([row.pop("name") for row in rows], name="network", dtype=str)
    return pd.DataFrame(rows, names)


def games(league: Folder) -> "pd.DataFrame":
    """The games of a league that count, oldest first, with the columns of docs/teacher/table.md.

    `started_at` and `finished_at` are times. Raises TournamentError: no league that this version of
    the kit can read.
    """
    import pandas as pd

    from tournament.report.downloads import GAME_TITLES, game_rows

    with _snapshot(league) as snapshot:
        table = pd.DataFrame(game_rows(snapshot), columns=GAME_TITLES)
    table[TIMES] = table[TIMES].apply(pd.to_datetime, utc=True, format="ISO8601")
    return table


def turns(league: Folder) -> "pd.DataFrame":
    """The move of each lost game after which the loser's own chance fell most, oldest game first.

    `network` lost, and values are P(it wins): `value_before` the move of number `ply` and
    `value_after` at its next move as it saw them, `opponent_value` as the opponent saw it in
    between. Games without values are left out. It reads every game. Raises TournamentError: no
    league that this version of the kit can read.
    """
    import pandas as pd

    from tournament.report.downloads import TURN_TITLES, turn_rows
    from tournament.report.turns import judged

    with _snapshot(league) as snapshot:
        rows = turn_rows(snapshot, judged(snapshot.games, snapshot.sgf).turns)
    return pd.DataFrame(rows, columns=TURN_TITLES)


def phases(league: Folder) -> "pd.DataFrame":
    """What the moves of each network cost it, by phase: a row a network and phase of its games.

    `lost` is the mean fall of P(it wins) in points, 0 … 100, from one of its `num_moves` moves to
    the next, as it saw them itself; a rise counts as 0. `num_large` of these falls have 10 points
    or more, and `opponents_lost` is the mean as its opponents saw it. It reads every game. Raises
    TournamentError: no league that this version of the kit can read.
    """
    import pandas as pd

    from tournament.report.turns import Phase, judged, phases_by_name

    with _snapshot(league) as snapshot:
        found = phases_by_name(snapshot.games, judged(snapshot.games, snapshot.sgf).losses)
        names = [network.name for network in snapshot.networks if network.name in found]
    rows = [{"network": name, **vars(phase)} for name in names for phase, _ in found[name]]
    columns = ["network", *(field.name for field in fields(Phase))]
    return pd.DataFrame(rows, columns=columns).astype({"network": str, "last": "Int64"})


def season(*leagues: Folder) -> "pd.DataFrame":
    """Where each network stood at the end of each week: a row a week and network.

    `leagues` are in the order of their weeks; a folder of leagues counts as these. The columns are
    those of `season --csv`. Raises TournamentError: no league that this version of the kit can
    read, or one without a table.
    """
    import pandas as pd

    from tournament.league.season import season_of, written_names_of

    with _opened(*leagues) as opened:
        return pd.DataFrame(season_of(opened).rows(written_names_of(opened)))


def grades(
    *leagues: Folder, rule: str = "interval", scale: tuple[float, float] = (0.0, 100.0)
) -> "pd.DataFrame":
    """The grades of a season by "network", the highest first; anchors have no grade.

    `rule` is "interval", "rank" or "anchors" (docs/teacher/term.md); `scale` is the lowest and
    the highest grade. Raises TournamentError: as for `season`; no such rule or scale.
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
        raise OptionsError(f"rule must be of {', '.join(RULES)}, not {rule!r}")
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
    """The people of a course by "network", in the order of their file: its columns, as text.

    A course system has exported `path` (docs/teacher/server.md). `leagues` are where `tokens` has
    noted the numbers of students. `columns` are titles by their use: {"name": "Student"}. Raises
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
def _snapshot(league: Folder) -> "Iterator[Snapshot]":
    from tournament.league.league import League
    from tournament.report.snapshot import snapshot_of

    with closing(League(league, create=False)) as opened:
        yield snapshot_of(opened)


@contextmanager
def _opened(*folders: Folder) -> "Iterator[list[League]]":
    from tournament.league.league import League
    from tournament.league.season import league_folders

    with ExitStack() as stack:
        yield [
            stack.enter_context(closing(League(folder, create=False)))
            for folder in league_folders(map(Path, folders))
        ]
