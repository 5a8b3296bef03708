"""What the engine thinks: moves within the controller's clock or the user's limit, resignation."""

import time
from dataclasses import dataclass, field

from golois.constants import TOURNAMENT_KOMI
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE
from golois.search.tree import SearchOptions, Tree
from tournament.gtp.clock import GameClock, TimeSettings
from tournament.networks.evaluator import Evaluator
from tournament.players.limits import MAX_VISITS, Limits
from tournament.players.protocol import Choice
from tournament.players.search import GoOn, Search, to_the_limit


@dataclass(frozen=True)
class GtpOptions:
    """How the engine plays.

    limits: of a move, where the controller's clock sets none; visits are kept to in any case.
    komi: points for White, until the controller names others.
    seed: decides, with the positions, the symmetries that the network sees.
    resigns: whether it resigns when P(win) < `resign_below` for `resign_moves` own moves in a row.
    """

    limits: Limits
    komi: float = TOURNAMENT_KOMI
    seed: int = 0
    resigns: bool = True
    resign_below: float = 0.03
    resign_moves: int = 10
    search: SearchOptions = field(default_factory=SearchOptions)


class Thinker:
    """One network that thinks for either colour, as the arena's PUCT player does.

    With time settings its clock is the controller's wall time. Otherwise `limits` count CPU time or
    visits as in the arena.
    """

    def __init__(self, evaluator: Evaluator, options: GtpOptions):
        self._evaluator = evaluator
        self._options = options
        self._hopeless: dict[int, list[int]]
        self.set_time(None)
        self.begin()

    def set_time(self, settings: TimeSettings | None) -> None:
        """Use a time system, None for the engine's limits; raise NetworkError on a failure."""
        self.clock = GameClock(settings)
        clock = time.monotonic if self.clock.matters else time.process_time
        options = self._options
        self._search = Search(self._evaluator, options.search, options.limits, options.seed, clock)
        self._search.warm_up()

    def begin(self) -> None:
        """Start a game: the clock has all its time again, and no move has been hopeless."""
        self.clock.reset()
        self._hopeless = {BLACK: [], WHITE: []}

    def choose(self, board: Board, komi: float, go_on: GoOn = to_the_limit) -> Choice:
        """Think about a move that the side to play will make, on its time (see `consider`)."""
        choice = self.consider(board, komi, go_on)
        self.clock.spend(board.to_play, choice.cpu_seconds)  # of wall time, where there is a clock
        self._note_hope(board, choice.value_white)
        return choice

    def consider(self, board: Board, komi: float, go_on: GoOn = to_the_limit) -> Choice:
        """Think about a move for as long as it could, without a clock; the board stays as it is.

        `go_on` is asked before each batch and at the end; False ends the search. A failing network
        raises a NetworkError.
        """
        tree = self._search.think(board, komi, self._limits(board), go_on)
        return self._search.choice(tree.best_move(), tree.root_value_to_play)

    def resigns(self, colour: int) -> bool:
        """Return whether a colour's own moves have been hopeless for long enough."""
        options = self._options
        return options.resigns and len(self._hopeless[colour]) >= options.resign_moves

    def analyse(
        self,
        board: Board,
        komi: float,
        num_visits: int = MAX_VISITS,
        go_on: GoOn = to_the_limit,
    ) -> Tree:
        """Search a position until it has `num_visits` visits, or `go_on` says no.

        Raises:
            NetworkError: the network failed.
        """
        return self._search.think(board, komi, Limits(visits=num_visits), go_on)

    def _note_hope(self, board: Board, value_white: float) -> None:
        """Record, for each colour, the run of moves up to this one at which it was hopeless."""
        colour, now = board.to_play, board.num_moves
        own_value = value_white if colour == WHITE else 1 - value_white
        is_hopeless = own_value < self._options.resign_below
        earlier = [move for move in self._hopeless[colour] if move < now]  # not what was undone
        self._hopeless[colour] = [*earlier, now] if is_hopeless else []

    def _limits(self, board: Board) -> Limits:
        limits = self._options.limits
        if limits.visits is not None:
            return limits
        num_own_moves = sum(colour == board.to_play for colour, _ in board.moves)
        seconds = self.clock.seconds_for(board.to_play, num_own_moves)
        return limits if seconds is None else Limits(seconds=seconds)
