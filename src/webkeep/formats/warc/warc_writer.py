"""Writes WARC 1.1 records, one gzip member each; values of named fields made safe (line ends, angle brackets)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from webkeep.formats.warc.gzip_member import (
    compress_chunks,
    compress_member,
    is_compressible,
    store_chunks,
    store_member,
)
from webkeep.model import Body

# The text of a named field: what readers will find of it once it is written.

_LINE_ENDS_AS_BLANKS = str.maketrans("\r\n", "  ")


def clean_field(text: str) -> str:
    """The text on one line, without blanks around it, and such that UTF-8 can spell it."""
    if text.isascii() and text.isprintable() and text[:1] != " " and text[-1:] != " ":
        return text
    return text.translate(_LINE_ENDS_AS_BLANKS).strip().encode("utf-8", "replace").decode("utf-8")


def clean_target_uri(url: str) -> str:
    """A target URI as a field's text, without the angle brackets that readers take off."""
    text = clean_field(url)
    while text.startswith("<") and text.endswith(">"):
        text = text[1:-1].strip()
    return text


NamedFields = Iterable[tuple[str, str]]

_RECORD_END = b"\r\n\r\n"
_LINE_ENDS = str.maketrans("\r\n", "  ")


def build_record_head(fields: NamedFields, size: int, version: str = "WARC/1.1") -> bytes:
    """The version line and named fields of a record whose block has `size` bytes."""
    lines = [version]
    for name, value in fields:
        safe = value.translate(_LINE_ENDS) if "\n" in value or "\r" in value else value
        lines.append(f"{name}: {safe}")
    lines.append(f"Content-Length: {size}\r\n\r\n")
    return "\r\n".join(lines).encode("utf-8", "replace")


def build_member(head: bytes, block: bytes, more: bytes = b"") -> bytes:
    """A whole record as one gzip member; its block may come in two parts."""
    whole = b"".join((head, block, more, _RECORD_END))
    return compress_member(whole) if is_compressible(more or block) else store_member(whole)


def stream_member(head: bytes, prefix: bytes, body: Body) -> Iterator[bytes]:
    """A record as one gzip member, piece by piece; its block is `prefix` and then the body."""
    whole = chain((head, prefix), body.chunks(), (_RECORD_END,))
    sample = next(iter(body.chunks(body.size // 2)), b"")
    return compress_chunks(whole) if is_compressible(sample) else store_chunks(whole)
