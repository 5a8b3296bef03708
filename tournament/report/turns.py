"""What the values kept with games say: turns of lost games, costs by phase, errors of values.

Read from the SGF of a game (tournament.game.sgf), which has each player's value at its own moves.
No network is asked again.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise

from golois.records.phases import PHASE_STARTS
from tournament.game.record import PLAYED
from tournament.league.games import GameRow
from tournament.report.boards import Boards, Drawn

MOVE = re.compile(
    r"\n;[BW]\[[a-s]{0,2}\]"
    r"C\[(?:opening|visits \d+, cpu [\d.]+ s, P\(White wins\) ([01]\.\d+))\]"
)
NUM_SHOWN = 5
# Falls below this are within what a search finds by chance.
LEAST_FALL = 0.1
# The last ply of each phase of a game but the last phase, as evaluate.py has them.
PHASES = PHASE_STARTS[1:]
NUM_PHASES = len(PHASE_STARTS)


@dataclass(frozen=True)
class Turn:
    """The move of a lost game after which the loser's own P(win) fell most.

    The fall is measured between two consecutive moves of the loser. So its cause is the move, or an
    answer that the loser did not expect.

    ply: number of the move; the first move of the opening is 1.
    before: P(the loser wins), 0 … 1, as the loser judged the position in which it chose the move.
    after: the same at the loser's next move.
    opponent: P(the loser wins) as the opponent judged it in between; None if it has no opinion.
    """

    ply: int
    before: float
    after: float
    opponent: float | None

    @property
    def fall(self) -> float:
        """How much P(the loser wins) fell, above 0."""
        return round(self.before - self.after, 3)


@dataclass(frozen=True)
class ShownTurn:
    """A turn with its board after the move, for the page of the network that lost.

    colour: of the network, "black" or "white"; opponent: the other network's name.
    """

    game: GameRow
    turn: Turn
    colour: str
    opponent: str
    board: Drawn


# What a player lost, NUM_LOSSES numbers a phase of a game: moves that it judged, the sum of their
# falls, and falls of LEAST_FALL; then moves that its opponent judged, and the sum of their falls.
Losses = Sequence[float]
NUM_LOSSES = 5
# How many moves a player judged in a game, and the sum of the squared errors of its P(it wins).
Errors = tuple[int, float]


@dataclass(frozen=True)
class Judged:
    """What the values of games say, by the games' ids.

    turns: where the games turned that did.
    losses: what Black lost, and White; without games that were not won on the board.
    errors: of Black's values against the result, and of White's; of the same games.
    """

    turns: dict[str, Turn] = field(default_factory=dict)
    losses: dict[str, tuple[Losses, Losses]] = field(default_factory=dict)
    errors: dict[str, tuple[Errors, Errors]] = field(default_factory=dict)

    def add(self, other: "Judged") -> None:
        """Take in what the values of other games say."""
        self.turns.update(other.turns)
        self.losses.update(other.losses)
        self.errors.update(other.errors)


@dataclass(frozen=True)
class Phase:
    """What some players lost in one phase of their games; points are 0.01 of P(win).

    The loss of a move is the fall of P(win) until the next judgement of the same player; a rise is
    a loss of 0.

    first, last: plies; the last phase has no last one.
    num_moves: moves that the players judged themselves, and at their next move again.
    lost: the mean loss of these in points; None without moves.
    num_large: how many of them lost LEAST_FALL or more.
    opponents_lost: the mean loss in points as the opponents saw it; None if they have no opinion.
    """

    first: int
    last: int | None
    num_moves: int
    lost: float | None
    num_large: int
    opponents_lost: float | None


def judged(games: Iterable[GameRow], sgf: Callable[[str], str]) -> Judged:
    """Return what the values of games say; `sgf` gives a game by its id."""
    found = Judged()
    for game in games:
        if game.kind != PLAYED or game.winner is None:
            continue
        values = MOVE.findall(sgf(game.game_id))
        black, white = _opinions(values, 0), _opinions(values, 1)
        is_won = game.winner == "black"
        found.losses[game.game_id] = _losses(black, white)
        found.errors[game.game_id] = _errors(black, is_won), _errors(white, not is_won)
        if (turn := _turn(white, black) if is_won else _turn(black, white)) is not None:
            found.turns[game.game_id] = turn
    return found


def phases_by_name(
    games: Iterable[GameRow], losses: Mapping[str, tuple[Losses, Losses]]
) -> dict[str, list[tuple[Phase, Phase]]]:
    """Return what each network lost in each phase of its games, and what all networks lost."""
    listed: dict[str, list[Losses]] = defaultdict(list)
    for game in games:
        if (both := losses.get(game.game_id)) is not None:
            listed[game.black].append(both[0])
            listed[game.white].append(both[1])
    of_all = _phases([*chain.from_iterable(listed.values())]) if listed else []
    return {name: [*zip(_phases(own), of_all, strict=True)] for name, own in listed.items()}


def loser_of(game: GameRow) -> tuple[str, str, str]:
    """Return who lost a decided game, against whom, and with which colour."""
    if game.winner == "white":
        return game.black, game.white, "black"
    return game.white, game.black, "white"


def lost_by(name: str, games: Iterable[GameRow], turns: Mapping[str, Turn]) -> list[GameRow]:
    """Return the games that the network has lost by a fall of LEAST_FALL, the largest first."""
    lost = [
        game
        for game in games
        if (turn := turns.get(game.game_id)) is not None
        and turn.fall >= LEAST_FALL
        and loser_of(game)[0] == name
    ]
    return sorted(lost, key=lambda game: -turns[game.game_id].fall)


def shown_turns(
    lost: Iterable[GameRow], turns: Mapping[str, Turn], boards: Boards
) -> list[ShownTurn]:
    """Return the first NUM_SHOWN of these games as they turned."""
    shown: list[ShownTurn] = []
    for game in lost:
        turn, (_, opponent, colour) = turns[game.game_id], loser_of(game)
        if len(shown) < NUM_SHOWN and (board := boards.after(game.game_id, turn.ply)) is not None:
            shown.append(ShownTurn(game, turn, colour, opponent, board))
    return shown


def phases_of(plies: Sequence[int]) -> list[str]:
    """Return in words how many of these plies are in each phase of a game that has some."""
    ordered = sorted(plies)
    ranges = [*(f"in moves {start + 1}–{end}" for start, end in pairwise(PHASE_STARTS)), "later"]
    parts = zip(_by_phase(ordered, ordered, 0), ranges, strict=True)
    return [f"{len(part)} {moves}" for part, moves in parts if part]


def _turn(own: Mapping[int, float], winners: Mapping[int, float]) -> Turn | None:
    """Return where a game turned; None without opinions of the loser, or without a fall."""
    falls = _falls(own)
    if max(falls, default=0.0) <= 0:
        return None
    place = falls.index(max(falls))
    (ply, before), (_, after) = [*own.items()][place : place + 2]
    seen = winners.get(ply + 1)
    opponent = None if seen is None else round(1 - seen, 3)
    return Turn(ply, round(before, 3), round(after, 3), opponent)


def _losses(*opinions_of: Mapping[int, float]) -> tuple[Losses, Losses]:
    """Return what Black lost in each phase, and White, by the opinions of both."""
    black, white = ([[0.0] * NUM_LOSSES for _ in range(NUM_PHASES)] for _ in range(2))
    for opinions, own, other in zip(opinions_of, (black, white), (white, black), strict=True):
        falls, plies = _falls(opinions), [*opinions][:-1]
        for phase, part in zip(own, _by_phase(falls, plies, 0), strict=True):
            lost = [fall for fall in part if fall > 0]
            phase[:3] = len(part), round(sum(lost), 3), sum(fall >= LEAST_FALL for fall in lost)
        # The opponent's move came next; what it lost is what this side's own chance rose.
        for phase, part in zip(other, _by_phase(falls, plies, 1), strict=True):
            phase[3:] = len(part), round(-sum(fall for fall in part if fall < 0), 3)
    return [*chain.from_iterable(black)], [*chain.from_iterable(white)]


def _errors(opinions: Mapping[int, float], is_won: bool) -> Errors:
    return len(opinions), round(sum((value - is_won) ** 2 for value in opinions.values()), 4)


def _by_phase(falls: Sequence[float], plies: Sequence[int], later: int) -> list[Sequence[float]]:
    """Cut the falls by phase; the moves that they are of come so many plies later."""
    cuts = [0, *(bisect_right(plies, end - later) for end in PHASES), len(falls)]
    return [falls[start:end] for start, end in pairwise(cuts)]


def _phases(listed: Sequence[Losses]) -> list[Phase]:
    phases, sums = [], map(sum, zip(*listed, strict=True))
    for start, last in zip(PHASE_STARTS, (*PHASES, None), strict=True):
        num_moves, lost, large, num_seen, seen = islice(sums, NUM_LOSSES)
        own, opponents = _points(lost, num_moves), _points(seen, num_seen)
        phases.append(Phase(start + 1, last, int(num_moves), own, int(large), opponents))
    return phases


def _points(lost: float, num_moves: float) -> float | None:
    return round(100 * lost / num_moves, 3) if num_moves else None


def _falls(opinions: Mapping[int, float]) -> list[float]:
    """Return how much each value is above the next, as exactly as the values are kept."""
    return [round(before - after, 3) for before, after in pairwise(opinions.values())]


def _opinions(values: Sequence[str], side: int) -> dict[int, float]:
    """P(it wins) as a side (0: Black) saw it, by the number of its move; empty: no opinion."""
    known = {ply + 1: float(values[ply]) for ply in range(side, len(values), 2) if values[ply]}
    # A program that values no position has the same value for all.
    if len(set(known.values())) < 2:
        return {}
    return known if side else {ply: 1 - value for ply, value in known.items()}
