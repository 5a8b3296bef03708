"""Texts of others on the terminal and in the log: shown by every command, and never obeyed."""

import io
import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

import evaluate
import submit
import sweep
import train
from golois.__main__ import main as golois_main
from golois.kit.command import visible, visible_output
from golois.kit.console import Console
from models.__main__ import main as models_main
from selfplay.command import main as selfplay_main
from tests.data import ROOT
from tournament.__main__ import main as tournament_main

TITLE = "\x1b]0;title\x07"
HOSTILE = f"{TITLE}\x1b[2J\x9b31m\x08\r\u202e[red]:smile:"
SHOWN = r"\x1b]0;title\x07\x1b[2J\x9b31m\x08\r\u202e[red]:smile:"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
OF_RICH = re.compile(r"\x1b\[[0-9;]*m")  # colours

COMMANDS = {
    "golois info": (golois_main, ["info", "{}.games"]),
    "golois import": (golois_main, ["import", "{}.sgf", "-o", "a.games"]),
    "golois, unknown": (golois_main, ["info", "a.games", "{}"]),
    "golois legacy": (golois_main, ["legacy", "{}.py"]),
    "models check": (models_main, ["check", "{}.h5"]),
    "models, unknown": (models_main, ["table", "{}"]),
    "models card": (models_main, ["card", "{}"]),
    "train --data": (train.main, ["--data", "{}.games", "--smoke"]),
    "train, unknown": (train.main, ["{}"]),
    "train --resume": (train.main, ["--resume", "{}"]),
    "evaluate": (evaluate.main, ["{}.h5"]),
    "sweep": (sweep.main, ["{}.toml"]),
    "selfplay": (lambda argv: selfplay_main(argv, ""), ["--resume", "{}"]),
    "selfplay measure": (lambda argv: selfplay_main(argv, ""), ["measure", "{}"]),
    "submit": (submit.main, ["{}.h5", "--check-only"]),
    "submit, unknown": (submit.main, ["a.h5", "{}"]),
    "tournament check": (tournament_main, ["check", "{}.h5"]),
    "tournament play": (tournament_main, ["play", "{}.h5", "{}.h5"]),
    "tournament gtp": (tournament_main, ["gtp", "{}.h5"]),
    "tournament report": (tournament_main, ["report", "--league", "{}"]),
    "tournament analyze": (tournament_main, ["analyze", "{}.h5", "{}.sgf", "-o", "a.sgf"]),
    "tournament, unknown": (tournament_main, ["check", "a.h5", "--{}"]),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_shows_the_name_of_a_file_and_does_not_obey_it(
    name, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    main, arguments = COMMANDS[name]
    before = sys.stdout, sys.stderr
    try:
        code = main([argument.format(HOSTILE) for argument in arguments])
        assert (sys.stdout, sys.stderr) == before
    except SystemExit as end:  # of argparse
        code = end.code
    said = "".join(capsys.readouterr())
    assert code == 2 and r"\x1b" in said and not OBEYED.search(said), repr(said)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (HOSTILE, SHOWN),
        ("李 明\tzażółć\nΩ\u200d🎉", "李 明\tzażółć\nΩ\u200d🎉"),
        ("\x00\x7f\x80\x85\x9f\xa0", "\\x00\\x7f\\x80\\x85\\x9f\xa0"),
        ("\u2028\u2066a\u2069\u200f", "\\u2028\\u2066a\\u2069\u200f"),
    ],
)
def test_what_a_terminal_obeys_is_escaped(text, shown):
    assert visible(text) == shown


def printed(*renderables: object) -> str:
    terminal = io.StringIO()
    console = Console(file=terminal, force_terminal=True, color_system="standard", width=300)
    console.print(*renderables)
    return terminal.getvalue()


@pytest.mark.parametrize("form", ["text", "styled", "cell", "cell of Text", "title", "bar"])
def test_on_a_console_texts_are_shown_and_styles_work(form):
    table = Table("name", title=HOSTILE)
    table.add_row(HOSTILE, style="green")
    table.add_row(Text(HOSTILE, "green"))
    bar = Progress(disable=True)
    bar.add_task(HOSTILE)
    shown = printed(
        {"text": HOSTILE, "styled": Text(HOSTILE, "green"), "bar": bar}.get(form, table)
    )
    text = OF_RICH.sub("", shown)
    assert r"\x1b]0;title" in text and not OBEYED.search(text), repr(text)
    if form != "bar":  # whose columns take markup
        assert r"\x1b[2J\x9b31m\u202e[red]:smile:" in text, "rich leaves out the others itself"
    assert form in ("text", "bar") or OF_RICH.search(shown)


def test_bars_and_colours_reach_the_terminal_within(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with visible_output():
        console = Console(color_system="standard")
        assert console.is_terminal and sys.stdout.isatty()
        console.print(Text("ada", "green"))
        print(HOSTILE)
    assert terminal.getvalue() == f"\x1b[32mada\x1b[0m\n{SHOWN}\n"
    assert sys.stdout is terminal


def test_the_log_shows_them(capsys):
    log = logging.Logger("test")
    with visible_output():
        log.addHandler(logging.StreamHandler(sys.stderr))
        log.warning("upload of %s", HOSTILE)
    assert capsys.readouterr().err == f"upload of {SHOWN}\n"


FAILING = """
import sys
from golois.kit.command import visible_output
with visible_output():
    print({text!r}, flush=True)
    raise RuntimeError({text!r})
"""


def test_a_traceback_shows_them():
    done = subprocess.run(
        [sys.executable, "-c", FAILING.format(text=HOSTILE)], cwd=ROOT, capture_output=True,
        text=True, errors="strict",
    )  # fmt: skip
    assert done.stdout == f"{SHOWN}\n" and done.stderr.endswith(f"RuntimeError: {SHOWN}\n")
    assert not OBEYED.search(done.stdout + done.stderr)


def test_names_in_a_file_of_games_are_shown(tmp_path, capsys):
    source = tmp_path / f"{HOSTILE}.sgf"
    good = "(;SZ[19]KM[7.5]RE[B+R];B[pd];W[dd];B[pp];W[dp])"
    source.write_text(good + f"(;SZ[19]KM[7.5]RE[{HOSTILE.replace(']', '')}];B[pd])")
    packed = tmp_path / "a.games"
    for arguments in (["import", str(source), "-o", str(packed)], ["info", str(packed)]):
        assert golois_main(arguments) == 0
        said = "".join(capsys.readouterr())
        assert r"\x1b]0;title" in said and not OBEYED.search(said), repr(said)


def test_names_of_files_in_a_table_are_shown(tmp_path, capsys):
    for name in ("a", "b"):
        (tmp_path / f"{name}{HOSTILE}.h5").write_text("no network")
    assert tournament_main(["check", str(tmp_path)]) == 2
    said = "".join(capsys.readouterr())
    assert r"\x1b" in said and not OBEYED.search(said), repr(said)


@pytest.mark.slow
def test_a_script_for_keras_2_prints_what_it_likes(tmp_path, capsys):
    script = tmp_path / f"{HOSTILE}.py".replace("/", "")
    script.write_text(f"print({TITLE!r})\nraise ValueError({TITLE!r})\n")
    done = subprocess.run(
        [sys.executable, "-m", "golois", "legacy", str(script)], cwd=ROOT, capture_output=True,
        text=True,
    )  # fmt: skip
    if "is not installed" in done.stderr:
        pytest.skip("tf_keras is not installed")
    assert done.stdout == f"{TITLE}\n"
    assert done.stderr.endswith(f"ValueError: {visible(TITLE)}\n")
    assert not OBEYED.search(done.stderr)


def test_every_console_of_the_kit_is_that_one():
    paths = [*ROOT.glob("*.py")]
    for package in ("golois", "models", "selfplay", "papers", "tournament"):
        paths += (ROOT / package).rglob("*.py")
    for path in set(paths) - {ROOT / "golois" / "kit" / "console.py"}:
        text = Path(path).read_text("utf-8")
        others = r"rich.console import .*\bConsole\b|rich import print|get_console"
        assert not re.search(others, text), path
        shown = r"\b(?:progress\.Progress|track|Live)\((?:[^()]|\([^()]*\))*\)"
        for call in re.findall(shown, text):
            assert "console=" in call or call == "track()", (path, call)
