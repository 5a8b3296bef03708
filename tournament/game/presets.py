"""The rules of a league in one word: what the intake counts, and how the games are played."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from golois.constants import PARAM_BUDGET, TOURNAMENT_KOMI, TOURNAMENT_SECONDS
from golois.kit.options import flag, switch

KIT, COURSE = "kit", "course"


@dataclass(frozen=True)
class Preset:
    """Options of judging and of games, by name, that one word stands for.

    An option that is given beside the word comes first.
    """

    judging: Mapping[str, Any]
    games: Mapping[str, Any]


_GAMES = {
    "seconds": TOURNAMENT_SECONDS, "visits": None, "time_plan": "flat", "komi": TOURNAMENT_KOMI,
    "player": "puct", "tta": False
}

PRESETS = {
    KIT: Preset({"max_params": PARAM_BUDGET, "count": "total"}, _GAMES),
    COURSE: Preset({"max_params": PARAM_BUDGET, "count": "trainable"}, _GAMES),
}


def flags(options: Mapping[str, Any]) -> str:
    """Return options as a command line has them; options that are None are left out.

    >>> flags({"seconds": TOURNAMENT_SECONDS, "visits": None, "time_plan": "flat", "tta": False})
    '--seconds 2 --time-plan flat --no-tta'
    """
    words = []
    for name, value in options.items():
        if isinstance(value, bool):
            words.append(switch(name, value))
        elif value is not None:
            shown = f"{value:g}" if isinstance(value, float) else value
            words.append(f"{flag(name)} {shown}")
    return " ".join(words)
