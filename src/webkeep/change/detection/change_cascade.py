"""Whether and how a page changed between two looks at it, the cheap evidence first: status, conditional request,
digest, Last-Modified, then the digests of text and links, then the content itself, or sketches where that is not at
hand; and when a change that was taken back can be ruled out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from webkeep.change.detection.change_category import ChangeCategory, NoiseKind
from webkeep.change.detection.change_verdict import ChangeEvidence, ChangeVerdict
from webkeep.change.detection.page_fingerprint import PageFingerprint
from webkeep.change.detection.shingles import SAME_TEXT_SIMILARITY
from webkeep.formats.http import is_strong_etag
from webkeep.formats.status import NOT_MODIFIED, is_error
from webkeep.model import Digest


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """What one look at a page saw."""

    status: int | None
    """None where there was no answer."""
    digest: Digest | None = None
    etag: str = ""
    last_modified: str = ""
    fingerprint: PageFingerprint | None = None
    """None where it is no text, or was never read as one."""

    @property
    def is_there(self) -> bool:
        """Whether the page was there."""
        return self.status is not None and not is_error(self.status)


ContentComparison = Callable[[], ChangeVerdict | None]
"""Reads both versions and compares them; None where that cannot be done."""


def compare_pages(
    visit: ComparedPage, revisit: ComparedPage, compare_content: ContentComparison | None = None
) -> ChangeVerdict:
    """What happened to a page from one look to the next; the content is compared only if all else leaves it open."""
    if not (visit.is_there and revisit.is_there):
        return _compare_presence(visit, revisit)
    firm = is_strong_etag(visit.etag) and visit.etag.strip() == revisit.etag.strip()
    if revisit.status == NOT_MODIFIED:
        return ChangeVerdict(ChangeCategory.UNCHANGED, ChangeEvidence.NOT_MODIFIED, firm)
    if visit.digest is not None and visit.digest == revisit.digest:
        return ChangeVerdict(ChangeCategory.UNCHANGED, ChangeEvidence.DIGEST, firm)
    compared = compare_content() if compare_content is not None else None
    if compared is not None:
        return compared
    if visit.fingerprint is not None and revisit.fingerprint is not None:
        return compare_fingerprints(visit.fingerprint, revisit.fingerprint)
    return _compare_bytes(visit, revisit)


def _compare_presence(visit: ComparedPage, revisit: ComparedPage) -> ChangeVerdict:
    if visit.is_there:
        return ChangeVerdict(ChangeCategory.REMOVED, ChangeEvidence.STATUS)
    if revisit.is_there:
        return ChangeVerdict(ChangeCategory.NEW, ChangeEvidence.STATUS)
    same = visit.status == revisit.status and visit.status is not None
    return ChangeVerdict(ChangeCategory.UNCHANGED if same else ChangeCategory.MAJOR, ChangeEvidence.STATUS)


def compare_fingerprints(before: PageFingerprint, after: PageFingerprint) -> ChangeVerdict:
    """How a page changed, as far as its fingerprints tell; they cannot tell noise from small edits."""
    if before.links != after.links:
        return ChangeVerdict(
            ChangeCategory.STRUCTURAL, ChangeEvidence.LINKS_DIGEST, resemblance=before.resemblance(after)
        )
    if before.text == after.text:
        return ChangeVerdict(ChangeCategory.INSIGNIFICANT, ChangeEvidence.TEXT_DIGEST, noise=(NoiseKind.MARKUP,))
    shared = before.resemblance(after)
    small = shared >= SAME_TEXT_SIMILARITY or before.main == after.main
    category = ChangeCategory.MINOR if small else ChangeCategory.MAJOR
    return ChangeVerdict(category, ChangeEvidence.RESEMBLANCE, resemblance=shared)


def _compare_bytes(visit: ComparedPage, revisit: ComparedPage) -> ChangeVerdict:
    """What is left to say of what is no text."""
    if _are_comparable(visit.digest, revisit.digest):
        return ChangeVerdict(ChangeCategory.MAJOR, ChangeEvidence.DIGEST)
    if visit.last_modified and visit.last_modified == revisit.last_modified:
        return ChangeVerdict(ChangeCategory.UNCHANGED, ChangeEvidence.LAST_MODIFIED)
    return ChangeVerdict(ChangeCategory.MAJOR, ChangeEvidence.NOTHING)


def _are_comparable(one: Digest | None, other: Digest | None) -> bool:
    return one is not None and other is not None and one.algorithm == other.algorithm
