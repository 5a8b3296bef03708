"""What holds for every test."""

import signal


def pytest_configure():
    """A shell that runs tests in the background ignores Ctrl-C, and so would what they start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
