"""The loop of one game between two players, of any rules."""

from collections.abc import Callable
from dataclasses import dataclass

from golois.games.game import Game
from golois.games.rules import Go
from golois.go.coords import BLACK, WHITE, opponent
from tournament.game.record import PLAYED
from tournament.players.protocol import Choice, Player, Resignation

COLOURS = {BLACK: "black", WHITE: "white"}


@dataclass(frozen=True)
class Outcome:
    """How a game ended; the fields are as in `tournament.game.record.GameRecord`."""

    result: str
    winner: str | None
    kind: str = PLAYED
    reason: str = ""


def play_out(
    game: Game,
    black: Player,
    white: Player,
    *,
    decided: Callable[[], Outcome | None] = lambda: None,
    on_choice: Callable[[Choice], None] = lambda choice: None,
) -> Outcome:
    """Play a game to its end, or until `decided`, asked before each move, gives an outcome.

    `game` is changed. `on_choice` gets each move once it is on the board; an exception ends the
    loop.

    Raises:
        NetworkError: the network of the side to move failed.
        EngineError: the program of the side to move failed, or broke a rule.
        IllegalMoveError: a player of the kit broke a rule.
    """
    players = {BLACK: black, WHITE: white}
    while not game.is_over:
        if outcome := decided():
            return outcome
        try:
            choice = players[game.to_play].choose(game)
        except Resignation:
            loser = game.to_play
            return won(COLOURS[opponent(loser)], "R", f"{COLOURS[loser]} resigned")
        game.play(choice.point)
        on_choice(choice)
    return scored(game)


def scored(game: Game) -> Outcome:
    """Return the result of a game as it stands: by area in Go, which need not be over."""
    if not isinstance(game.rules, Go):
        winner = game.winner
        assert winner is not None
        return won(COLOURS[winner])
    lead_black = game.board().score_black() - game.rules.komi
    if lead_black == 0:
        return Outcome("0", None)
    return won("black" if lead_black > 0 else "white", f"{abs(lead_black):g}")


def won(winner: str, by: str = "", reason: str = "", kind: str = PLAYED) -> Outcome:
    """Return the outcome of a game that "black" or "white" has won; SGF writes `by` after the +."""
    return Outcome(f"{winner[0].upper()}+{by}", winner, kind, reason)
