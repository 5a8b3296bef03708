"""Closes connections that say nothing or hardly read, so that they can't use up all slots."""

import asyncio
import random
import socket
import struct
from collections.abc import Callable

from typing_extensions import override
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from tournament.server import limits
from tournament.server.guard import UNKNOWN, address_key


class ImpatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with limits to how long the other end may be silent or read.

    Where one address or all have too many connections, a new one replaces the longest idle one.
    """

    _timer: asyncio.TimerHandle | None = None
    _waiting_since = 0.0
    _untaken = 0  # bytes of an answer when the server began to wait until they are taken
    _patience = 0.0  # seconds that are left of TAKE_SECONDS

    @override
    def connection_made(  # type: ignore[override]  # uvicorn asks for as much
        self, transport: asyncio.Transport
    ) -> None:
        super().connection_made(transport)
        self._line: socket.socket = transport.get_extra_info("socket")
        # asyncio leaves it out for a listening socket that Python has made.
        self._line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, limits.SEND_BUFFER)
        # uvicorn would refuse a request while a connection that made room is still ending.
        self._max_connections, self.limit_concurrency = self.limit_concurrency, None
        self._address = address_key(self.client[0] if self.client else UNKNOWN)
        self._expect_a_head()
        self._make_room()

    @override
    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self._stop_waiting()

    @override
    def data_received(self, data: bytes) -> None:
        if self._untaken and not self.transport.get_write_buffer_size():
            self._go_on()
        super().data_received(data)

    @override
    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._go_on()

    @override
    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_taking()

    @override
    def resume_writing(self) -> None:
        super().resume_writing()
        self._go_on()

    @override
    def send_400_response(self, text: str) -> None:
        if self.cycle is None:
            super().send_400_response(text)
        else:  # it would get into the answer under way, and its failure into the log
            self.transport.close()
        self._expect_taking()

    def _make_room(self) -> None:
        """Close a connection that waits where there are too many; it may be this one."""
        alive = [one for one in self.connections
                 if isinstance(one, ImpatientProtocol) and not one._is_ending()]
        of_address = [one for one in alive if one._address == self._address]
        if len(of_address) > limits.MAX_OF_ADDRESS:
            crowd = of_address
        elif self._max_connections and len(alive) >= self._max_connections:
            crowd = alive
        else:
            return
        waiting = (one for one in crowd if one._is_silent() or one._is_stuck())
        min(waiting, key=lambda one: one._waiting_since)._end()

    def _end(self) -> None:
        """Close the connection; what is left of an answer is forgotten, by the kernel as well."""
        if self.transport.get_write_buffer_size():
            self._line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def _is_ending(self) -> bool:
        return self.transport.is_closing() and not self.transport.get_write_buffer_size()

    def _is_answered(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _is_silent(self) -> bool:
        return self._is_answered() and not self.transport.get_write_buffer_size()

    def _is_stuck(self) -> bool:
        return bool(self._untaken) and self.loop.time() - self._waiting_since > limits.STUCK_SECONDS

    def _expect_a_head(self) -> None:
        # Not alike for all: those who are closed at once come back at once.
        self._patience = limits.TAKE_SECONDS * random.uniform(0.5, 1.5)
        self._waiting_since = self.loop.time()
        self._after(limits.HEAD_SECONDS, self._close_if_silent, self.cycle)

    def _close_if_silent(self, last_cycle: RequestResponseCycle | None) -> None:
        if self.cycle is last_cycle and self._is_answered():  # no request has come since
            self.transport.close()

    def _expect_taking(self) -> None:
        """Wait until what is left of an answer is taken, unless the server waits for it already."""
        if self._untaken:
            return
        self._untaken = self.transport.get_write_buffer_size()
        self._waiting_since = self.loop.time()
        seconds = self._patience + self._untaken / limits.MIN_BYTES_PER_SECOND
        self._after(seconds, self._close_if_untaken)

    def _close_if_untaken(self) -> None:
        if self.transport.get_write_buffer_size():
            self._end()
        else:
            self._go_on()

    def _go_on(self) -> None:
        """Wait for what comes next: a request, or until the rest of an answer is taken."""
        left = self.transport.get_write_buffer_size()
        if self._untaken:
            took = self.loop.time() - self._waiting_since
            self._patience -= max(0.0, took - (self._untaken - left) / limits.MIN_BYTES_PER_SECOND)
            self._untaken = 0
            self._stop_waiting()
        if left and self._is_answered():
            self._expect_taking()
        elif self._is_answered():
            self._expect_a_head()

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _after(self, seconds: float, act: Callable[..., None], *arguments: object) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(seconds, act, *arguments)
