"""Middleware around the whole application: headers, a log line, a rate limit by address."""

import ipaddress
import math
import time
from collections.abc import MutableMapping
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tournament.intake.faults import printable
from tournament.server import limits
from tournament.server.desk import LOG
from tournament.web import HEADERS

UNKNOWN = "unknown"


class Limiter:
    """The buckets of one kind, full again after a restart of the server."""

    def __init__(self, rate: limits.Rate):
        self._rate = rate
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait_seconds(self, key: str, now: float) -> int:
        """Take a request from a key's bucket; return 0, or whole seconds until there is one."""
        left, since = self._buckets.pop(key, (float(self._rate.at_once), now))
        left = min(self._rate.at_once, left + (now - since) * self._rate.per_second)
        taken = left >= 1
        self._buckets[key] = (left - taken, now)
        if len(self._buckets) > limits.MAX_BUCKETS:  # the one that was used longest ago
            del self._buckets[next(iter(self._buckets))]
        return 0 if taken else max(1, math.ceil((1 - left) / self._rate.per_second))


class Guard:
    """An application with the same headers on all its answers, errors of its own included.

    The log has no queries or headers, so no token gets there by mistake.
    """

    def __init__(self, app: ASGIApp):
        self._app = app
        self._requests = Limiter(limits.REQUESTS)

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


def address_key(address: str) -> str:
    """Return a bucket's key: an IPv4 address, an IPv6 network of 64 bits, or a common key."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return UNKNOWN
    if parsed.version == 4:
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(parsed), 64), strict=False))


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
