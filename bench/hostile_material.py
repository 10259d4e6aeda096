"""What unpacks to far more than it is, made once."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from functools import cache

import brotli
import zstandard

_PIECE = 1 << 20


def _zeros(size: int) -> Iterator[bytes]:
    return (bytes(_PIECE) for _ in range(size // _PIECE))


@cache
def bomb(coding: str, size: int) -> bytes:
    """So many zeros in a coding; several codings one over the other, parted by commas."""
    first, _, others = coding.partition(",")
    data = _packed(first, size)
    for other in filter(None, others.split(",")):
        data = {"gzip": gzip.compress, "br": brotli.compress, "zstd": zstandard.compress}[other.strip()](data)
    return data


def _packed(coding: str, size: int) -> bytes:
    if coding == "br":
        packer = brotli.Compressor(quality=1)
        return b"".join([*(packer.process(piece) for piece in _zeros(size)), packer.finish()])
    if coding == "zstd":
        stream = zstandard.ZstdCompressor().compressobj()
        return b"".join([*(stream.compress(piece) for piece in _zeros(size)), stream.flush()])
    deflater = zlib.compressobj(6, wbits=31 if coding == "gzip" else 15)
    return b"".join([*(deflater.compress(piece) for piece in _zeros(size)), deflater.flush()])


def zstd_record_bomb(url: str, size: int) -> bytes:
    """A WARC file of one zstd frame, whose record claims and has so many zeros."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
    head = (
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"
        f"WARC-Date: 2024-03-01T12:00:00Z\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http) + size}\r\n\r\n"
    ).encode() + http

    def block(data: bytes, kind: int, length: int, last: int = 0) -> bytes:
        return (length << 3 | kind << 1 | last).to_bytes(3, "little") + data

    whole = [block(head, 0, len(head)), block(b"\0", 1, 1 << 17) * (size >> 17), block(b"\r\n\r\n", 0, 4, 1)]
    return b"\x28\xb5\x2f\xfd\x00\x58" + b"".join(whole)


def pdf_bomb(size: int) -> bytes:
    """A PDF whose object streams unpack without end."""
    packed = bomb("deflate", size)
    out = io.BytesIO(b"%PDF-1.5\n")
    out.seek(0, io.SEEK_END)
    for number in range(8):
        out.write(b"%d 0 obj << /Type /ObjStm /Filter /FlateDecode /Length %d >> stream\n" % (number, len(packed)))
        out.write(packed + b"\nendstream endobj\n")
    return out.getvalue() + b"%%EOF"


def flash_bomb(size: int) -> bytes:
    """A packed Flash film that unpacks without end."""
    return b"CWS\x08" + (size & 0xFFFFFFFF).to_bytes(4, "little") + bomb("deflate", size)
