"""The engine put together: a network, a game, and every command, searches included."""

import time
from collections.abc import Callable
from functools import partial

from golois.constants import PASS
from golois.go.coords import point_to_gtp
from golois.search.tree import Tree
from tournament.gtp.clock import TimeSettings
from tournament.gtp.game import GameCommands, GtpGame
from tournament.gtp.gogui import GoGuiCommands
from tournament.gtp.info import InfoOptions, kata_line, lz_line, read_options
from tournament.gtp.protocol import (
    SYNTAX_ERROR,
    Answers,
    Arguments,
    GtpError,
    Handler,
    Lines,
    Session,
)
from tournament.gtp.thinking import GtpOptions, Thinker
from tournament.networks.evaluator import Evaluator
from tournament.players.search import GoOn, to_the_limit

WriteLine = Callable[[Tree, InfoOptions], str]
LINES: dict[str, WriteLine] = {"lz": lz_line, "kata": kata_line}


def engine_session(
    name: str,
    version: str,
    evaluator: Evaluator,
    options: GtpOptions,
    lines: Lines,
    answers: Answers,
) -> Session:
    """Return a session of an engine that plays with a network under its name and version.

    Raises:
        NetworkError: the network fails before the first move.
    """
    game = GtpGame(options.komi)
    thinker = Thinker(evaluator, options)
    groups = (
        GameCommands(game, thinker.begin),
        ThinkingCommands(game, thinker, lines, answers),
        GoGuiCommands(game, thinker),
    )
    handlers = {name: handler for group in groups for name, handler in group.handlers().items()}
    return Session(name, version, lines, answers, handlers)


class ThinkingCommands:
    """The engine's moves, its clock, and searches that print what they have found.

    A move has the engine's limit or the controller's clock. The controller's next line stops an
    analysis; lz-analyze and kata-analyze differ in what they print.
    """

    def __init__(self, game: GtpGame, thinker: Thinker, lines: Lines, answers: Answers):
        self._game = game
        self._thinker = thinker
        self._lines = lines
        self._answers = answers

    def handlers(self) -> dict[str, Handler]:
        """Return the commands by name."""
        found: dict[str, Handler] = {
            "genmove": lambda arguments: self._generate(arguments.colour()),
            "reg_genmove": self._considered_move,
            "kgs-genmove_cleanup": self._cleanup_move,
            "time_settings": self._set_time,
            "kgs-time_settings": self._set_kgs_time,
            "time_left": self._set_time_left,
            "cputime": lambda arguments: f"{time.process_time():.3f}",
        }
        for name, write in LINES.items():
            found[f"{name}-analyze"] = partial(self._analyse, write=write)
            found[f"{name}-genmove_analyze"] = partial(self._watched_move, write=write)
        return found

    def _generate(self, colour: int, go_on: GoOn = to_the_limit) -> str:
        """Play and return a move; pass after the end, resign only games without set-up stones."""
        board = self._game.board
        board.to_play = colour
        if self._game.is_over():
            return self._played(PASS)
        point = self._thinker.choose(board, self._game.komi, go_on).point
        if self._thinker.resigns(colour) and not self._game.has_set_up:
            return "resign"
        return self._played(point)

    def _considered_move(self, arguments: Arguments) -> str:
        board = self._game.board.copy()
        board.to_play = arguments.colour()
        if self._game.is_over():
            return point_to_gtp(PASS)
        return point_to_gtp(self._thinker.consider(board, self._game.komi).point)

    def _cleanup_move(self, arguments: Arguments) -> str:
        """Play as if nobody had passed; pass only when no move is left that could matter."""
        board = self._game.without_passes()
        self._game.board.to_play = board.to_play = arguments.colour()
        return self._played(self._thinker.choose(board, self._game.komi).point)

    def _set_time(self, arguments: Arguments) -> None:
        main, period, num_stones = (arguments.integer() for _ in range(3))
        self._thinker.set_time(TimeSettings(main, period, num_stones))

    def _set_kgs_time(self, arguments: Arguments) -> None:
        """Set a time system by its KGS name: none, absolute, byoyomi (Japanese) or canadian."""
        system = arguments.word().lower()
        if system == "none":
            self._thinker.set_time(None)
        elif system == "absolute":
            self._thinker.set_time(TimeSettings(arguments.integer()))
        elif system == "byoyomi":
            main, period, num_periods = (arguments.integer() for _ in range(3))
            self._thinker.set_time(TimeSettings(main, period, 1, num_periods))
        elif system == "canadian":
            self._set_time(arguments)
        else:
            raise GtpError(SYNTAX_ERROR)

    def _set_time_left(self, arguments: Arguments) -> None:
        colour, seconds, num_stones = arguments.colour(), arguments.number(), arguments.integer()
        self._thinker.clock.set_left(colour, seconds, num_stones)

    def _analyse(self, arguments: Arguments, write: WriteLine) -> None:
        """Search the position, as if nobody had passed where passes have ended the game."""
        game = self._game
        board = game.without_passes() if game.is_over() else game.board.copy()
        board.to_play = self._colour(arguments)
        report = _Report(self._answers, write, read_options(arguments))

        def go_on(tree: Tree) -> bool:
            report.show_now_and_then(tree)
            return not (report.has_begun and self._lines.wait(0))

        tree = self._thinker.analyse(board, game.komi, go_on=go_on)
        while not self._lines.wait(report.options.interval):  # there is nothing left to find out
            report.show(tree)

    def _watched_move(self, arguments: Arguments, write: WriteLine) -> None:
        colour = self._colour(arguments)
        report = _Report(self._answers, write, read_options(arguments))

        def go_on(tree: Tree) -> bool:
            report.show_now_and_then(tree)
            return True

        self._answers.stream(f"play {self._generate(colour, go_on)}")

    def _colour(self, arguments: Arguments) -> int:
        return arguments.colour() if arguments.begins_with_colour() else self._game.board.to_play

    def _played(self, point: int) -> str:
        self._game.board.play(point)
        return point_to_gtp(point)


class _Report:
    """Lines of an analysis, the first as soon as there is one, the others an interval apart."""

    def __init__(self, answers: Answers, write: WriteLine, options: InfoOptions):
        self.options = options
        self.has_begun = False
        self._answers = answers
        self._write = write
        self._next = time.monotonic()

    def show_now_and_then(self, tree: Tree) -> None:
        if time.monotonic() >= self._next:
            self.show(tree)

    def show(self, tree: Tree) -> None:
        line = self._write(tree, self.options)
        if line:  # an empty line would end the answer
            self._answers.stream(line)
            self._next = time.monotonic() + self.options.interval
            self.has_begun = True
