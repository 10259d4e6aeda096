"""Exchanges by number, bodies that cannot be passed on, and archives whose writer has a prepare worker."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryFile

from webkeep.model import CHUNK_BYTES, Body, BytesBody, Exchange, Finding, Moment
from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.maintenance import verify_archive
from webkeep.store.writing.prepare_worker import PrepareWorker

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
START = Moment.parse("2024-03-01")


def exchange(number: int, body: Body | None = None) -> Exchange:
    data = BytesBody(b"<p>page %d</p>" % (number % 90)) if body is None else body
    moment = Moment(START.micros + number * 1_000_000)
    return Exchange(f"http://example.org/{number}", moment, HEAD, data, b"GET / HTTP/1.1\r\n\r\n")


class Spooled:
    """A body in a file, which cannot be passed on."""

    def __init__(self, data: bytes) -> None:
        self._file = TemporaryFile()  # noqa: SIM115 - it lives as long as the body
        self._file.write(data)
        self.size = len(data)

    def __del__(self) -> None:
        self._file.close()

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        self._file.seek(start)
        while chunk := self._file.read(CHUNK_BYTES):
            yield chunk


def with_assistant(archive: WritableArchive) -> PrepareWorker:
    """Wait until the writer has a prepare worker and passes work on to it."""
    archive.writer.expect_many_records()
    archive.append(exchange(0))
    assistant = archive.writer._preparation._worker
    assert assistant is not None
    assert assistant.ready.wait(60)
    archive.append(exchange(1))
    assert archive.writer._preparation._uses_worker
    return assistant


def findings(archive: Archive) -> list[Finding]:
    found: list[Finding] = []
    verify_archive(archive, found.append)
    return found
