"""A submit.py that reads nothing: refuses networks of 9 blocks, and files none called same."""

import json
import sys
from pathlib import Path

network, *arguments = sys.argv[1:]
if "same" in arguments:
    sys.exit("submit.py: already filed")
is_accepted = "blocks=9" not in Path(network).read_text()
fault = {"text": "expected something else", "remedy": "change it"}
verdict = {
    "accepted": is_accepted,
    "faults": [] if is_accepted else [fault],
    "manifest": {"ms_per_evaluation": 0.5} if is_accepted else None,
    "asked": arguments,
}
print(json.dumps(verdict))
sys.exit(0 if is_accepted else 2)
