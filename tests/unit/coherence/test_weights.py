"""Weights in the intent of a capture and in the figures of its certificate: the formulas, and what was written."""

import json
from math import exp

import pytest

from webkeep.coherence.certificates import (
    CaptureIntent,
    CertificateEvidence,
    certificate_from_evidence,
    certificate_from_json,
    certificate_to_json,
    read_intent,
)
from webkeep.coherence.sightings import Sighting
from webkeep.errors import FormatError
from webkeep.model import Digest, Moment

START = Moment.parse("2024-03-01T12:00:00Z")
RATES = {"http://a/": (0.01, "given"), "http://b/": (0.02, "given"), "http://c/": (0.0, "given")}


def seen(name: str, seconds: float, is_revisit: bool = False) -> Sighting:
    digest = Digest.from_chunks("sha1", [name.encode()])
    return Sighting(START.plus(seconds), digest=digest, is_revisit=is_revisit, media_type="text/html")


def certificate_with(weights: dict[str, float]) -> dict[str, object]:
    sightings = [
        ("http://a/", [seen("a", 0), seen("a", 30, True)]),
        ("http://b/", [seen("b", 10), seen("other", 20, True)]),
        ("http://c/", [seen("c", 15), seen("c", 15.5, True)]),
    ]
    evidence = CertificateEvidence("x", (), sightings, CaptureIntent("selective", 1.0, rates=RATES, weights=weights))
    certificate = certificate_from_evidence(evidence)
    text = b"".join(certificate_to_json(certificate))
    assert certificate_from_json(text) == certificate
    return dict(json.loads(text)["all"])


def test_each_page_counts_by_its_weight() -> None:
    told = certificate_with({"http://a/": 3.0, "http://b/": 0.5})["weighted"]
    assert isinstance(told, dict)
    assert (told["judged"], told["coherent"], told["rated"]) == (4.5, 4.0, 4.5)
    assert told["expected_coherent"] == pytest.approx(3 * exp(-0.3) + 0.5 * exp(-0.2) + 1, rel=1e-5)


def test_equal_weights_change_no_share() -> None:
    plain = certificate_with({})
    told = certificate_with(dict.fromkeys(RATES, 2.0))["weighted"]
    assert "weighted" not in plain, "certificates without weights are as they were"
    assert isinstance(told, dict)
    assert told["expected_blur"] == plain["expected_blur"]
    assert told["expected_coherent"] == pytest.approx(2 * float(str(plain["expected_coherent"])), rel=1e-5)


def test_weights_go_through_notes() -> None:
    many = {f"http://a/{number}": float(number) for number in range(12_000)}
    intent = CaptureIntent("selective", 1.0, rates=RATES, weights=many)
    assert read_intent(intent.render_notes()) == intent
    assert b"weights" not in next(CaptureIntent("selective", 1.0, rates=RATES).render_notes())


@pytest.mark.parametrize("weight", [-1, True, "1", None, float("1e301")])
def test_what_cannot_be_a_weight_is_a_damaged_note(weight: object) -> None:
    note = {"strategy": "s", "delay_seconds": 1, "reference": None, "rates": {}, "weights": {"http://a/": weight}}
    with pytest.raises(FormatError):
        read_intent([json.dumps(note).encode()])
