"""Facts of packages that were never made, as the sheets of a package are given them."""

from webkeep.api import build_vantages
from webkeep.evidence.package import EvidenceFacts, EvidencePlan
from webkeep.evidence.package.coherence_proof import CoherenceProof
from webkeep.evidence.package.evidence_facts import VantageEvidence
from webkeep.evidence.package.machine_facts import read_machine_facts
from webkeep.evidence.package.page_condition import judge_portrait
from webkeep.evidence.package.page_exhibit import PageExhibit
from webkeep.evidence.package.record_survey import RecordSurvey
from webkeep.fetch.client import OriginSurvey
from webkeep.formats.states import PortraitNote
from webkeep.model import Moment

SITE = "https://example.org/"
NOON = Moment.parse("2026-03-02T12:00:00Z")


def make_facts(
    *seen: tuple[str, str], is_at_rest: bool = True, origins: tuple[OriginSurvey, ...] = ()
) -> EvidenceFacts:
    """Facts of pages, each seen from a vantage point, `main` or `stranger`; all their parts are proven."""
    words = ["stranger anonymous"] if any(place == "stranger" for place, _ in seen) else []
    vantages = build_vantages({}, ((SITE,), ()), words, print)
    exhibits = [_make_exhibit(number, place, SITE + page, is_at_rest) for number, (place, page) in enumerate(seen, 1)]
    proof = CoherenceProof("capture", "", 3, 3, NOON, NOON)
    proofs = tuple(VantageEvidence(each, (proof,), 0) for each in vantages)
    plan, survey, machine = EvidencePlan(vantages), RecordSurvey(), read_machine_facts("")
    return EvidenceFacts("id", plan, NOON, NOON, proofs, tuple(exhibits), survey, origins, machine, ())


def _make_exhibit(number: int, place: str, page: str, is_at_rest: bool) -> PageExhibit:
    note = PortraitNote(page, page, status=200, is_at_rest=is_at_rest)
    condition, remark = judge_portrait(note, "Some words.", b"<p>Some words.", b"")
    return PageExhibit(f"page-{number:03}", place, "capture", page, NOON, note, condition, remark)
