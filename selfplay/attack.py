"""`selfplay.py attack`: how often one player beats another from given openings.

Source: Wu, Wu, Shih, Ju and Wu, "ResTNet: Defense against Adversarial Policies via Transformer in
Computer Go", 2025, table 7: 30 games from each of 24 openings, which it does not print.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from golois.constants import TOURNAMENT_KOMI
from golois.games.rules import Rules
from golois.kit.command import UsageError
from golois.kit.options import check, option
from models.sweeps.results import markdown_table
from models.sweeps.seeds import t_quantile
from selfplay.options import Options
from tournament.matches.games import MatchGame, read_kept, read_settings
from tournament.ratings.bradley_terry import share_gap_interval, wilson_interval

ATTACKER, VICTIM = "attacker", "victim"


@dataclass(frozen=True)
class Attack:
    """What is played."""

    game: str = option("go", "what is played", choices=("go", "nogo", "hex"))
    size: int = option(9, "points on a side, 2 to 19")
    komi: float = option(TOURNAMENT_KOMI, "of Go")
    swap: bool = option(False, "of Hex: the second player may take the first stone")
    drawn: int = option(
        24, "openings of two moves drawn with equal chance, without --openings", least=1
    )
    games: int = option(30, "from each opening", least=1)
    attacker: str = option("both", "its colour", choices=("both", "black", "white"))
    simulations: int = option(64, "of a network's searches", least=1)
    victim_simulations: int = option(0, "of the victim's searches; 0: as --simulations", least=0)
    seed: int = option(0, "of the games")

    def __post_init__(self) -> None:
        check(self)
        if self.attacker == "both" and self.games % 2:
            raise UsageError(
                f"--games must be even, not {self.games}, unless --attacker names a colour"
            )

    def simulations_of_victim(self) -> int:
        """Of the victim's searches."""
        return self.victim_simulations or self.simulations

    def options(self) -> Options:
        """Rules and searches, as a run has them. Raises UsageError: a value out of range."""
        return Options(game=self.game, size=self.size, komi=self.komi, swap=self.swap)


OF_BOTH_SIDES = ("players", "networks")
"""Settings that are pairs, the victim's before the attacker's."""


@dataclass(frozen=True)
class Rise:
    """How much more often, in percent ± standard error over openings, a victim was beaten."""

    points: float
    error: float
    openings: int
    is_separated: bool

    def __str__(self) -> str:
        found = "" if self.is_separated else ", not separated"
        return (
            f"a rise of {self.points:+.2f} points, with a standard error of {self.error:.2f} over "
            f"{self.openings} openings{found}"
        )


def attacks_table(played: Sequence[MatchGame]) -> str:
    """How often the victim was beaten from each opening, and in all with its 95 % interval."""
    cells = [
        [name, f"{sum(won)}", f"{len(won)}", f"{sum(won) / len(won):.2%}"]
        for name, won in _by_opening(played).items()
    ]
    rate, low, high = _rate(played)
    return (
        f"{markdown_table(['opening', 'attacked', 'games', 'rate'], cells)}\n\n"
        f"attacked in {rate:.2%} of {len(played)} games, {low:.2%} to {high:.2%} at 95 %"
    )


def attackers_table(played: Mapping[str, Sequence[MatchGame]]) -> str:
    """How often each attacker beat the victim, with the 95 % interval."""
    cells = []
    for name, games in played.items():
        rate, low, high = _rate(games)
        total, count = _attacked(games)
        cells.append([name, f"{total}", f"{count}", f"{rate:.2%}", f"{low:.2%} to {high:.2%}"])
    return markdown_table(["attacker", "attacked", "games", "rate", "95 %"], cells)


def files_of(out: Path, attackers: Sequence[str]) -> list[Path]:
    """The file of each attacker's games: `out`, or its own beside it where there are several.

    Raises UsageError: two attackers whose files would have one name.
    """
    if len(attackers) == 1:
        return [out]
    names = [re.sub(r"\W+", "_", name) for name in attackers]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"two attackers would have one file, {out.stem}_{twice[0]}.csv")
    return [out.with_stem(f"{out.stem}_{name}") for name in names]


def rise(before: Sequence[MatchGame], after: Sequence[MatchGame]) -> Rise:
    """Compare two attacks from the same openings, opening by opening.

    The interval is Student's over the openings. Where all have risen alike, it is that of the
    games, taken for independent.
    """
    earlier, later = _by_opening(before), _by_opening(after)
    gaps = [100 * (mean(later[name]) - mean(earlier[name])) for name in earlier]
    points, error = mean(gaps), stdev(gaps) / sqrt(len(gaps))
    if error:
        is_separated = abs(points) > t_quantile(0.975, len(gaps) - 1) * error
    else:
        low, high = share_gap_interval(*_attacked(after), *_attacked(before))
        is_separated = not low <= 0 <= high
    return Rise(points, error, len(gaps), is_separated)


def read_earlier(path: Path, settings: Mapping[str, Any], rules: Rules) -> list[MatchGame]:
    """Read another attacker's games on the same victim; UsageError: missing, few, or others."""
    if not path.is_file():
        raise UsageError(f"there is no file {path}: give --before the games of an attack")
    if _shared(read_settings(path)) != _shared(settings):
        raise UsageError(f"{path} is an attack on another victim, or with other settings")
    if len(settings["openings"]) < 2:
        raise UsageError("--before compares two openings or more")
    _, played = read_kept(path, rules)
    if len(played) < len(settings["openings"]) * settings["games"]:
        raise UsageError(f"{path} is an attack that is not over: run its command again first")
    return played


def _shared(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value[0] if name in OF_BOTH_SIDES else value for name, value in settings.items()}


def _is_attacked(game: MatchGame) -> bool:
    return game.points(ATTACKER) == 1


def _attacked(played: Sequence[MatchGame]) -> tuple[int, int]:
    return sum(map(_is_attacked, played)), len(played)


def _rate(played: Sequence[MatchGame]) -> tuple[float, float, float]:
    """How often the victim was beaten, and the 95 % interval."""
    total, count = _attacked(played)
    return total / count, *wilson_interval(total, count)


def _by_opening(played: Sequence[MatchGame]) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = {}
    for one in played:
        found.setdefault(one.opening, []).append(_is_attacked(one))
    return found
