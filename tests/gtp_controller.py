"""A controller that talks to an engine in another thread, through pipes as a Go program would."""

import json
import os
import threading

from tests.fake_arena import FakeEvaluator, busy
from tests.fake_network import hashed
from tournament.gtp.engine import engine_session
from tournament.gtp.katrain import KaTrainEngine
from tournament.gtp.protocol import Answers, Lines
from tournament.gtp.thinking import GtpOptions
from tournament.players.limits import Limits

PATIENCE = 20.0  # seconds


class Conversation:
    """Runs an engine in a thread; a context that closes the engine's input at its end.

    Args:
        make: returns the engine, given the lines that it reads and the file that it writes to.
    """

    def __init__(self, make):
        to_engine, self._input = os.pipe()
        output, from_engine = os.pipe()
        self._lines, self._output = Lines(output), os.fdopen(from_engine, "w")
        engine = make(Lines(to_engine), self._output)
        self._thread = threading.Thread(target=engine.run, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *exception) -> None:
        os.close(self._input)
        assert self.has_ended()
        self._output.close()

    def say(self, text: str) -> None:
        os.write(self._input, text.encode())

    def hear_line(self) -> str:
        assert self._lines.wait(PATIENCE), "the engine says nothing"
        return self._lines.next()

    def has_ended(self) -> bool:
        self._thread.join(PATIENCE)
        return not self._thread.is_alive()


class GtpConversation(Conversation):
    """Asks an engine over GTP."""

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


class Controller(GtpConversation):
    """Asks an engine with a fake network over GTP."""

    def __init__(self, answer=hashed, *, visits: int = 4, cpu_seconds: float = 0.0, **options):
        evaluator = FakeEvaluator(busy(answer, cpu_seconds))
        options = GtpOptions(Limits(visits=visits), **options)
        super().__init__(
            lambda lines, output: engine_session(
                "Ada", "1", evaluator, options, lines, Answers(output)
            )
        )


class Asker(Conversation):
    """Asks an engine with a fake network in KataGo's JSON."""

    def __init__(self, answer=hashed, cpu_seconds: float = 0.0, evaluator=None):
        evaluator = evaluator or FakeEvaluator(busy(answer, cpu_seconds))
        options = GtpOptions(Limits(seconds=1))
        super().__init__(
            lambda lines, output: KaTrainEngine("Ada", "1", evaluator, options, lines, output)
        )

    def ask(self, *asked: dict | str) -> None:
        lines = [line if isinstance(line, str) else json.dumps(line) for line in asked]
        self.say("".join(f"{line}\n" for line in lines))

    def hear(self) -> dict:
        return json.loads(self.hear_line())
