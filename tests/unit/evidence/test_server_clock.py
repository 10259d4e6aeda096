"""How this machine's clock stands to those of servers."""

import pytest

from webkeep.evidence.package.server_clock import date_offset, measure_offset
from webkeep.model import Headers, Moment

ASKED = Moment.parse("2026-05-20T08:00:10.400Z")


@pytest.mark.parametrize(
    ("fields", "offset"),
    [
        ([("Date", "Wed, 20 May 2026 08:00:10 GMT")], 0.1),
        ([("Date", "Wed, 20 May 2026 08:10:10 GMT"), ("Age", "0")], 600.1),
        ([("Date", "Wed, 20 May 2026 07:00:10 GMT"), ("Age", "3600")], None),
        ([("Date", "yesterday")], None),
        ([], None),
    ],
    ids=["right", "ahead", "kept by a cache", "no date", "none"],
)
def test_an_answer_tells_the_time_of_its_server(fields: list[tuple[str, str]], offset: float | None) -> None:
    assert date_offset(Headers(fields), ASKED) == (None if offset is None else pytest.approx(offset))


def test_many_answers_tell_whether_the_clocks_agree() -> None:
    agreeing = measure_offset([0.4, -0.3, 0.1])
    assert agreeing is not None
    assert (agreeing.answers, agreeing.middle, agreeing.is_agreeing) == (3, 0.1, True)
    assert "agree within 5 s" in agreeing.describe()
    wrong = measure_offset([3600.2, 3599.9])
    assert wrong is not None
    assert not wrong.is_agreeing
    assert "3,600 s ahead of this machine's" in wrong.describe()
    assert measure_offset([]) is None
