"""A ladder: its file, whom a network meets, and the rating that comes out."""

import tomllib
from dataclasses import replace
from random import Random

import pytest

from data import make_ladder
from tests.data import ROOT
from tests.fake_arena import record_of
from tests.unit.tournament.test_plan import Referee, won_by
from tournament.errors import OptionsError
from tournament.game.job import Entrant
from tournament.league.league import League
from tournament.ratings.bradley_terry import Known
from tournament.running.coordinator import play_plan
from tournament.running.ladder import Ladder, LadderPlan, Rung, ladder_result, read_ladder
from tournament.running.opening_book import load_openings
from tournament.running.schedule import pairings
from tournament.running.sides import Side
from tournament.running.views import QuietView

ELO = {"low": -400, "weak": -150, "middle": 0, "good": 200, "best": 700}
OPENINGS = load_openings(6)


def entrant(name: str) -> Entrant:
    return Entrant(name, (name * 64)[:64])


def rung(name: str, known: Known | None) -> Rung:
    return Rung(Side(name, None, {}), entrant(name), known)


LADDER = Ladder(tuple(rung(name, Known(elo, 60)) for name, elo in ELO.items()))
WITH_TOP = Ladder((*LADDER.rungs, rung("top", None)))


def climb(folder, referee, num_games=24, name="mine", ladder=LADDER, prepared=None):
    """Play the missing games of a ladder; return its result."""
    league = League(folder)
    prepare = (lambda rung: None) if prepared is None else prepared.append
    me = replace(entrant("mine"), name=name)
    plan = LadderPlan(league, me, ladder, num_games, 0, OPENINGS, prepare)
    with league.coordinate():
        play_plan(league, plan, referee, QuietView())
    return ladder_result(name, ladder, plan.rows())


def as_strong_as(elo: float, seed: int = 0, strength=ELO):
    """Decide games by the strengths of both."""

    def decide(job):
        other = job.white if job.black == "mine" else job.black
        share = 1 / (1 + 10 ** ((strength.get(other, 1500) - elo) / 400))
        wins = Random(f"{seed} {job.game_id}").random() < share
        return won_by(job, "mine" if wins else other)

    return decide


def opponents(referee) -> list[str]:
    return [(set(meeting) - {"mine"}).pop() for meeting in referee.meetings()]


def test_it_begins_in_the_middle_and_goes_on_near_the_network(tmp_path):
    referee = Referee(as_strong_as(650))
    result = climb(tmp_path, referee)
    met = opponents(referee)
    assert met[:2] == ["middle", "middle"] and len(met) == result.games == 24
    assert "low" not in met and met.count("best") >= 8
    pairs = list(zip(referee.jobs[::2], referee.jobs[1::2], strict=True))
    assert all(one.black == other.white and one.opening == other.opening for one, other in pairs)
    assert len({job.game_id for job in referee.jobs}) == 24
    assert [rung.name for rung in result.rungs] == list(ELO)
    assert sum(rung.wins + rung.losses for rung in result.rungs) == 24


@pytest.mark.parametrize("name", ELO)
def test_a_network_that_is_a_rung_gets_that_rungs_rating_within_its_interval(name, tmp_path):
    others = LADDER.without(entrant(name))
    assert name not in others.names and len(others.rungs) == len(ELO) - 1
    for seed in range(2):
        referee = Referee(as_strong_as(ELO[name], seed))
        result = climb(tmp_path / str(seed), referee, ladder=others)
        assert abs(result.elo - ELO[name]) < result.elo_halfwidth < 500
        rank = 1 + sum(elo > ELO[name] for elo in ELO.values())
        assert result.rank_low <= rank <= result.rank_high and result.of == len(ELO)


@pytest.mark.slow
def test_intervals_cover_the_truth(tmp_path):
    hits = []
    for number in range(150):
        random = Random(number)
        truth = random.uniform(-500, 800)
        strength = {name: random.gauss(elo, 60 / 1.96) for name, elo in ELO.items()}
        result = climb(tmp_path / str(number), Referee(as_strong_as(truth, number, strength)))
        hits.append(abs(result.elo - truth) < result.elo_halfwidth)
    assert 0.9 <= sum(hits) / len(hits) <= 0.99


@pytest.mark.parametrize("stop_after", [1, 4, 7])
def test_a_stopped_ladder_goes_on_with_the_same_games(stop_after, tmp_path):
    whole, first, second, third = (
        Referee(as_strong_as(100), stop_after=after) for after in (None, stop_after, None, None)
    )
    expected = climb(tmp_path / "whole", whole, 12)
    with pytest.raises(KeyboardInterrupt):
        climb(tmp_path / "stopped", first, 12)
    result = climb(tmp_path / "stopped", second, 12)
    assert first.jobs + second.jobs == whole.jobs and result == expected
    assert climb(tmp_path / "stopped", third, 12) == expected and third.jobs == []
    assert climb(tmp_path / "stopped", third, 16).games == 16, "more games go on"


def test_a_top_of_unknown_strength_plays_four_games_that_do_not_count(tmp_path):
    referee, prepared = Referee(as_strong_as(0)), []
    result = climb(tmp_path, referee, 12, ladder=WITH_TOP, prepared=prepared)
    assert opponents(referee)[:4] == ["top"] * 4 and opponents(referee).count("top") == 4
    assert [rung.name for rung in prepared] == opponents(referee)[::2]
    *_, top = result.rungs
    assert (top.name, top.elo, top.wins + top.losses, result.of) == ("top", None, 4, 6)
    assert climb(tmp_path / "two", Referee(), 2, ladder=WITH_TOP).games == 2


def test_games_count_under_another_name_and_other_games_are_refused(tmp_path):
    before = climb(tmp_path, Referee(as_strong_as(0)), 6)
    after = climb(tmp_path, Referee(), 6, name="renamed")
    assert (after.elo, after.games) == (before.elo, 6)
    with pytest.raises(OptionsError, match="holds games of another match"):
        climb(tmp_path, Referee(), 6, ladder=Ladder(LADDER.rungs[:1]))


def test_a_rung_that_loses_a_network_by_failing_has_won_nothing_else(tmp_path):
    def failing(job):
        colour = "black" if job.white == "mine" else "white"
        return {"result": f"{colour[0].upper()}+F", "winner": colour, "kind": "forfeit"}

    result = climb(tmp_path, Referee(failing), 8)
    assert sum(rung.losses for rung in result.rungs) == 8
    assert (result.rank, result.rank_high) == (6, 6) and result.elo < -400


ENTRY = '[[rung]]\nname = "{}"\nplays = "{}"\nelo = {}\nhalfwidth = {}\nmeasured = "here"\n'


def test_the_ladder_of_the_kit_has_its_networks_and_leaves_out_programs(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name, path=None: None)
    ladder = read_ladder()
    elo = [known.elo for known in ladder.known.values()]
    assert elo == sorted(elo) and len(elo) == len(ladder.rungs)
    assert {rung.name for rung in ladder.rungs if rung.is_network} == {
        "isn_tower", "mixnet", "restnet", "nogozero", "resnet", "mobilenet", "mobilenet_3m"
    }  # fmt: skip
    assert len(ladder.left_out) == 1 and "GNU Go is not installed" in ladder.left_out[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not a ladder: 'rung'"),
        ("rung = 3", "is not a ladder"),
        ("rung = []", "expected rungs of different names"),
        ("rung = ['a']", "is not a ladder"),
        ("a = [", "is not a ladder"),
        (ENTRY.format("a", "random", "'x'", 9), "could not convert"),
        (ENTRY.format("a", "random", 1, 9) * 2, "expected rungs of different names"),
        (ENTRY.format("a", "random", 1, 9) + "more = 1", "expected rungs of different names"),
        (ENTRY.format("a", "random,x=1", 1, 9), "an option of a side"),
        (ENTRY.format("a", "random", "nan", 9), "elo must be finite, and halfwidth finite"),
        (ENTRY.format("a", "random", 1, "inf"), "elo must be finite, and halfwidth finite"),
        (ENTRY.format("a", "random", 1, 9).replace('"a"', "7"), "name and plays must be texts"),
    ],
)
def test_a_file_that_is_no_ladder_is_refused(text, says, tmp_path):
    path = tmp_path / "ladder.toml"
    path.write_text(text)
    with pytest.raises(OptionsError, match=says):
        read_ladder(path)


def test_the_top_is_none_of_the_rungs(tmp_path):
    path = tmp_path / "ladder.toml"
    path.write_text(ENTRY.format("a", "random", 1, 9) + ENTRY.format("b", "averagelib", 2, 9))
    ladder = read_ladder(path)
    assert ladder.names == ("a", "b")
    with pytest.raises(OptionsError, match="random is a rung of the ladder already"):
        ladder.with_top("random")


@pytest.mark.slow
def test_the_ladder_is_made_of_the_league_and_of_matches(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name, path=None: f"/usr/games/{name}")
    winners = {"resnet,visits=1": "resnet", "gnugo:1": "resnet", "mobilenet": "mobilenet"}
    folders = []
    for number, (name, winner) in enumerate(winners.items()):
        folders.append(str(tmp_path / str(number)))
        league = League(folders[-1])
        for job in pairings([entrant(name), entrant("resnet")], 4, 0, OPENINGS):
            league.games.record(record_of(job, **won_by(job, winner)))
    assert make_ladder.main(folders) == 0
    path = tmp_path / "ladder.toml"
    path.write_text(capsys.readouterr().out)
    header, *_ = (ROOT / "data" / "ladder.toml").read_text().partition("[[")
    assert path.read_text().startswith(header)
    ladder = read_ladder(path)
    networks = ("isn_tower", "restnet", "resnet", "nogozero", "mixnet", "mobilenet_3m", "mobilenet")
    assert set(ladder.names[:2]) == {"resnet, 1 visit", "gnugo:1"} and ladder.names[2:] == networks
    assert ladder.known["gnugo:1"].elo < -600 < -300 < ladder.known["resnet"].elo < -150
    assert 'measured = "120 games of the reference league, 24 games of the matches"' in (
        path.read_text()
    )
    assert make_ladder.main(["--add", *folders]) == 0
    assert not capsys.readouterr().out.strip()  # all are rungs of the kit's ladder
    assert make_ladder.main([str(tmp_path / "nowhere")]) == 2
    assert "there is no league in" in capsys.readouterr().err


def test_a_new_rung_is_rated_by_its_games_with_the_others(tmp_path, capsys):
    league = League(tmp_path / "match")
    for job in pairings([entrant("gnugo:9"), entrant("resnet")], 8, 0, OPENINGS):
        league.games.record(record_of(job, **won_by(job, "gnugo:9")))
    assert make_ladder.main(["--add", str(tmp_path / "match")]) == 0
    (rung,) = tomllib.loads(capsys.readouterr().out)["rung"]
    known = read_ladder().known["resnet"].elo
    assert rung["name"] == rung["plays"] == "gnugo:9"
    assert rung["measured"] == "16 games of the matches"
    assert known + 150 < rung["elo"] < known + 900 and rung["halfwidth"] > 100
