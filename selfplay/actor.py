"""A process that plays shards: `python -m selfplay.actor`, started by `selfplay.actors`.

It reads a line of JSON for each shard and answers with one when the shard's file is there. It loads
neither Keras nor TensorFlow, and ends with its parent.
"""

import json
import sys
from pathlib import Path
from typing import Any

from golois.command_line import in_one_sentence
from golois.errors import GoloisError
from selfplay.options import Options
from selfplay.shards import play_shard
from tournament.child_processes import end_with_parent
from tournament.errors import TournamentError


def answer(job: dict[str, Any]) -> dict[str, str]:
    """Play a shard; say what went wrong, or nothing."""
    try:
        play_shard(
            Path(job["artefact"]),
            Options(**job["options"]),
            job["first_game"],
            job["num_games"],
            Path(job["out"]),
            Path(job["victim"]) if job.get("victim") else None,
        )
    except (GoloisError, TournamentError, OSError) as error:
        return {"error": in_one_sentence(error)}
    return {}


def main() -> None:
    """Answer until nothing more is asked."""
    end_with_parent()
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
