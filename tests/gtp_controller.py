"""A controller that talks to an engine in another thread, through pipes as a Go program would."""

import os
import threading

from tests.fake_arena import FakeEvaluator, busy
from tests.fake_network import hashed
from tournament.gtp.engine import engine_session
from tournament.gtp.lines import Lines
from tournament.gtp.protocol import Answers
from tournament.gtp.thinking import GtpOptions
from tournament.players.limits import Limits

PATIENCE = 20.0  # seconds


class Controller:
    """Starts an engine with a fake network; a context that closes the engine's input at its end."""

    def __init__(self, answer=hashed, *, visits: int = 4, cpu_seconds: float = 0.0, **options):
        to_engine, self._input = os.pipe()
        output, from_engine = os.pipe()
        self._lines, self._output = Lines(output), os.fdopen(from_engine, "w")
        evaluator = FakeEvaluator(busy(answer, cpu_seconds))
        session = engine_session(
            "Ada",
            "1",
            evaluator,
            GtpOptions(Limits(visits=visits), **options),
            Lines(to_engine),
            Answers(self._output),
        )
        self._thread = threading.Thread(target=session.run, daemon=True)
        self._thread.start()

    def __enter__(self) -> "Controller":
        return self

    def __exit__(self, *exception) -> None:
        os.close(self._input)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self._output.close()

    def say(self, text: str) -> None:
        os.write(self._input, text.encode())

    def hear_line(self) -> str:
        assert self._lines.wait(PATIENCE), "the engine says nothing"
        return self._lines.next()

    def hear(self) -> str:
        """One answer, without the empty line at its end."""
        lines = []
        while line := self.hear_line():
            lines.append(line)
        return "\n".join(lines)

    def ask(self, command: str) -> str:
        """The answer to one command."""
        self.say(command + "\n")
        return self.hear()

    def has_ended(self) -> bool:
        self._thread.join(PATIENCE)
        return not self._thread.is_alive()
