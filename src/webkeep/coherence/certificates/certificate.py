"""The coherence certificate of a capture: what was seen when, what stayed the same, and when it all fits together. The
verdicts on a URL (coherent, changed, vanished, seen once, …) are defined here.

It says nothing that does not follow from the records of the capture, so that anybody can derive it again.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from webkeep.coherence.certificates.coherent_set import CoherentSet
from webkeep.coherence.sightings.seen_versions import SeenVersion
from webkeep.coherence.sightings.sighting_comparison import Caveat
from webkeep.model import Moment

FORMAT_VERSION = 1
"""Counts the changes of what a certificate says and how."""


class ResourceKind(enum.StrEnum):
    """What a resource is to a reader."""

    PAGE = "page"
    """An HTML document."""
    EMBED = "embed"
    """Anything else that was there: pictures, styles, scripts, files."""
    OTHER = "other"
    """Redirects and what was missing each time."""


class CoherenceVerdict(enum.StrEnum):
    """What a capture knows of a resource in time."""

    COHERENT = "coherent"
    """The same each time, from visit to revisit."""
    APEX = "apex"
    """Seen once, in the middle of a visit-revisit capture, where it needs no revisit."""
    CHANGED = "changed"
    VANISHED = "vanished"
    APPEARED = "appeared"
    ONCE = "once"
    """Seen once: it was so at that instant, and nothing more is known."""
    UNDECIDED = "undecided"
    """Seen again, but the sightings cannot be compared, or not be put in order."""
    UNANSWERED = "unanswered"
    """The server never said what is there."""

    @property
    def is_coherent(self) -> bool:
        """Whether it counts as coherent."""
        return self in (CoherenceVerdict.COHERENT, CoherenceVerdict.APEX)

    @property
    def is_judged(self) -> bool:
        """Whether it is known to be coherent or not to be."""
        return self.is_coherent or self in (
            CoherenceVerdict.CHANGED,
            CoherenceVerdict.VANISHED,
            CoherenceVerdict.APPEARED,
        )


class ReferenceBasis(enum.StrEnum):
    """Where a certificate has its reference moment from."""

    PLAN = "plan"
    """The capture aimed at it."""
    PARTS = "parts"
    """There is none: the parts of the site were made coherent one after the other, each around a moment of its own."""
    OBSERVED = "observed"
    """Most observations hold it."""
    NONE = "none"
    """There is none: nothing was looked at twice, or the clock cannot be trusted."""


@dataclass(frozen=True, slots=True)
class CertifiedResource:
    """One URL of a capture."""

    url: str
    kind: ResourceKind
    media_type: str
    verdict: CoherenceVerdict
    versions: tuple[SeenVersion, ...]
    agrees: bool = False
    """Whether it belongs to the largest set that fits together."""
    caveats: tuple[Caveat, ...] = ()
    rate: float | None = None
    """How often it was believed to change, in changes a second."""
    rate_source: str = ""
    weight: float = 1.0
    """How much it matters, where a person said so."""


@dataclass(frozen=True, slots=True)
class WeightedFigures:
    """What a number of resources comes to if each counts by how much it matters."""

    judged: float
    """The weight of those known to be coherent or not to be; and so on."""
    coherent: float
    rated: float
    """Judged ones whose change rate was known beforehand."""
    expected_coherent: float | None = None
    expected_blur: float | None = None
    """On average over the weight of all with a known rate."""


@dataclass(frozen=True, slots=True)
class CertificateFigures:
    """What a number of resources comes to."""

    resources: int = 0
    verdicts: Mapping[CoherenceVerdict, int] = field(default_factory=dict)
    firm: int = 0
    """Coherent ones whose validators speak against a change that was taken back."""
    agreeing: int = 0
    """Those in the largest set that fits together."""
    rated: int = 0
    """Judged ones whose change rate was known beforehand."""
    rated_coherent: int = 0
    expected_coherent: float | None = None
    """How many of the rated ones could be expected to stay the same."""
    expected_blur: float | None = None
    """Changes to expect between what is held of a resource and what there was at a moment of the capture, on average
    over all with a known rate."""
    weighted: WeightedFigures | None = None
    """The same by weight, where a person said how much resources matter."""

    @property
    def coherent_count(self) -> int:
        """Those that were the same each time."""
        return sum(count for verdict, count in self.verdicts.items() if verdict.is_coherent)

    @property
    def judged_count(self) -> int:
        """Those known to be coherent or not to be."""
        return sum(count for verdict, count in self.verdicts.items() if verdict.is_judged)

    @property
    def coherence(self) -> float | None:
        """The share of coherent ones among the judged; None where none was judged."""
        return self.coherent_count / self.judged_count if self.judged_count else None


@dataclass(frozen=True, slots=True)
class Subsite:
    """A part of a site that may be coherent in itself: a directory, or what one sitemap lists."""

    name: str
    figures: CertificateFigures
    coherent_set: CoherentSet | None


@dataclass(frozen=True, slots=True)
class CertificateSummary:
    """Everything a certificate says but for the single resources."""

    capture: str
    seeds: tuple[str, ...]
    strategy: str
    delay_seconds: float | None
    began: Moment | None
    """The first sighting; None where there is none."""
    ended: Moment | None
    reference: Moment | None
    basis: ReferenceBasis
    at_reference: int
    """Resources known to have been as they are held at the reference moment."""
    coherent_set: CoherentSet | None
    """The largest set that fits together by what was seen."""
    lasting_coherent_set: CoherentSet | None
    """The same of what was seen twice: it holds for a time, where the other may hold for an instant only."""
    dated_coherent_set: CoherentSet | None
    """The largest set that fits together if the servers' dates of last change are believed."""
    all: CertificateFigures
    pages: CertificateFigures
    embeds: CertificateFigures
    others: CertificateFigures
    caveats: Mapping[Caveat, int]
    """How many resources each caveat concerns."""
    setback: float
    """By how many seconds moments run back in the order in which records were stored, at most."""
    is_revisited: bool
    """Whether anything was looked at twice."""
    subsites: tuple[Subsite, ...] = ()


@dataclass(frozen=True, slots=True)
class CoherenceCertificate:
    """What a capture is worth in time."""

    summary: CertificateSummary
    resources: tuple[CertifiedResource, ...]
    """By URL."""
