"""Records and their requests, brought together whichever came first."""

from webkeep.model import RecordPlace
from webkeep.store.reading import ScannedRecord
from webkeep.store.writing.record_copy import group_with_requests


def place(offset: int) -> RecordPlace:
    return RecordPlace("a.warc.gz", offset, 10)


def answer(offset: int, asked: int | None = None) -> ScannedRecord:
    return ScannedRecord(place(offset), "response", request=None if asked is None else place(asked))


def asked(offset: int) -> ScannedRecord:
    return ScannedRecord(place(offset), "request")


def other(offset: int, kind: str = "metadata") -> ScannedRecord:
    return ScannedRecord(place(offset), kind)


def offsets(*seens: ScannedRecord) -> list[tuple[int, ...]]:
    return [tuple(seen.place.offset for seen in group) for group in group_with_requests(seens)]


def test_a_request_after_its_response() -> None:
    assert offsets(answer(0, 10), asked(10), answer(20, 30), asked(30)) == [(0, 10), (20, 30)]


def test_a_request_before_its_response() -> None:
    assert offsets(asked(0), answer(10, 0), asked(20), answer(30, 20)) == [(10, 0), (30, 20)]


def test_both_orders_in_turn() -> None:
    assert offsets(asked(0), answer(10, 0), answer(20, 30), asked(30)) == [(10, 0), (20, 30)]
    assert offsets(answer(0, 10), asked(10), asked(20), answer(30, 20)) == [(0, 10), (30, 20)]


def test_what_belongs_to_nothing_stays_alone() -> None:
    assert offsets(other(0, "warcinfo"), asked(10), asked(20), answer(30), other(40)) == [
        (0,),
        (10,),
        (20,),
        (30,),
        (40,),
    ]
    assert offsets(asked(0)) == [(0,)]
    assert offsets(answer(0, 90)) == [(0,)]
    assert offsets() == []


def test_nothing_is_lost_between_strangers() -> None:
    """A request whose response is missing, and one that goes with the next response."""
    assert offsets(asked(0), answer(10, 20), asked(20)) == [(0,), (10, 20)]
    assert offsets(asked(0), asked(10), answer(20, 10)) == [(0,), (20, 10)]
    assert offsets(answer(0, 90), answer(10, 20), asked(20)) == [(0,), (10, 20)]
    assert offsets(answer(0, 90), asked(10), answer(20, 10)) == [(0,), (20, 10)]
