"""Captures from one vantage point, one after the other, until every part is proven to have been there together with the
others, or as often as the plan allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from webkeep.coherence.certificates import CoherenceCertificate
from webkeep.crawl import CaptureResult, capture as capture_site
from webkeep.crawl.run import CaptureObserver
from webkeep.evidence.package.coherence_proof import CoherenceProof, find_single_parts, prove_coherence
from webkeep.evidence.package.evidence_plan import VantagePoint
from webkeep.evidence.package.lost_parts import find_lost_parts
from webkeep.evidence.package.stream_pieces import find_lost_pieces
from webkeep.presentation import format_count
from webkeep.quality.certificates import derive_certificate, keep_certificate
from webkeep.store.archive import WritableArchive


@dataclass(frozen=True, slots=True)
class CaptureRound:
    """One capture, and what it proves."""

    result: CaptureResult
    certificate: CoherenceCertificate
    proof: CoherenceProof


def capture_rounds(
    vantage: VantagePoint, archive: WritableArchive, observer: CaptureObserver, most: int
) -> Iterator[CaptureRound]:
    """Capture until all is proven, at most so often; one that was stopped is the last."""
    for number in range(1, most + 1):
        certificates: list[CoherenceCertificate] = []

        def certify(into: WritableArchive, capture_id: str, kept: list[CoherenceCertificate] = certificates) -> None:
            kept.append(keep_certificate(into, capture_id))

        result = capture_site(vantage.plan, archive, observer, True, certify)
        certificate = certificates[0] if certificates else derive_certificate(archive, result.capture)
        single = find_single_parts(archive.observations(result.capture))
        proof = _with_pieces(prove_coherence(certificate, find_lost_parts(archive, result.capture), single), archive)
        yield CaptureRound(result, certificate, proof)
        if not result.finished or not proof.may_improve:
            return
        if number < most:
            left = len({each.url for each in (*proof.unproven, *proof.lost)})
            verb = "is" if left == 1 else "are"
            observer.on_note(f"{format_count(left, 'part')} {verb} not proven; captured once more")


def _with_pieces(proof: CoherenceProof, archive: WritableArchive) -> CoherenceProof:
    """A proof that names the pieces of streams, too, which could not be had."""
    known = {each.url for each in proof.lost}
    pieces = (each for each in find_lost_pieces(archive, proof.capture) if each.url not in known)
    return replace(proof, lost=(*proof.lost, *pieces))
