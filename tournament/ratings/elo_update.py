"""Elo by the update that NoGoZero+ uses: shown beside the ratings, never instead of them.

The numbers depend on the order of the games, and have no uncertainty.
Source: "NoGoZero+", section 4.2: with E_A = 1 / (1 + 10^((R_B − R_A) / 400)), a score S_A makes R_A
into R_A + α (S_A − E_A).
"""

from collections.abc import Iterable

from tournament.ratings.bradley_terry import RatedGame

ALPHA = 16.0


def update_elo(names: Iterable[str], games: Iterable[RatedGame]) -> dict[str, float]:
    """Return each player's rating after all games in their order; all start at 0.

    A draw has S_A = ½; void games are ignored. ALPHA is what a game can be worth at most, in Elo.
    """
    elo = dict.fromkeys(names, 0.0)
    for game in games:
        if game.kind == "void":
            continue
        expected = 1 / (1 + 10 ** ((elo[game.white] - elo[game.black]) / 400))
        score = 0.5 if game.winner is None else float(game.winner == "black")
        gain = ALPHA * (score - expected)
        elo[game.black] += gain
        elo[game.white] -= gain
    return elo
