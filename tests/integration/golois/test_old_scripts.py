"""Scripts in the style of each year's students, run as they are on the embedded games."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from typing import NamedTuple

import pytest

from tests.data import EMBEDDED_GAMES, ROOT

SCRIPTS = ROOT / "tests" / "integration" / "scripts"
FEW_GAMES = (
    "games.data has 2,029 games, too few for 10,000 validation positions of as many games: "
    "the positions come from 405 games, and training uses the other 1,624"
)
OF_THE_COURSE = "3 29410272 17 12345678\n"
OF_LAST_WEEK = "2 17 588000\n"

SLOW = (pytest.mark.slow,)
SLOW_WITH_KERAS_2 = (
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("tf_keras") is None, reason="needs tf_keras"),
)
LEGACY = ("-m", "golois", "legacy")


class Case(NamedTuple):
    """A script, its folder, and the warnings that it gets."""

    script: str
    warnings: tuple[str, ...] = ()
    games: str = "games.data"
    choice: tuple[str, str] | None = None
    command: tuple[str, ...] = ()
    marks: tuple[pytest.MarkDecorator, ...] = ()


CASES = (
    Case("arrays_2019.py", marks=SLOW),
    Case("keras_2019.py", command=LEGACY, marks=SLOW_WITH_KERAS_2),
    Case("resnet_2020.py", (FEW_GAMES,), marks=SLOW),
    Case("template_2021.py", (FEW_GAMES,), marks=SLOW),
    Case(
        "swish_2022.py",
        (
            "there is no {folder}/games.data: {folder}/games2022.data is used",
            "validation.2022.data had 2 positions: the file is extended to 10,000 for x",
            FEW_GAMES.replace("games", "games2022", 1),
        ),
        games="games2022.data",
        choice=("validation.2022.data", OF_LAST_WEEK),
        command=LEGACY,
        marks=SLOW_WITH_KERAS_2,
    ),
    Case(
        "baseline_2023.py",
        (
            "validation.data belongs to other games than {folder}/games.data: "
            "this file is now validation.data.old, and positions are chosen again",
            FEW_GAMES,
        ),
        choice=("validation.data", OF_THE_COURSE),
    ),
    Case(
        "sequence_2024.py",
        ("there is no {folder}/games.data: {folder}/data/games.data is used", FEW_GAMES),
        games="data/games.data",
        marks=SLOW,
    ),
    Case(
        "dump_2025.py",
        ("validation.data had 2 positions: the file is extended to 10,000 for x", FEW_GAMES),
        choice=("validation.data", OF_LAST_WEEK),
    ),
)


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.script, marks=case.marks) for case in CASES]
)
def test_a_script_trains_as_it_is(tmp_path, case):
    games = tmp_path / case.games
    games.parent.mkdir(exist_ok=True)
    games.symlink_to(EMBEDDED_GAMES)
    if case.choice:
        name, text = case.choice
        (tmp_path / name).write_text(text)
    shutil.copy(SCRIPTS / case.script, tmp_path)
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *case.command, case.script]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "trained" in done.stdout
    assert ("tf_keras" in done.stdout) == (case.command == LEGACY)
    for text in case.warnings:
        assert done.stderr.count(text.format(folder=tmp_path)) == 1, done.stderr
    warned = re.findall(rf"{re.escape(case.script)}:\d+: UserWarning", done.stderr)
    assert len(warned) == len(case.warnings), done.stderr
