"""The controller's clock: what a move may take, in wall seconds."""

import pytest

from golois.go.coords import BLACK, WHITE
from tournament.gtp.clock import LEAST_SECONDS, GameClock, TimeSettings

CANADIAN = TimeSettings(600, 300, 25)
JAPANESE = TimeSettings(600, 30, 1, 5)


@pytest.mark.parametrize(
    "settings",
    [
        None,
        TimeSettings(0, 10, 0),
        TimeSettings(600, 10, 0),
        TimeSettings(0),
        TimeSettings(0, 0, 5),
    ],
)
def test_time_does_not_matter_without_a_clock_or_with_byo_yomi_of_no_stones(settings):
    clock = GameClock(settings)
    clock.set_left(BLACK, 5, 0)
    clock.spend(BLACK, 3)
    assert not clock.matters
    assert clock.seconds_for(BLACK, 0) is None


@pytest.mark.parametrize(
    ("settings", "left", "own_moves", "seconds"),
    [
        (TimeSettings(1500), None, 0, 0.9 * 7.5 - 0.1),  # 200 moves expected
        (TimeSettings(1500), (300, 0), 199, 0.9 * 7.5 - 0.1),  # always 40 more
        (CANADIAN, None, 0, 0.9 * (3 + 12) - 0.1),
        (CANADIAN, (100, 10), 50, 0.9 * 10 - 0.1),
        (TimeSettings(0, 300, 25), None, 0, 0.9 * 12 - 0.1),
        (JAPANESE, None, 0, 0.9 * (3 + 30) - 0.1),
        (JAPANESE, (30, 5), 90, 0.9 * 30 - 0.1),
        (JAPANESE, (2, 0), 90, 0.9 * 2 - 0.1),
        (TimeSettings(10), (0.05, 0), 300, LEAST_SECONDS),
        (TimeSettings(10), (-3, 0), 300, LEAST_SECONDS),
        (TimeSettings(10, 0, 1, 5), (-3, 0), 300, LEAST_SECONDS),
        (JAPANESE, (0.1, 0), 90, 0.9 * 30 - 0.1),  # byo-yomi is about to begin
        (CANADIAN, (-3, 0), 90, 0.9 * 12 - 0.1),
    ],
)
def test_a_move_gets_its_share_less_a_reserve(settings, left, own_moves, seconds):
    clock = GameClock(settings)
    if left is not None:
        clock.set_left(WHITE, *left)
    assert clock.seconds_for(WHITE, own_moves) == pytest.approx(seconds)


@pytest.mark.parametrize("overhead", [0.0, 0.02])
def test_sudden_death_lasts_for_300_moves(overhead):
    clock, left = GameClock(TimeSettings(300)), 300.0
    for num_own_moves in range(300):
        seconds = clock.seconds_for(BLACK, num_own_moves)
        clock.spend(BLACK, seconds)
        left -= seconds + overhead
    assert 0 < left < 60


@pytest.mark.parametrize("settings", [CANADIAN, TimeSettings(0, 10, 5)])
def test_canadian_periods_are_never_overrun_and_begin_anew(settings):
    """The referee's own count: main time, then periods of so many stones."""
    clock, main, left, num_stones = GameClock(settings), settings.main, 0.0, 0
    for num_own_moves in range(300):
        seconds = clock.seconds_for(BLACK, num_own_moves)
        clock.spend(BLACK, seconds)
        if main > 0:
            main -= seconds
            assert main > -settings.period
            continue
        if num_stones == 0:
            left, num_stones = settings.period, settings.num_stones
        left, num_stones = left - seconds, num_stones - 1
        assert left > 0
    assert main <= 0


# What is left after moves that take so long: seconds, and stones or periods.
@pytest.mark.parametrize(
    ("settings", "moves", "left"),
    [
        (JAPANESE, [599], (1, 0)),
        (JAPANESE, [600], (30, 5)),
        (JAPANESE, [620], (30, 5)),
        (JAPANESE, [600, 30], (30, 5)),
        (JAPANESE, [600, 31], (30, 4)),
        (JAPANESE, [599, 32], (30, 4)),
        (JAPANESE, [600, 31, 29, 65], (30, 2)),
        (JAPANESE, [600, 100], (30, 2)),
        (JAPANESE, [600, 31, 31, 31, 31, 31, 31], (30, 1)),
        (JAPANESE, [10_000], (30, 1)),
        (TimeSettings(0, 30, 1, 5), [31], (30, 4)),
        (CANADIAN, [600], (300, 24)),
        (CANADIAN, [610], (290, 24)),
        (CANADIAN, [610, 100], (190, 23)),
        (CANADIAN, [610, 289.5], (0.5, 23)),
        (CANADIAN, [610, 291], (300, 25)),
        (CANADIAN, [1000], (300, 25)),
        (TimeSettings(0, 10, 2), [4, 4], (10, 2)),
        (TimeSettings(10), [4, 7], (-1, 0)),
        (TimeSettings(10, 0, 1, 5), [11], (-1, 0)),
    ],
)
def test_time_is_counted_down_where_the_controller_says_nothing(settings, moves, left):
    clock = GameClock(settings)
    for seconds in moves:
        clock.spend(BLACK, seconds)
    assert clock._left[BLACK] == pytest.approx(left)
    start = (settings.main, 0) if settings.main else (settings.period, settings.num_periods or 2)
    assert clock._left[WHITE] == start
    clock.set_left(BLACK, 20, 3)
    assert clock._left[BLACK] == (20, 3), "what the controller says counts"


@pytest.mark.parametrize("settings", [JAPANESE, CANADIAN, TimeSettings(60, 10, 5)])
def test_the_end_of_main_time_is_no_reason_to_hurry_for_long(settings):
    clock, hasty = GameClock(settings), 0
    for num_own_moves in range(300):
        seconds = clock.seconds_for(BLACK, num_own_moves)
        hasty += seconds < 0.5
        clock.spend(BLACK, seconds)
    assert hasty <= 3


@pytest.mark.parametrize("settings", [JAPANESE, CANADIAN], ids=["japanese", "canadian"])
def test_a_long_pause_in_byo_yomi_sends_nobody_to_sleep(settings):
    clock = GameClock(settings)
    clock.spend(BLACK, 600)
    awake = clock.seconds_for(BLACK, 90)
    clock.spend(BLACK, 6000)
    assert clock.seconds_for(BLACK, 91) == pytest.approx(awake, rel=0.05)
