"""The commands of the pages: the kit takes each, and has what each reads."""

import argparse
import re
import runpy
import shlex
import sys
import tomllib
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

import models.training.arguments as of_training
import selfplay.arguments as of_selfplay
from models.catalogue.known import require_known
from models.training.options import Options, complete
from selfplay.presets import PRESETS
from tests.data import ROOT
from tests.unit.test_docs import PAGES as ALL_PAGES

FOLDERS = ("papers", "docs/studies", "data")
EARLIER_RUNS = ROOT / "data" / "networks" / "earlier_runs.sh"
PAGES = sorted(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))
PAGES.append(EARLIER_RUNS)
TOMLS = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.toml"))
CALL = r"(?:[A-Z_]+=\S+ )?python "
COMMAND = re.compile(rf"^(?:\$ | {{4}}|)({CALL}.*)$|`({CALL}[^`]*)`", re.MULTILINE)
ENDINGS = (
    ".games", ".h5", ".npz", ".jsonl.xz", ".py", ".sgfs.xz", ".toml", ".txt", ".zip",
)  # fmt: skip
OUTPUTS = ("--out", "-o", "--into", "--league")
OF_READERS = {"KGS_FOLDER"}
NOT_SHIPPED = {
    "human_9d.games", "human_73k.games", "katago_b15_labelled.games", "katago_b15_more.games",
    "human_16k.sgfs", "human_16k_taught.games", "katago_b6_taught.games",
    "katago_b15_taught.games", "katago_b6.sgfs.xz", "katago_b15_own_queries.jsonl.xz",
    "katago_b15_own_answers.jsonl.xz",
}  # fmt: skip
"""What data/README.md and data/networks/README.md say that the kit does not have."""


PARSES = re.compile(
    r"(train|evaluate|submit|sweep|selfplay|minimal_train|mutations)\.py"
    r"|golois|models|tournament|benchmarks\.(?!NAME|report)\w+"
)
"""Scripts and modules that parse their arguments before they do anything else."""

FOLDERS_OF_THE_KIT = ("data/", "docs/", "examples/", "papers/", "tests/")
"""What a command names in these must be there; folders such as runs/ are the reader's."""

ENDS_A_COMMAND, NO_ARGUMENT = ("<", ">", "|", "&", "&&"), ("-m", "-P", "…")

def _words(page: Path) -> Iterator[tuple[bool, list[str]]]:
    """The words behind `python` of each command, and whether the command has its own line."""
    text = re.sub(r"\\\n *", " ", page.read_text("utf-8"))
    found = r"^(?:\$ |    |!)(.*\bpython .*)$|`([^`\n]*\bpython [^`\n]*)`"
    for line, mention in re.findall(found, text, re.MULTILINE):
        words = shlex.split(line or mention, comments=True)
        begin = next((at for at, word in enumerate(words, 1) if Path(word).name == "python"), None)
        if begin:
            words = list(takewhile(lambda word: word not in ENDS_A_COMMAND, words[begin:]))
            yield bool(line), [word.partition("|")[0] for word in words if word not in NO_ARGUMENT]


class _Parsed(BaseException):
    """The arguments of a command are parsed."""


def _run(name: str) -> None:
    """Run a script or a module of the kit in this process; `sys.argv` has its arguments."""
    if name.endswith(".py"):
        path = ROOT / name
        runpy.run_path(str(path if path.exists() else ROOT / path.name), run_name="__main__")
    else:
        for module in (name, f"{name}.__main__"):  # as a fresh start has it
            if "." in module:
                sys.modules.pop(module, None)
        runpy.run_module(name, run_name="__main__", alter_sys=True)



@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_command_names_are_there(page):
    words = [word for _, words in _words(page) for word in words]
    words = [word for word in words if word.startswith(FOLDERS_OF_THE_KIT)]
    paths = [ROOT / re.split("[,=:]", word)[0] for word in words if "NAME" not in word]
    assert all(path.exists() for path in paths), paths


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_can_be_parsed(page, monkeypatch, capsys):
    """By the program's own parser; a mention in a sentence may leave out arguments."""

    def parse_and_stop(parser: argparse.ArgumentParser, *arguments: object) -> None:
        parse(parser, *arguments)
        raise _Parsed

    parse = argparse.ArgumentParser.parse_args
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse_and_stop)
    for name in ("stdout", "stderr", "path", "argv"):  # which a program changes
        monkeypatch.setattr(sys, name, getattr(sys, name))
    for is_whole, words in _words(page):
        if PARSES.fullmatch(Path(words[0]).name):
            sys.argv = words
            try:
                _run(words[0])
            except _Parsed:
                continue
            except SystemExit as end:
                said = capsys.readouterr().err
                assert not end.code or not is_whole and "required" in said, (words, said)


def _commands(text: str) -> Iterator[list[str]]:
    """The words of each command in a block or between backticks, without its environment."""
    for command in COMMAND.findall(text.replace("\\\n", " ")):
        words = shlex.split("".join(command))
        yield words[words.index("python") :]


def _groups(page: Path) -> Iterator[list[list[str]]]:
    """Commands that follow one another: those of a row of a table, and those of all the blocks."""
    rows = re.findall(r"^\|.*\|$", page.read_text("utf-8"), flags=re.MULTILINE)
    yield from (list(_commands(row)) for row in rows)
    rest = re.sub(r"^\|.*\|$", "", page.read_text("utf-8"), flags=re.MULTILINE)
    is_card = page.parent.parent == EARLIER_RUNS.parent
    yield [*(_commands(EARLIER_RUNS.read_text("utf-8")) if is_card else ()), *_commands(rest)]


def _value(words: list[str], option: str) -> str:
    return words[words.index(option) + 1] if option in words else ""


def _made(words: list[str]) -> set[str]:
    """The files and folders that a command leaves."""
    names = {words[place + 1] for place, word in enumerate(words) if word in OUTPUTS}
    if words[1] in ("selfplay.py", "sweep.py") and not _value(words, "--out"):
        names.add(f"runs/{_value(words, '--preset')}")
        names.update(f"runs/{Path(word).stem}" for word in words if word.endswith(".toml"))
    return names - {"runs/"}


def _read(words: list[str]) -> set[str]:
    """The files and folders that a command needs: those that it names, and its preset's."""
    is_script = words[1] != "-m"
    found = {words[1]} if is_script else set()
    outputs = {_value(words, option) for option in OUTPUTS}
    for word in words[2:]:
        for part in re.split("[=,:]", word):
            is_path = part.endswith(ENDINGS) or re.match(r"(data|docs|papers|runs|tests)/", part)
            if is_path and word not in outputs:
                found.add(part)
    preset = PRESETS.get(_value(words, "--preset"))
    if preset and "--games-from" not in words:
        found |= {preset.options.games_from} - {""}
    return found


def _is_there(name: str, made: set[str]) -> bool:
    is_made = any(name == one or name.startswith(f"{one}/") for one in made)
    return is_made or name in NOT_SHIPPED | OF_READERS or (ROOT / name).exists()


ALL = {shlex.join(words): words for page in PAGES for words in _commands(page.read_text("utf-8"))}
TESTS = [words for words in ALL.values() if words[1:3] == ["-m", "pytest"]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_command_reads_is_shipped_or_made_by_the_one_before(page):
    for group in _groups(page):
        made: set[str] = set()
        for words in group:
            missing = {name for name in _read(words) if not _is_there(name, made)}
            assert not missing, shlex.join(words)
            made |= _made(words)


@pytest.mark.parametrize("command", [name for name, words in ALL.items() if words[1] == "train.py"])
def test_options_of_a_training_fit_together(command):
    given = of_training.parse_arguments(ALL[command][2:])
    if "resume" not in given:
        given.pop("out", None)
        options = Options(**complete(given))
        require_known(options.model, options.set)


@pytest.mark.parametrize(
    "command",
    [name for name, words in ALL.items() if words[1:2] == ["selfplay.py"] and words[2][:2] == "--"],
)
def test_options_of_self_play_fit_together(command):
    given = of_selfplay.parse_arguments(ALL[command][2:], "")
    for name in ("out", "address"):
        given.pop(name, None)
    options = of_selfplay.complete(given)
    require_known(options.model, options.set)


def test_tests_that_a_command_chooses_are_there():
    for _, _, _, file, *selection in TESTS:
        names = re.findall(r"^def (test_\w+)", (ROOT / file).read_text("utf-8"), flags=re.MULTILINE)
        for word in selection[1:]:
            assert any(word in name for name in names), (file, word)


@pytest.mark.parametrize("file", TOMLS, ids=lambda file: file.name)
def test_a_page_has_the_command_of_each_toml(file):
    assert any(str(file.relative_to(ROOT)) in words for words in ALL.values())


@pytest.mark.parametrize("file", TOMLS, ids=lambda file: file.name)
def test_what_a_toml_reads_is_shipped_or_its_comment_says_what_to_get(file):
    text = file.read_text("utf-8")

    def names(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            yield from (name for one in value for name in names(one))
            yield from names(list(value.values()) if isinstance(value, dict) else None)

    for name in names(tomllib.loads(text)):
        if name.endswith(ENDINGS):
            assert _is_there(name, set()), name
            assert name not in NOT_SHIPPED or "data/networks/README.md" in text


def test_what_is_not_shipped_is_said_to_be_so():
    said = "".join(
        (ROOT / "data" / page).read_text("utf-8") for page in ("README.md", "networks/README.md")
    )
    assert all(f"`{name}`" in said and not (ROOT / name).exists() for name in NOT_SHIPPED)
