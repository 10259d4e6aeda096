"""The content of a resource, if it is of a kind that is wanted: how much of one is read, and what is plainly a picture.

Whoever only wants to know what pages say (`store/reading/page_fingerprints.py`) has this without the readers of links,
which take 40 ms to load, in every process that indexes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import chain

from webkeep.extract.document_kind import SNIFFED_BYTES, DocumentKind, detect_kind
from webkeep.formats.codings import decode_body
from webkeep.model import Headers

MAX_READ_BYTES = 64 * 1024 * 1024
"""How many bytes of a resource are searched: sitemaps may have 50 MB, and what is read is held whole."""
IMAGE_SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"wOF2", b"wOFF")


def read_known_content(
    url: str, headers: Headers, chunks: Iterable[bytes], media_type: str, kinds: Collection[DocumentKind]
) -> tuple[bytes, DocumentKind]:
    """The content of a resource without its codings, if it is of one of these kinds, and its kind."""
    pieces = decode_body(headers, iter(chunks), MAX_READ_BYTES)
    first = next(pieces, b"")
    if first.startswith(IMAGE_SIGNATURES):
        return b"", DocumentKind.OTHER
    # However it came in pieces, it is told by the same beginning.
    while len(first) < SNIFFED_BYTES and (more := next(pieces, b"")):
        first += more
    kind = detect_kind(media_type, first, url)
    return (b"".join(chain((first,), pieces)) if kind in kinds else b""), kind
