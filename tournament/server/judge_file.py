"""One verdict in a separate process: options in on standard input, the verdict out as JSON."""

import json
import sys
from dataclasses import asdict

from tournament.errors import TournamentError
from tournament.game.trial import judge_and_try
from tournament.intake import JudgeOptions


def main() -> int:
    """Judge a file; return 1 if this machine cannot."""
    asked = json.load(sys.stdin)
    try:
        verdict = judge_and_try(
            asked["path"], work_dir=asked["work_dir"], options=JudgeOptions(**asked["options"])
        )
    except (TournamentError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    manifest = asdict(verdict.manifest) if verdict.manifest else None
    faults = [[fault.text, fault.remedy] for fault in verdict.faults]
    json.dump({"faults": faults, "manifest": manifest}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
