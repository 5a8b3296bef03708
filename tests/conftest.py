"""What holds for every test."""

import os
import signal


def pytest_configure():
    """A shell that runs tests in the background ignores Ctrl-C, and so would what they start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if "PYTEST_XDIST_WORKER" in os.environ:
        _take_one_core()


def _take_one_core() -> None:
    """Each of several test processes computes in one thread, and so does what it starts."""
    for name in ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")
