"""Records as bytes, spelled out here so that no writer of ours vouches for a reader of ours."""

import gzip
from collections.abc import Iterable

DATE = "2024-03-01T12:00:00Z"


def warc_record(number: int, block: bytes, version: str = "WARC/1.1", fields: str = "", end: str = "\r\n") -> bytes:
    lines = (
        version,
        "WARC-Type: resource",
        f"WARC-Record-ID: <urn:test:{number}>",
        f"WARC-Date: {DATE}",
        f"WARC-Target-URI: http://example.org/{number}",
        *filter(None, fields.split("\n")),
        f"Content-Length: {len(block)}",
        "",
        "",
    )
    return end.join(lines).encode() + block + b"\r\n\r\n"


def arc_record(url: str, block: bytes, media_type: str = "text/html", address: str = "127.0.0.1") -> bytes:
    return f"{url} {address} 20240301120000 {media_type} {len(block)}\n".encode() + block + b"\n"


def members(records: Iterable[bytes]) -> list[bytes]:
    return [gzip.compress(record, mtime=0) for record in records]


def starts(pieces: Iterable[bytes]) -> list[int]:
    found, at = [], 0
    for piece in pieces:
        found.append(at)
        at += len(piece)
    return found
