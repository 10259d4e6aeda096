"""Files that are compressed themselves, as sitemaps often are, unpacked up to a bound."""

from __future__ import annotations

from webkeep.formats.codings import decoded
from webkeep.model import Headers

MOST_UNPACKED = 64 * 1024 * 1024
"""How much is unpacked; sitemaps may have 50 MB."""

_GZIP = Headers((("Content-Encoding", "gzip"),))
_MAGIC = b"\x1f\x8b\x08"


def is_packed(content: bytes) -> bool:
    """Whether content is a gzip file."""
    return content.startswith(_MAGIC)


def unpacked(content: bytes) -> bytes:
    """The content without gzip around it, cut off at a bound; as it is where there is none."""
    return b"".join(decoded(_GZIP, (content,), MOST_UNPACKED)) if is_packed(content) else content
