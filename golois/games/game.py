"""Go, NoGo and Hex on boards from 2×2 to 19×19, as the search and self-play see them.

    from golois import Game, Hex
    game = Game(Hex(11, swap=True))
    game.play(60)

docs/student/selfplay.md has the rules and the planes.
"""

from collections.abc import Iterable

import numpy as np

from golois.constants import MAX_INT32
from golois.errors import ArgumentError, GoloisError, IllegalMoveError
from golois.games.rules import Go, Hex, Rules, require_rules
from golois.go.board import NAMES, REASONS, Board, drawn, named
from golois.go.coords import BLACK, EMPTY, WHITE
from golois.go.symmetry import HALF_TURN, NUM_SYMMETRIES
from golois.native import Exclusive, buffer, check, ffi, last_error, lib


class Game:
    """A game in progress, Black first; moves can be taken back. `board` begins a game of Go.

    Moves are points 0 … size² − 1, row-major with row 0 at the top; size² is a pass, which only Go
    has. `moves` lists the moves played, as (colour, move). A game belongs to one thread at a time:
    two calls at once raise ConcurrentUseError. Raises ArgumentError: a board of another size;
    ArgumentTypeError: no rules, such as a game's name.
    """

    def __init__(self, rules: Rules, board: Board | None = None):
        require_rules(rules)
        if board is not None and not isinstance(rules, Go):
            raise ArgumentError("only a game of Go can begin with a board")
        handle = rules.create(board) if isinstance(rules, Go) else rules.create()
        self._adopt(rules, handle, [] if board is None else list(board.moves))

    def _adopt(self, rules: Rules, handle, moves: list[tuple[int, int]]) -> None:
        if handle == ffi.NULL:
            raise GoloisError(last_error())
        self._exclusive = Exclusive(ffi.gc(handle, lib.golois_game_destroy), "Game")
        shape = lib.golois_game_get_shape(handle)
        self.rules = rules
        self.moves = moves
        self.size: int = shape.size
        self.planes_shape = (shape.size, shape.size, shape.num_planes)
        self.policy_size: int = shape.policy_size
        self.symmetries = (
            tuple(range(NUM_SYMMETRIES)) if shape.num_symmetries > 2 else (0, HALF_TURN)
        )

    def copy(self) -> "Game":
        """An independent game at the same position, with the same moves to take back."""
        game = object.__new__(Game)
        with self._exclusive as handle:
            game._adopt(self.rules, lib.golois_game_clone(handle), list(self.moves))
        return game

    @property
    def exclusive(self) -> Exclusive:
        """The native handle, for the rest of golois."""
        return self._exclusive

    @property
    def pass_point(self) -> int:
        """The number that stands for a pass, where there is one: size²."""
        return self.size * self.size

    @property
    def to_play(self) -> int:
        """BLACK or WHITE."""
        with self._exclusive as handle:
            return lib.golois_game_to_play(handle)

    @property
    def num_moves(self) -> int:
        """Moves played so far, passes included."""
        with self._exclusive as handle:
            return lib.golois_game_num_moves(handle)

    @property
    def key(self) -> int:
        """The Zobrist key of the stones, 64 bits."""
        with self._exclusive as handle:
            return lib.golois_game_key(handle)

    @property
    def is_over(self) -> bool:
        """Whether nothing more is played: two passes, the limit of moves, a winner."""
        with self._exclusive as handle:
            return lib.golois_game_is_over(handle)

    @property
    def outcome_white(self) -> float:
        """1.0 if White has won, 0.0 if Black has, 0.5 for a draw; GoloisError before the end."""
        with self._exclusive as handle:
            if not lib.golois_game_is_over(handle):
                raise GoloisError("the game isn't over")
            return lib.golois_game_outcome_white(handle)

    @property
    def winner(self) -> int | None:
        """BLACK or WHITE, EMPTY after a draw, None while the game is not over."""
        return {0.0: BLACK, 1.0: WHITE, 0.5: EMPTY}[self.outcome_white] if self.is_over else None

    def play(self, move: int) -> None:
        """Play a move; IllegalMoveError, with the game unchanged, where the rules forbid it."""
        with self._exclusive as handle:
            is_over = lib.golois_game_is_over(handle)
            legality = lib.golois_game_legality(handle, _int32(move))
            if legality == 0 and not is_over:
                self.moves.append((lib.golois_game_to_play(handle), move))
                check(lib.golois_game_play(handle, move))
                return
        why = "the game is over" if is_over else REASONS[legality]
        raise IllegalMoveError(
            f"{NAMES[self.to_play]} cannot play {named(move, self.size)} as move "
            f"{self.num_moves + 1}: {why}"
        )

    def take_back(self) -> None:
        """Take the last move back; GoloisError where none was played on this copy of the game."""
        with self._exclusive as handle:
            if lib.golois_game_num_to_take_back(handle) == 0:
                raise GoloisError("there is no move to take back")
            check(lib.golois_game_take_back(handle))
            self.moves.pop()

    def is_legal(self, move: int) -> bool:
        """Whether `play` would accept the move."""
        with self._exclusive as handle:
            is_over = lib.golois_game_is_over(handle)
            return not is_over and lib.golois_game_legality(handle, _int32(move)) == 0

    def legal_moves(self) -> np.ndarray:
        """Whether `play` would accept each move: bool [size² + 1], the last one is the pass."""
        return self._per_move(lib.golois_game_legal_moves)

    def candidates(self) -> list[int]:
        """The moves that a search considers, ascending.

        None at the end. See docs/teacher/rules.md.
        """
        return np.flatnonzero(self._per_move(lib.golois_game_candidates)).tolist()

    def stones(self) -> np.ndarray:
        """The stones: uint8 [size, size] of EMPTY, BLACK and WHITE."""
        stones = np.empty((self.size, self.size), np.uint8)
        with self._exclusive as handle:
            check(lib.golois_game_stones(handle, buffer(stones, "uint8_t[]"), stones.size))
        return stones

    def board(self) -> Board:
        """The position of Go or NoGo as a Go board; ArgumentError for a game of Hex."""
        with self._exclusive as handle:
            native = lib.golois_game_board(handle)
            return Board.adopt(native, list(self.moves))

    def planes(self, symmetry: int = 0) -> np.ndarray:
        """What a network sees: float32 [size, size, planes] of 0 and 1, for the side to move.

        Raises ArgumentError: the game has no such symmetry; see `symmetries`.
        """
        planes = np.empty(self.planes_shape, np.float32)
        target = buffer(planes, "float[]")
        with self._exclusive as handle:
            status = lib.golois_game_planes(handle, _int32(symmetry), target, planes.size)
        check(status, ArgumentError)
        return planes

    def winning_moves(self, max_positions: int = 2_000_000) -> list[int]:
        """The moves that win whatever the opponent answers, ascending; none in a lost position.

        It searches all positions, on boards of up to about sixteen points; each takes about 50
        bytes. Raises ArgumentError: a game of Go, or more than `max_positions` positions.
        """
        find = lib.golois_game_winning_moves
        wins = self._per_move(lambda handle, *moves: find(handle, max_positions, *moves))
        return np.flatnonzero(wins).tolist()

    def rollout_move(self, num_playouts: int, seed: int = 0) -> int:
        """The move of UCT with `num_playouts` random games to the end, without a network.

        Raises ArgumentError: a game of Go, whose eyes random moves fill; or a game that is over.
        """
        if num_playouts < 1:
            raise ArgumentError(f"num_playouts must be 1 or more, not {num_playouts}")
        move = ffi.new("int32_t *")
        with self._exclusive as handle:
            status = lib.golois_game_rollout_move(handle, num_playouts, seed % 2**64, move)
        check(status, ArgumentError)
        return move[0]

    def __str__(self) -> str:
        return drawn(self.stones(), " " if isinstance(self.rules, Hex) else "")

    def _per_move(self, function) -> np.ndarray:
        is_in = np.empty(self.pass_point + 1, np.uint8)
        with self._exclusive as handle:
            check(function(handle, buffer(is_in, "uint8_t[]"), is_in.size), ArgumentError)
        return is_in.astype(bool)


def after_moves(rules: Rules, moves: Iterable[int]) -> Game:
    """The game that has these moves."""
    game = Game(rules)
    for move in moves:
        game.play(move)
    return game


def _int32(number: int) -> int:
    return number if abs(number) <= MAX_INT32 else -1
