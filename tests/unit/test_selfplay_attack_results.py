"""How often a victim is beaten, and what is said of two attacks on it."""

import json
from pathlib import Path

import pytest

from selfplay.attack_results import attacks_table, rise
from selfplay.command import main
from selfplay.kept_games import MatchGame


def attack(out: Path, *arguments: str, attacker: str = "random") -> int:
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


def test_a_rise_over_more_openings_is_separated():
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
    before, after = tmp_path / "before.csv", tmp_path / "after.csv"
    assert attack(before) == 0
    assert attack(after, f"--before={before}", attacker="perfect") == 0
    words = capsys.readouterr().out.split(f"compared with {before}: a rise of +")[1]
    assert float(words.split()[0]) > 0 and "over 4 openings" in words


def test_an_attack_on_something_else_is_refused(tmp_path, capsys):
    before, settings = tmp_path / "before.csv", tmp_path / "before.json"

    def refused(*arguments: str, path: Path = before) -> str:
        assert attack(tmp_path / "after.csv", f"--before={path}", *arguments) == 2
        assert not (tmp_path / "after.csv").exists()
        return capsys.readouterr().err

    assert "there is no file" in refused()
    assert attack(before) == 0
    capsys.readouterr()
    assert "with other settings" in refused("--seed=1")
    assert "with other settings" in refused("--victim-simulations=9")
    assert "with other settings" in refused("--size=2")
    whole = settings.read_text()
    settings.write_text(json.dumps(json.loads(whole) | {"players": ["perfect", "random"]}))
    assert "on another victim" in refused()
    settings.write_text(whole[:-9])
    assert "is no file of games" in refused()
    settings.write_text(whole)
    before.write_text("".join(before.read_text().splitlines(keepends=True)[:-1]))
    assert "not over" in refused()


def test_one_opening_cannot_be_compared(tmp_path, capsys):
    before = tmp_path / "before.csv"
    assert attack(before, "--drawn=1") == 0
    assert attack(tmp_path / "after.csv", "--drawn=1", f"--before={before}") == 2
    assert "two openings or more" in capsys.readouterr().err
