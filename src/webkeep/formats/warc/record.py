"""A WARC record as it is read: its named fields, its place, and its block as a stream; which fields are mandatory, and
the names of revisit profiles.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from webkeep.errors import UsageError
from webkeep.model import Headers, Moment

MANDATORY_FIELDS = ("WARC-Record-ID", "WARC-Date", "WARC-Type")
"""What every record must say, besides the length of its block."""

IDENTICAL_PAYLOAD_PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
UNKNOWN_SIZE = 1 << 62
"""The size of a block of which the head says none that can be used; it ends where the record does."""

NOT_MODIFIED_PROFILE = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


class BlockSource(Protocol):
    """Where a record's block comes from: the reader that is at it."""

    def read_block(self, record: WarcRecord) -> Iterator[bytes]:
        """What is left of the block."""
        ...

    def finish_record(self, record: WarcRecord) -> None:
        """Pass over the block and look at what follows; the record's length and whether it is intact are known then."""
        ...


class WarcRecord:
    """One record; its block can be read once, before the reader goes on to the next record."""

    __slots__ = (
        "_block_source", "finished", "headers", "held", "intact", "length", "offset",
        "raw_head", "size", "source", "unread", "version",
    )  # fmt: skip

    def __init__(
        self, version: str, headers: Headers, size: int, source: str, offset: int, raw_head: bytes, supply: BlockSource
    ) -> None:
        self.version = version
        self.headers = headers
        self.size = size
        """How many bytes the block has, by Content-Length."""
        self.unread = size
        """How many of them were not taken yet."""
        self.source = source
        self.offset = offset
        """Where the record begins in its file: a raw offset."""
        self.length = 0
        """How many raw bytes it takes there; known once finished, 0 where it cannot be addressed alone."""
        self.intact = True
        """False when the block turned out to be cut off or corrupt, or not to end where the head says."""
        self.held = size
        """How many bytes of the block are there, once finished; fewer than all of them where it is not intact."""
        self.finished = False
        self.raw_head = raw_head
        """The version line and the fields as they stand in the file, with the empty line."""
        self._block_source = supply

    def get(self, name: str) -> str:
        """The first value of a field, "" where there is none."""
        return self.headers.get(name)

    @property
    def type(self) -> str:
        """The record type in lower case: response, request, revisit, resource, metadata, warcinfo, …"""
        return self.headers.first.get("warc-type", "").lower()

    @property
    def url(self) -> str:
        """The target URI, without the angle brackets some writers put around it."""
        target = self.headers.first.get("warc-target-uri", "")
        return target[1:-1] if target[:1] == "<" and target[-1] == ">" else target

    @property
    def id(self) -> str:
        """The record's identifier, without angle brackets."""
        return self.headers.first.get("warc-record-id", "").strip("<>")

    @property
    def moment(self) -> Moment | None:
        """When it was captured; None where the date is missing or unreadable."""
        try:
            return Moment.parse(self.headers.first.get("warc-date", ""))
        except UsageError:
            return None

    @property
    def is_http(self) -> bool:
        """Whether the block is an HTTP message."""
        return self.headers.first.get("content-type", "").lower().startswith("application/http")

    def missing_fields(self) -> list[str]:
        """The mandatory fields it lacks."""
        return [name for name in MANDATORY_FIELDS if not self.headers.get(name)]

    def chunks(self) -> Iterator[bytes]:
        """What is left of the block, in pieces of a bounded size; nothing once the reader has gone on."""
        return self._block_source.read_block(self)

    def read(self) -> bytes:
        """All that is left of the block; for records known to be small."""
        return b"".join(self._block_source.read_block(self))

    def resize(self, size: int) -> None:
        """Take the block for so long, where the head cannot be right about it; before any of it is read."""
        self.size = self.unread = size

    def limit_held(self, held: int) -> None:
        """Count no more of the block as being there."""
        self.held = held

    def finish(self) -> None:
        """Pass over what is left of the block; length and intactness are final then."""
        if not self.finished:
            self.finished = True
            self._block_source.finish_record(self)
