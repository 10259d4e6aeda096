"""When HTTrack made a mirror, by its logs."""

from datetime import datetime

import pytest

from webkeep.formats import parse_fetch_times, parse_run_start

LOG = "HTTrack3.49-4+libhtsjava.so.2 launched on Mon, 16 Nov 2026 23:59:58 at http://a.example/\n(httrack -O x)\n"
BEGUN = datetime(2026, 11, 16, 23, 59, 58)


@pytest.mark.parametrize(
    ("log", "begun"),
    [
        (LOG, BEGUN),
        ("-O ht\nFile generated automatically on Mon, 16 Nov 2026 23:59:58, do NOT edit\n", BEGUN),
        ("launched on Mon, 99 Nov 2026 23:59:58", None),
        ("launched on a Monday", None),
        ("", None),
    ],
)
def test_the_log_says_when_a_run_began(log: str, begun: datetime | None) -> None:
    assert parse_run_start(log) == begun


def got(time: str, url: str) -> str:
    date = "date:Sun,%2005%20May%202019%2000:00:00%20GMT"
    return f"{time}\t6813/6813\t---M--\t200\tadded ('OK')\ttext/html\t{date}\t{url}\tx/i.html\t(from )\n"


def test_times_of_day_go_on_behind_midnight() -> None:
    lines = [
        "date\tsize\tflags\n",
        got("23:59:59", "a"),
        got("00:00:01", "b"),
        "broken\n",
        got("99:00:00", "c"),
        got("00:00:00", "d"),
    ]
    assert list(parse_fetch_times(lines, BEGUN)) == [
        ("a", datetime(2026, 11, 16, 23, 59, 59)),
        ("b", datetime(2026, 11, 17, 0, 0, 1)),
        ("d", datetime(2026, 11, 17, 0, 0, 0)),
    ]
