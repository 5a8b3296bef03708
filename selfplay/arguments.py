"""What the commands of selfplay.py share."""

from collections.abc import Callable

from models.training.command_line import UsageError
from models.training.steps import StopRequest
from selfplay.actors import Stopped


def required_pairs(games: int, least: int) -> int:
    """A number of games, each opening with both colours."""
    if games < least or games % 2:
        raise UsageError(f"--games must be an even number from {least}, not {games}")
    return games


def until_stopped(act: Callable[[StopRequest], None]) -> int:
    """Do something that a signal may stop; return the exit code."""
    with StopRequest() as stop:
        try:
            act(stop)
        except Stopped:
            assert stop.signal is not None
            return 128 + stop.signal
    return 0
