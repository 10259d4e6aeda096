"""Fingerprints of pages: digests of what is seen, of the main content and of the links, and a MinHash sketch; how they
are packed for the catalog.
"""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

import xxhash

from webkeep.change.detection.minhash import HASH_BYTES, estimate_resemblance, sketch_lines

if TYPE_CHECKING:
    from webkeep.document import PageContent

_DIGEST_BYTES = 16
"""Of each digest: enough that no two of a billion pages agree by chance. Nothing is evidence by them alone."""
_DIGESTS = Struct(f"{_DIGEST_BYTES}s" * 3)


_MIN_TOLD_HASHES = 4
"""Pieces of text by which a page can be told from another."""


class PageFingerprint(NamedTuple):
    """What is kept of a page to tell how it changed without reading it again."""

    text: bytes
    """Digest of all texts that are seen."""
    main: bytes
    """Digest of those of the main content."""
    links: bytes
    """Digest of what it links to and shows, in whatever order."""
    sketch: bytes
    """MinHash sketch of its texts; empty where it says nothing."""

    @property
    def has_text(self) -> bool:
        """Whether anything is said on the page."""
        return bool(self.sketch)

    def resemblance(self, other: PageFingerprint) -> float:
        """An estimate of what the texts of two pages share of what either has."""
        return estimate_resemblance(self.sketch, other.sketch)

    def pack(self) -> bytes:
        """All of it in a row of bytes."""
        return b"".join(self)

    @classmethod
    def unpack(cls, packed: bytes) -> PageFingerprint:
        """What was packed."""
        text, main, links = _DIGESTS.unpack_from(packed)
        return cls(text, main, links, packed[_DIGESTS.size :])


def fingerprint_page(content: PageContent) -> PageFingerprint:
    """The fingerprint of a page."""
    lines, seen, main = content.around, xxhash.xxh3_128(_join_lines(content.around)), b""
    if content.main is not None:
        inside = _join_lines(content.main)
        main, lines = xxhash.xxh3_128_digest(inside), lines + content.main
        seen.update(b"\n")
        seen.update(inside)
    text = seen.digest()
    # Kept in their order until sorted: links of one page stand partly sorted, which takes a quarter less.
    links = xxhash.xxh3_128_digest(_join_lines(sorted(dict.fromkeys(content.links))))
    return PageFingerprint(text, main or text, links, sketch_lines(lines))


def _join_lines(lines: Iterable[str]) -> bytes:
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def seen_content_key(packed: bytes) -> bytes:
    """What pages have in common that differ in nothing that is seen, nor in their links: both digests; empty where too
    little is seen to tell, as on a page that scripts are to fill.

    The verdict on two such pages is that they differ insignificantly.
    """
    if len(packed) < _DIGESTS.size + _MIN_TOLD_HASHES * HASH_BYTES:
        return b""
    return packed[:_DIGEST_BYTES] + packed[2 * _DIGEST_BYTES : _DIGESTS.size]
