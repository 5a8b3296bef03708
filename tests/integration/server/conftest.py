"""A league that is served, once for all tests of a file."""

import socket
from collections.abc import Iterator

import pytest

from tests.serving import Serving, issue_tokens, quick_judge, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Serving]:
    pytest.importorskip("fastapi")
    pytest.importorskip("uvicorn")
    league = tmp_path_factory.mktemp("served") / "league"
    with serving(league, issue_tokens(league)) as running:
        yield running


@pytest.fixture(scope="session")
def quick(tmp_path_factory) -> tuple[str, str]:
    """The command of a judge that costs no time."""
    return quick_judge(tmp_path_factory.mktemp("judged"))


@pytest.fixture
def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]
