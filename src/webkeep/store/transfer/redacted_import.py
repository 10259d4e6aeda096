"""Records of others without the credentials in them: written anew into a temporary file, and imported from there; which
fields, heads and blocks are redacted, and what has to be left out.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from webkeep.errors import FormatError
from webkeep.formats import Flaws, Strictness
from webkeep.formats.codings import PACKED_FILE_LIMIT
from webkeep.formats.http import FRAMES_TYPE, RecordedFrame, head_length, parse_frame_line, take_head
from webkeep.formats.states import STATE_TYPE
from webkeep.formats.warc import WarcRecord, build_record_head
from webkeep.model import RESPONSE_TYPES, BytesBody, Headers, RecordType
from webkeep.redaction import LEFT_OUT_CODE, Redactor, redact_frames
from webkeep.store.index.record_facts import CONTENT_DIGEST_FIELD, VIA_FIELD
from webkeep.store.reading.record_scan import open_records
from webkeep.store.reading.salvage import is_usable_record, salvage_headers, take_bytes
from webkeep.store.transfer.record_sources import measure_stream
from webkeep.store.writing.record_copy import RecordSource

_URL_FIELDS = frozenset({"warc-target-uri", "warc-refers-to-target-uri", "warc-source-uri", VIA_FIELD.lower()})
_FIXED_FIELDS = frozenset(
    {
        "warc-type", "warc-record-id", "warc-date", "warc-concurrent-to", "warc-refers-to", "warc-refers-to-date",
        "warc-warcinfo-id", "warc-profile", "warc-ip-address", "warc-truncated", "warc-identified-payload-type",
        "warc-segment-number", "warc-segment-origin-id", "warc-segment-total-length", "warc-payload-digest",
        "warc-block-digest", "content-type", "content-length", CONTENT_DIGEST_FIELD.lower(),
    }
)  # fmt: skip
"""Fields that say what a record is; whatever others there are may tell more than that."""
_CHANGED_FIELDS = frozenset({"content-length", "warc-block-digest"})
_MAX_REDACTED_BLOCK_BYTES = 16 << 20
"""Requests, notes and frames that are longer are left out."""
_FIELDS_TYPE = "application/warc-fields"
_HTTP_TYPES = ("application/http", "message/http")
_TEXT_TYPES = (_FIELDS_TYPE, "text/", "application/json", "application/vnd.webkeep")
_RECORD_END = b"\r\n\r\n"


@contextmanager
def redact_source(source: RecordSource, folder: Path, redactor: Redactor, flaws: Flaws) -> Iterator[RecordSource]:
    """The intact records of a source without their credentials, not compressed; FormatError where that is too much."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix="import-") as file, source.open() as stream:
        most = PACKED_FILE_LIMIT.max_output(measure_stream(stream))
        for record in open_records(stream, source.name, Flaws(Strictness.IGNORE)):
            start = file.tell()
            if start + record.size > most:
                raise FormatError(f"unpacks to more than {most:,} bytes; left out", source.name, record.offset)
            _RedactedCopy(record, redactor, flaws).write(file)
            record.finish()
            if not record.intact:
                file.seek(start)
                file.truncate()
                if is_usable_record(record):
                    _write_salvaged(stream, record, redactor, flaws, file)
        file.flush()
        path = Path(file.name)
        yield RecordSource(f"{source.name}.warc", lambda: path.open("rb"))


def _write_salvaged(stream: BinaryIO, record: WarcRecord, redactor: Redactor, flaws: Flaws, file: IO[bytes]) -> None:
    """Write what is left of a flawed record, read once more now that it is known how much that is."""
    reached = stream.tell()
    again = next(open_records(stream, record.source, Flaws(Strictness.IGNORE), record.offset), None)
    if again is not None and again.offset == record.offset:
        _RedactedCopy(again, redactor, flaws, record.held, salvage_headers(record)).write(file)
    stream.seek(reached)


class _RedactedCopy:
    """One record on its way, or what is left of it."""

    def __init__(
        self,
        record: WarcRecord,
        redactor: Redactor,
        flaws: Flaws,
        held: int | None = None,
        headers: Headers | None = None,
    ) -> None:
        self._record, self._redactor, self._flaws = record, redactor, flaws
        self._size = record.size if held is None else held
        self._headers = record.headers if headers is None else headers
        self._kind = record.get("content-type").partition(";")[0].strip().lower()

    def write(self, file: IO[bytes]) -> None:
        """Write the record without its credentials; nothing where it has to be left out."""
        record, chunks = self._record, take_bytes(self._record.chunks(), self._size)
        if record.type in RESPONSE_TYPES and self._kind in _HTTP_TYPES:
            self._write_response(file, chunks)
            return
        is_read = record.type == RecordType.REQUEST or self._kind.startswith(_TEXT_TYPES)
        if not is_read:
            self._write_record(file, self._size, chunks, is_changed=False)
        elif self._size > _MAX_REDACTED_BLOCK_BYTES:
            self._report("it is too long to be read")
        else:
            came = b"".join(chunks)
            block = self._redact_block(came)
            if block is not None:
                self._write_record(file, len(block), iter((block,)), is_changed=block != came)

    def _write_response(self, file: IO[bytes], chunks: Iterable[bytes]) -> None:
        head, rest = take_head(iter(chunks))
        new, count = self._redactor.redact_response_head(head)
        self._write_record(file, self._size - len(head) + len(new), _chain_head(new, rest), is_changed=bool(count))

    def _redact_block(self, block: bytes) -> bytes | None:
        """The block of a record that is read whole; None where it is left out."""
        if self._record.type == RecordType.REQUEST and self._kind in ("", *_HTTP_TYPES):
            return self._redact_request(block)
        if self._kind == FRAMES_TYPE:
            return self._redact_frames(block)
        if self._kind == _FIELDS_TYPE:
            return self._redactor.redact_fields(block)[0]
        text, count = self._redactor.redact_text(block.decode("utf-8", "replace"))
        if count and self._kind == STATE_TYPE:
            # Others refer to it letter by letter.
            self._report("it records a state of a page, and others build on it")
            return None
        return text.encode() if count else block

    def _redact_request(self, block: bytes) -> bytes:
        length = head_length(block)
        head, body = block[:length], BytesBody(block[length:])
        head, kept, _, reason = self._redactor.redact_request_body(head, body, self._record.url)
        if reason:
            self._report(reason)
        head, _ = self._redactor.redact_request_head(head)
        return head + b"".join(kept.chunks())

    def _redact_frames(self, block: bytes) -> bytes:
        lines = block.splitlines(keepends=True)
        frames = [parse_frame_line(line) for line in lines]
        told = [frame for frame in frames if frame is not None]
        kept = iter(zip(told, redact_frames(told, self._redactor)[0], strict=True))
        return b"".join(
            self._frame_line(line, *next(kept)) if frame is not None else self._redactor.redact_message(line, True)[0]
            for line, frame in zip(lines, frames, strict=True)
        )

    @staticmethod
    def _frame_line(line: bytes, came: RecordedFrame, kept: RecordedFrame) -> bytes:
        return line if kept == came else kept.to_line().encode()

    def _write_record(self, file: IO[bytes], size: int, block: Iterator[bytes], is_changed: bool) -> None:
        dropped = _CHANGED_FIELDS if is_changed else frozenset({"content-length"})
        if is_changed and self._record.type not in RESPONSE_TYPES:
            dropped |= {"warc-payload-digest"}
        fields = [
            (name, self._redact_field(name, value)) for name, value in self._headers if name.lower() not in dropped
        ]
        file.write(build_record_head(fields, size, self._record.version or "WARC/1.1"))
        for chunk in block:
            file.write(chunk)
        file.write(_RECORD_END)

    def _redact_field(self, name: str, value: str) -> str:
        if name.lower() in _FIXED_FIELDS:
            return value
        if name.lower() not in _URL_FIELDS:
            return self._redactor.redact_field(name, value)[0]
        bare = value.strip("<>")
        return value.replace(bare, self._redactor.redact_url(bare)[0]) if bare else value

    def _report(self, reason: str) -> None:
        url, _ = self._redactor.redact_url(self._record.url)
        what = "the body of a request" if self._record.type == RecordType.REQUEST else "a record"
        message = f"{what} at {url} was left out, as it may hold a secret: {reason}"
        self._flaws.report(LEFT_OUT_CODE, self._record.source, self._record.offset, message)


def _chain_head(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from rest
