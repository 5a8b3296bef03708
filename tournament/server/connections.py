"""Closes connections that say nothing, so that they can't use up all slots."""

import asyncio
from collections.abc import Callable
from operator import attrgetter

from typing_extensions import override
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from tournament.server.limits import UNKNOWN, address_key

HEAD_SECONDS = 10.0
TAKE_SECONDS = 300.0  # until more of an answer is taken: slow lines take their time
MAX_OF_ADDRESS = 250  # a class behind one address, or all that come through a proxy


class ImpatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with limits to how long the other end may be silent.

    uvicorn itself waits forever; how long a body may take is `receiving.MAX_SECONDS`. Where there
    are too many connections, of one address or in all, a new one takes the place of the one that
    has been silent for longest.
    """

    _timer: asyncio.TimerHandle | None = None
    _silent_since = 0.0

    @override
    def connection_made(  # type: ignore[override]  # uvicorn asks for as much
        self, transport: asyncio.Transport
    ) -> None:
        super().connection_made(transport)
        self._address = address_key(self.client[0] if self.client else UNKNOWN)
        self._expect_a_head()
        self._make_room()

    @override
    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        if self._timer is not None:
            self._timer.cancel()

    @override
    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._expect_a_head()

    @override
    def pause_writing(self) -> None:
        super().pause_writing()
        self._after(TAKE_SECONDS, self.transport.abort)

    @override
    def resume_writing(self) -> None:
        super().resume_writing()
        self._expect_a_head()

    @override
    def send_400_response(self, text: str) -> None:
        if self.cycle is None:
            super().send_400_response(text)
        else:  # it would get into the answer under way, and its failure into the log
            self.transport.close()

    def _make_room(self) -> None:
        """Close a silent connection where there are too many; it may be this one."""
        alive = [one for one in self.connections
                 if isinstance(one, ImpatientProtocol) and not one.transport.is_closing()]
        of_address = [one for one in alive if one._address == self._address]
        if len(of_address) > MAX_OF_ADDRESS:
            crowd = of_address
        elif self.limit_concurrency and len(alive) >= self.limit_concurrency:
            crowd = alive
        else:
            return
        silent = (one for one in crowd if one._is_silent())
        min(silent, key=attrgetter("_silent_since")).transport.close()

    def _is_silent(self) -> bool:
        """Return whether there is no request, and nothing left of an answer."""
        is_answered = self.cycle is None or self.cycle.response_complete
        return is_answered and not self.transport.get_write_buffer_size()

    def _expect_a_head(self) -> None:
        self._silent_since = self.loop.time()
        self._after(HEAD_SECONDS, self._close_if_silent, self.cycle)

    def _close_if_silent(self, last_cycle: RequestResponseCycle | None) -> None:
        is_answered = last_cycle is None or last_cycle.response_complete
        if self.cycle is last_cycle and is_answered:  # no request has come since
            self.transport.close()  # once the answer is taken
            self._after(TAKE_SECONDS, self.transport.abort)

    def _after(self, seconds: float, act: Callable[..., None], *arguments: object) -> None:
        """Schedule one action, replacing the one that was scheduled before."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, act, *arguments)
