"""`selfplay.py attack`: how often one player beats another from given openings.

ResTNet asks this of a network and the cyclic adversary, in 30 games from each of 24 openings.

Source: Wu, Wu, Shih, Ju and Wu, "ResTNet: Defense against Adversarial Policies via Transformer in
    Computer Go", 2025, table 7. Its openings are games of the adversary, which it does not print.
"""

from dataclasses import dataclass

from golois.kit.command import UsageError
from golois.kit.options import check, option
from golois.shapes import TOURNAMENT_KOMI
from selfplay.options import Options

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

    def simulations_of_sides(self) -> tuple[int, int]:
        """Of the victim's searches, and of the attacker's."""
        return self.victim_simulations or self.simulations, self.simulations

    def options(self) -> Options:
        """Rules and searches, as a run has them.

        Raises:
            UsageError: a value out of range.
        """
        return Options(game=self.game, size=self.size, komi=self.komi, swap=self.swap)
