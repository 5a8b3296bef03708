"""Trophies of small leagues whose winners and figures follow from the games by hand."""

import json
from dataclasses import replace

import pytest

from tests.fake_arena import league_of
from tests.fake_standings import game, snapshot_of_games
from tournament.game.record import GameRecord
from tournament.league.weeks import Placing, RunWeek
from tournament.report import build
from tournament.report.downloads import summarise
from tournament.report.snapshot import Snapshot
from tournament.report.standings import Standings, Trophy
from tournament.report.trophies import LEAST_GAMES, trophies_of
from tournament.report.turns import judged

NOW, BEFORE = "2026-W11", "2026-W10"


def games_of(one: str, other: str, winners: str, first: int = 0) -> list[GameRecord]:
    """Games with alternating colours; the initials of the winners, game by game."""
    records = []
    for number, initial in enumerate(winners, start=first):
        black, white = (one, other) if number % 2 == 0 else (other, one)
        records.append(game(number, black, white, "black" if black[0] == initial else "white"))
    return records


def won(snapshot: Snapshot) -> dict[str, Trophy]:
    errors = judged(snapshot.games, snapshot.sgf).errors
    return {trophy.title: trophy for trophy in trophies_of(Standings(snapshot), errors)}


def anchored(snapshot: Snapshot, name: str) -> Snapshot:
    networks = (
        replace(one, anchor_elo=0.0) if one.name == name else one for one in snapshot.networks
    )
    return replace(snapshot, networks=tuple(networks))


def with_values(record: GameRecord, errors: dict[str, tuple[float, float]]) -> GameRecord:
    """The same game, in which values miss the result by the first and second error in turn."""
    result, moves = float(record.winner == "white"), []
    for number, move in enumerate(record.moves):  # the first is White's
        player = record.black if number % 2 else record.white
        moves.append(replace(move, value_white=abs(result - errors[player][number // 2 % 2])))
    return replace(record, moves=tuple(moves))


def test_the_best_value_head_is_that_whose_values_are_nearest_to_the_results():
    errors = {"ada": (0.2, 0.4), "bob": (0.6, 0.8)}
    records = [with_values(record, errors) for record in games_of("ada", "bob", "aabbab")]
    best = won(snapshot_of_games(["ada", "bob"], records))["Best value head"]
    # Of five moves as White 0.04 + 0.16 + 0.04 + 0.16 + 0.04, of four as Black 0.40: three games.
    assert (best.winner.name, best.figure) == ("ada", pytest.approx(3 * 0.84 / 27))
    assert best.why == "mean squared error 0.093 on 27 moves"
    one_sided = [with_values(record, {**errors, "bob": (0.5, 0.5)}) for record in records]
    assert "Best value head" not in won(snapshot_of_games(["ada", "bob"], one_sided))


def test_best_as_black_won_more_than_expected_and_of_equals_the_better_rank_wins():
    # Black wins all games of two, White all of the others: ratings and colours are equal.
    records = [*games_of("ada", "bob", "ab" * 5), *games_of("cyd", "dan", "dc" * 5, first=10)]
    snapshot = snapshot_of_games(["dan", "cyd", "bob", "ada"], records)
    best = won(snapshot)["Best as Black"]
    assert (best.winner.name, best.figure) == ("ada", pytest.approx(0.5))
    assert best.why == "won 100 % of 5 games as Black, 50 % expected"
    assert won(anchored(snapshot, "ada"))["Best as Black"].winner.name == "bob"


def test_the_giant_killer_won_the_least_expected_game_on_the_board():
    records = games_of("ada", "bob", "aaabaaaaaa")
    snapshot = snapshot_of_games(["ada", "bob"], records)
    standings, best = Standings(snapshot), won(snapshot)["Giant-killer"]
    ada, bob = (row.elo for row in standings.played)
    lead = ada - bob - standings.ratings.elo_black  # Bob was Black
    assert (best.winner.name, best.game.game_id) == ("bob", "g003")
    assert best.figure == pytest.approx(1 / (1 + 10 ** (lead / 400)))
    assert best.why == f"beat ada with a chance of {100 * best.figure:.2g} %"
    records[3] = replace(records[3], kind="forfeit", result="B+F")
    assert "Giant-killer" not in won(snapshot_of_games(["ada", "bob"], records))
    assert "Giant-killer" not in won(anchored(snapshot, "bob"))


def earlier(name: str, elo: float, sha256: str = "old", num_games: int = 8) -> Placing:
    return Placing(BEFORE, name, sha256, 1, 1, 2, elo, 50.0, 4, num_games, 50.0)


def test_the_most_improved_has_a_new_network_that_gained_most():
    games = snapshot_of_games(["ada", "bob"], games_of("ada", "bob", "ab" * 5))
    snapshot = replace(games, run_week=RunWeek(NOW, "2026-03-14T20:00:00+00:00"))
    same = {network.name: network.sha256 for network in snapshot.networks}

    def improved(*placings: Placing) -> tuple[str, str] | None:
        found = won(replace(snapshot, placings=placings)).get("Most improved")
        return found and (found.winner.name, found.why)

    both = earlier("ada", -50), earlier("bob", -120)
    assert improved(*both) == ("bob", f"+120 Elo over the network of {BEFORE}")
    assert improved(both[0], earlier("bob", -120, same["bob"]))[0] == "ada"
    assert improved(both[0], earlier("bob", -120, num_games=LEAST_GAMES - 1))[0] == "ada"
    assert improved(earlier("ada", 50), earlier("bob", 120)) is None
    two_weeks_ago = replace(both[1], week="2026-W09")
    assert improved(two_weeks_ago, both[0])[0] == "ada"
    assert improved() is None


def test_the_most_original_is_farthest_from_all_others_by_its_answers():
    records = [*games_of("ada", "bob", "ab" * 3), *games_of("bob", "cyd", "bc" * 3, first=6)]
    snapshot = snapshot_of_games(["ada", "bob", "cyd"], records)

    def original(**answers: tuple[float, ...]) -> Trophy | None:
        networks = (replace(one, answers=answers[one.name]) for one in snapshot.networks)
        return won(replace(snapshot, networks=tuple(networks))).get("Most original")

    usual, other = (0.5, 0.5, 0.2, 0.5), (0.5, 0.9, 0.2, 0.7)
    best = original(ada=usual, bob=usual, cyd=other)
    assert (best.winner.name, best.figure) == ("cyd", pytest.approx(0.3))
    assert best.why == "answers at a mean distance of 0.30 from others"
    assert original(ada=usual, bob=usual, cyd=()) is None
    assert original(ada=usual, bob=usual, cyd=other[:2]) is None


def test_few_games_earn_nothing():
    records = games_of("ada", "bob", "abaa"[: LEAST_GAMES - 1])
    valued = [with_values(one, {"ada": (0.2, 0.4), "bob": (0.6, 0.8)}) for one in records]
    assert won(snapshot_of_games(["ada", "bob"], valued)) == {}
    assert won(snapshot_of_games(["ada", "bob"], [])) == {}


def test_page_and_files_have_the_trophies_unless_the_teacher_wants_none(tmp_path):
    league = league_of(tmp_path, ("Ada", "Bob"))
    digests = {one.name: one.sha256 for one in league.submissions.all()}
    for record in games_of("Ada", "Bob", "AAABAAAAAA"):
        shas = {"black_sha256": digests[record.black], "white_sha256": digests[record.white]}
        league.games.record(replace(record, **shas))

    def shown() -> tuple[bool, list[dict], list[dict]]:
        written = build(league)
        data = json.loads((written.page.parent / "league.json").read_text(encoding="utf-8"))
        summary = summarise(league, written.standings)
        page = written.page.read_text(encoding="utf-8")
        return 'id="trophies"' in page, data["trophies"], summary["trophies"]

    is_on_page, of_site, of_run = shown()
    assert is_on_page and of_site == of_run
    killer = next(trophy for trophy in of_site if trophy["trophy"] == "Giant-killer")
    assert (killer["name"], killer["written_name"], killer["game_id"]) == ("Bob", "Bob", "g003")
    assert set(killer) == {"trophy", "name", "written_name", "figure", "why", "game_id"}
    (league.folder / "league.toml").write_text("trophies = false\n", encoding="utf-8")
    assert shown() == (False, [], [])
