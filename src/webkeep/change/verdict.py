"""Whether a page changed between two looks at it, and what says so: the cheap witnesses first."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from webkeep.change.shingles import SAME, similarity, word_shingles
from webkeep.model import Digest


class Change(enum.StrEnum):
    """What happened to a page."""

    UNCHANGED = "unchanged"
    INSIGNIFICANT = "insignificant"
    CHANGED = "changed"
    REMOVED = "removed"
    NEW = "new"


class Witness(enum.StrEnum):
    """What a verdict rests on."""

    STATUS = "status"
    NOT_MODIFIED = "not modified"
    DIGEST = "digest"
    TEXT = "text"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Look:
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
        return self.status is not None and self.status < HTTPStatus.BAD_REQUEST


@dataclass(frozen=True, slots=True)
class Verdict:
    """What happened, by which witness, and whether a change that was taken back can be ruled out."""

    change: Change
    witness: Witness
    reverting_excluded: bool = False
    """Equal versions may hide a change and its undoing; an equal strong entity tag does not."""
    likeness: float | None = None


def compare(visit: Look, revisit: Look) -> Verdict:
    """What happened to a page from one look to the next."""
    if not (visit.is_there and revisit.is_there):
        return _absent(visit, revisit)
    firm = is_strong(visit.etag) and visit.etag.strip() == revisit.etag.strip()
    if revisit.status == HTTPStatus.NOT_MODIFIED:
        return Verdict(Change.UNCHANGED, Witness.NOT_MODIFIED, firm)
    if visit.digest is None or revisit.digest is None or visit.digest.algorithm != revisit.digest.algorithm:
        return Verdict(Change.CHANGED, Witness.NOTHING)
    if visit.digest == revisit.digest:
        return Verdict(Change.UNCHANGED, Witness.DIGEST, firm)
    return _by_text(visit, revisit)


def is_strong(etag: str) -> bool:
    """Whether an entity tag promises equality of every byte."""
    tag = etag.strip()
    return len(tag) > 2 and tag[0] == tag[-1] == '"'


def _absent(visit: Look, revisit: Look) -> Verdict:
    if visit.is_there:
        return Verdict(Change.REMOVED, Witness.STATUS)
    if revisit.is_there:
        return Verdict(Change.NEW, Witness.STATUS)
    same = visit.status == revisit.status and visit.status is not None
    return Verdict(Change.UNCHANGED if same else Change.CHANGED, Witness.STATUS)


def _by_text(visit: Look, revisit: Look) -> Verdict:
    if visit.text is None or revisit.text is None:
        return Verdict(Change.CHANGED, Witness.DIGEST)
    likeness = similarity(word_shingles(visit.text()), word_shingles(revisit.text()))
    change = Change.INSIGNIFICANT if likeness >= SAME else Change.CHANGED
    return Verdict(change, Witness.TEXT, likeness=likeness)
