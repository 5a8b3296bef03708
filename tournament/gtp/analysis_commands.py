"""Commands that show the search while it runs: lz-analyze, kata-analyze and their genmoves."""

import time
from collections.abc import Callable
from functools import partial

from golois.search import Tree
from tournament.gtp.game import GtpGame
from tournament.gtp.info import InfoOptions, kata_line, lz_line, read_options
from tournament.gtp.lines import Lines
from tournament.gtp.play_commands import PlayCommands
from tournament.gtp.protocol import Answers, Arguments
from tournament.gtp.session import Handler
from tournament.gtp.thinking import Thinker

WriteLine = Callable[[Tree, InfoOptions], str]
LINES: dict[str, WriteLine] = {"lz": lz_line, "kata": kata_line}


class AnalysisCommands:
    """Searches that print what they have found, to the controller's next line or their limit.

    Args:
        game: the game that the engine is in.
        thinker: who searches.
        play: who makes the engine's moves.
        lines: the controller's; the next one stops an analysis.
        answers: where the lines of an analysis go.
    """

    def __init__(
        self, game: GtpGame, thinker: Thinker, play: PlayCommands, lines: Lines, answers: Answers
    ):
        self._game = game
        self._thinker = thinker
        self._play = play
        self._lines = lines
        self._answers = answers

    def handlers(self) -> dict[str, Handler]:
        """Return the commands by name."""
        found: dict[str, Handler] = {}
        for name, write in LINES.items():
            found[f"{name}-analyze"] = partial(self._analyse, write=write)
            found[f"{name}-genmove_analyze"] = partial(self._generate, write=write)
        return found

    def _analyse(self, arguments: Arguments, write: WriteLine) -> str:
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
        return ""

    def _generate(self, arguments: Arguments, write: WriteLine) -> str:
        colour = self._colour(arguments)
        report = _Report(self._answers, write, read_options(arguments))

        def go_on(tree: Tree) -> bool:
            report.show_now_and_then(tree)
            return True

        self._answers.stream(f"play {self._play.generate(colour, go_on)}")
        return ""

    def _colour(self, arguments: Arguments) -> int:
        return arguments.colour() if arguments.begins_with_colour() else self._game.board.to_play


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
