"""Bodies that are shorter than they should be: whether the rest never came, and what kept it."""

from __future__ import annotations

from webkeep.cli import measure
from webkeep.formats.record import Record
from webkeep.model import Observation
from webkeep.store.archive import Archive
from webkeep.store.reading import Holding, read_holding

_CAUSES = {
    "length": "cut off at a limit of size",
    "time": "cut off at a limit of time",
    "disconnect": "the connection broke off",
    "unspecified": "cut off",
}
_WITHOUT_BODY = frozenset({204, 304})


def shortness(archive: Archive, observation: Observation, holding: Holding) -> str:
    """What is missing of the body that a server began to send, in words; nothing where it came whole."""
    said = _body_record(archive, observation).get("warc-truncated").strip().lower()
    came, whole = holding.body.size, _announced(observation, holding)
    amount = f"{came:,} of {measure.exact_size(whole)} came" if came < whole else ""
    if said:
        return "; ".join(filter(None, (_CAUSES.get(said, f"cut off ({said})"), amount)))
    return amount


def _body_record(archive: Archive, observation: Observation) -> Record:
    """The record that the body lies in; a revisit's own may say that it was left out there, which is no loss."""
    _, record = read_holding(archive.files, observation.place)
    if record.type == "revisit":
        _, record = read_holding(archive.files, archive.original(record, observation.place))
    return record


def _announced(observation: Observation, holding: Holding) -> int:
    """How long the body was to be by its Content-Length; 0 where that does not say."""
    head = holding.head
    if head is None or observation.method == "HEAD" or head.status in _WITHOUT_BODY:
        return 0
    text = head.headers.get("content-length").strip()
    return int(text) if text.isdecimal() and len(text) < 16 and "transfer-encoding" not in head.headers else 0
