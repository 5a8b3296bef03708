"""What a run of games ends with."""

import sys

from tournament.running.coordinator import Outcome

EXIT_GIVEN_UP = 1


def exit_code(outcome: Outcome) -> int:
    """0, or 1 after saying which games were given up."""
    if not outcome.given_up:
        return 0
    print(
        f"{len(outcome.given_up)} games were given up as void; the same command tries again: "
        + ", ".join(outcome.given_up),
        file=sys.stderr,
    )
    return EXIT_GIVEN_UP
