"""A league that is served, once for all tests of a file, and the folder of one with a term."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_arena import file_network
from tests.serving import Serving, issue_tokens, quick_judge, serving
from tests.terms import TERM, make_up_games
from tournament.league.league import League
from tournament.server import judging, limits, tournament_run


@pytest.fixture(scope="module")
def builds_site() -> bool:
    """Whether the server builds the league's site, for modules that look at it."""
    return False


@pytest.fixture(scope="module")
def server(tmp_path_factory, builds_site) -> Iterator[Serving]:
    pytest.importorskip("fastapi")
    pytest.importorskip("uvicorn")
    league = tmp_path_factory.mktemp("served") / "league"
    with serving(league, issue_tokens(league), builds_site=builds_site) as running:
        yield running


@pytest.fixture(scope="session")
def quick(tmp_path_factory) -> tuple[str, str]:
    """The command of a judge that costs no time."""
    return quick_judge(tmp_path_factory.mktemp("judged"))


@pytest.fixture
def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@pytest.fixture
def filed_at_once(monkeypatch, tmp_path):
    def file(league: Path, upload, path: Path, artefacts: Path) -> None:
        opened = League(league)
        file_network(opened, upload.owner, path.read_bytes(), tmp_path, replace=True)
        opened.close()

    monkeypatch.setattr(judging, "_file", file)
    monkeypatch.setattr(limits, "RETRY_SECONDS", 0.0)


@pytest.fixture
def played(monkeypatch) -> list[dict[str, str]]:
    """The networks of every run, which makes up a few games of each of them."""
    runs, begin = [], asyncio.create_subprocess_exec

    async def play(*command: str, **options) -> asyncio.subprocess.Process:
        league = League(Path(command[command.index("--league") + 1]))
        runs.append({one.name: one.sha256 for one in league.submissions.entrants()})
        make_up_games(league)
        league.close()
        return await begin("true", **options)

    monkeypatch.setattr(tournament_run.asyncio, "create_subprocess_exec", play)
    return runs


@pytest.fixture
def folder(tmp_path) -> Path:
    folder = tmp_path / "league"
    folder.mkdir()
    (folder / "league.toml").write_text(TERM)
    return folder
