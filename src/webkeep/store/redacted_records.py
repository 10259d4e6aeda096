"""Records of others without the credentials in them: written anew into a temporary file, and imported from there."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from webkeep.errors import FormatError
from webkeep.formats.expansion import PACKED
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.http1 import head_length, read_head
from webkeep.formats.record import Record
from webkeep.formats.state_note import STATE_TYPE
from webkeep.formats.warc_writer import record_head
from webkeep.model import BytesBody
from webkeep.redaction import LEFT_OUT, Redactor
from webkeep.store.copying import RecordSource
from webkeep.store.scanning import open_records
from webkeep.store.sight import VIA
from webkeep.store.unpacking import size_of_stream

_URLS = frozenset({"warc-target-uri", "warc-refers-to-target-uri", "warc-source-uri", VIA.lower()})
_CHANGING = frozenset({"content-length", "warc-block-digest"})
_LARGEST = 16 << 20
"""Requests, notes and frames that are longer are left out."""
_FRAMES = "application/vnd.webkeep.websocket-frames+jsonl"
_TEXTS = ("application/warc-fields", "text/", "application/json", "application/vnd.webkeep")
_END = b"\r\n\r\n"


@contextmanager
def redacted(source: RecordSource, folder: Path, redactor: Redactor, flaws: Flaws) -> Iterator[RecordSource]:
    """The intact records of a source without their credentials, not compressed; FormatError where that is too much."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix="import-") as file, source.open() as stream:
        most = PACKED.allowed(size_of_stream(stream))
        for record in open_records(stream, source.name, Flaws(Strictness.IGNORE)):
            start = file.tell()
            if start + record.size > most:
                raise FormatError(f"unpacks to more than {most:,} bytes; left out", source.name, record.offset)
            _Copy(record, redactor, flaws).write(file)
            record.finish()
            if not record.intact:
                file.seek(start)
                file.truncate()
        file.flush()
        path = Path(file.name)
        yield RecordSource(f"{source.name}.warc", lambda: path.open("rb"))


class _Copy:
    """One record on its way."""

    def __init__(self, record: Record, redactor: Redactor, flaws: Flaws) -> None:
        self._record, self._redactor, self._flaws = record, redactor, flaws

    def write(self, file: IO[bytes]) -> None:
        """Write the record without its credentials; nothing where it has to be left out."""
        record = self._record
        if record.type in ("response", "revisit") and record.is_http:
            self._write_answer(file)
            return
        is_read = record.type == "request" or record.get("content-type").startswith(_TEXTS)
        if not is_read:
            self._put(file, record.size, record.chunks(), is_changed=False)
        elif record.size > _LARGEST:
            self._report("it is too long to be read")
        else:
            came = record.read()
            block = self._block(came)
            if block is not None:
                self._put(file, len(block), iter((block,)), is_changed=block != came)

    def _write_answer(self, file: IO[bytes]) -> None:
        record = self._record
        head, rest = read_head(record.chunks())
        new, count = self._redactor.redact_response_head(head)
        self._put(file, record.size - len(head) + len(new), _chained(new, rest), is_changed=bool(count))

    def _block(self, block: bytes) -> bytes | None:
        """The block of a record that is read whole; None where it is left out."""
        record = self._record
        kind = record.get("content-type").partition(";")[0].strip().lower()
        if record.type == "request" and record.is_http:
            return self._request(block)
        if kind == _FRAMES:
            return b"".join(self._frame(line) for line in block.splitlines(keepends=True))
        text, count = self._redactor.redact_text(block.decode("utf-8", "replace"))
        if count and kind == STATE_TYPE:
            # Others refer to it letter by letter.
            self._report("it notes a state of a page, and others build on it")
            return None
        return text.encode() if count else block

    def _request(self, block: bytes) -> bytes:
        length = head_length(block)
        head, body = block[:length], BytesBody(block[length:])
        head, kept, _, reason = self._redactor.redact_request_body(head, body, self._record.url)
        if reason:
            self._report(reason)
        head, _ = self._redactor.redact_request_head(head)
        return head + b"".join(kept.chunks())

    def _frame(self, line: bytes) -> bytes:
        try:
            told: dict[str, Any] = json.loads(line)
            payload = str(told["text"]).encode() if "text" in told else base64.b64decode(str(told.get("base64", "")))
        except (ValueError, TypeError, KeyError):
            return line
        data, count = self._redactor.redact_message(payload, told.get("from") == "client", "text" in told)
        if not count:
            return line
        told.pop("base64", None)
        told["text"] = data.decode("utf-8", "replace")
        return json.dumps(told, ensure_ascii=False).encode() + b"\n"

    def _put(self, file: IO[bytes], size: int, block: Iterator[bytes], is_changed: bool) -> None:
        dropped = _CHANGING if is_changed else frozenset({"content-length"})
        if is_changed and self._record.type not in ("response", "revisit"):
            dropped |= {"warc-payload-digest"}
        fields = [
            (name, self._field(name, value)) for name, value in self._record.headers if name.lower() not in dropped
        ]
        file.write(record_head(fields, size, self._record.version or "WARC/1.1"))
        for chunk in block:
            file.write(chunk)
        file.write(_END)

    def _field(self, name: str, value: str) -> str:
        if name.lower() not in _URLS:
            return value
        bare = value.strip("<>")
        return value.replace(bare, self._redactor.redact_url(bare)[0]) if bare else value

    def _report(self, reason: str) -> None:
        url, _ = self._redactor.redact_url(self._record.url)
        what = "the body of a request" if self._record.type == "request" else "a record"
        message = f"{what} at {url} was left out, as it may hold a secret: {reason}"
        self._flaws.report(LEFT_OUT, self._record.source, self._record.offset, message)


def _chained(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from rest
