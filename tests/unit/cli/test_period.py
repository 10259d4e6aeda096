"""A period that is named includes all of it."""

import pytest

from webkeep.cli.options.period import parse_period_end
from webkeep.model import Moment

NOW = Moment.parse("2026-11-16T10:20:30Z")


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("2024", "2024-12-31T23:59:59.999999Z"),
        ("2023", "2023-12-31T23:59:59.999999Z"),
        ("9999", "9999-12-31T23:59:59.999999Z"),
        ("2024-02", "2024-02-29T23:59:59.999999Z"),
        ("202406", "2024-06-30T23:59:59.999999Z"),
        (" 2024-12-31 ", "2024-12-31T23:59:59.999999Z"),
        ("20241231", "2024-12-31T23:59:59.999999Z"),
        ("2024-03-05T10:30", "2024-03-05T10:30:59.999999Z"),
        ("2024-03-05T10:30:15+02:00", "2024-03-05T08:30:15.999999Z"),
        ("20240305103015", "2024-03-05T10:30:15.999999Z"),
        ("2024-03-05T10:30:15.5Z", "2024-03-05T10:30:15.500000Z"),
        ("yesterday", "2026-11-15T23:59:59.999999Z"),
        ("today", "2026-11-16T23:59:59.999999Z"),
        ("now", "2026-11-16T10:20:30Z"),
        ("2000 days ago", "2021-05-26T10:20:30Z"),
        ("3 days ago", "2026-11-13T10:20:30Z"),
    ],
)
def test_the_end_of_what_is_named(text: str, end: str) -> None:
    assert parse_period_end(text, NOW) == Moment.parse(end)
