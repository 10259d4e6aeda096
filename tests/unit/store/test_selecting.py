"""Which observations a selection holds."""

import pytest

from webkeep.model import Digest, Moment, Observation, Place
from webkeep.store.selecting import Selection
from webkeep.url import Match

NOON = Moment.parse("2024-03-01T12:00:00Z")


def seen(url: str = "http://example.org/a/b", capture: str = "one", moment: Moment = NOON) -> Observation:
    digest = Digest("sha1", bytes(20))
    place = Place("a.warc.gz", 0, 10)
    return Observation(url, moment, place, "response", status=200, payload_digest=digest, capture=capture)


def test_nothing_narrows_everything() -> None:
    assert Selection().is_everything
    assert Selection().holds(seen())


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
        (Selection("http://example.org/a", Match.PREFIX), True),
        (Selection("http://example.org/a/", Match.PREFIX), True),
        (Selection("http://example.org/a/b/", Match.PREFIX), True),
        (Selection("http://example.org/b", Match.PREFIX), False),
        (Selection("http://example.org/zzz", Match.HOST), True),
        (Selection("http://sub.example.org/", Match.HOST), False),
        (Selection("http://example.org/", Match.DOMAIN), True),
        (Selection("http://sub.example.org/", Match.DOMAIN), False),
        (Selection("http://example.org/a/b", capture="two"), False),
        (Selection("http://example.org/a/b", capture="one", since=NOON, until=NOON), True),
    ],
)
def test_each_way_to_narrow(selection: Selection, held: bool) -> None:
    assert not selection.is_everything
    assert selection.holds(seen()) is held


def test_a_domain_holds_its_hosts() -> None:
    selection = Selection("http://example.org/", Match.DOMAIN)
    assert selection.holds(seen("https://www.sub.example.org/x"))
    assert not selection.holds(seen("https://anexample.org/x"))
