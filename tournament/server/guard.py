"""Middleware around the whole application: headers, a log line, a rate limit by address."""

import logging
import time
from collections.abc import MutableMapping
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tournament.intake.faults import printable
from tournament.page_headers import HEADERS
from tournament.server.limits import REQUESTS, UNKNOWN, Limiter, address_key

LOG = logging.getLogger("tournament.server")


class Guard:
    """An application with the same headers on all its answers, errors of its own included.

    The log has address, method, path and status, but no queries or headers, so no token gets
    there, even if it is put into an address by mistake.
    """

    def __init__(self, app: ASGIApp):
        self._app = app
        self._requests = Limiter(REQUESTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse one of an address that sends too many."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        address = scope["client"][0] if scope["client"] else UNKNOWN
        status = 0

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], *_added(message)]}
            await send(message)

        wait = self._requests.wait_seconds(address_key(address), time.monotonic())
        app = _too_many(wait) if wait else self._app
        if {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}:
            app = _two_lengths()
        try:
            await app(scope, receive, send_guarded)
        finally:
            said = (printable(address, 60), printable(scope["method"], 10))
            LOG.info("%s %s %s %s", *said, printable(scope["path"], 120), status or "-")


def _added(message: MutableMapping[str, Any]) -> list[tuple[bytes, bytes]]:
    present = {name.lower() for name, _ in message["headers"]}
    headers = {"Cache-Control": "no-store", **HEADERS}
    encoded = ((name.lower().encode(), value.encode()) for name, value in headers.items())
    return [(name, value) for name, value in encoded if name not in present]


def _two_lengths() -> ASGIApp:
    """Answer a request whose end is unclear: a proxy may take the rest of it for another one."""
    return JSONResponse(
        {"problem": "expected Content-Length or Transfer-Encoding: got both"},
        status_code=400, headers={"Connection": "close"},
    )


def _too_many(wait: int) -> ASGIApp:
    return JSONResponse(
        {"problem": f"too many requests from your address: wait {wait} seconds"},
        status_code=429, headers={"Retry-After": str(wait)},
    )
