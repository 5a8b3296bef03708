"""Whether a game that another machine reports can be true.

First the rules: its moves are played again without networks. Then the networks are asked again at
each move, with as many visits as the report has: also a game on the clock is the same game then.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from tournament.errors import NetworkError, TournamentError
from tournament.game.job import GameJob
from tournament.game.options import EventOptions
from tournament.game.play import play_game
from tournament.game.record import FORFEIT, PLAYED, GameRecord
from tournament.players import Searcher
from tournament.players.limits import Limits
from tournament.players.protocol import Choice, Player
from tournament.running.machine import options_here

# P(White wins) of the same search on two processors, whose sums have other roundings.
VALUE_TOLERANCE = 0.05
# Roundings change a move in some thousand, where two moves are equal.
LEAST_SAME = 0.98
# A report may have less CPU time than the rules allow, or so much more.
MOST_SECONDS = 1.2
# Retracing a move takes as much CPU time as the report has, unless the report is wrong.
MOST_SLOWER = 2.0
SPARE_SECONDS = 5.0


class WrongResultError(TournamentError, ValueError):
    """A reported game that cannot have been played by the rules."""


class _Recorded(Player):
    """Plays a report's moves in turn."""

    def __init__(self, moves: Iterator[Choice]):
        self._moves = moves

    def choose(self, game: object) -> Choice:
        if (move := next(self._moves, None)) is None:
            raise WrongResultError("the game breaks off")
        return move


class Retracing(Player):
    """Plays a report's moves, and asks the network for its own.

    The choices have the report's points and values. Their `num_visits` is 1 where the network plays
    and values the same, else 0; their CPU seconds are those of this machine.
    """

    def __init__(self, player: Searcher, moves: Iterator[Choice]):
        self._player, self._moves = player, moves

    def warm_up(self) -> None:
        """See Player."""
        self._player.warm_up()

    def choose(self, game: Any) -> Choice:
        """See Player."""
        if (said := next(self._moves, None)) is None:
            raise NetworkError("the report breaks off")
        own = self._player.choose(game, Limits(visits=max(1, said.num_visits)))
        is_same = (
            own.point == said.point and abs(own.value_white - said.value_white) <= VALUE_TOLERANCE
        )
        return Choice(said.point, int(is_same), own.cpu_seconds, said.value_white)


def replayed(job: GameJob, options: EventOptions, data: Any) -> GameRecord:
    """Return the record of a reported game, by the rules: only its moves come from the report.

    `data` is plain data of a stranger, as `GameRecord.to_json` writes it. A reported forfeit is
    returned without moves, since only the network itself could confirm it.

    Raises:
        WrongResultError: the report is no record, breaks a rule, or says another result.
    """
    try:
        moves = tuple(_choice(*move) for move in data["moves"])
        said = data["kind"], data["winner"], data["result"], data["reason"]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise WrongResultError(f"the report of {job.game_id} cannot be read: {error}") from None
    in_turn = iter(moves)
    player = _Recorded(in_turn)
    record = play_game(job, player, player, options)
    if said[0] == FORFEIT:
        return replace(record, kind=FORFEIT, moves=())
    if record.kind != PLAYED or next(in_turn, None) is not None:
        raise WrongResultError(
            f"the game {job.game_id} cannot be played again: "
            f"{record.reason or 'it has moves after its end'}"
        )
    if said != (record.kind, record.winner, record.result, record.reason):
        raise WrongResultError(
            f"the game {job.game_id} ended {record.result}, and not as reported"
        )
    return record


def _choice(
    point: int, num_visits: int, cpu_seconds: float, value_white: float,
    budget_seconds: float | None,
) -> Choice:
    whole = type(point) is int and type(num_visits) is int and 0 <= num_visits < 1 << 31
    numbers = [float(each) for each in (cpu_seconds, value_white, budget_seconds or 0)]
    if not whole or not all(0 <= number < math.inf for number in numbers) or numbers[1] > 1:
        raise ValueError("a move is no choice")
    seconds, value, budget = numbers
    return Choice(point, num_visits, seconds, value, None if budget_seconds is None else budget)


def share_of_same(retraced: Sequence[GameRecord]) -> float:
    """Return the share of the moves that the networks choose again."""
    same = [move.num_visits for move in chain.from_iterable(game.moves for game in retraced)]
    return sum(same) / len(same) if same else 1.0


def took_too_long(
    record: GameRecord, retraced: GameRecord, options: EventOptions, speed: float | None,
    speed_here: float | None,
) -> bool:
    """Return whether the networks had more CPU time than the rules give and the report says."""
    if options.seconds is None:
        return False
    limits, first = options_here(options, speed).limits, len(record.opening)
    plies = range(first, record.num_plies)
    allowed = sum(limits.seconds_of_move(ply, False) or 0.0 for ply in plies)
    said = sum(move.cpu_seconds for move in record.moves)
    own = sum(move.cpu_seconds for move in retraced.moves)
    slower = speed / speed_here if speed and speed_here else 1.0
    return (
        said > MOST_SECONDS * allowed + SPARE_SECONDS
        or own > MOST_SLOWER * slower * said + SPARE_SECONDS
    )
