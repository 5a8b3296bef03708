"""The arena's exceptions: one root; each subclass also inherits from a matching builtin."""

from golois.kit.command import KitError

EXIT_GIVEN_UP = 3
"""Of a run that leaves void games. Python itself ends with 1 after an unexpected error."""


class TournamentError(KitError):
    """Root of all errors of the package."""


class OptionsError(TournamentError, ValueError):
    """An option that is out of range, or differs from the option that the league was begun with."""


class RequestError(TournamentError, ValueError):
    """A request to a page's server that asks for nothing that it could answer."""


class LeagueError(TournamentError, RuntimeError):
    """A league's folder that cannot be used: missing, locked, damaged, or of another version."""


class SubmissionError(TournamentError, ValueError):
    """A network that cannot be filed under this name."""


class NetworkError(TournamentError, RuntimeError):
    """A network failed to evaluate, or answered with something that is not a policy and a value."""


class NetworkMemoryError(NetworkError):
    """A network needs more memory than there is."""


class EngineError(TournamentError, RuntimeError):
    """No game can be played on this machine: every worker fails."""
