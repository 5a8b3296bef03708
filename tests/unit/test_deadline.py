"""Until when files count: a moment in a time zone that is said."""

import pytest

from tournament.errors import OptionsError
from tournament.league.deadline import read_deadline


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "2026-11-28 23:59 Europe/Paris",
            "Saturday, 28 November 2026, 23:59:00 Europe/Paris (22:59:00 UTC)",
        ),
        (
            "2026-07-04T23:59:30+02:00",
            "Saturday, 04 July 2026, 23:59:30 UTC+0200 (21:59:30 UTC)",
        ),
        ("2026-11-28T23:59Z", "Saturday, 28 November 2026, 23:59:00 UTC"),
        ("2026-11-28 23:59 UTC", "Saturday, 28 November 2026, 23:59:00 UTC"),
        (  # 02:30 is there twice in this night: the first, in summer time
            "2026-10-25 02:30 Europe/Paris",
            "Sunday, 25 October 2026, 02:30:00 Europe/Paris (00:30:00 UTC)",
        ),
    ],
)
def test_a_deadline_says_its_zone(text, said):
    assert str(read_deadline(text)) == said


def test_its_last_second_is_included_whole():
    deadline = read_deadline("2026-11-28 23:59:59 Europe/Paris")
    assert deadline.includes("2026-11-28T22:59:59.999999+00:00")
    assert not deadline.includes("2026-11-28T23:00:00.000000+00:00")


@pytest.mark.parametrize(
    "text",
    ["", "tomorrow", "2026-11-28", "2026-11-28 23:59", "2026-11-28T23:59:00",
     "2026-11-28 23:59 Europe/Atlantis", "2026-11-28 23:59 ../etc/passwd", "2026-13-28 23:59 UTC",
     "2026-11-28T23:59Z Europe/Paris", "2026-11-28 Europe/Paris", "2026-W48-6 UTC", "20261128 UTC"],
)
def test_a_day_without_a_time_or_a_time_without_a_zone_is_refused(text):
    with pytest.raises(OptionsError, match="with its time zone"):
        read_deadline(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0001-01-01 00:00 UTC", "got the year 1"),
        ("0001-01-01T00:00:00+02:00", "got the year 1"),
        ("9999-12-31T23:59:59-02:00", "got the year 9999"),
        ("2026-03-29 02:30 Europe/Paris", "no 02:30 on 29 March 2026 in Europe/Paris"),
        ("2026-03-29 02:00 Europe/Paris", "no 02:00 on 29 March 2026 in Europe/Paris"),
    ],
)
def test_a_time_that_no_clock_will_show_is_refused(text, said):
    with pytest.raises(OptionsError, match=said):
        read_deadline(text)


def test_the_hours_beside_the_skipped_one_are_times():
    for text in ("2026-03-29 01:59 Europe/Paris", "2026-03-29 03:00 Europe/Paris"):
        assert read_deadline(text).moment.strftime("%Y-%m-%d %H:%M") in text
