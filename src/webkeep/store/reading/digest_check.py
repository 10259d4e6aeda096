"""Checking records: whether the digests they name, of block, payload and decoded content, are those of their bytes."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.formats import Flaws
from webkeep.formats.http import parse_response, take_head, take_response_head
from webkeep.formats.warc import WarcRecord, combine_record_hash
from webkeep.model import Digest, Hasher, Headers, RecordType, new_hasher
from webkeep.store.index.record_facts import CONTENT_DIGEST_FIELD
from webkeep.store.reading.message_digests import content_digest, hash_chunks


def check_digests(record: WarcRecord, flaws: Flaws) -> None:
    """Read the whole block and report every digest that is not right."""
    _check_block(record, flaws, _DigestCheck(record, "WARC-Block-Digest"))


def check_and_hash(record: WarcRecord, flaws: Flaws) -> bytes:
    """The same, and the hash by which a log knows the record; its block is read once for both."""
    block = _DigestCheck(record, "WARC-Block-Digest")
    if block.digest is None or block.digest.algorithm != "sha256":
        hasher = new_hasher("sha256")
        _check_block(record, flaws, block, hasher)
        return combine_record_hash(record.raw_head, hasher.digest())
    _check_block(record, flaws, block)
    return combine_record_hash(record.raw_head, block.found)


def _check_block(record: WarcRecord, flaws: Flaws, block: _DigestCheck, *more: Hasher) -> None:
    if record.type == RecordType.REVISIT:  # its payload digest is that of a payload kept elsewhere
        for chunk in hash_chunks(record.chunks(), *more):
            block.update(chunk)
        record.finish()
        if not block.is_of_nothing:  # what wget writes for every revisit, head or no head
            block.compare(flaws)
        return
    payload = _DigestCheck(record, "WARC-Payload-Digest")
    headers, body = Headers(), block.hash_chunks(hash_chunks(record.chunks(), *more))
    if record.is_http:
        raw, body = take_response_head(body) if record.type == RecordType.RESPONSE else take_head(body)
        headers = parse_response(raw).headers
    content = _DigestCheck(record, CONTENT_DIGEST_FIELD)
    told: str | None = ""
    if content.digest is not None:
        told = content_digest(headers, payload.hash_chunks(body), content.digest.algorithm)
    else:
        for _ in payload.hash_chunks(body):
            continue
    record.finish()  # a block that does not end where it should is told as that, and not by its digests
    if told:  # a body that is not coded, or unpacks to too much, has no content digest of its own to compare
        content.compare_with(Digest.parse(told), flaws)
    payload.compare(flaws)
    block.compare(flaws)


class _DigestCheck:
    """A digest that a field names, and the one of the bytes that pass."""

    def __init__(self, record: WarcRecord, field: str) -> None:
        self._record = record
        self._field = field
        text = record.get(field)
        self.digest = Digest.parse(text)
        self._hasher: Hasher | None = new_hasher(self.digest.algorithm) if self.digest else None

    @property
    def is_of_nothing(self) -> bool:
        """Whether the field names the digest of no bytes at all."""
        return self.digest is not None and self.digest == Digest.from_chunks(self.digest.algorithm, [])

    @property
    def found(self) -> bytes:
        """The digest of what has passed."""
        return self._hasher.digest() if self._hasher is not None else b""

    def update(self, chunk: bytes) -> None:
        if self._hasher is not None:
            self._hasher.update(chunk)

    def hash_chunks(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self.update(chunk)
            yield chunk

    def compare(self, flaws: Flaws) -> None:
        if self.digest is not None and self._hasher is not None:
            self.compare_with(Digest(self.digest.algorithm, self._hasher.digest()), flaws)

    def compare_with(self, found: Digest | None, flaws: Flaws) -> None:
        if found != self.digest and self._record.intact:
            code = self._field.removeprefix("WARC-").removeprefix("Webkeep-").lower()
            message = (
                f"{self._field} of {self._record.url or self._record.type} says {self.digest}, its bytes say {found}"
            )
            flaws.report(f"{code}-wrong", self._record.source, self._record.offset, message)
