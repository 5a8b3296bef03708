"""When a run is over: by iterations, by patience, and by what time is left."""

import pytest

from selfplay.ending import is_over
from selfplay.options import Options


def rows(*seconds: float) -> list[dict[str, float]]:
    """A journal in which each iteration took so many seconds, and the first network plays on."""
    return [
        {"iteration": number, "seconds": each, "player": 0, "gate_share": 0.4}
        for number, each in enumerate(seconds)
    ]


@pytest.mark.parametrize(
    ("options", "seconds", "over"),
    [
        (dict(minutes=1), [1, 20, 20], True),  # 41, and the next would end at 61
        (dict(minutes=1), [1, 20, 19], False),  # 40, and 59
        (dict(minutes=0), [1, 20, 2000], False),
        (dict(iterations=2), [1, 20], False),
        (dict(iterations=2), [1, 20, 20], True),
        (dict(patience=3), [1, 1, 1], False),
        (dict(patience=3), [1, 1, 1, 1], True),
        (dict(minutes=1), [], False),
    ],
)
def test_a_run_is_over(options, seconds, over):
    assert is_over(Options(**options), rows(*seconds)) is over
