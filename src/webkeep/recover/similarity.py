"""Whether two copies of a text say the same: ten-word shingles, as reconstructions are judged by."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from webkeep.change import similarity, word_shingles

SIMILAR = 0.75
"""Texts that share so many of their shingles are similar."""
SHINGLE = 10
_TEXTUAL = (
    "application/pdf",
    "application/postscript",
    "application/msword",
    "application/rtf",
    "application/xhtml+xml",
    "application/vnd.ms-",
    "application/vnd.openxmlformats-officedocument",
    "application/vnd.oasis.opendocument",
)


@dataclass(frozen=True, slots=True)
class TextLikeness:
    """What two texts share."""

    resemblance: float
    """Of the shingles that either has."""
    containment: float
    """Of the shingles that the original has."""

    @property
    def is_similar(self) -> bool:
        """Whether the second may stand for the first."""
        return self.resemblance >= SIMILAR


def text_likeness(original: str, copy: str) -> TextLikeness:
    """What a copy shares with the original; both are plain text, however their characters were composed."""
    ours, theirs = (word_shingles(unicodedata.normalize("NFKC", text), SHINGLE) for text in (original, copy))
    contained = len(ours & theirs) / len(ours) if ours else 1.0
    return TextLikeness(similarity(ours, theirs), contained)


def is_textual(media_type: str) -> bool:
    """Whether a resource of this type is a text, so that two copies can be similar."""
    essence = media_type.partition(";")[0].strip().lower()
    return essence.startswith("text/") or essence.startswith(_TEXTUAL)
