"""How a run of games ends."""

import sys

from tournament.running.coordinator import Outcome

EXIT_GIVEN_UP = 1


def exit_code(outcome: Outcome) -> int:
    """Return 0, or print which games were given up and return 1."""
    if not outcome.given_up:
        return 0
    print(
        f"{len(outcome.given_up)} games were given up as void; the same command tries again: "
        + ", ".join(outcome.given_up),
        file=sys.stderr,
    )
    return EXIT_GIVEN_UP
