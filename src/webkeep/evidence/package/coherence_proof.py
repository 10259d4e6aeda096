"""What a capture proves: which parts of its pages were there together, from when to when, and which are not proven and
why.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from webkeep.coherence.certificates import CertifiedResource, CoherenceCertificate, CoherenceVerdict
from webkeep.coherence.sightings import Caveat
from webkeep.model import Moment, Observation
from webkeep.quality.certificates import CAVEAT_WORDS, headline, verdict_reason

_ASKING_METHODS = frozenset({"GET", "HEAD"})
_WEB_SCHEMES, _SOCKET_SCHEMES = ("http:", "https:"), ("ws:", "wss:")


@dataclass(frozen=True, slots=True)
class UnprovenPart:
    """A part of a page of which it is not proven that it was there together with the others."""

    url: str
    reason: str
    may_pass: bool = False
    """Whether another capture may prove it: it changed in between, or was not compared."""


@dataclass(frozen=True, slots=True)
class CoherenceProof:
    """What a capture proves of its parts together."""

    capture: str
    headline: str
    parts: int = 0
    proven: int = 0
    since: Moment | None = None
    """From when on all proven parts were there together; None where nothing is proven."""
    until: Moment | None = None
    unproven: tuple[UnprovenPart, ...] = ()
    """Parts that came, and are not proven."""
    lost: tuple[UnprovenPart, ...] = ()
    """Parts that could not be had."""
    caveats: tuple[str, ...] = field(default=())
    """What has to be known of the proof, in words."""

    @property
    def is_whole(self) -> bool:
        """Whether every part is proven to have been there together with all others."""
        return bool(self.proven) and not (self.unproven or self.lost)

    @property
    def may_improve(self) -> bool:
        """Whether another capture may prove more; what could not be had was asked for several times already."""
        return any(each.may_pass for each in self.unproven)

    @property
    def rank(self) -> tuple[bool, int, int]:
        """Larger for what proves more."""
        return self.is_whole, -len(self.unproven) - len(self.lost), self.proven


def find_single_parts(seen: Iterable[Observation]) -> tuple[UnprovenPart, ...]:
    """Parts that came once and cannot be asked for again: answers to what a page sent, and what WebSockets said."""
    found: dict[str, UnprovenPart] = {}
    for each in seen:
        if each.url.startswith(_SOCKET_SCHEMES):
            found.setdefault(each.url, UnprovenPart(each.url, "said over a WebSocket, where nothing is said twice"))
        elif each.url.startswith(_WEB_SCHEMES) and each.method not in _ASKING_METHODS and each.size:
            reason = f"an answer to what the page sent by {each.method}, which was not sent again to compare it"
            found.setdefault(each.url, UnprovenPart(each.url, reason))
    return tuple(found.values())


def prove_coherence(
    certificate: CoherenceCertificate, lost: Iterable[UnprovenPart], single: tuple[UnprovenPart, ...] = ()
) -> CoherenceProof:
    """What a certificate proves, and what is missing of what the pages asked for; of parts that came once, nothing."""
    summary = certificate.summary
    together = summary.coherent_set
    is_proven = together is not None and summary.is_revisited and Caveat.CLOCK not in summary.caveats
    lost = tuple(lost)
    vain = {each.url for each in lost}
    unproven = [
        UnprovenPart(each.url, _unproven_reason(each), _may_pass(each) and each.url not in vain)
        for each in certificate.resources
        if not (is_proven and _is_proven(each))
    ]
    proven = len(certificate.resources) - len(unproven)
    named = {each.url for each in unproven}
    single = tuple(each for each in single if each.url not in named)
    return CoherenceProof(
        summary.capture,
        headline(summary),
        len(certificate.resources) + len(single),
        proven,
        together.start if together is not None and proven else None,
        together.end if together is not None and proven else None,
        (*unproven, *single),
        lost,
        tuple(CAVEAT_WORDS[caveat] for caveat in summary.caveats),
    )


def _may_pass(resource: CertifiedResource) -> bool:
    """Whether another look may find what this one did not."""
    return resource.verdict is not CoherenceVerdict.UNANSWERED


def _is_proven(resource: CertifiedResource) -> bool:
    """Whether it was seen twice, the same each time, and is of the set that was there at one moment."""
    return resource.verdict is CoherenceVerdict.COHERENT and resource.agrees


def _unproven_reason(resource: CertifiedResource) -> str:
    if resource.verdict is CoherenceVerdict.COHERENT:
        return "the same each time, and not at a time that the others share"
    return verdict_reason(resource)
