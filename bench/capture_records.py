"""The records that are whole in an archive, however its writer ended; read by zlib and warcio alone."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from warcio.archiveiterator import ArchiveIterator

_ANSWERS = frozenset({"response", "revisit"})
_END = "application/vnd.webkeep.capture-end+json"
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Held:
    """What an archive holds."""

    records: frozenset[str]
    """The identifiers of all responses and revisits."""
    payloads: frozenset[tuple[str, str, str]]
    """Path, status and payload digest of each of them."""
    is_ended: bool
    """Whether a capture has noted its end; the same command would begin another one."""

    @property
    def paths(self) -> frozenset[str]:
        """The paths that were answered."""
        return frozenset(path for path, _, _ in self.payloads)


def held_in(archive: Path) -> Held:
    """Read everything that is whole; an archive that is not there yet holds nothing."""
    records, payloads, is_ended = set(), set(), False
    for file in sorted((archive / "warcs").glob("*.warc.gz")):
        for record in _records(file):
            headers = record.rec_headers
            target = headers.get_header("WARC-Target-URI") or ""
            is_ended = is_ended or headers.get_header("Content-Type") == _END
            if record.rec_type in _ANSWERS:
                records.add(headers.get_header("WARC-Record-ID"))
                status = record.http_headers.get_statuscode()
                payloads.add((urlsplit(target).path, status, headers.get_header("WARC-Payload-Digest")))
    return Held(frozenset(records), frozenset(payloads), is_ended)


def _records(file: Path) -> Iterator[Any]:
    for member in _whole_members(file.read_bytes()):
        for record in ArchiveIterator(io.BytesIO(member), check_digests=True):
            record.content_stream().read()
            if record.digest_checker.passed is False:
                raise SystemExit(f"{file.name} has a record whose digest is wrong: {record.rec_headers}")
            yield record


def _whole_members(data: bytes) -> Iterator[bytes]:
    """The members of a gzip file up to the first that is not whole, unpacked."""
    at = 0
    while at < len(data):
        inflater = zlib.decompressobj(31)
        pieces = []
        while at < len(data) and not inflater.eof:
            pieces.append(inflater.decompress(data[at : at + _PIECE]))
            at += _PIECE
        if not inflater.eof:
            return
        at = min(at, len(data)) - len(inflater.unused_data)
        yield b"".join(pieces)
