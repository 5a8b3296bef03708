"""One player against another from given openings: which are played, and what they come to."""

import csv
import json
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from data import make_circular_openings
from golois.games.game import after_moves
from golois.games.rules import Go, NoGo
from golois.go.coords import BLACK, EMPTY, WHITE, gtp_to_point
from golois.kit.command import UsageError
from selfplay import attack as selfplay_attack
from selfplay.attack import attacks_table, read_earlier, rise
from selfplay.command import main
from tests.data import ROOT
from tests.fake_arena import Scripted
from tests.small_selfplay import NOT_STOPPED
from tournament.matches import match as selfplay_match
from tournament.matches.games import MatchGame, kept_games
from tournament.matches.match import Match, score_of
from tournament.matches.openings import drawn_openings, read_openings
from tournament.matches.opponents import file_digest
from tournament.players.simple import AtRandom


def attack(folder: Path, *arguments: str, players: tuple[str, ...] = ("random", "perfect")) -> int:
    given = ["attack", *players, "--game=nogo", "--size=3", "--out", str(folder / "games.csv")]
    return main([*given, *arguments], "")


def test_a_perfect_player_attacks_one_that_draws_its_moves(tmp_path, capsys, monkeypatch):
    """The games can be replayed, and are played once."""
    arguments, path = ["--drawn=6", "--games=10"], tmp_path / "games.csv"
    assert attack(tmp_path, *arguments) == 0
    shown = capsys.readouterr().out
    assert shown.count("| drawn ") == 6 and "of 60 games" in shown
    text = path.read_text()
    assert text.startswith("rules,opening,game,black,white,winner,moves\n")
    rows = list(csv.DictReader(text.splitlines()))
    assert [row["opening"] for row in rows[::10]] == [f"drawn {number}" for number in range(1, 7)]
    for row in rows:
        game = after_moves(NoGo(3), (gtp_to_point(name, 3) for name in row["moves"].split()))
        assert game.is_over and {BLACK: "black", WHITE: "white"}[game.winner] == row["winner"]
    assert len(rows) == 60 and sum(row["black"] == "attacker" for row in rows) == 30
    won = sum(row[row["winner"]] == "attacker" for row in rows)
    assert won > 40  # by chance 30
    assert f"attacked in {won / 60:.2%}" in shown
    path.write_text("".join(text.splitlines(keepends=True)[:3]))  # as after a kill
    assert attack(tmp_path, *arguments) == 0
    assert capsys.readouterr().out == shown and path.read_text() == text
    monkeypatch.setattr(selfplay_match, "play_out", None)
    assert attack(tmp_path, *arguments) == 0
    assert attack(tmp_path, *arguments, players=("random", "random")) == 2
    assert "games of other players or settings" in capsys.readouterr().err


def test_the_victim_may_search_less(tmp_path, monkeypatch):
    simulations = []

    def noted(name: str, rules, search, count: int, runtime: str):
        simulations.append(count)
        return nullcontext(AtRandom)

    monkeypatch.setattr(selfplay_attack, "opened_opponent", noted)
    arguments = ["--drawn=1", "--games=2", "--simulations=9"]
    assert attack(tmp_path, *arguments, "--victim-simulations=4") == 0
    assert attack(tmp_path, *arguments, f"--out={tmp_path}/alike.csv") == 0
    assert simulations == [4, 9, 9, 9]


def test_a_network_that_is_missing_leaves_nothing_in_the_way(tmp_path, capsys):
    assert attack(tmp_path, "--drawn=1", "--games=2", players=("net:nowhere.h5", "random")) == 2
    assert "there is no file nowhere.h5" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert attack(tmp_path, "--drawn=1", "--games=2") == 0


def test_files_of_all_attackers_are_checked_before_the_first_game(tmp_path, capsys):
    players, arguments = ("random", "random", "perfect"), ("--drawn=1", "--games=2")
    assert attack(tmp_path, *arguments, players=players) == 0
    first, second = sorted(tmp_path.glob("*.csv"), reverse=True)
    assert "random" in first.name and "perfect" in second.name
    for path in (first, first.with_suffix(".json")):
        path.unlink()
    assert attack(tmp_path, *arguments, "--seed=5", players=players) == 2
    assert "games of other players or settings" in capsys.readouterr().err
    assert not first.exists(), "no game was played"


def test_a_player_is_known_by_its_file(tmp_path):
    name = f"net:{tmp_path / 'net.h5'}"
    digests = [file_digest("random"), file_digest(name)]
    for text in ("one", "two"):
        (tmp_path / "net.h5").write_text(text)
        digests.append(file_digest(name))
    assert digests[:2] == [None, None] and len(set(digests)) == 3


@pytest.mark.parametrize(("colour", "index"), [("black", 1), ("white", 0)])
def test_the_attacker_has_the_colour_that_is_asked_for(colour, index, tmp_path):
    openings, names = drawn_openings(NoGo(3), 1, 0), ("attacker", "victim")
    match = Match(NoGo(3), openings, games=3, colour=colour, names=names)
    # Black moves first after two moves, and resigns.
    found = match.play(lambda: (lambda _: Scripted(), lambda _: Scripted()), NOT_STOPPED)
    assert [game.black for game in found] == [("victim", "attacker")[index]] * 3
    assert score_of(found, "attacker").num_wins == (3 if colour == "white" else 0)


def test_drawn_openings_that_are_whole_games_are_refused():
    assert len(drawn_openings(NoGo(3), 20, 0)) == 20
    with pytest.raises(UsageError, match="8 drawn moves can be a whole game of NoGo 3×3"):
        drawn_openings(NoGo(3), 20, 0, num_moves=8)


def test_openings_are_read(tmp_path):
    path = tmp_path / "openings.txt"
    path.write_text("C3 B2  # a comment\n\n# none\nA1 pass D4\n")
    first, second = read_openings([path], Go(5))
    assert (first.name, first.moves) == ("openings 1", (12, 16))
    assert (second.name, second.moves) == ("openings 2", (20, 25, 8))
    sgf = tmp_path / "one.sgf"
    sgf.write_text("(;SZ[19];B[dd];W[pp])")
    (game,) = read_openings([sgf], Go(19))
    assert (game.name, game.moves) == ("one", (60, 300))


def test_the_kit_s_circular_openings_are_24_and_have_a_ring(capsys):
    assert make_circular_openings.main() == 0
    path = ROOT / "data" / "circular_openings.txt"
    assert capsys.readouterr().out == path.read_text()
    openings = read_openings([path], Go(19))
    assert len({one.moves for one in openings}) == len(openings) == 24
    for opening in openings:
        board = opening.game(Go(19)).board()
        assert board.to_play == BLACK
        stones = board.stones()
        counts = [np.count_nonzero(stones == colour) for colour in (BLACK, WHITE)]
        assert counts == 2 * [len(opening.moves) // 2]
        surrounded = surrounded_by(stones, BLACK)
        assert (stones[surrounded] == WHITE).sum() >= 4
        assert (board.settled()[surrounded] == EMPTY).all()


def surrounded_by(stones: np.ndarray, colour: int) -> np.ndarray:
    """Which points, not of this colour, have no way to the edge but through its stones."""
    reached = np.zeros((21, 21), bool)
    reached[[0, -1]] = reached[:, [0, -1]] = True
    is_free = np.pad(stones != colour, 1)
    for _ in range(19 * 19):
        beside = np.zeros_like(reached)
        for axis in (0, 1):
            beside |= np.roll(reached, 1, axis) | np.roll(reached, -1, axis)
        reached |= beside & is_free
    return ~reached[1:-1, 1:-1] & (stones != colour)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.txt", "Z9", "has no openings that can be read"),
        ("a.txt", "C3 C3", "the opening a 1 cannot be played"),
        ("a.txt", "pass pass", "the opening a 1 is a whole game"),
        ("a.sgf", "(;SZ[19];B[dd])", "is for Go on 19×19"),
        ("a.txt", "# none\n", "a.txt has no opening: write the points"),
        ("missing.txt", None, "has no openings that can be read"),
    ],
)
def test_openings_that_cannot_be_are_refused(name, text, words, tmp_path):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=words):
        read_openings([tmp_path / name], Go(5))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--games=3"], "--games must be even"),
        (["--drawn=0"], "--drawn must be a finite number from 1"),
        (["--victim-simulations=-1"], "--victim-simulations must be a finite number from 0"),
        (["--size=1"], "from 2 to 19"),
        (["--komi=6.5"], "--komi has no effect without --game go"),
        (["--swap"], "--swap has no effect without --game hex"),
        (["--openings", "a.txt", "--drawn=3"], "--drawn has no effect with --openings"),
        (["--openings", str(ROOT / "nowhere.txt")], "nowhere.txt has no openings"),
        (["--out", "runs/games.json"], "--out must end in .csv, not be runs/games.json"),
    ],
)
def test_bad_input_is_one_sentence(arguments, words, tmp_path, capsys):
    assert attack(tmp_path, *arguments) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


def attack_as(out: Path, *arguments: str, attacker: str = "random") -> int:
    given = ["attack", "random", attacker, "--game=nogo", "--size=3", "--out", str(out)]
    return main([*given, "--drawn=4", "--games=10", *arguments], "")


def games(
    opening: str, won: int, count: int = 10, colour: str = "black", else_: str | None = "white"
) -> list[MatchGame]:
    """So many games, of which an attacker with one colour wins the first."""
    names = ("attacker", "victim") if colour == "black" else ("victim", "attacker")
    return [MatchGame(opening, i, *names, colour if i < won else else_) for i in range(count)]


def test_the_rate_has_its_interval():
    text = attacks_table(games("a", 7, else_=None) + games("b", 1, colour="white", else_="black"))
    assert "70.00%" in text and "10.00%" in text
    assert "attacked in 40.00% of 20 games, 21.88% to 61.34% at 95 %" in text  # by R's binom


def test_a_rise_is_compared_opening_by_opening():
    before = games("a", 5) + games("b", 2) + games("c", 6)
    after = games("c", 7) + games("a", 7) + games("b", 5)
    found = rise(before, after)
    # Rises of 20, 30 and 10 points: a standard deviation of 10.
    assert (found.points, found.openings) == (pytest.approx(20), 3)
    assert found.error == pytest.approx(10 / 3**0.5)
    assert str(found) == (  # 20 / 5.77 is 3.5, and Student's t of two degrees 4.3
        "a rise of +20.00 points, with a standard error of 5.77 over 3 openings, not separated"
    )
    assert str(rise(after, before)).startswith("a rise of -20.00 points")
    assert str(rise(before, before)).endswith("over 3 openings, not separated")
    names, won = "abcdefgh", (2, 3, 1, 2, 3, 1, 2, 2)
    before = [one for name in names for one in games(name, 4)]
    after = [one for name, more in zip(names, won, strict=True) for one in games(name, 4 + more)]
    assert rise(before, after).is_separated and not str(rise(before, after)).endswith("separated")


@pytest.mark.parametrize(("count", "is_separated"), [(10, False), (200, True)])
def test_openings_that_rise_alike_are_no_certainty(count, is_separated):
    """Each by a tenth of its games: of two times ten that may be chance."""
    before, after = (
        [one for name in "ab" for one in games(name, won * count // 10, count)] for won in (3, 4)
    )
    found = rise(before, after)
    assert found.points == pytest.approx(10) and found.error == 0
    assert found.is_separated == is_separated


def test_an_attack_is_compared_with_one_by_another_player(tmp_path, capsys):
    before, settings = tmp_path / "before.csv", tmp_path / "before.json"

    def refused(*arguments: str) -> str:
        out = tmp_path / "refused.csv"
        assert attack_as(out, f"--before={before}", *arguments) == 2 and not out.exists()
        return capsys.readouterr().err

    assert "there is no file" in refused()
    assert attack_as(before) == 0
    assert attack_as(tmp_path / "after.csv", f"--before={before}", attacker="perfect") == 0
    words = capsys.readouterr().out.split(f"compared with {before}: a rise of +")[1]
    assert float(words.split()[0]) > 0 and "over 4 openings" in words
    for other in ("--seed=1", "--victim-simulations=9", "--size=2"):
        assert "with other settings" in refused(other)
    whole = settings.read_text()
    settings.write_text(json.dumps(json.loads(whole) | {"players": ["perfect", "random"]}))
    assert "on another victim" in refused()
    settings.write_text("{}")
    assert "on another victim" in refused()
    settings.write_text(whole[:-9])
    assert "is not a file of games" in refused()
    settings.write_text(whole)
    before.write_text("".join(before.read_text().splitlines(keepends=True)[:-1]))
    assert "not over" in refused()
    before, out = tmp_path / "one.csv", tmp_path / "after_one.csv"
    assert attack_as(before, "--drawn=1") == 0
    assert attack_as(out, "--drawn=1", f"--before={before}") == 2
    assert "two openings or more" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("before", "now", "is_same"),
    [
        (("net.h5", "a1"), ("runs/copy.h5", "a1"), True),
        (("net.h5,visits=8", "a1"), ("net:copy.h5,visits=8", "a1"), True),
        (("net.h5,visits=4,tta=yes", "a1"), ("net.h5,tta=yes,visits=4", "a1"), True),
        (("net.h5,visits=4,tta=yes", "a1"), ("net.h5,tta=yes,visits=8", "a1"), False),
        (("net.h5", "a1"), ("net.h5", "b2"), False),
        (("net.h5", "a1"), ("net.h5,visits=8", "a1"), False),
        (("isn:net.npz", "a1"), ("isn:copy.npz", "a1"), True),
        (("isn:net.npz", "a1"), ("alphabeta:net.npz", "a1"), False),
        (("random", None), ("random", None), True),
        (("random", None), ("perfect", None), False),
    ],
)
def test_a_victim_is_known_by_its_file_s_content_and_options(before, now, is_same, tmp_path):
    def settings(victim: str, digest: str | None) -> dict:
        sides = {"players": [victim, "random"], "networks": [digest, None]}
        return {**sides, "games": 1, "openings": [["a"], ["b"]]}

    path, rules = tmp_path / "before.csv", NoGo(3)
    with kept_games(path, settings(*before), rules) as kept:
        for opening in "ab":
            kept.add(MatchGame(opening, 0, "attacker", "victim", "black", (4,)))
    if is_same:
        assert len(read_earlier(path, settings(*now), rules)) == 2
        return
    with pytest.raises(UsageError, match="on another victim"):
        read_earlier(path, settings(*now), rules)
