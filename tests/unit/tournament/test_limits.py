"""Buckets that fill up with time, and the limits that the page on the server has."""

import pytest

from tests.data import ROOT
from tournament.intake.take import file_limit
from tournament.server import limits
from tournament.server.guard import Limiter, address_key
from tournament.server.limits import Rate


def test_so_many_at_once_and_then_as_time_passes():
    limiter = Limiter(Rate(3, 0.5))
    assert [limiter.wait_seconds("a", 10.0) for _ in range(5)] == [0, 0, 0, 2, 2]
    assert limiter.wait_seconds("a", 11.0) == 1
    assert limiter.wait_seconds("a", 12.0) == 0
    assert limiter.wait_seconds("a", 12.0) == 2
    assert limiter.wait_seconds("b", 12.0) == 0, "everybody has a bucket of their own"
    assert [limiter.wait_seconds("a", 1000.0) for _ in range(4)] == [0, 0, 0, 2]


def test_addresses_without_end_need_no_memory_without_end(monkeypatch):
    monkeypatch.setattr(limits, "MAX_BUCKETS", 10)
    limiter = Limiter(Rate(1, 0.001))
    for number in range(100):
        limiter.wait_seconds(f"{number}", 0.0)
    assert limiter.wait_seconds("99", 0.0) > 0
    assert limiter.wait_seconds("0", 0.0) == 0
    assert len(limiter._buckets) == 10


def test_a_home_or_an_interface_in_ipv6_shares_one_bucket():
    assert address_key("2001:db8:1:2:3:4:5:6") == address_key("2001:db8:1:2:ffff::1")
    assert address_key("2001:db8:1:3::1") != address_key("2001:db8:1:2::1")
    assert address_key("::ffff:192.0.2.7") == address_key("192.0.2.7") == "192.0.2.7"
    assert address_key(f"fe80::1%{'x' * 10_000}") == address_key("fe80::1") == "fe80::/64"


@pytest.mark.parametrize(
    "said", ["unknown", "", "x" * 10_000, "1.2.3.4, 5.6.7.8", "1.2.3.4\x85", "01.2.3.4", "::1::"]
)
def test_what_is_no_address_shares_one_bucket(said):
    assert address_key(said) == "unknown"


def test_the_page_on_the_server_has_the_limits():
    times = {120: "two minutes", 30: "half minute"}
    uploads, wrong = limits.UPLOADS, limits.WRONG_TOKENS
    text = (ROOT / "docs" / "teacher" / "server.md").read_text("utf-8")
    for row in (
        f"| a file | {file_limit(100_000):,} bytes, more for a larger budget "
        "([intake.md](../maintainer/intake.md#limits)), "
        f"{limits.RECEIVE_SECONDS // 60} minutes | 413, 408 |",
        f"| files of one student | {uploads.at_once} at once, then one more every "
        f"{times[round(1 / uploads.per_second)]}; {limits.MAX_QUEUED} waiting for a verdict; "
        f"{limits.MAX_OF_ONE} being uploaded | 429 |",
        f"| files being uploaded | {limits.MAX_AT_A_TIME} | 503 |",
        f"| challenges of one student | 1 waiting, {limits.CHALLENGES_A_DAY} in 24 hours | 429 |",
        f"| requests of one address (IPv6: of a /64) | {limits.REQUESTS.at_once:,}, then "
        f"{limits.REQUESTS.per_second:.0f} a second | 429 |",
        f"| wrong tokens of one address | {wrong.at_once}, then one every "
        f"{times[round(1 / wrong.per_second)]}; right tokens still work | 429 |",
        f"| free disk | {limits.MIN_FREE_BYTES // 10**6} MB | 507 |",
        f"| connections of one address (IPv6: of a /64), or of a proxy | {limits.MAX_OF_ADDRESS} |",
        f"| connections | {limits.MAX_CONNECTIONS} | closed |",
    ):
        assert f"\n{row}" in text, row
    assert f"up to {limits.CHALLENGE_GAMES} games at {limits.CHALLENGE_VISITS} visits" in text
    assert f"while less than {limits.MIN_FREE_BYTES // 10**6} MB of the disk are free" in text
    assert f"The latest {limits.KEPT_CHALLENGES} matches of a student are kept" in text
