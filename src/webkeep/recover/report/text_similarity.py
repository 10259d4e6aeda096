"""Whether two copies of a text say the same: by shingles of words, as published reconstructions were judged; how many
they must share, and which media types are texts.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from webkeep.change.detection import jaccard_similarity, word_shingles

MIN_RESEMBLANCE = 0.75
"""Texts that share so many of their shingles are similar."""
SHINGLE_WORDS = 10
"""As published reconstructions were judged."""
_TEXTUAL_TYPES = (
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
class TextSimilarity:
    """What two texts share."""

    resemblance: float
    """Of the shingles that either has."""
    containment: float
    """Of the shingles that the original has."""

    @property
    def is_similar(self) -> bool:
        """Whether the second may stand for the first."""
        return self.resemblance >= MIN_RESEMBLANCE


def compare_texts(original: str, copy: str) -> TextSimilarity:
    """What a copy shares with the original; both are plain text, however their characters were composed."""
    ours, theirs = (word_shingles(unicodedata.normalize("NFKC", text), SHINGLE_WORDS) for text in (original, copy))
    contained = len(ours & theirs) / len(ours) if ours else 1.0
    return TextSimilarity(jaccard_similarity(ours, theirs), contained)


def is_textual(media_type: str) -> bool:
    """Whether a resource of this type is a text, so that two copies can be similar."""
    essence = media_type.partition(";")[0].strip().lower()
    return essence.startswith("text/") or essence.startswith(_TEXTUAL_TYPES)
