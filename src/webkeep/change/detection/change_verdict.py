"""The verdict on a change: its category, the evidence it rests on, and both in words."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from webkeep.change.detection.change_category import ChangeCategory, NoiseKind


class ChangeEvidence(enum.StrEnum):
    """What a verdict rests on, the cheap ones first."""

    STATUS = "status"
    NOT_MODIFIED = "not modified"
    """The server said so, asked on condition (304)."""
    DIGEST = "digest"
    LAST_MODIFIED = "last modified"
    """Only where there is no digest: servers lie."""
    TEXT_DIGEST = "text digest"
    """What is seen is the same, and so are the links."""
    LINKS_DIGEST = "links digest"
    """The links are not the same."""
    RESEMBLANCE = "resemblance"
    """Estimated by MinHash."""
    CONTENT = "content"
    """Both versions were read and compared."""
    NOTHING = "nothing"
    """There was nothing to compare."""


@dataclass(frozen=True, slots=True)
class ChangeVerdict:
    """What happened to a page from one version to the next, and what says so."""

    category: ChangeCategory
    evidence: ChangeEvidence
    reverting_excluded: bool = False
    """Equal versions may hide a change and its undoing; an equal strong entity tag does not."""
    noise: tuple[NoiseKind, ...] = ()
    """What makes the change insignificant; or what else differs, beside that which matters."""
    places: tuple[str, ...] = ()
    """Where on the page that was, and how it is known to be noise."""
    resemblance: float | None = None
    """What the texts share of what either has; an estimate, unless the content was compared."""
    edited: float | None = None
    """The share of words that were put in or taken out."""
    links_added: int = 0
    links_deleted: int = 0

    def describe(self) -> str:
        """The category, and what it rests on, in one line."""
        words = [str(self.category)]
        if self.noise:
            words.append(f"({', '.join(self.noise)})")
        return f"{' '.join(words)}: {'; '.join(self._evidence_words())}"

    def _evidence_words(self) -> list[str]:
        words = [_EVIDENCE_WORDS[self.evidence]]
        if self.edited is not None:
            words.append(f"{self.edited:.1%} of the words edited")
        if self.links_added or self.links_deleted:
            links = "link" if self.links_added == 1 else "links"
            words.append(f"{self.links_added:,} {links} added, {self.links_deleted:,} deleted")
        if self.resemblance is not None:
            estimated = "" if self.evidence is ChangeEvidence.CONTENT else "about "
            words.append(f"{estimated}{self.resemblance:.0%} of the text shared")
        words += self.places
        return words


_EVIDENCE_WORDS = {
    ChangeEvidence.STATUS: "by the status of the response",
    ChangeEvidence.NOT_MODIFIED: "the server said that it was not modified",
    ChangeEvidence.DIGEST: "by the digest of its bytes",
    ChangeEvidence.LAST_MODIFIED: "by what the server says of when it was modified",
    ChangeEvidence.TEXT_DIGEST: "its bytes differ, its text and links do not",
    ChangeEvidence.LINKS_DIGEST: "by the digest of its links",
    ChangeEvidence.RESEMBLANCE: "by the MinHash sketches of its texts",
    ChangeEvidence.CONTENT: "both versions were compared",
    ChangeEvidence.NOTHING: "nothing of it can be compared",
}
