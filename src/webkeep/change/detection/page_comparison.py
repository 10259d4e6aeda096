"""Whether a page changed between two looks at it, and what says so, the cheap witnesses first: status, 304, digest,
likeness of the text; and when a change that was taken back can be ruled out.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass

from webkeep.change.detection.shingles import SAME_TEXT_SIMILARITY, jaccard_similarity, word_shingles
from webkeep.formats.http import is_strong_etag
from webkeep.formats.status import NOT_MODIFIED, is_error
from webkeep.model import Digest


class ChangeOutcome(enum.StrEnum):
    """What happened to a page."""

    UNCHANGED = "unchanged"
    INSIGNIFICANT = "insignificant"
    CHANGED = "changed"
    REMOVED = "removed"
    NEW = "new"


class ChangeWitness(enum.StrEnum):
    """What a verdict rests on."""

    STATUS = "status"
    NOT_MODIFIED = "not modified"
    DIGEST = "digest"
    TEXT = "text"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """What one look at a page saw."""

    status: int | None
    """None where there was no answer."""
    digest: Digest | None = None
    etag: str = ""
    last_modified: str = ""
    text: Callable[[], str] | None = None
    """Gives the visible text, where somebody wants it."""

    @property
    def is_there(self) -> bool:
        """Whether the page was there."""
        return self.status is not None and not is_error(self.status)


@dataclass(frozen=True, slots=True)
class ChangeVerdict:
    """What happened, by which witness, and whether a change that was taken back can be ruled out."""

    change: ChangeOutcome
    witness: ChangeWitness
    reverting_excluded: bool = False
    """Equal versions may hide a change and its undoing; an equal strong entity tag does not."""
    likeness: float | None = None


def compare_pages(visit: ComparedPage, revisit: ComparedPage) -> ChangeVerdict:
    """What happened to a page from one look to the next."""
    if not (visit.is_there and revisit.is_there):
        return _compare_presence(visit, revisit)
    firm = is_strong_etag(visit.etag) and visit.etag.strip() == revisit.etag.strip()
    if revisit.status == NOT_MODIFIED:
        return ChangeVerdict(ChangeOutcome.UNCHANGED, ChangeWitness.NOT_MODIFIED, firm)
    if visit.digest is None or revisit.digest is None or visit.digest.algorithm != revisit.digest.algorithm:
        return ChangeVerdict(ChangeOutcome.CHANGED, ChangeWitness.NOTHING)
    if visit.digest == revisit.digest:
        return ChangeVerdict(ChangeOutcome.UNCHANGED, ChangeWitness.DIGEST, firm)
    return _compare_texts(visit, revisit)


def _compare_presence(visit: ComparedPage, revisit: ComparedPage) -> ChangeVerdict:
    if visit.is_there:
        return ChangeVerdict(ChangeOutcome.REMOVED, ChangeWitness.STATUS)
    if revisit.is_there:
        return ChangeVerdict(ChangeOutcome.NEW, ChangeWitness.STATUS)
    same = visit.status == revisit.status and visit.status is not None
    return ChangeVerdict(ChangeOutcome.UNCHANGED if same else ChangeOutcome.CHANGED, ChangeWitness.STATUS)


def _compare_texts(visit: ComparedPage, revisit: ComparedPage) -> ChangeVerdict:
    if visit.text is None or revisit.text is None:
        return ChangeVerdict(ChangeOutcome.CHANGED, ChangeWitness.DIGEST)
    likeness = jaccard_similarity(word_shingles(visit.text()), word_shingles(revisit.text()))
    change = ChangeOutcome.INSIGNIFICANT if likeness >= SAME_TEXT_SIMILARITY else ChangeOutcome.CHANGED
    return ChangeVerdict(change, ChangeWitness.TEXT, likeness=likeness)
