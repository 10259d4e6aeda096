"""Whether bytes are those that a digest was made of: how indexes write digests, old ones with one newline too many, and
bodies with or without their coding.
"""

from __future__ import annotations

from collections.abc import Iterable

from webkeep.model import Body, Digest, Headers, new_hasher
from webkeep.recover.repositories.spooled_body import decode_content

_NEWLINE = b"\n"


def parse_digest(text: str) -> Digest | None:
    """A digest as indexes write it: bare base32 is SHA-1."""
    stripped = text.strip()
    return Digest.parse(stripped if ":" in stripped else f"sha1:{stripped}") if stripped not in ("", "-") else None


def matches_digest(digest: Digest, chunks: Iterable[bytes]) -> bool:
    """Whether bytes are those of a digest; old indexes took one newline more than there was."""
    hasher = new_hasher(digest.algorithm)
    for chunk in chunks:
        hasher.update(chunk)
    if hasher.digest() == digest.value:
        return True
    hasher.update(_NEWLINE)
    return hasher.digest() == digest.value


def has_digest(digest: Digest, headers: Headers, body: Body) -> bool:
    """Whether a body is that of a digest, be it as it came or decoded."""
    return matches_digest(digest, body.chunks()) or (
        "content-encoding" in headers and matches_digest(digest, decode_content(headers, body))
    )
