"""Schedules over two years and four time zones: every run at its time, none twice, whatever clocks on walls do."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.schedules import (
    CronTimes,
    EveryInterval,
    Schedule,
    due_moments,
    next_run,
    parse_blackouts,
    parse_duration,
    parse_jitter,
    parse_times,
)

START = Moment.parse("2026-01-01T00:00:00Z")
END = Moment.parse("2028-01-01T00:00:00Z")
ZONES = ["Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Asia/Kolkata"]
"""Summer time in the north and in the south, by half an hour, and none."""


def runs_of(schedule: Schedule, start: Moment = START, end: Moment = END) -> Iterator[tuple[Moment, Moment]]:
    """The runs as a loop on a virtual clock has them, each asked for with no more than the one before."""
    run = next_run(schedule, start)
    while run is not None and run.due < end:
        yield run.due, run.begins
        run = next_run(schedule, run.due, run.begins)


def cron(expression: str, zone: str = "UTC", **facts: object) -> Schedule:
    return Schedule("s", CronTimes(expression), zone, **facts)  # type: ignore[arg-type]


def local_days() -> list[date]:
    return [date(2025, 12, 31) + timedelta(days=number) for number in range(733)]


def first_moment_of(day: date, at: time, zone: ZoneInfo) -> Moment:
    """When a time of the day first is; where clocks skip it, when they have done so."""
    moment = datetime.combine(day, at, zone).astimezone(UTC)
    if moment.astimezone(zone).time() == at:
        return Moment.from_datetime(moment)
    # In a gap the library counts on by the offset before it: back to the first minute of the new offset.
    offset = moment.astimezone(zone).utcoffset()
    while (moment - timedelta(minutes=1)).astimezone(zone).utcoffset() == offset:
        moment -= timedelta(minutes=1)
    return Moment.from_datetime(moment)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("at", [time(0, 0), time(2, 15), time(2, 30), time(23, 59)], ids=str)
def test_a_time_of_the_day_is_due_once_a_day(zone: str, at: time) -> None:
    wanted = [first_moment_of(day, at, ZoneInfo(zone)) for day in local_days()]
    found = [due for due, _ in runs_of(cron(f"{at.minute} {at.hour} * * *", zone))]
    assert found == [each for each in wanted if START < each < END]


@pytest.mark.parametrize("zone", ZONES)
def test_what_recurs_every_hour_goes_on_recurring_when_clocks_change(zone: str) -> None:
    steps = (Moment(START.micros + number * 1800 * 1_000_000) for number in range(1, 2 * 730 * 24))
    wanted = [each for each in steps if each.datetime.astimezone(ZoneInfo(zone)).minute == 30]
    assert [due for due, _ in runs_of(cron("30 * * * *", zone))] == wanted


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("expression", ["*/20 1-3 * * *", "0,30 2 * * sun", "17 3 1 */2 *", "5 0 L * *"])
def test_asked_one_by_one_and_all_at_once_runs_are_the_same_and_each_once(zone: str, expression: str) -> None:
    schedule = cron(expression, zone)
    one_by_one = [due for due, _ in runs_of(schedule)]
    assert one_by_one == list(islice(due_moments(schedule, START), len(one_by_one)))
    assert all(first < second for first, second in pairwise(one_by_one))


def test_what_recurs_on_one_day_of_the_year_comes_again_where_the_clock_does() -> None:
    found = [due.iso() for due, _ in runs_of(cron("*/30 2 25 10 *", "Europe/Berlin"))]
    first = ["2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z"]
    assert found == [*first, "2027-10-25T00:00:00Z", "2027-10-25T00:30:00Z"]


def test_of_a_day_that_was_skipped_what_was_due_is_due_at_its_end() -> None:
    """Samoa had no 30th of December in 2011."""
    schedule = cron("0 12 30 12 *", "Pacific/Apia")
    assert next_run(schedule, Moment.parse("2011-12-01")).due == Moment.parse("2011-12-30T10:00:00Z")  # type: ignore[union-attr]


def test_every_so_often_goes_by_the_time_that_passes() -> None:
    schedule = Schedule("s", EveryInterval(6 * 3600, Moment.parse("2026-01-01T01:00:00Z")), "Europe/Berlin")
    found = [due for due, _ in runs_of(schedule)]
    assert len(found) == 2 * 365 * 4
    assert {second.micros - first.micros for first, second in pairwise(found)} == {6 * 3600 * 1_000_000}
    assert found[0] == Moment.parse("2026-01-01T01:00:00Z")
    assert next_run(schedule, found[0]) == next_run(schedule, found[0].plus(3600))


def test_jitter_spreads_runs_keeps_their_order_and_is_the_same_when_asked_again() -> None:
    schedule = cron("0 * * * *", jitter_seconds=3 * 3600)
    found = list(runs_of(schedule, end=START.plus(30 * 86400)))
    assert all(due <= begins < due.plus(3600) for due, begins in found)
    assert all(first[1] < second[1] for first, second in pairwise(found))
    assert len({begins.micros - due.micros for due, begins in found}) > 600
    assert found == list(runs_of(schedule, end=START.plus(30 * 86400)))
    other = Schedule("t", schedule.times, jitter_seconds=3 * 3600)
    assert found != list(runs_of(other, end=START.plus(30 * 86400)))


@pytest.mark.parametrize("zone", ZONES)
def test_nothing_begins_in_blackout_hours_and_what_waits_for_their_end_begins_once(zone: str) -> None:
    hours = parse_blackouts(["mon-fri 08:00-18:00", "22:00-06:00"])
    start = START.plus(70 * 86400)  # five weeks in which clocks are put forward or back
    schedule = cron("*/30 * * * *", zone, blackouts=hours)
    begun = [begins for _, begins in runs_of(schedule, start, start.plus(35 * 86400))]
    locals_ = [each.datetime.astimezone(ZoneInfo(zone)) for each in begun]
    assert all(6 <= each.hour < 22 for each in locals_)
    assert not [each for each in locals_ if each.weekday() < 5 and 8 <= each.hour < 18]
    assert len(set(begun)) == len(begun)
    assert {(each.hour, each.minute) for each in locals_ if each.weekday() >= 5} >= {(6, 0), (12, 30), (21, 30)}


def test_a_schedule_ends_when_it_was_to() -> None:
    until = Moment.parse("2026-01-03T12:00:00Z")
    assert [due.iso() for due, _ in runs_of(cron("0 0 * * *", until=until))] == [
        "2026-01-02T00:00:00Z",
        "2026-01-03T00:00:00Z",
    ]


def test_blackout_hours_end_on_the_next_day_and_may_take_a_whole_one() -> None:
    (night, day) = parse_blackouts(["fri 22:00-06:00", "sat,sun 00:00-24:00"])
    assert (night.days, night.minutes) == ({4}, 8 * 60)
    assert (day.days, day.minutes) == ({5, 6}, 24 * 60)
    friday_night = Moment.parse("2026-01-02T23:00:00Z")
    schedule = cron("0 23 * * fri", blackouts=(night, day))
    assert next_run(schedule, friday_night.plus(-60)).begins == Moment.parse("2026-01-05T00:00:00Z")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "0 0 31 2 *",
        "*/0 * * * *",
        "0 0 * * 8",
        "x" * 100_000,
        "* " * 40_000,
        "every",
        "a b c d e",
    ],
    ids=lambda text: text[:12] or "nothing",
)
def test_cron_nonsense_is_one_clear_line(text: str) -> None:
    with pytest.raises(UsageError, match=r"^not cron: .{1,90} \(.*\); write five fields such as 30 2 \* \* mon-fri$"):
        parse_times(text, START)


@pytest.mark.parametrize("text", ["every 5", "every h", "every -3h", "every 10s", "every 99999999999w", "every 11y"])
def test_times_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="write 10m, 6h, 1d or 2w"):
        parse_times(text, START)


def test_times_are_read_as_people_write_them() -> None:
    assert parse_times(" every 6h", START) == EveryInterval(6 * 3600, START)
    assert parse_times("30 2 * * mon-fri", START) == CronTimes("30 2 * * mon-fri")
    assert parse_times("@Weekly", START) == CronTimes("0 0 * * 0")
    assert (parse_duration("2w"), parse_jitter("0"), parse_jitter("10m")) == (14 * 86400, 0, 600)


@pytest.mark.parametrize("zone", ["", "Europe", "Mars/Olympus", "../../etc/passwd", "/etc/passwd", "a\0b", "x" * 5000])
def test_a_time_zone_that_is_none_is_refused(zone: str) -> None:
    with pytest.raises(UsageError, match="there is no time zone"):
        cron("0 0 * * *", zone)


@pytest.mark.parametrize("text", ["8-18", "25:00-26:00", "mon-xyz 08:00-09:00", "08:60-09:00", ""])
def test_blackout_hours_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"write .*mon-fri 08:00-18:00"):
        parse_blackouts([text])


def test_blackout_hours_that_leave_no_time_are_refused() -> None:
    with pytest.raises(UsageError, match="take up the whole week"):
        cron("0 0 * * *", blackouts=parse_blackouts(["06:00-18:00", "18:00-06:00"]))
    with pytest.raises(UsageError, match="jitter is from 0 seconds to a week"):
        cron("0 0 * * *", jitter_seconds=8 * 86400)
