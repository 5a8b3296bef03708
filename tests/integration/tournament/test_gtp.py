"""The GTP engine as a program: games against itself and GNU Go, refereed by our rules."""

import os
import shutil
import subprocess
import sys
import time

import pytest

from golois.games.game import Game
from golois.games.rules import Go
from golois.go.coords import gtp_to_point
from tests.data import ROOT
from tests.fake_arena import Scripted, tiny_network
from tests.katago_files import write_network
from tests.runs import tournament
from tournament.errors import EngineError
from tournament.game.loop import play_out
from tournament.players.program import ProgramPlayer
from tournament.programs.client import GtpClient

GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
# Answers each command with the next of these lines, whatever is asked, and ends after the last.
SCRIPT = """
import sys
for answer, line in zip(sys.argv[1:], sys.stdin):
    print(answer.encode().decode("unicode_escape"), flush=True)
"""


def gtp_command(network, *options: str) -> list[str]:
    return [sys.executable, "-m", "tournament", "gtp", str(network), "--visits", "2", *options]


def scripted(*answers: str) -> GtpClient:
    return GtpClient("the other", [sys.executable, "-c", SCRIPT, *answers])


def play_and_count(black: GtpClient, white: GtpClient, max_moves: int) -> list[str]:
    """The result of a game of two programs by our rules, and what each of them says of it."""
    game = Game(Go(19, 7.5, max_moves=max_moves))
    players = [ProgramPlayer(client) for client in (black, white)]
    outcome = play_out(game, *players)
    for player in players:
        player.show(game)
    return [outcome.result, *(client.ask("final_score") for client in (black, white))]


@pytest.mark.skipif(not hasattr(os, "getsid"), reason="Windows has no sessions")
def test_ctrl_c_in_a_terminal_does_not_reach_a_program():
    with scripted() as other:
        assert os.getsid(other._process.pid) == other._process.pid != os.getsid(0)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="Windows has no sessions")
def test_a_program_that_does_not_end_ends_with_what_it_has_started(monkeypatch):
    monkeypatch.setattr("tournament.programs.client.SECONDS_TO_END", 0.1)
    script = "echo = $$; echo; sleep 100; true"
    with GtpClient("the other", ["sh", "-c", script]) as other:
        session = int(other.ask("name"))
    with pytest.raises(ProcessLookupError):
        for _ in range(100):
            os.killpg(session, 0)
            time.sleep(0.1)


def test_answers_may_follow_empty_lines_and_be_no_utf8_and_none_is_an_error():
    write = r"import os; os.write(1, b'= Ad\xff\n\n')"
    with GtpClient("the other", [sys.executable, "-c", write]) as other:
        assert other.ask("name") == "Ad\ufffd"
    with pytest.raises(EngineError, match="the other did not take 'name'"), scripted() as other:
        other._process.wait()
        other.ask("name")
    with scripted(r"= 2\n\n", r"\r\n=\n", r"= Ada\nof London\n\n\n", r"? no\n") as program:
        assert [program.ask(command) for command in ("protocol_version", "komi 7", "name")] == [
            "2",
            "",
            "Ada\nof London",
        ]
        with pytest.raises(EngineError, match="refused"):
            program.ask("list")


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    path = tmp_path_factory.mktemp("networks") / "tiny.onnx"
    path.write_bytes(tiny_network(1))
    return path


@pytest.mark.slow
def test_two_engines_play_by_our_rules_and_count_alike(network, monkeypatch):
    monkeypatch.chdir(ROOT)
    with (
        GtpClient("Ada", gtp_command(network, "--seed", "1")) as black,
        GtpClient("Grace", gtp_command(network, "--no-resign")) as white,
    ):
        assert black.ask("name") == "tiny"
        assert len(set(play_and_count(black, white, 30))) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["missing.onnx"], "cannot use missing.onnx: No such file or directory"),
        (["missing.h5"], "cannot use missing.h5: No such file or directory"),
        (["missing.onnx", "--visits", "0"], "seconds or visits a move must be above 0, not 0"),
        (["missing.onnx", "--visits", "2147483648"], "visits a move must be at most 2147483647"),
        (["missing.onnx", "--seconds", "0"], "seconds or visits a move must be above 0, not 0.0"),
        (["missing.onnx", "--komi", "nan"], "it must be a finite number, not nan"),
        (["missing.onnx", "--katrain", "--komi", "0"], "--komi is for GTP: with --katrain"),
        (["missing.onnx", "--katrain", "--no-resign"], "--no-resign is for GTP"),
        (["random", "--visits", "8"], "--visits is for networks"),
        (["isn:missing.npz"], "missing.npz is not a network of FishNet"),
        *(
            (
                ["NETWORK", "--batch-size", size],
                f"a batch must have at most 10,000 positions, not {size}",
            )
            for size in ("10001", "1000000000000000000000")
        ),
    ],
)
def test_what_cannot_be_played_with_is_one_sentence_and_code_2(network, arguments, sentence):
    named = [str(network) if argument == "NETWORK" else argument for argument in arguments]
    assert sentence in tournament("gtp", *named).refusal


@pytest.mark.skipif(os.name == "nt", reason="needs a shell, and names of any bytes")
def test_a_closed_input_is_one_sentence_and_a_name_may_have_any_bytes(network):
    engine = [sys.executable, "-m", "tournament", "gtp", "--visits", "2"]
    closed = ["sh", "-c", 'exec "$@" <&-', "sh", *engine, str(network)]
    done = subprocess.run(closed, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "standard input, output and error: one of them is closed" in done.stderr
    named = shutil.copy(os.fsencode(network), os.fsencode(network.parent) + b"/\xff.onnx")
    done = subprocess.run([*engine, named], cwd=ROOT, capture_output=True, input=b"name\nquit\n")
    assert done.stdout.startswith(b"= \\udcff\n\n=")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (r"= a20\n", "is not a GTP vertex"),
        (r"= d4\n", "the other played d4, which the rules forbid"),
        (r"? cannot\n", "the other refused 'genmove w': cannot"),
        (r"d4\n", "begins with = or \\?"),
        (r"= d4", "ends with an empty line"),
    ],
)
def test_a_game_says_which_program_broke_a_rule(answer, why):
    """Black plays D4; the other answers genmove as the row says, and then ends."""
    setup = [r"=\n"] * 4
    game = Game(Go(19))
    with scripted(*setup, answer) as white, pytest.raises(EngineError, match=why):
        play_out(game, Scripted(gtp_to_point("D4")), ProgramPlayer(white))


def test_a_program_hears_of_another_komi_and_gets_the_moves_again():
    class Noted:
        name, asked = "the other", []

        def ask(self, command: str) -> None:
            self.asked.append(command)

    player = ProgramPlayer(Noted())
    for komi in (7.5, 0.5, 0.5):
        game = Game(Go(19, komi))
        game.play(gtp_to_point("D4"))
        player.show(game)
    begun = ["boardsize 19", "clear_board", "komi 7.5", "play b D4"]
    assert Noted.asked == [*begun, *(line.replace("7.5", "0.5") for line in begun)]


def test_a_resignation_ends_a_game_and_a_refusal_is_an_error():
    with scripted(*[r"=\n"] * 4, r"= resign\n") as white:
        players = Scripted(gtp_to_point("D4")), ProgramPlayer(white)
        assert play_out(Game(Go(19)), *players).result == "B+R"
    with scripted(r"?1 no\n") as program, pytest.raises(EngineError, match="refused"):
        program.ask("1 name")


@pytest.mark.slow
@pytest.mark.skipif(GNUGO is None, reason="needs GNU Go: apt install gnugo")
@pytest.mark.parametrize("colour", ["black", "white"])
def test_a_game_against_gnu_go_breaks_no_protocol(network, monkeypatch, colour):
    monkeypatch.chdir(ROOT)
    rules = ["--chinese-rules", "--positional-superko", "--capture-all-dead"]
    with (
        GtpClient("Ada", gtp_command(network, "--no-resign")) as engine,
        GtpClient("GNU Go", [GNUGO, "--mode", "gtp", "--level", "1", *rules]) as gnugo,
    ):
        players = (engine, gnugo) if colour == "black" else (gnugo, engine)
        assert len(set(play_and_count(*players, 722))) == 1


@pytest.mark.slow
def test_a_network_of_katago_is_an_engine(tmp_path):
    path = write_network(tmp_path / "tiny.bin.gz", 14)
    with GtpClient("tiny", gtp_command(f"katago:{path}")) as engine:
        assert engine.ask("name") == "tiny"
        for komi in (6.5, 7.5):
            engine.ask(f"komi {komi}")
            assert engine.ask("genmove b") != "resign"
