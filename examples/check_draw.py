"""Checks the draws of a league, by the league.json of its page (docs/teacher/rules.md).

Run this file in the folder with league.json, with the kit installed.
"""

import hashlib
import json
from pathlib import Path

from tournament.game.job import Entrant
from tournament.league.draws import seed_of
from tournament.running.schedule import pairings

league, seeds = json.loads(Path("league.json").read_text("utf-8")), {}
for draw in league["draws"]:
    if draw["networks"]:
        assert hashlib.sha256(draw["secret"].encode()).hexdigest() == draw["commitment"]
        seeds |= dict.fromkeys(draw["networks"], seed_of(draw["secret"], draw["networks"]))
keys = ("name", "sha256", "artefact", "lucky_by_name")
entrants = [Entrant(**{key: row[key] for key in keys if key in row}) for row in league["ranking"]]
drawn = [entrant for entrant in entrants if entrant.luck in seeds]
jobs = pairings(drawn, 50, seeds, [()])  # 50 rounds
assert {game["game_id"] for game in league["games"]} <= {job.game_id for job in jobs}
print(f"{len(league['games'])} games follow from {len(seeds)} drawn names")
