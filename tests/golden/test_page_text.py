"""The pages of a league, line by line: every word, link and mark, but not how they are styled.

After an intended change, `python -m tests.golden.test_page_text` writes the files anew.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.data import ROOT
from tests.fake_standings import game, small_league, snapshot_of_games
from tests.page_outline import outline_of
from tournament.league.draws import Draw
from tournament.league.games import row_of
from tournament.report import pages
from tournament.report.history import placings_of, weeks_of
from tournament.report.snapshot import TakenOut
from tournament.report.standings import Standings
from tournament.report.trophies import trophies_of
from tournament.report.turns import Phase, Turn

FOLDER = ROOT / "tests" / "golden" / "data" / "pages"
RULES = (("A move", "2 s of CPU time"), ("Komi", "7.5"), ("Kit", "1.2.3"), ("Machines", ""))


def league() -> Standings:
    """A league with all that a page may show: anchors, weeks, forfeits, failures, draws."""
    earlier = replace(game(0, "ada", "bob", "black"), finished_at="2026-03-07T21:00:00+00:00")
    first = placings_of(Standings(snapshot_of_games(["ada", "bob"], [earlier])))
    snapshot = small_league(num_scheduled=1030)
    failure = row_of(game(90, "nan", "ada", "white", kind="forfeit", reason="nan: got nan"))
    draws = (
        Draw("c" * 64, "2026-03-01T09:00:00+00:00", ("a" * 64, "b" * 64), "5ec4e7" * 10 + "beef"),
        Draw("d" * 64, "2026-03-14T09:00:00+00:00"),
    )
    about = {
        "ada": {"anchor_elo": 500.0, "submitted_at": "2026-03-13T09:30:00+00:00"},
        "bob": {"note": "withdrawn on 2026-03-15", "parameters_total": None, "layers": ()},
        "cyd": {"ms_per_evaluation": None, "flops": None},
    }
    return Standings(
        replace(
            snapshot,
            networks=tuple(replace(entry, **about[entry.name]) for entry in snapshot.networks),
            placings=tuple(first),
            num_voids=3,
            taken_out=(TakenOut("nan", "e" * 64, "taken out because", failure, 2),),
            struck=(failure,),
            draws=draws,
            rules=RULES,
        )
    )


def outlines() -> dict[str, str]:
    """The outline of each kind of page, by the name of its file."""
    standings = league()
    standings.trophies = trophies_of(standings, {})
    snapshot, weeks = standings.snapshot, weeks_of(standings)
    both = [(Phase(1, 50, 90, 1.25, 3, 2.5), Phase(1, 50, 200, 1.75, 9, 2.0)),
            (Phase(201, None, 4, 0.0, 0, None), Phase(201, None, 4, 0.0, 0, None))]
    turns = {"g006": Turn(4, 0.625, 0.25, 0.375), "g005": Turn(5, 0.5, 0.25, None)}
    written = {
        "front": pages.index(standings),
        "crosstable": pages.crosstable_page(standings),
        "game": pages.game(snapshot),
        "before_a_game": pages.index(Standings(snapshot_of_games(["ada", "bob"], []))),
    }
    for row in standings.rows:
        games = [game for game in snapshot.games if row.name in (game.black, game.white)]
        page = pages.network(standings, row, games, weeks[row.name], turns, both)
        written[f"network_{row.name}"] = page
    return {f"{name}.txt": outline_of(page) for name, page in written.items()}


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    return outlines()


def test_every_kind_of_page_is_kept(written):
    assert set(written) == {path.name for path in FOLDER.iterdir()}


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.stem)
def test_pages_say_what_they_said(written, path: Path):
    assert written[path.name] == path.read_text(encoding="utf-8")


if __name__ == "__main__":
    for name, outline in outlines().items():
        (FOLDER / name).write_text(outline, encoding="utf-8")
