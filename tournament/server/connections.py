"""Connections that say nothing: closed after a while, so that they can't take all places."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 20.0


class ImpatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with a limit to how long the head of a request may take.

    uvicorn itself waits for ever; how long a body may take is `receiving.MAX_SECONDS`.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._expect_a_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._expect_a_head()

    def _expect_a_head(self) -> None:
        self.loop.call_later(HEAD_SECONDS, self._close_if_silent, self.cycle)

    def _close_if_silent(self, last_cycle: object) -> None:
        if self.cycle is last_cycle:  # no request has come since
            self.transport.close()
