"""`tournament play` as people call it: a match, resumed, and what is wrong with the input."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from golois.constants import PASS
from tests.data import ROOT
from tests.fake_arena import league_of, tiny_network
from tests.katago_files import write_network
from tests.runs import Said, tournament
from tournament.league.league import League
from tournament.players.registry import names_player

RULES = ("--visits", "8", "--max-plies", "60", "--workers", "1", "--quiet")


@pytest.fixture
def networks(tmp_path) -> Path:
    for seed, name in enumerate(("ada", "bob")):
        (tmp_path / f"{name}.onnx").write_bytes(tiny_network(seed))
    return tmp_path


def play(folder: Path, first: str, second: str, *options: object) -> Said:
    sides = (f"{folder}/{side}" for side in (first, second))
    return tournament("play", *sides, *RULES, *options)


def games_of(folder: Path) -> dict:
    """All that the seeds decide, by game."""
    return {
        game.game_id: (game.black, game.result, [(m.point, m.num_visits) for m in game.moves])
        for game in League(folder).games.all()
    }


def test_a_match_of_two_networks_with_options_of_their_own(networks):
    printed = play(
        networks, "ada.onnx,player=gumbel", "ada.onnx,batch_size=1,visits=12", "--games", 4,
        "--openings", 2, "--sgf", networks / "sgf", "--json",
    )  # fmt: skip
    assert (printed.code, printed.errors) == (0, "")
    result = json.loads(printed.out)
    gumbel, puct = result["sides"]
    assert (gumbel["name"], puct["name"]) == ("ada,player=gumbel", "ada,batch_size=1,visits=12")
    assert result["games"] == 4 == gumbel["wins"] + puct["wins"]
    assert gumbel["wins_as_black"] + gumbel["losses_as_black"] == 2
    assert (gumbel["visits_per_move"], puct["visits_per_move"]) == (8, 12)
    games = [path.read_text() for path in sorted((networks / "sgf").iterdir())]
    assert len(games) == 4
    names = [path.name for path in sorted((networks / "sgf").iterdir())]
    one, other = "ada-player-gumbel", "ada-batch-size-1-visits-12"
    for number, name in enumerate(names, start=1):
        players = f"({one}_vs_{other}|{other}_vs_{one})"
        assert re.fullmatch(rf"00{number}_[\d-]{{10}}_{players}_[BW]\+[\d.R]+\.sgf", name)
    assert sum("PB[ada,player=gumbel]" in sgf for sgf in games) == 2


PROGRAM = """
import sys
for line in sys.stdin:
    print("=", sys.argv[1] if line.startswith("genmove") else "", end="\\n\\n", flush=True)
"""


@pytest.fixture
def against_a_program(networks, monkeypatch):
    """Plays a match with a program of the current folder that always answers the same."""
    monkeypatch.chdir(networks)
    Path("program.py").write_text(PROGRAM)

    def play_it(answer: str, *options: str) -> Said:
        sides = ("ada.onnx", f"gtp:{sys.executable} program.py {answer}")
        return tournament("play", *sides, *RULES, "--games", 2, *options)

    return play_it


def test_a_program_that_passes_plays_a_match(against_a_program):
    said = against_a_program("pass", "--folder", "match", "--json")
    _, program = json.loads(said.out)["sides"]
    assert (program["wins"] + program["losses"], program["visits_per_move"]) == (2, 0)
    games = League(Path("match")).games.all()
    own = [
        move.point
        for game in games
        for ply, move in enumerate(game.moves)
        if (game.black if ply % 2 == 0 else game.white).startswith("gtp:")
    ]
    assert set(own) == {PASS}
    assert against_a_program("pass", "--folder", "match").code == said.code == 0
    assert League(Path("match")).games.all() == games, "nothing is played twice"
    for command in (["report", "--league", "match"], ["export", "match", "-o", "match.zip"]):
        code, _, err = tournament(*command)
        assert code == 2 and "match has a match, not a league" in err
    assert not Path("match.zip").exists() and not Path("match/site").exists()


ENDLESS = """
import os, sys
for line in sys.stdin:
    if line.startswith("genmove"):
        open(f"{sys.argv[1]}/{os.getpid()}", "w").close()
        while True: pass
    print("=", end="\\n\\n", flush=True)
"""


@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_a_program_ends_with_the_match_even_while_it_thinks(networks, how):
    (networks / "program.py").write_text(ENDLESS)
    thinking = networks / "thinking"
    thinking.mkdir()
    program = f"gtp:{sys.executable} {networks}/program.py {thinking}"
    match = subprocess.Popen(
        [sys.executable, "-m", "tournament", "play", f"{networks}/ada.onnx", program, *RULES],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while not any(thinking.iterdir()):
        assert match.poll() is None
        time.sleep(0.05)
    match.send_signal(how)
    match.wait(60)
    assert all([ends(int(program.name)) for program in thinking.iterdir()])


def ends(pid: int) -> bool:
    """Wait until a process is gone, for a limited time; one that nobody waits for is gone too."""
    for _ in range(100):
        try:
            status = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if status == "Z":
            return True
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    return False


@pytest.mark.slow
def test_players_by_name_are_sides_and_the_seed_decides_their_games(tmp_path):
    sides = ("random", f"isn:{ROOT}/data/fishnet9.npz")
    for folder in ("match", "again"):
        options = ("--games", 2, "--folder", tmp_path / folder, "--max-plies", 20)
        assert tournament("play", *sides, *RULES, *options).code == 0
    assert games_of(tmp_path / "match") == games_of(tmp_path / "again")
    assert {game.white for game in League(tmp_path / "match").games.all()} == {*sides}


def test_a_program_may_resign_and_the_table_says_who_won(against_a_program):
    code, out, _ = against_a_program("resign", "--tta", "--folder", "match")
    assert code == 0
    games = League(Path("match")).games.all()
    assert {game.reason for game in games} == {"black resigned", "white resigned"}
    assert all(getattr(game, game.winner) == "ada" for game in games)
    assert re.search(r"^ side +W–L +Black +White +forf +visits +CPU s", out, re.MULTILINE)
    assert re.search(r"^ ada +2–0 +1–0 +1–0 +0 ", out, re.MULTILINE)
    assert re.search(r"^ \S+ +0–2 +0–1 +0–1 +0 ", out, re.MULTILINE)
    assert out.splitlines()[-1].startswith("ada won 2 of 2 games, 100.0 % (")


def test_a_program_that_breaks_the_rules_makes_the_game_void(against_a_program):
    code, _, errors = against_a_program("Z9", "--folder", "match")
    assert code == 3 and "given up as void" in errors
    assert not League(Path("match")).games.all()


@pytest.mark.slow
def test_a_stopped_match_goes_on_where_it_was(networks):
    whole, stopped = networks / "whole", networks / "stopped"
    assert play(networks, "ada.onnx", "bob.onnx", "--games", 8, "--folder", whole).code == 0
    sides = [str(networks / f"{name}.onnx") for name in ("ada", "bob")]
    command = [sys.executable, "-m", "tournament", "play", *sides, *RULES, "--games", "8"]
    process = subprocess.Popen(
        [*command, "--folder", str(stopped)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while len(list((stopped / "games").glob("*.sgf"))) < 2 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "stopped; the same command goes on from here\n")
    assert "ada won" in out and 0 < len(games_of(stopped)) < 8
    assert play(networks, "ada.onnx", "bob.onnx", "--games", 10, "--folder", stopped).code == 0
    assert len(games_of(stopped)) == 10
    assert games_of(whole).items() < games_of(stopped).items(), "more games change no earlier one"


@pytest.mark.parametrize(
    "second, options, says",
    [
        ("bob.onnx", ["--games", "3"], "--games must be even"),
        ("bob.onnx", ["--sprt", "50", "0"], "must be below ELO1, both from -100 to 100"),
        ("bob.onnx", ["--sprt", "0", "50", "--alpha", "0.5"], "--alpha must be above 0, below 0.5"),
        ("bob.onnx", ["--beta", "0.1"], "--beta needs --sprt ELO0 ELO1"),
        ("bob.onnx", ["--openings", "0"], "--openings must be from 1 to"),
        pytest.param(
            "bob.onnx", ["--openings", "1" * 5000], "of the book, not 111", id="openings"
        ),
        ("bob.onnx", ["--openings", "nowhere.txt"], "nowhere.txt"),
        ("bob.onnx", ["--workers", "0"], "workers must be 1 or more"),
        ("bob.onnx,player=chess", [], "not 'chess'"),
        ("bob.onnx,komi=0.5", [], "an option of a side"),
        ("bob.onnx,c_visit=10", [], "c_visit needs player=gumbel: the player puct ignores it"),
        ("ada.onnx", [], "both sides are the same network"),
        ("carl.onnx", [], "carl.onnx"),
        ("gtp:", [], "gtp takes a command after a colon"),
        ("gtp:no-such-program", [], "there is no such program"),
        ("gtp:cat \udcfe", [], "cannot be started: 'utf-8' codec"),
        ("gnugo:0", [], "gnugo takes a number of level from 1 to 2147483647 after a colon"),
        pytest.param("gnugo:" + "1" * 5000, [], "a number of level", id="digits"),
        ("rollouts:9", [], "rollouts does not play Go"),
        ("isn:nowhere.npz", [], "nowhere.npz is not a network of FishNet"),
        ("carl.h5", [], "carl.h5"),
    ],
)
def test_wrong_input_is_said_in_one_sentence(networks, second, options, says):
    side = second if names_player(second) else f"{networks}/{second}"
    assert says in tournament("play", f"{networks}/ada.onnx", side, *RULES, *options).refusal


def test_a_match_stops_when_a_sequential_test_decides(networks):
    test = ("--sprt", 0, 100, "--alpha", 0.2, "--beta", 0.2, "--openings", 1)
    said = play(networks, "ada.onnx", "bob.onnx", *test, "--folder", networks / "match", "--json")
    result = json.loads(said.out)
    end = result["sprt"]
    assert said.code == 0 and end["accepted"] == "H0" and end["low"] < 0 < end["high"]
    assert 2 * sum(end["pentanomial"]) == 2 * end["pairs"] == result["games"] < 40
    again = play(networks, "ada.onnx", "bob.onnx", *test, "--folder", networks / "match")
    assert again.out.splitlines()[-1].startswith("ada is not that strong: H0 accepted")
    assert len(games_of(networks / "match")) == result["games"], "nothing more is played"
    more = ("--openings", 1, "--sprt", 0, 1, "--games", result["games"])
    more = play(networks, "ada.onnx", "bob.onnx", *more, "--folder", networks / "match")
    assert more.out.splitlines()[-1].startswith("undecided: ")


def test_games_that_cannot_be_written_are_not_played_first(networks):
    (networks / "file").touch()
    folder = networks / "match"
    options = ("--games", 2, "--sgf", networks / "file", "--folder", folder)
    assert f"{networks}/file: " in play(networks, "ada.onnx", "bob.onnx", *options).refusal
    assert not games_of(folder)


def test_a_program_is_looked_for_where_the_environment_has_no_path(networks, monkeypatch):
    monkeypatch.delenv("PATH")
    monkeypatch.setattr("shutil.which", lambda name, path: None)
    said = tournament("play", f"{networks}/ada.onnx", "katago", *RULES).refusal
    assert "KataGo is not installed" in said


@pytest.mark.slow
def test_a_folder_is_of_one_match(networks):
    folder = networks / "match"
    assert play(networks, "ada.onnx", "bob.onnx", "--games", 2, "--folder", folder).code == 0
    for second, options, says in (
        ("bob.onnx,batch_size=1", (), "holds games of another match"),
        ("bob.onnx", ("--seed", 1), "holds games of another match"),
        ("bob.onnx", ("--openings", 1), "holds games of another match"),
        ("bob.onnx", ("--komi", 6.5), "already has other options: komi 7.5 → 6.5"),
    ):
        again = ("--games", 2, "--folder", folder, *options)
        assert says in play(networks, "ada.onnx", second, *again).refusal
    league = league_of(networks).folder
    said = play(networks, "ada.onnx", "bob.onnx", "--folder", league).refusal
    assert "choose a new folder" in said


def test_a_book_that_is_none_is_refused(networks):
    book = networks / "book.txt"
    no_book, no_openings = f"{book} is not a book of openings", f"there are no openings in {book}"
    for content, says in (
        (b"", no_openings),
        (b"\xff\xfe", no_book),
        (b"pd qz", no_book),
        (b"pd pd", no_book),
        (b"tt tt", f"{no_book}: one of them has a pass"),
        (b"pd qd\n  \n", "opening plies must be from 0 to 2"),
        (b"pd dp", "opening plies must be from 0 to 2"),
    ):
        book.write_bytes(content)
        assert says in play(networks, "ada.onnx", "bob.onnx", "--openings", book).refusal


@pytest.mark.slow
def test_a_network_of_katago_plays_the_same_match_again(networks):
    net = write_network(networks / "tiny.bin.gz", 14)
    sides = (f"katago:{net},visits=3", f"{networks}/ada.onnx")
    for number in range(2):
        folder = networks / f"match {number}"
        options = ("--games", "2", "--folder", str(folder), "--json")
        tiny, _ = json.loads(tournament("play", *sides, *RULES, *options).out)["sides"]
        assert (tiny["name"], tiny["visits_per_move"], tiny["forfeits"]) == ("tiny,visits=3", 3, 0)
    assert len(games_of(folder)) == 2
    assert games_of(folder) == games_of(networks / "match 0")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("none.bin.gz", "none.bin.gz: No such file"),
        ("text.bin.gz", "text.bin.gz: not a KataGo network: cannot unpack it"),
        ("alive.bin.gz", "alive.bin.gz: the network counts pass-alive areas"),
        ("tiny.bin.gz,visits=0", "seconds or visits a move must be above 0"),
        ("ada.onnx", "katago takes a number of visits from 1 to 2147483647, or a file .bin.gz or"),
    ],
)
def test_a_file_that_is_no_network_of_katago_is_refused_in_one_sentence(networks, name, says):
    write_network(networks / "tiny.bin.gz", 14)
    write_network(networks / "alive.bin.gz", 15)
    (networks / "text.bin.gz").write_text("no network")
    played = tournament("play", f"{networks}/ada.onnx", f"katago:{networks}/{name}", *RULES)
    assert says in played.refusal
