"""Fingerprints of pages: digests of what is seen, of the main content and of the links, and a MinHash sketch; how they
are packed for the catalog.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import xxhash

from webkeep.change.detection.minhash import estimate_resemblance, sketch_lines

if TYPE_CHECKING:
    from webkeep.document import PageContent

_DIGEST_BYTES = 16
"""Of each digest: enough that no two of a billion pages agree by chance. Nothing is evidence by them alone."""


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
        cuts = range(0, 3 * _DIGEST_BYTES, _DIGEST_BYTES)
        text, main, links = (packed[start : start + _DIGEST_BYTES] for start in cuts)
        return cls(text, main, links, packed[3 * _DIGEST_BYTES :])


def fingerprint_page(content: PageContent) -> PageFingerprint:
    """The fingerprint of a page."""
    lines = content.lines
    text = _digest_lines(lines)
    main = text if content.main is None else xxhash.xxh3_128_digest(content.main.encode())
    return PageFingerprint(text, main, _digest_lines(sorted(set(content.links))), sketch_lines(lines))


def _digest_lines(lines: Iterable[str]) -> bytes:
    return xxhash.xxh3_128_digest("\n".join(lines).encode())
