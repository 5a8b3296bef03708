"""A network that fails changes no result of the others, whenever and against whom it failed."""

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fake_arena import OPTIONS, league_of, record_of
from tournament.game.record import GameRecord
from tournament.league.league import League
from tournament.report.downloads import ranking_csv
from tournament.report.history import placings_of
from tournament.report.snapshot import snapshot_of
from tournament.report.standings import Standings
from tournament.running.plan import scheduled_jobs

NAMES = ("Ada", "Grace", "Kurt", "Nan")
DAY = "2026-03-14T20:00:00+00:00"
WON = {
    "black": {"winner": "black", "result": "B+3.5"},
    "white": {"winner": "white", "result": "W+3.5"},
}


def table(league: League, games: list[GameRecord]) -> tuple[list[str], list]:
    """The ranking without the rating that knows an order of games, and the week's placings."""
    for game in games:
        league.games.record(game)
    standings = Standings(snapshot_of(league))
    rows = [line.split(",") for line in ranking_csv(standings).splitlines()]
    left_out = rows[0].index("elo_by_update")
    return [row[:left_out] + row[left_out + 1 :] for row in rows], placings_of(standings)


def failed(game: GameRecord) -> GameRecord:
    """The game as Nan loses it by failing."""
    colour = "white" if game.black == "Nan" else "black"
    changes = {"winner": colour, "result": f"{colour[0].upper()}+F", "kind": "forfeit"}
    return GameRecord(**{**vars(game), **changes, "reason": "Nan: got nan"})


@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_the_table_is_that_of_a_league_in_which_the_network_never_played(data):
    with TemporaryDirectory() as folder:
        (Path(folder) / "other").mkdir()
        with (
            closing(league_of(Path(folder), NAMES)) as league,
            closing(league_of(Path(folder) / "other", NAMES)) as other,
        ):
            jobs = scheduled_jobs(league, OPTIONS, 1)
            colours = data.draw(st.lists(st.sampled_from(list(WON)), min_size=12, max_size=12))
            games = [
                record_of(job, finished_at=DAY, **WON[colour])
                for job, colour in zip(jobs, colours, strict=True)
            ]
            with_nan = [game for game in games if "Nan" in (game.black, game.white)]
            failures = data.draw(st.sets(st.sampled_from(range(len(with_nan))), min_size=1))
            spoilt = {with_nan[number].game_id for number in failures}
            played = [failed(game) if game.game_id in spoilt else game for game in games]
            other.submissions.withdraw("Nan")
            without = [game for game in games if game not in with_nan]
            assert table(league, data.draw(st.permutations(played))) == table(other, without)
