"""Rate limits: a bucket for each token or address, which refills over time."""

import ipaddress
import math
from dataclasses import dataclass

MAX_BUCKETS = 10_000
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Rate:
    """How many at once, and how many per second in the long run."""

    at_once: int
    per_second: float


# Enough for a student fixing a network in the last hour, not for an endless loop.
UPLOADS = Rate(10, 1 / 120)
# A class behind one address, each with a page that asks every other second.
REQUESTS = Rate(2000, 100.0)
# Wrong tokens from one address; valid ones are let through regardless.
WRONG_TOKENS = Rate(20, 1 / 30)


class Limiter:
    """The buckets of one kind, full again after a restart of the server."""

    def __init__(self, rate: Rate):
        self._rate = rate
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait_seconds(self, key: str, now: float) -> int:
        """Take one for a key; return 0, or the whole seconds until one is available.

        Args:
            key: whose budget it is, such as an address.
            now: seconds on a clock that never goes back.
        """
        left, since = self._buckets.pop(key, (float(self._rate.at_once), now))
        left = min(self._rate.at_once, left + (now - since) * self._rate.per_second)
        taken = left >= 1
        self._buckets[key] = (left - taken, now)
        if len(self._buckets) > MAX_BUCKETS:  # the one that was used longest ago
            del self._buckets[next(iter(self._buckets))]
        return 0 if taken else max(1, math.ceil((1 - left) / self._rate.per_second))


def address_key(address: str) -> str:
    """Return the key of a bucket: an IPv4 address, or an IPv6 network of 64 bits, as a home has.

    Whatever is not an address has one key, since a proxy may forward whatever a client invents.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return UNKNOWN
    if parsed.version == 4:
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(parsed), 64), strict=False))
