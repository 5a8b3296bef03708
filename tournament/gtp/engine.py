"""The engine put together: a network, a game, and every command."""

from tournament.gtp.analysis_commands import AnalysisCommands
from tournament.gtp.game import GtpGame
from tournament.gtp.game_commands import GameCommands
from tournament.gtp.gogui_commands import GoGuiCommands
from tournament.gtp.lines import Lines
from tournament.gtp.play_commands import PlayCommands
from tournament.gtp.protocol import Answers
from tournament.gtp.session import Session
from tournament.gtp.thinking import GtpOptions, Thinker
from tournament.networks.evaluator import Evaluator


def engine_session(
    name: str,
    version: str,
    evaluator: Evaluator,
    options: GtpOptions,
    lines: Lines,
    answers: Answers,
) -> Session:
    """Return a session of an engine that plays with a network.

    Args:
        name: of the network, as the controller will show it.
        version: of the network, likewise.
        evaluator: the network.
        options: how it plays.
        lines: from the controller.
        answers: to the controller.

    Raises:
        NetworkError: the network fails before the first move.
    """
    game = GtpGame(options.komi)
    thinker = Thinker(evaluator, options)
    play = PlayCommands(game, thinker)
    groups = (
        GameCommands(game, thinker.begin),
        play,
        AnalysisCommands(game, thinker, play, lines, answers),
        GoGuiCommands(game, thinker),
    )
    handlers = {name: handler for group in groups for name, handler in group.handlers().items()}
    return Session(name, version, lines, answers, handlers)
