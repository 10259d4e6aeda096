"""PDF files: the addresses that their links name (URI, Base, F, UF), also out of compressed object streams, and how
much of these is unpacked; encrypted files give none.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple

MAX_PDF_UNPACKED_BYTES = 16 * 1024 * 1024
"""How much is unpacked of all object streams of a file together."""

_MAX_STRING_BYTES = 4096
"""A longer string is no address."""
_ACTION = re.compile(rb"/(URI|F|UF|Base)\s{0,8}(?=[(<])")
_STREAM = re.compile(rb"stream\r?\n")
_NESTING = re.compile(rb"[()]|\\.", re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(\r\n|[\r\n])|(.))", re.DOTALL)
_NAMED_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_HEX = re.compile(rb"<([0-9A-Fa-f\s]{0,8192})>")
_MAX_DICTIONARY_BYTES = 512
"""Looked at before a stream for what it says of it."""


class PdfLink(NamedTuple):
    """An address and the entry that named it: `URI`, `Base`, or `F` and `UF` for files."""

    address: str
    entry: str


def read_pdf_links(content: bytes) -> Iterator[PdfLink]:
    """The addresses of a file's links, in the order of the file."""
    if b"/Encrypt" in content[-4096:]:
        return  # strings are encrypted like all else
    yield from _read_links(content)
    for objects in _object_streams(content):
        yield from _read_links(objects)


def _read_links(data: bytes) -> Iterator[PdfLink]:
    at = 0
    while (match := _ACTION.search(data, at)) is not None:
        value, at = _read_string(data, match.end())
        if value:
            yield PdfLink(value, match[1].decode())


def _read_string(data: bytes, at: int) -> tuple[str, int]:
    """The string at a place, in brackets or in hexadecimal digits, and where it ends; one too long is passed over."""
    if data[at : at + 1] == b"<":
        match = _HEX.match(data, at)
        digits = b"".join(match[1].split()) if match else b""
        return _decode_text(
            bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
        ), match.end() if match else at + 1
    depth = 1
    for match in _NESTING.finditer(data, at + 1, at + _MAX_STRING_BYTES):
        if match[0][:1] == b"\\":
            continue
        depth += 1 if match[0] == b"(" else -1
        if not depth:
            return _decode_text(_ESCAPE.sub(_unescape, data[at + 1 : match.start()])), match.end()
    return "", at + _MAX_STRING_BYTES


def _unescape(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return bytes([int(match[1], 8) & 0xFF])
    return b"" if match[2] else _NAMED_ESCAPES.get(match[3], match[3])


def _decode_text(value: bytes) -> str:
    if value.startswith(b"\xfe\xff"):
        return value[2:].decode("utf-16-be", "replace")
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _object_streams(content: bytes) -> Iterator[bytes]:
    left, at = MAX_PDF_UNPACKED_BYTES, 0
    while left > 0 and (match := _STREAM.search(content, at)) is not None:
        before = content[max(at, match.start() - _MAX_DICTIONARY_BYTES) : match.start()]
        end = content.find(b"endstream", match.end())
        at = len(content) if end < 0 else end + len(b"endstream")
        dictionary = before[max(0, before.rfind(b"obj")) :]
        if b"/ObjStm" in dictionary and b"/FlateDecode" in dictionary:
            objects = _inflate(content[match.end() : at], left)
            left -= len(objects)
            yield objects


def _inflate(data: bytes, most: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, most)
    except zlib.error:
        return b""
