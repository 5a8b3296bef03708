"""One verdict in a separate process: options in on standard input, the verdict out as JSON."""

import json
import os
import sys
from dataclasses import asdict

from golois.kit.processes import end_with_parent
from tournament.errors import TournamentError
from tournament.game.trial import judge_and_try
from tournament.intake import JudgeOptions


def main() -> int:
    """Judge a file; return 1 if this machine cannot, or if the server has ended."""
    end_with_parent()
    asked = json.load(sys.stdin)
    if os.getppid() != asked["server"]:
        return 1
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
