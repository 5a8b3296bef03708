"""`measure`: how a network begins a game, and its match, which is kept and goes on alike."""

import json
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

from golois.games.rules import Go
from golois.go.coords import BLACK, WHITE
from golois.kit.signals import StopRequest
from golois.records.finished_games import FinishedGame, write_finished_games
from selfplay import measuring as selfplay_measuring
from selfplay.arguments import Matches
from selfplay.command import main
from selfplay.layout import Layout
from selfplay.measuring import KeptMatch, beginning, leads_black, mean_lead, stored_games
from selfplay.options import Options
from tests.small_selfplay import NOT_STOPPED, SMALL, play_match, signal_amid_third_game
from tournament.matches import match as selfplay_match
from tournament.matches.games import MatchGame
from tournament.players.simple import AtRandom


@pytest.fixture
def run(tmp_path, monkeypatch) -> Layout:
    """A run whose networks are files of another kind, and play at random."""
    (tmp_path / "nets").mkdir()
    for number in range(2):
        (tmp_path / "nets" / f"{number:04}.onnx").write_text(f"{number}")
    monkeypatch.setattr(selfplay_measuring, "opened_player", lambda *_: AtRandom)
    return Layout(tmp_path)


def match_of(run: Layout, games: int = 6, simulations: int = 4, **changes) -> KeptMatch:
    matches = Matches(run, SMALL, games, simulations)
    given = {"against": "random", "untrained": 0, "opening_moves": 2, **changes}
    return KeptMatch(matches, number=1, **given)


def in_one_go(games: int, opening_moves: int = 2) -> list[MatchGame]:
    players = (AtRandom, AtRandom)
    return play_match(players, SMALL.rules(), games, SMALL.seed, opening_moves=opening_moves)


@pytest.mark.parametrize("opening_moves", [0, 2])
def test_a_kept_match_is_the_match(opening_moves, run):
    match = match_of(run, opening_moves=opening_moves)
    assert match.play(NOT_STOPPED) == in_one_go(6, opening_moves)
    settings = json.loads(match.path.with_suffix(".json").read_text())
    assert (settings["opponent"], settings["simulations"]) == ("random", 4)
    assert len(match.path.read_text().splitlines()) == 7


def test_games_that_are_kept_are_not_played_again(run, monkeypatch):
    """A bar counts all games."""
    counted = []
    match_of(run, games=2).play(NOT_STOPPED)
    with monkeypatch.context() as patch:
        patch.setattr(
            selfplay_measuring.Reporter,
            "bar",
            lambda _, title, total: nullcontext(lambda: counted.append((title, total))),
        )
        assert match_of(run, games=6).play(NOT_STOPPED) == in_one_go(6)  # on in the same file
    assert counted == [("games", 6)] * 6
    assert len(list(run.matches.glob("*.csv"))) == 1
    monkeypatch.setattr(selfplay_measuring, "opened_player", None)
    expected = {games: in_one_go(games) for games in (2, 6)}
    monkeypatch.setattr(selfplay_match, "play_out", None)
    for games, played in expected.items():
        assert match_of(run, games=games).play(NOT_STOPPED) == played


def test_an_opponent_has_the_runtime_of_the_run(run, monkeypatch):
    runtimes = []

    def noted(*given) -> nullcontext:
        runtimes.append(given[-1])
        return nullcontext(AtRandom)

    monkeypatch.setattr(selfplay_measuring, "opened_opponent", noted)
    for runtime in ("onnxruntime", "openvino"):
        matches = Matches(run, replace(SMALL, runtime=runtime), 2, 4)
        KeptMatch(matches, 1, f"net:{runtime}", 0, 2).play(NOT_STOPPED)
    assert runtimes == ["onnxruntime", "openvino"]


def test_a_file_has_the_games_of_one_opponent_with_one_setting(run):
    matches = [
        match_of(run),
        match_of(run, against=None),
        match_of(run, against="rollouts:10"),
        match_of(run, against="rollouts:20"),
        match_of(run, against="runs/other/best.h5,player=gumbel"),
        match_of(run, simulations=5),
        match_of(run, opening_moves=3),
    ]
    paths = [match.path for match in matches]
    (run.path / "nets" / "0001.onnx").write_text("trained anew")
    paths.append(matches[0].path)
    (run.path / "nets" / ".new-00ff.onnx").write_text("half written")
    assert run.baked() == [0, 1]
    assert len(set(paths)) == 8 and {path.parent for path in paths} == {run.matches}
    names = [path.name.rpartition("-")[0].removeprefix("0001-") for path in paths[:5]]
    assert names == ["random", "untrained", "rollouts", "rollouts", "best.h5-player-gumbel"]


def test_games_that_nobody_played_are_no_match(run, capsys):
    run.write_config({"options": vars(SMALL)})
    arguments = ["measure", str(run.path), "--against", "random", "--opening-moves", "8"]
    assert main(arguments, "") == 2
    assert "8 drawn moves can be a whole game of NoGo 3×3: draw fewer" in capsys.readouterr().err
    assert not run.matches.exists() and not run.oracle.exists()


def test_a_measurement_that_is_stopped_goes_on(run, capsys, monkeypatch):
    monkeypatch.setattr(selfplay_measuring, "is_solvable", lambda _: False)
    monkeypatch.setattr(selfplay_measuring, "_show_beginning", lambda *_: None)
    run.write_config({"options": vars(SMALL)})
    arguments = ["measure", str(run.path), "--against", "random", "--games", "6"]
    with monkeypatch.context() as patch:
        signal_amid_third_game(patch)
        assert main(arguments, "") == 130
    assert capsys.readouterr().out.endswith("\nstopped by SIGINT; the same command goes on\n")
    (path,) = run.matches.glob("*.csv")
    begun = path.read_bytes()
    assert begun.count(b"\n") == 3
    assert main(arguments, "") == 0
    shown = capsys.readouterr().out
    assert "against random, 4 simulations a move: " in shown and "% of 6 games" in shown
    assert shown.endswith(f"all matches are in {run.page}\n")
    assert run.page.read_text().count("network 1 against random") == 3
    assert path.read_bytes().startswith(begun) and path.read_bytes().count(b"\n") == 7
    assert match_of(run).play(StopRequest()) == in_one_go(6)
    assert match_of(run).path == path


class Likes:
    """An evaluator that likes a point, and gives White a quarter."""

    def __init__(self, point: int) -> None:
        self.point, self.batch_size = point, 8
        self.planes = np.zeros((8, 3, 3, 18), np.float32)

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        policy = np.full((len(planes), 10), 0.01, np.float32)
        policy[:, self.point] = 0.91
        return policy, np.full(len(planes), 0.25, np.float32)


def test_first_moves_are_counted_by_their_names():
    rules = Go(3, planes="zero", max_moves=18)
    search = Options(game="go", size=3, planes="zero").of_matches()
    found = beginning(rules, Likes(4), search, 3)
    assert dict(found.moves) == {4: 20}
    words = "first moves of 20 searches: B2 20; Black wins with 75.0%"
    assert found.in_words(3) == words
    after = beginning(rules, Likes(4), search, 1, after=[0])  # White to move, who wins with ¼
    assert after.in_words(3) == words


@pytest.mark.parametrize(
    ("leads", "words"),
    [([9], "+9.0 points"), ([9, -9], "+0.0 ± 114.4 points"), ([5, 6, 7, 6], "+6.0 ± 1.3 points")],
)
def test_a_mean_lead_has_student_s_interval(leads, words):
    assert mean_lead(leads) == words


def test_a_lead_is_area_without_komi(tmp_path):
    rules = Go(3, komi=2.5, max_moves=18)

    def game(moves: list[int], winner: int) -> FinishedGame:
        return FinishedGame(moves, winner, [{}] * len(moves), [0.5] * len(moves))

    games = [game([4, 9, 9], BLACK), game([9, 4, 9, 9], WHITE), game([4], WHITE)]
    write_finished_games(tmp_path / "a.games", rules, games)
    shards = [tmp_path / "a.games"]
    assert leads_black(stored_games(shards, 18)) == [9, -9]  # the third was resigned
    # As of a run that has inherited games longer than its own.
    assert leads_black(stored_games(shards, 2)) == [9, -9]
    shorter = replace(rules, max_moves=3)  # which ends the first without two passes
    write_finished_games(tmp_path / "a.games", shorter, [game([4, 9, 0], BLACK), *games[::2]])
    assert leads_black(stored_games(shards, 3)) == [9, 9]
