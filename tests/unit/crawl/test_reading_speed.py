"""How fast a capture reads, told as of lately."""

from webkeep.crawl.run.reading_speed import ReadingSpeed
from webkeep.model import Moment

NOW = Moment.parse("2026-05-01T12:00:00Z")


def test_the_rate_is_that_of_the_last_seconds_and_unknown_where_nothing_tells_it() -> None:
    rate = ReadingSpeed()
    assert rate.per_second is None
    rate.add(NOW, 5_000_000)
    assert rate.per_second is None, "what an earlier process read came at no rate of this one"
    for half in range(1, 5):
        rate.add(NOW.plus(half * 0.5), 5_000_000 + half * 1000)
    assert rate.per_second == 2000
    for half in range(5, 60):
        rate.add(NOW.plus(half * 0.5), 5_004_000)
    assert rate.per_second == 0, "it stands still"
    rate.add(NOW.plus(-3600), 5_004_000)
    assert rate.per_second is None, "the clock was set back"
