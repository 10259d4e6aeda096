"""Numbers and dates as people read them."""

import pytest

from webkeep.model import Moment
from webkeep.presentation import number_format


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (9_949, "9.9 kB"),
        (9_950, "10 kB"),
        (999_499, "999 kB"),
        (999_500, "1.0 MB"),
        (1_234_567_890, "1.2 GB"),
        (5 * 10**18, "5,000 PB"),
    ],
)
def test_sizes_are_short(count: int, text: str) -> None:
    assert number_format.format_size(count) == text


def test_counts_dates_and_durations() -> None:
    assert number_format.format_exact_size(12_345) == "12,345 bytes (12 kB)"
    assert number_format.format_exact_size(12) == "12 bytes"
    assert number_format.format_count(1, "record") == "1 record"
    assert number_format.format_count(2_104, "record") == "2,104 records"
    assert number_format.format_count(2, "copy", "copies") == "2 copies"
    assert number_format.format_moment(Moment.parse("2024-03-01T12:00:00.123456Z")) == "2024-03-01 12:00:00"
    assert number_format.format_moment(None, "unfinished") == "unfinished"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.00022, "220 µs"),
        (0.0031, "3.1 ms"),
        (42, "42 s"),
        (300, "5 min"),
        (9000, "2.5 h"),
        (259_200, "3 days"),
        (40_000_000, "463 days"),
        (1e8, "3.2 years"),
    ],
)
def test_durations_have_the_unit_that_fits(seconds: float, text: str) -> None:
    assert number_format.format_duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0.01 s"), (0.3, "0.3 s"), (0.345, "0.34 s"), (9.96, "10 s"), (42.4, "42 s"), (600, "10 min")],
)
def test_what_took_no_time_took_some(seconds: float, text: str) -> None:
    assert number_format.format_elapsed(seconds) == text


def test_moments_days_and_instants_are_in_one_spelling() -> None:
    moment = Moment.parse("2024-03-01T12:00:00.123456Z")
    assert number_format.format_date(moment) == "2024-03-01"
    assert number_format.format_instant(moment) == "2024-03-01 12:00:00.123"
    assert number_format.format_instant(Moment.parse("2024-03-01T12:00:00Z")) == "2024-03-01 12:00:00"


def test_shares_and_times_seen() -> None:
    assert number_format.format_share(0.12345) == "12.3%"
    assert [number_format.format_times_seen(number) for number in (1, 2, 1200)] == ["once", "2 times", "1,200 times"]
    assert number_format.format_times_seen(20_000, is_more=True) == "20,000+ times"


def test_means_of_bytes_have_the_units_of_bytes() -> None:
    assert [number_format.format_size(mean) for mean in (0.4, 12.6, 999.7)] == ["0 bytes", "13 bytes", "1.0 kB"]
