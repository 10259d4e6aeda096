"""Files that are compressed themselves, as sitemaps often are (sitemap.xml.gz), unpacked up to a bound."""

from __future__ import annotations

from webkeep.formats.codings import decode_body
from webkeep.model import Headers

MAX_UNPACKED_BYTES = 64 * 1024 * 1024
"""How much is unpacked; sitemaps may have 50 MB."""

_GZIP = Headers((("Content-Encoding", "gzip"),))
_MAGIC = b"\x1f\x8b\x08"


def is_gzip(content: bytes) -> bool:
    """Whether content is a gzip file."""
    return content.startswith(_MAGIC)


def gunzip(content: bytes) -> bytes:
    """The content without gzip around it, cut off at a bound; as it is where there is none."""
    return b"".join(decode_body(_GZIP, (content,), MAX_UNPACKED_BYTES)) if is_gzip(content) else content
