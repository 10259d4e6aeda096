"""A reconstruction held against a capture of the original: which versions of both are compared, when a changed one is
still similar, and how much was to be expected back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from webkeep.document import read_visible_lines
from webkeep.formats.http import ResponseHead, declared_charset
from webkeep.formats.status import OK, is_successful
from webkeep.model import Moment, Observation
from webkeep.recover.report.loss_scores import LossScores, score_losses
from webkeep.recover.report.outcome import OutcomeLine
from webkeep.recover.report.recoverability import ScoreInputs, score_recoverability
from webkeep.recover.report.site_difference import (
    DifferenceCounts,
    DifferenceVector,
    ResourceLikeness,
    compare_contents,
)
from webkeep.recover.report.text_similarity import compare_texts, is_textual
from webkeep.store.archive import Archive
from webkeep.url import normalize_url, split_url

_MAX_TEXT_BYTES = 4 << 20
"""Content that is read of either copy for comparing their texts."""


class _StoredCopy(NamedTuple):
    digest: str
    media_type: str
    url: str
    micros: int


@dataclass(frozen=True, slots=True)
class SiteComparison:
    """How a reconstruction differs from the original."""

    difference: DifferenceCounts
    similar: int
    skipped: int
    score: float
    """The share of the original that was to be expected back, by the published regression."""

    @property
    def vector(self) -> DifferenceVector:
        """The shares of what is changed, missing and added."""
        return self.difference.vector

    @property
    def losses(self) -> LossScores:
        """The five scores of loss."""
        return score_losses(self.difference, self.similar, self.skipped)


def compare_with_original(
    recovered: Archive, lines: Iterable[OutcomeLine], original: Archive, key: Callable[[str], str], capture: str = ""
) -> SiteComparison:
    """Hold the chosen versions of a recovery against a capture of the original, byte by byte and text by text."""
    ours: dict[str, _StoredCopy] = {}
    skipped = set()
    for line in lines:
        if line.is_skipped:
            skipped.add(line.key)
        elif line.chosen is not None:
            seen = recovered.lookup(line.chosen.url, line.chosen.moment)
            if seen is not None and is_successful(seen.status or OK):
                ours[line.key] = _read_stored_copy(seen)
    theirs = _newest_originals(original, key, capture)
    fates = list(compare_contents(_digests(theirs), _digests(ours)))
    changed = [url for url, likeness in fates if likeness is ResourceLikeness.CHANGED]
    similar = sum(_is_similar(recovered, ours[url], original, theirs[url]) for url in changed)
    missing = [url for url, likeness in fates if likeness is ResourceLikeness.MISSING]
    difference = DifferenceCounts.count_fates(likeness for _, likeness in fates)
    return SiteComparison(difference, similar, sum(url in skipped for url in missing), expected_share(theirs.values()))


def expected_share(resources: Iterable[_StoredCopy]) -> float:
    """The share of resources that was to be expected back, by what is known of each without the world's links."""
    kept = list(resources)
    newest = max((each.micros for each in kept), default=0)
    scores = [score_recoverability(_score_inputs(each, len(kept), newest)) for each in kept]
    return sum(scores) / len(scores) if scores else 0.0


def _score_inputs(kept: _StoredCopy, size: int, newest: int) -> ScoreInputs:
    parts = split_url(normalize_url(kept.url) or "http://unknown/")
    depth = max(parts.path.count("/") - 1, 0)
    return ScoreInputs(
        site_size=size,
        hops=depth,
        path_depth=depth,
        query_parameters=parts.query.count("=") if parts.query else 0,
        age_days=max(newest - kept.micros, 0) / 86_400_000_000,
    )


def _newest_originals(archive: Archive, key: Callable[[str], str], capture: str) -> dict[str, _StoredCopy]:
    """The newest version of everything that the original had."""
    found: dict[str, _StoredCopy] = {}
    for seen in archive.observations(capture or None):
        if seen.url.startswith("http") and seen.method == "GET" and is_successful(seen.status or OK):
            kept = _read_stored_copy(seen)
            known = found.get(key(seen.url))
            if known is None or known.micros <= kept.micros:
                found[key(seen.url)] = kept
    return found


def _read_stored_copy(seen: Observation) -> _StoredCopy:
    digest = seen.content_digest or seen.payload_digest
    return _StoredCopy(str(digest), seen.media_type, seen.url, seen.moment.micros)


def _digests(kept: dict[str, _StoredCopy]) -> dict[str, str]:
    return {url: each.digest for url, each in kept.items()}


def _is_similar(recovered: Archive, ours: _StoredCopy, original: Archive, theirs: _StoredCopy) -> bool:
    if not is_textual(ours.media_type) or not is_textual(theirs.media_type):
        return False
    return compare_texts(_visible_text(original, theirs), _visible_text(recovered, ours)).is_similar


def _visible_text(archive: Archive, kept: _StoredCopy) -> str:
    seen = archive.lookup(kept.url, Moment(kept.micros))
    if seen is None:
        return ""
    stored = archive.read(seen)
    head = stored.head or ResponseHead()
    content = b"".join(stored.content(_MAX_TEXT_BYTES))
    return "\n".join(read_visible_lines(content, declared_charset(head.headers)))
