"""A process that plays shards: `python -m selfplay.actor`, started by `selfplay.actors`.

It reads a line of JSON for each shard and answers with one when the shard's file is there; others
before it say how many positions were evaluated. It loads neither Keras nor TensorFlow, and ends
with its parent.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from golois.errors import GoloisError
from golois.kit.command import in_one_sentence
from golois.kit.processes import end_with_parent
from selfplay.options import Options
from selfplay.shards import play_shard
from tournament.errors import TournamentError

SECONDS_BETWEEN = 0.5


class Progress:
    """Says now and then how many positions were evaluated."""

    def __init__(self) -> None:
        self._untold = 0
        self._told = time.monotonic()

    def add(self, count: int) -> None:
        """Count positions."""
        self._untold += count
        if time.monotonic() - self._told > SECONDS_BETWEEN:
            self.tell()

    def tell(self) -> None:
        """Say what was not said yet."""
        _say({"evaluated": self._untold})
        self._untold, self._told = 0, time.monotonic()


def answer(
    job: dict[str, Any], on_evaluated: Callable[[int], None] = lambda _: None
) -> dict[str, str]:
    """Play a shard; say what went wrong, or nothing."""
    try:
        play_shard(
            Path(job["artefact"]),
            Options(**job["options"]),
            job["first_game"],
            job["num_games"],
            Path(job["out"]),
            Path(job["victim"]) if job.get("victim") else None,
            on_evaluated,
        )
    except (GoloisError, TournamentError, OSError) as error:
        return {"error": in_one_sentence(error)}
    return {}


def main() -> None:
    """Answer until nothing more is asked."""
    end_with_parent()
    for line in sys.stdin:
        progress = Progress()
        said = answer(json.loads(line), progress.add)
        progress.tell()
        _say(said)


def _say(said: dict[str, Any]) -> None:
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
