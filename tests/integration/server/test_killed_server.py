"""A server that is killed leaves no process behind that judges on."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.data import ROOT
from tests.serving import NETWORK, wait_for

# What a server does with an upload.
SERVER = """
import asyncio, sys
from pathlib import Path
from tournament.intake import JudgeOptions
from tournament.server.judging import judge_apart
asyncio.run(judge_apart(Path(sys.argv[1]), Path(sys.argv[2]), JudgeOptions()))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
def test_judging_ends_with_a_server_that_is_killed(tmp_path):
    """Both are stopped first, so that neither comes to its end by itself."""
    server = subprocess.Popen([sys.executable, "-c", SERVER, NETWORK, tmp_path], cwd=ROOT)
    left: list[int] = []
    try:
        judge, reader = wait_for(lambda: judge_and_its_child(server.pid))
        left = [judge, reader]
        for pid in left:
            os.kill(pid, signal.SIGSTOP)
        server.kill()
        server.wait()
        wait_for(lambda: not any(map(is_alive, left)), seconds=30)
    finally:
        server.kill()
        server.wait()
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def judge_and_its_child(server: int) -> tuple[int, int] | None:
    """The process that judges, and its own that reads the file, once that is in its sandbox."""
    for judge in children_of(server):
        for reader in children_of(judge):
            if "Seccomp:\t2" in status_of(reader):
                return judge, reader
    return None


def children_of(parent: int) -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        if f"PPid:\t{parent}\n" in status_of(int(folder.name)):
            yield int(folder.name)


def is_alive(pid: int) -> bool:
    status = status_of(pid)
    return bool(status) and "State:\tZ" not in status


def status_of(pid: int) -> str:
    """What Linux says of a process; nothing of one that has ended."""
    try:
        return Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
