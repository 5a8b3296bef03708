"""Closes idle connections after a while, so that they can't use up all slots."""

import asyncio
from collections.abc import Callable

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 20.0
TAKE_SECONDS = 300.0  # until more of an answer is taken: slow lines take their time


class ImpatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with limits to how long the other end may be silent.

    uvicorn itself waits forever; how long a body may take is `receiving.MAX_SECONDS`.
    """

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._expect_a_head()

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self._timer.cancel()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._expect_a_head()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._after(TAKE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._expect_a_head()

    def send_400_response(self, text: str) -> None:
        if self.cycle is None:
            super().send_400_response(text)
        else:  # it would get into the answer under way, and its failure into the log
            self.transport.close()

    def _expect_a_head(self) -> None:
        self._after(HEAD_SECONDS, self._close_if_silent, self.cycle)

    def _close_if_silent(self, last_cycle: object) -> None:
        is_answered = last_cycle is None or last_cycle.response_complete
        if self.cycle is last_cycle and is_answered:  # no request has come since
            self.transport.close()  # once the answer is taken
            self._after(TAKE_SECONDS, self.transport.abort)

    def _after(self, seconds: float, act: Callable[..., None], *arguments: object) -> None:
        """Schedule one action, replacing the one that was scheduled before."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, act, *arguments)
