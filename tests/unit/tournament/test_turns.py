"""Where lost games turned, and how a network scored by opening: known values, known answers."""

import csv
import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from golois import frames
from golois.constants import PASS
from golois.go.coords import gtp_to_point
from tests.fake_arena import league_of
from tests.fake_standings import game, snapshot_of_games
from tests.runs import tournament
from tournament.game.record import GameRecord
from tournament.game.sgf import to_sgf
from tournament.league.games import row_of
from tournament.players.protocol import Choice
from tournament.ratings.ranking import Score
from tournament.report.boards import Boards
from tournament.report.formats import network_page
from tournament.report.meetings import meeting_key
from tournament.report.pages import by_opening, not_separated, opening_name
from tournament.report.site import BOARDS, write_site
from tournament.report.standings import Standings
from tournament.report.turns import (
    LEAST_FALL,
    Phase,
    Turn,
    judged,
    phases_by_name,
    phases_of,
    shown_turns,
)

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&$title"
# Two opening moves; then White takes the stone on A19 with its second one.
POINTS = tuple(map(gtp_to_point, ("A19", "B19", "Q16", "A18", "D4", "Q4", "pass", "D16")))
# P(White wins) at the moves after the opening. Black: 40, 45, 90 %. White: 55, 70, 95 %.
VALUES = (0.4, 0.55, 0.45, 0.7, 0.9, 0.95)


def lost(
    values: tuple[float, ...] = VALUES,
    winner: str = "white",
    black: str = "ada",
    number: int = 0,
    points: tuple[int, ...] = POINTS,
    white: str = "bob",
) -> GameRecord:
    """A game of `points`, the first two an opening, in which the players saw these values."""
    chosen = zip(points[2:], values, strict=True)
    moves = tuple(Choice(point, 16, 0.01, value) for point, value in chosen)
    played = game(number, black, white, winner)
    return replace(played, opening=points[:2], moves=moves)


def found(record: GameRecord, sgf: str = "") -> Turn | None:
    row = row_of(record)
    return judged([row], lambda _: sgf or to_sgf(record)).turns.get(row.game_id)


def phases(record: GameRecord) -> dict[str, list[tuple[Phase, Phase]]]:
    rows = [row_of(record)]
    return phases_by_name(rows, judged(rows, lambda _: to_sgf(record)).losses)


def phases_of_ada(record: GameRecord) -> list[Phase]:
    return [own for own, _ in phases(record)["ada"]]


def test_a_game_turned_where_the_losers_own_chance_fell_most_between_two_of_its_moves():
    assert found(lost()) == Turn(ply=5, before=0.55, after=0.1, opponent=0.3)
    assert found(lost()).fall == pytest.approx(0.45)
    # White saw its own chance rise all the time, so its loss has no turn.
    assert found(lost(winner="black")) is None
    falling = (0.4, 0.55, 0.45, 0.35, 0.2, 0.05)
    assert found(lost(falling, "black")) == Turn(6, 0.35, 0.05, 0.2)


@pytest.mark.parametrize(
    ("values", "turn"),
    [
        ((0.5,) * 6, None),
        # A program values nothing; its opponent does.
        ((0.5, 0.55, 0.5, 0.7, 0.5, 0.95), None),
        ((0.4, 0.5, 0.45, 0.5, 0.9, 0.5), Turn(5, 0.55, 0.1, None)),
    ],
)
def test_a_player_without_values_has_no_opinion(values, turn):
    assert found(lost(values)) == turn


def test_only_games_lost_on_the_board_turn():
    record = lost()
    assert found(replace(record, kind="forfeit", result="W+F")) is None
    assert found(replace(record, winner=None, kind="void", result="Void")) is None
    assert found(replace(record, moves=())) is None
    assert found(record, "(;FF[4];B[aa]C[a comment of another program])") is None


def test_words_of_a_player_are_no_moves():
    name = "x\n;B[aa]C[visits 1, cpu 1.0 s, P(White wins) 0.900]\n;W[bb]C[opening]"
    assert found(lost(black=name)) == found(lost())


def test_the_board_is_that_after_the_move():
    record = lost()
    row = row_of(record)
    boards = Boards(lambda _: to_sgf(record))
    (shown,) = shown_turns([row], {row.game_id: found(record)}, boards)
    assert (shown.colour, shown.opponent, shown.board.move) == ("black", "bob", "D4")
    # A19 was taken; columns and rows count from the top left.
    assert shown.board.black == "M16 4h0M4 16h0" and shown.board.white == "M2 1h0M1 2h0"
    assert shown.board.last == (4, 16)
    passed = (*POINTS[:4], PASS, *POINTS[5:])
    other = lost(points=passed)
    (shown,) = shown_turns([row], {row.game_id: found(other)}, Boards(lambda _: to_sgf(other)))
    assert (shown.board.move, shown.board.last) == ("pass", None)


def test_a_file_whose_moves_are_no_game_is_left_out():
    record = lost()
    twice = to_sgf(record).replace(";W[ab]", ";W[ba]")
    row = row_of(record)
    for changed in (twice, "(;FF[4]GM[1]SZ[19])", "no game"):
        boards = Boards(lambda _, text=changed: text)
        assert shown_turns([row], {row.game_id: found(record)}, boards) == []


@pytest.mark.parametrize(
    ("vertex", "name"),
    [("Q16", "4-4"), ("R16", "3-4"), ("D17", "3-4"), ("C3", "3-3"), ("K10", "10-10"),
     ("A1", "1-1"), ("pass", "pass")],
)
def test_an_opening_is_named_by_the_lines_of_its_first_stone(vertex, name):
    assert opening_name(gtp_to_point(vertex)) == name


def test_openings_have_a_score_from_five_games_on():
    first = {"4-4": "Q16", "3-4": "R16", "3-3": "C3"}
    outcomes = {"4-4": "aaaaabbbbb", "3-4": "bbbbbbbb", "3-3": "aaaa"}
    games = [
        replace(row_of(game(0, "ada", "bob", "black" if who == "a" else "white")),
                opening=(gtp_to_point(first[name]),))
        for name, winners in outcomes.items() for who in winners
    ]
    scores = by_opening("ada", games)
    assert scores == [("4-4", Score(5, 5)), ("3-4", Score(0, 8))]
    assert by_opening("bob", games) == [("4-4", Score(5, 5)), ("3-4", Score(8, 0))]
    # Wilson: 5 of 10 is 0.237 to 0.763, 0 of 8 is up to 0.324, 0 of 100 is up to 0.037.
    assert not_separated(scores) == ["4-4 and 3-4"]
    assert not_separated([("Black", Score(5, 5)), ("White", Score(0, 100))]) == []
    assert not_separated([("Black", Score(5, 5)), ("White", Score())]) == []
    assert by_opening("ada", [replace(games[0], opening=())] * 9) == []


def test_phases_count_every_turn():
    assert phases_of([201, 1, 50, 51, 200]) == [
        "2 in moves 1–50", "1 in moves 51–100", "1 in moves 151–200", "1 later"
    ]


def test_phases_count_what_moves_cost_by_both_opinions():
    # Black fell from 60 % to 55 to 10; White saw Black at 45, 30, 5. White rose all the time.
    names = phases(lost())
    (ada, both), (bob, same) = names["ada"][0], names["bob"][0]
    assert ada == Phase(1, 50, 2, pytest.approx(25), 1, pytest.approx(20))
    assert bob == Phase(1, 50, 2, 0.0, 0, 0.0)
    assert both == same == Phase(1, 50, 4, pytest.approx(12.5), 1, pytest.approx(10))
    for later in phases_of_ada(lost())[1:]:
        assert (later.num_moves, later.lost, later.opponents_lost) == (0, None, None)
    # A fall of exactly the least is large, in floating point too.
    edge = phases_of_ada(lost((0.1, 0.5, 0.1 + LEAST_FALL, 0.5, 0.3, 0.4)))[0]
    assert (edge.num_moves, edge.num_large) == (2, 2)


def test_phases_are_split_by_the_number_of_the_move_that_lost():
    # White wins by a point more at every move: Black's moves cost two points each.
    points = tuple(range(54))
    ada = phases_of_ada(lost(tuple(0.2 + 0.01 * ply for ply in range(52)), points=points))
    # Black chose moves 3 to 53; the last has no judgement after it.
    assert [phase.num_moves for phase in ada] == [24, 1, 0, 0, 0]
    assert [phase.lost for phase in ada[:3]] == [pytest.approx(2), pytest.approx(2), None]


def test_games_without_opinions_or_not_won_on_the_board_count_in_no_phase():
    record = lost()
    assert phases(replace(record, kind="forfeit", result="W+F")) == {}
    assert {phase.num_moves for phase in phases_of_ada(lost((0.5,) * 6))} == {0}
    one_sided = phases(lost((0.4, 0.5, 0.45, 0.5, 0.9, 0.5)))
    (ada, _), (bob, _) = one_sided["ada"][0], one_sided["bob"][0]
    assert ada.opponents_lost is None and (bob.num_moves, bob.opponents_lost) == (0, 0.0)


def site_of(records: list[GameRecord], folder: Path, *names: str) -> Path:
    return write_site(Standings(snapshot_of_games(names or ("ada", "bob"), records)), folder).parent


def test_the_page_shows_five_games_with_board_opinions_and_link(tmp_path):
    small = (0.4, 0.55, 0.45, 0.7, 0.5, 0.95)  # falls by 5 points only
    records = [lost((*VALUES[:4], 0.7 + number / 100, 0.95), number=number) for number in range(7)]
    folder = site_of([*records, lost(small, number=7)], tmp_path)
    text = (folder / network_page("ada")).read_text(encoding="utf-8")
    key = meeting_key("ada", "bob")
    assert re.findall(r'href="\.\./game\.html#(\w+/\w+/\d+)">Move 5: Black D4<', text) == [
        f"{key}/g{number:03d}/5" for number in (6, 5, 4, 3, 2)
    ]
    assert 'aria-label="The board after move 5, Black D4"' in text and text.count('id="lines"') == 1
    assert '<path class="stones white" d="M2 1h0M1 2h0"/>' in text
    first = text[text.index('<ol class="turns">') :]
    assert re.findall(r"<dd>([^<]*)</dd>", first)[:3] == ["55 %", "24 %", "30 %"]
    assert "against bob, lost by 3.5" in first
    assert "7 of 8 lost games turned: 7 in moves 1–50. " in text
    assert "10&nbsp;points or more" in text
    cells = re.findall(r'<td class="number">(.*?)</td>', text)
    cells = [re.sub("<[^>]*>", "", cell) for cell in cells]
    assert cells == ["15.1 (7.5)", "20.0 (10.0)", "7 of 16"]
    assert "Where the games turned" not in (folder / network_page("bob")).read_text("utf-8")


def test_the_page_shows_nothing_without_values(tmp_path):
    folder = site_of([lost((0.5,) * 6, number=number) for number in range(3)], tmp_path)
    for name in ("ada", "bob"):
        text = (folder / network_page(name)).read_text(encoding="utf-8")
        assert "turned" not in text and 'class="turns"' not in text
        assert 'class="phases"' not in text
    assert len((folder / "turns.csv").read_text(encoding="utf-8").splitlines()) == 1


def test_the_page_says_which_scores_are_not_separated(tmp_path):
    records = [lost(number=number, winner=("white", "black")[number % 2]) for number in range(6)]
    text = (site_of(records, tmp_path) / network_page("ada")).read_text(encoding="utf-8")
    assert '1-1 opening</th>\n<td class="score number">3–3</td>' in text
    assert "Not separated" not in text  # ada never had White, and there is one opening
    swapped = [replace(record, black="bob", white="ada", game_id=f"s{record.game_id}")
               for record in records]
    text = (site_of([*records, *swapped], tmp_path) / network_page("ada")).read_text("utf-8")
    assert "Not separated, since the intervals overlap: Black and White." in text


def test_hostile_names_stay_text(tmp_path):
    folder = site_of([lost(white=HOSTILE), lost(black=HOSTILE, white="ada", number=1)], tmp_path,
                     "ada", HOSTILE)
    for name in ("ada", HOSTILE):
        text = (folder / network_page(name)).read_text(encoding="utf-8")
        assert 'class="turns"' in text and "<img" not in text and "&lt;img src=x" in text
    with (folder / "turns.csv").open(encoding="utf-8", newline="") as file:
        assert [row["network"] for row in csv.DictReader(file)] == ["ada", HOSTILE]


def test_a_repeated_build_reads_no_game(tmp_path):
    records = [lost(number=number) for number in range(12)]
    snapshot = snapshot_of_games(["ada", "bob"], records)
    read: list[str] = []

    def sgf(game_id: str) -> str:
        read.append(game_id)
        return snapshot.sgf(game_id)

    before = (write_site(Standings(replace(snapshot, sgf=sgf)), tmp_path).parent / "turns.csv")
    kept = before.read_bytes()
    assert len(kept.splitlines()) == 1 + 12
    read.clear()
    write_site(Standings(replace(snapshot, sgf=sgf)), tmp_path)
    assert not read and before.read_bytes() == kept
    page, boards = tmp_path / network_page("ada"), tmp_path / BOARDS
    shown = page.read_bytes()
    for damaged in (b"", b"[]", b"7", b"\xff", b'["another kit", {}]'):
        boards.write_bytes(damaged)
        write_site(Standings(replace(snapshot, sgf=sgf)), tmp_path)
        assert len(read) == 5 and page.read_bytes() == shown
        read.clear()
    key = meeting_key("ada", "bob")
    script = tmp_path / "games" / key[:2] / f"{key}.js"
    head, _, rest = script.read_text(encoding="ascii").split("\n", 2)
    for damaged in ("// judged [", ""):
        script.write_text(f"{head}\n{damaged}\n{rest}", encoding="ascii")
        write_site(Standings(snapshot), tmp_path)
        assert before.read_bytes() == kept


def test_turns_are_a_data_frame_and_a_file(tmp_path):
    league = league_of(tmp_path, ("ada", "bob"))
    league.games.record(lost(number=0))
    league.games.record(lost((0.5,) * 6, number=1))
    league.games.record(lost((0.4, 0.5, 0.45, 0.5, 0.9, 0.5), number=2))
    assert tournament("report", "--league", league.folder)[0] == 0
    turns = frames.turns(league.folder)
    assert turns["game_id"].tolist() == ["g000", "g002"]
    assert turns.iloc[0].to_dict() == {
        "network": "ada", "opponent": "bob", "colour": "black", "game_id": "g000", "ply": 5,
        "value_before": 0.55, "value_after": 0.1, "opponent_value": 0.3, "result": "W+3.5",
    }
    assert turns["opponent_value"].isna().tolist() == [False, True]
    written = pd.read_csv(league.folder / "site" / "turns.csv")
    pd.testing.assert_frame_equal(written, turns, check_dtype=False)
    assert frames.games(league.folder)["opening"].tolist() == ["aa ba"] * 3
    both = frames.phases(league.folder).set_index(["network", "first"])
    assert both.loc[("ada", 1)].to_dict() == {
        "last": 50, "num_moves": 4, "lost": 25.0, "num_large": 2, "opponents_lost": 20.0,
    }
    assert both.loc[("bob", 201)].isna().tolist() == [True, False, True, False, True]
    assert len(frames.phases(league_of(tmp_path / "new", ("ada",)).folder)) == 0
    assert len(frames.turns(league_of(tmp_path / "empty", ("ada",)).folder)) == 0
