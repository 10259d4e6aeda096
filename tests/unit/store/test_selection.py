"""Which observations a selection holds."""

import pytest

from webkeep.model import Digest, Moment, Observation, RecordPlace
from webkeep.store.archive import Selection
from webkeep.url import UrlMatch

NOON = Moment.parse("2024-03-01T12:00:00Z")


def seen(url: str = "http://example.org/a/b", capture: str = "one", moment: Moment = NOON) -> Observation:
    digest = Digest("sha1", bytes(20))
    place = RecordPlace("a.warc.gz", 0, 10)
    return Observation(url, moment, place, "response", status=200, payload_digest=digest, capture=capture)


def test_nothing_narrows_everything() -> None:
    assert Selection().is_everything
    assert Selection().includes(seen())


@pytest.mark.parametrize(
    ("selection", "held"),
    [
        (Selection(capture="one"), True),
        (Selection(capture="two"), False),
        (Selection(since=NOON), True),
        (Selection(until=NOON), True),
        (Selection(since=NOON.plus(1e-6)), False),
        (Selection(until=NOON.plus(-1e-6)), False),
        (Selection("http://example.org/a/b"), True),
        (Selection("example.org/a/b"), True),
        (Selection("http://example.org/a"), False),
        (Selection("http://example.org/a", UrlMatch.PREFIX), True),
        (Selection("http://example.org/a/", UrlMatch.PREFIX), True),
        (Selection("http://example.org/a/b/", UrlMatch.PREFIX), True),
        (Selection("http://example.org/b", UrlMatch.PREFIX), False),
        (Selection("http://example.org/zzz", UrlMatch.HOST), True),
        (Selection("http://sub.example.org/", UrlMatch.HOST), False),
        (Selection("http://example.org/", UrlMatch.DOMAIN), True),
        (Selection("http://sub.example.org/", UrlMatch.DOMAIN), False),
        (Selection("http://example.org/a/b", capture="two"), False),
        (Selection("http://example.org/a/b", capture="one", since=NOON, until=NOON), True),
    ],
)
def test_each_way_to_narrow(selection: Selection, held: bool) -> None:
    assert not selection.is_everything
    assert selection.includes(seen()) is held


def test_a_domain_holds_its_hosts() -> None:
    selection = Selection("http://example.org/", UrlMatch.DOMAIN)
    assert selection.includes(seen("https://www.sub.example.org/x"))
    assert not selection.includes(seen("https://anexample.org/x"))
