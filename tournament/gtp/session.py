"""A conversation with a controller: one answer for each command, until it quits or goes away."""

from collections.abc import Callable, Mapping

from golois.errors import GoloisError
from tournament.errors import TournamentError
from tournament.gtp.lines import Lines
from tournament.gtp.protocol import Answers, Arguments, GtpError, Request, parse_request

PROTOCOL_VERSION = "2"
Handler = Callable[[Arguments], str]


class Session:
    """Runs the commands that it knows, one after the other.

    Args:
        name, version: of the engine.
        lines: from the controller.
        answers: to the controller.
        handlers: the engine's commands by name; what the protocol itself asks for is added.
    """

    def __init__(
        self,
        name: str,
        version: str,
        lines: Lines,
        answers: Answers,
        handlers: Mapping[str, Handler],
    ):
        self._lines = lines
        self._answers = answers
        self._handlers: dict[str, Handler] = {
            "protocol_version": lambda arguments: PROTOCOL_VERSION,
            "name": lambda arguments: name,
            "version": lambda arguments: version,
            "known_command": self._known_command,
            "list_commands": lambda arguments: "\n".join(sorted(self._handlers)),
            "quit": lambda arguments: "",
            **handlers,
        }

    def run(self) -> None:
        """Answer until `quit` or the end of the input."""
        while (line := self._lines.next()) is not None:
            request = parse_request(line)
            if request is None:
                continue
            self._answer(request)
            if request.command == "quit":
                return

    def _answer(self, request: Request) -> None:
        self._answers.begin(request.id)
        try:
            text = self._run(request)
        except (TournamentError, GoloisError) as error:
            self._answers.fail(str(error))
        else:
            self._answers.succeed(text)

    def _run(self, request: Request) -> str:
        if request.command not in self._handlers:
            raise GtpError("unknown command")
        return self._handlers[request.command](Arguments(request.words))

    def _known_command(self, arguments: Arguments) -> str:
        return "true" if arguments and arguments.word() in self._handlers else "false"
