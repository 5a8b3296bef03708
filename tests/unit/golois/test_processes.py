"""The CPUs of a process, what is read of a child that ended, and how a child is killed."""

import os
import signal
import subprocess
import sys

import pytest

from golois.kit.processes import ErrorsReader, kill_session, last_line, num_cpus
from tests.data import ROOT

BEGETS = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60); print('left')"])
print("begun", flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system pins no threads")
def test_only_the_cpus_of_the_process_count(tmp_path):
    allowed = os.sched_getaffinity(0)
    assert num_cpus(tmp_path) == len(allowed)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert num_cpus(tmp_path) == 1
    finally:
        os.sched_setaffinity(0, allowed)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system pins no threads")
@pytest.mark.parametrize(
    ("limit", "number"), [("100000 100000", 1), ("50000 100000", 1), ("max 100000", None)]
)
def test_a_container_may_have_less_time_than_cpus(tmp_path, limit, number):
    (tmp_path / "cpu.max").write_text(f"{limit}\n")
    assert num_cpus(tmp_path) == (number or len(os.sched_getaffinity(0)))


@pytest.mark.parametrize(
    ("errors", "line"),
    [
        (b"", ""),
        (b" \n\n", ""),
        (b"one", "one"),
        (b"Traceback\n  MemoryError: none left\n\n", "MemoryError: none left"),
        (b"first\nbroken \xff", "broken \N{REPLACEMENT CHARACTER}"),
    ],
)
def test_the_last_line_of_what_a_process_said(errors, line):
    assert last_line(errors) == line


def test_errors_are_read_while_a_process_runs():
    """What fills a pipe again and again would block it; the end is kept."""
    code = "import sys; sys.stderr.write('x\\n' * 500_000 + 'last\\n'); print('done')"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        errors = ErrorsReader(process.stderr)
        assert process.stdout.read() == b"done\n"
        assert last_line(errors.last()) == "last" and len(errors.last()) == 4000


def test_a_session_is_killed_with_all_that_it_started():
    process = subprocess.Popen(
        [sys.executable, "-c", f"{BEGETS}input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
    )
    with process:
        assert process.stdout.readline() == b"begun\n"
        kill_session(process)
        assert process.stdout.read() == b""  # ends when nobody holds the pipe any more
        assert process.wait() == -signal.SIGKILL
        kill_session(process)  # of one that is gone is no error


CHILD = """
import time
from golois.kit.processes import end_with_parent
end_with_parent()
print("begun", flush=True)
time.sleep(60)
print("left")
"""
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can do that")
def test_a_child_ends_with_a_parent_that_is_killed():
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT, CHILD], stdout=subprocess.PIPE, cwd=ROOT
    )
    with process:
        assert process.stdout.readline() == b"begun\n"
        process.kill()
        assert process.stdout.read() == b""  # ends when nobody holds the pipe any more
