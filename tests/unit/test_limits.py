"""Buckets that fill up with time."""

import pytest

from tournament.server import limits
from tournament.server.limits import Limiter, Rate, address_key


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


def test_a_home_in_ipv6_shares_one_bucket():
    assert address_key("2001:db8:1:2:3:4:5:6") == address_key("2001:db8:1:2:ffff::1")
    assert address_key("2001:db8:1:3::1") != address_key("2001:db8:1:2::1")
    assert address_key("::ffff:192.0.2.7") == address_key("192.0.2.7") == "192.0.2.7"


@pytest.mark.parametrize(
    "said", ["unknown", "", "x" * 10_000, "1.2.3.4, 5.6.7.8", "1.2.3.4\x85", "01.2.3.4", "::1::"]
)
def test_what_is_no_address_shares_one_bucket(said):
    assert address_key(said) == "unknown"


def test_the_name_of_an_interface_makes_no_bucket_of_its_own():
    assert address_key(f"fe80::1%{'x' * 10_000}") == address_key("fe80::1") == "fe80::/64"
