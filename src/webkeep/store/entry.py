"""Index entries: what a CDX line says of one record."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.model import Moment, Place


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the index."""

    key: str
    """The SURT of the URL."""
    moment: Moment
    place: Place
    url: str
    record_type: str
    status: int | None
    media_type: str
    """As CDX indexes name it: `warc/revisit` for revisits."""
    digest: str
    """The payload digest as it stands in the record."""
    post: str = ""
    """What a request other than GET adds to the key; "" for GET."""
