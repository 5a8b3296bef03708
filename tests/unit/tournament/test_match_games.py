"""A file of games: what a kill, another process or other settings do to it."""

import json
from pathlib import Path

import pytest

from golois.errors import ArgumentError
from golois.games.rules import Go
from golois.kit.command import UsageError
from tournament.matches.games import MatchGame, kept_games

RULES = Go(3)
SETTINGS = {"players": ["random", "perfect"]}
FIRST = MatchGame("drawn 1", 0, "a", "b", "black", (0, 8, 9))
SECOND = MatchGame('a, "b" 1', 1, "b", "a", None)


def keep(path: Path, *games: MatchGame) -> None:
    with kept_games(path, SETTINGS, RULES) as kept:
        for game in games:
            kept.add(game)


def found(path: Path) -> list[MatchGame | None]:
    with kept_games(path, SETTINGS, RULES) as kept:
        return [kept.find(game.opening, game.game) for game in (FIRST, SECOND)]


def test_games_are_found_again(tmp_path):
    path = tmp_path / "runs" / "games.csv"
    assert found(path) == [None, None]
    keep(path, FIRST)
    keep(path, SECOND)
    assert found(path) == [FIRST, SECOND]
    assert path.read_text() == (
        "rules,opening,game,black,white,winner,moves\n"
        '"Go 3×3, komi 7.5",drawn 1,0,a,b,black,A3 C1 pass\n'
        '"Go 3×3, komi 7.5","a, ""b"" 1",1,b,a,nobody,\n'
    )
    assert json.loads((tmp_path / "runs" / "games.json").read_text()) == SETTINGS


def test_a_kill_at_any_byte_costs_the_last_game_at_most(tmp_path):
    whole = tmp_path / "whole.csv"
    keep(whole, FIRST, SECOND)
    content, path = whole.read_bytes(), tmp_path / "games.csv"
    ends = [end for end, byte in enumerate(content, start=1) if byte == ord("\n")]
    for length in range(len(content)):
        path.write_bytes(content[:length])
        path.with_suffix(".json").write_bytes(whole.with_suffix(".json").read_bytes())
        known = sum(end <= length for end in ends[1:])
        assert found(path) == [FIRST, SECOND][:known] + [None] * (2 - known)
        keep(path, *[FIRST, SECOND][known:])
        assert path.read_bytes() == content


@pytest.mark.parametrize(
    "line",
    [
        "drawn 1,0,a,bdrawn 1,0,a,b,black,A3",
        "drawn 1,0,a,b,bl,A3",
        "drawn 1,x,a,b,black,A3",
        "drawn 1,0,a,b,black,Z9",
        "drawn 1,0,a,black",
        '"drawn 1,0,a,b,black,A3',
        "",
        "\udcff,0,a,b,black,A3",
        "drawn 1,0,a,b,black,A3 of other rules",
    ],
)
def test_a_damaged_line_is_refused_and_stays(line, tmp_path):
    path = tmp_path / "games.csv"
    keep(path, FIRST)
    rules = "Hex 3×3" if "other rules" in line else '"Go 3×3, komi 7.5"'
    line = line and f"{rules},{line.removesuffix(' of other rules')}"
    content = path.read_bytes() + line.encode(errors="surrogateescape") + b"\n"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="line 3 of .*games.csv is damaged: remove this line"):
        found(path)
    assert path.read_bytes() == content


def test_settings_count_only_with_games(tmp_path):
    path = tmp_path / "games.csv"
    with kept_games(path, {"players": "others"}, RULES):
        pass  # as when a player cannot play its first game
    keep(path, FIRST)
    settings = path.with_suffix(".json")
    settings.write_text(settings.read_text().replace("perfect", "averagelib"))
    with pytest.raises(UsageError, match="games of other players or settings"):
        found(path)
    settings.unlink()
    with pytest.raises(UsageError, match="games of other players or settings"):
        found(path)


def test_a_json_of_something_else_stays(tmp_path):
    path, other = tmp_path / "results.csv", tmp_path / "results.json"
    other.write_text("{}\n")
    with pytest.raises(UsageError, match="results.json would be overwritten"):
        keep(path, FIRST)
    assert other.read_text() == "{}\n" and not path.exists()
    keep(tmp_path / "games.csv", FIRST)
    (tmp_path / "games.csv").unlink()
    keep(tmp_path / "games.csv", FIRST)  # begun again, with the same settings


@pytest.mark.parametrize("content", [b"notes", b"opening,game,attacker,winner,moves\n"])
def test_another_file_is_refused_and_stays(content, tmp_path):
    path = tmp_path / "games.csv"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="is not a file of games of this version"):
        found(path)
    assert path.read_bytes() == content and list(tmp_path.iterdir()) == [path]


def test_two_processes_do_not_write_one_file(tmp_path):
    path = tmp_path / "games.csv"
    with kept_games(path, SETTINGS, RULES) as kept:
        with pytest.raises(UsageError, match="another process plays into .*games.csv: wait"):
            found(path)
        kept.add(FIRST)
    assert found(path) == [FIRST, None]


def test_a_game_is_written_at_once_or_not_at_all(tmp_path):
    path = tmp_path / "games.csv"
    with kept_games(path, SETTINGS, RULES) as kept:
        kept.add(FIRST)
        before = path.read_bytes()
        assert before.endswith(b"A3 C1 pass\n")
        with pytest.raises(ArgumentError):
            kept.add(MatchGame("drawn 2", 0, "a", "b", "black", (99,)))
        assert path.read_bytes() == before
