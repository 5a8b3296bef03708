"""`tournament ladder` as people call it: a rating in words and in JSON, resumed after a kill."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fake_arena import tiny_network
from tests.katago_files import write_network
from tests.runs import Said, num_games, tournament
from tournament.league.league import League

RULES = ("--visits", "8", "--max-plies", "60", "--workers", "1")
NAMES = ("ada", "bob", "cyd", "mine")
ENTRY = '[[rung]]\nname = "{}"\nplays = "{}"\nelo = {}\nhalfwidth = 50\nmeasured = "here"\n'


@pytest.fixture
def rungs(tmp_path, monkeypatch) -> Path:
    """A ladder of three tiny networks, in the current folder with a fourth one."""
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(NAMES):
        Path(f"{name}.onnx").write_bytes(tiny_network(seed))
    entries = [
        ENTRY.format(name, tmp_path / f"{name}.onnx", elo)
        for name, elo in zip(NAMES, (-200, 0, 300), strict=False)
    ]
    path = tmp_path / "ladder.toml"
    path.write_text("".join(entries))
    return path


def ladder(*arguments: object) -> Said:
    return tournament("ladder", "--rungs", "ladder.toml", *RULES, *arguments)


def games_of(folder: Path) -> dict:
    return {game.game_id: (game.black, game.result) for game in League(folder).games.all()}


def test_a_rating_in_words_and_in_json(rungs):
    said = ladder("mine.onnx", "--games", 6)
    assert said.code == 0, said.errors
    lines = said.out.splitlines()
    assert sum("/6 games" in line for line in lines) == 7, "a line at first and for each game"
    shown = lines[next(i for i, line in enumerate(lines) if "opponent" in line) - 1 :]
    assert max(map(len, shown)) <= 80
    assert [line.split()[0] for line in shown if " ± " in line][:3] == ["ada", "bob", "cyd"]
    assert "mine is rated " in said.out and " of 4 beside the" in said.out
    result = json.loads(ladder("mine.onnx", "--games", 6, "--json", "--quiet").out)
    assert (result["name"], result["games"], result["of"]) == ("mine", 6, 4)
    assert sum(rung["wins"] + rung["losses"] for rung in result["rungs"]) == 6
    assert f"{result['elo']:+.0f} ± {result['elo_halfwidth']:.0f} Elo" in said.out
    (folder,) = Path("ladders").iterdir()
    assert folder.name.startswith("mine-") and num_games(folder) == 6


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_ladder_goes_on_after_a_kill_with_the_same_games(rungs, how):
    command = ["ladder", "mine.onnx", "--rungs", "ladder.toml", *RULES, "--games", "8"]
    assert tournament(*command, "--quiet", "--folder", "whole").code == 0
    folder = Path("stopped")
    process = subprocess.Popen(
        [sys.executable, "-m", "tournament", *command, "--quiet", "--folder", folder],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    while len(list((folder / "games").glob("*.sgf"))) < 3 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(how)
    process.communicate(timeout=60)
    assert 0 < num_games(folder) < 8
    assert tournament(*command, "--quiet", "--folder", folder).code == 0
    assert games_of(folder) == games_of(Path("whole"))


@pytest.mark.slow
def test_a_rung_is_rated_by_the_others_and_a_namesake_is_told_apart(rungs):
    result = json.loads(ladder("ada.onnx", "--games", 2, "--json", "--quiet").out)
    assert result["name"] == "ada" and [rung["name"] for rung in result["rungs"]] == ["bob", "cyd"]
    Path("other").mkdir()
    Path("other/ada.onnx").write_bytes(tiny_network(7))
    result = json.loads(ladder("other/ada.onnx", "--games", 2, "--json", "--quiet").out)
    assert result["name"] == "other/ada.onnx" and len(result["rungs"]) == 3


@pytest.mark.slow
def test_a_network_of_katago_is_the_top(rungs):
    write_network(Path("tiny.bin.gz"), 14)
    top = ("--top", "katago:tiny.bin.gz,visits=2")
    said = ladder("mine.onnx", "--games", 4, "--quiet", *top)
    assert said.code == 0 and "tiny,visits=2" in said.out and "unknown" in said.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere.h5"], "nowhere.h5"),
        (["mine.onnx", "--games", "3"], "--games must be even"),
        (["mine.onnx,player=chess"], "not 'chess'"),
        (["mine.onnx,c_visit=9"], "c_visit needs player=gumbel"),
        (["mine.onnx", "--top", "ada.onnx"], "is a rung of the ladder already"),
        (["mine.onnx", "--top", "katago:nowhere.bin.gz"], "nowhere.bin.gz"),
        (["mine.onnx", "--top", "mine.onnx"], "plays against itself"),
        (["mine.onnx", "--workers", "0"], "workers must be 1 or more"),
        (["mine.onnx", "--visits", "0"], "seconds or visits a move must be above 0"),
        (["mine.onnx", "--max-plies", "3"], "max_plies must be above the opening's"),
        (["mine.onnx", "--seconds", "-1"], "seconds or visits a move must be above 0"),
        (["ladder.toml"], "ladder.toml"),
    ],
)
def test_wrong_input_is_said_in_one_sentence(rungs, arguments, says):
    visits = () if "--seconds" in arguments else RULES[:2]
    given = ("ladder", *visits, *RULES[2:], "--rungs", "ladder.toml", "--quiet", *arguments)
    assert says in tournament(*given).refusal
    assert not [path for path in Path("ladders").glob("*/games/*")]


def test_a_wrong_ladder_and_a_folder_of_others_are_refused(rungs):
    assert ladder("mine.onnx", "--games", 2, "--quiet", "--folder", "kept").code == 0
    again = ("--games", 2, "--quiet", "--folder", "kept")
    assert "holds games of another match" in ladder("cyd.onnx", *again).refusal
    assert "already has other options" in ladder("mine.onnx", *again, "--max-plies", 50).refusal
    rungs.write_text("")
    assert "ladder.toml is not a ladder: 'rung'" in ladder("mine.onnx").refusal
    rungs.write_text(ENTRY.format("only", Path.cwd() / "mine.onnx", 0))
    assert "has no rung that differs from mine" in ladder("mine.onnx").refusal
