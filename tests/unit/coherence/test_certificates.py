"""Certificates: verdicts, the largest set that fits together, reference moments, figures, clocks that jump."""

from math import exp

import pytest

from webkeep.coherence.certificates import (
    CaptureIntent,
    CertificateEvidence,
    CoherenceCertificate,
    CoherenceVerdict,
    ReferenceBasis,
    certificate_from_evidence,
    certificate_to_json,
)
from webkeep.coherence.certificates.certificate import ResourceKind
from webkeep.coherence.certificates.certificate_json import certificate_from_json
from webkeep.coherence.certificates.coherent_set import densest_overlap
from webkeep.coherence.sightings import Caveat, Sighting
from webkeep.model import Digest, Moment

NOON = Moment.parse("2024-03-01T12:00:00Z")


def seen(seconds: float, body: str = "a", **said: object) -> Sighting:
    values: dict[str, object] = {
        "digest": Digest.from_chunks("sha1", [body.encode()]),
        "media_type": "text/html",
        **said,
    }
    return Sighting(NOON.plus(seconds), **values)


def again(seconds: float, body: str = "a", **said: object) -> Sighting:
    return seen(seconds, body, is_revisit=True, **said)


def certified(
    intent: CaptureIntent | None = None, setback: float = 0.0, **sightings: list[Sighting]
) -> CoherenceCertificate:
    by_url = [(f"http://h/{name}", looks) for name, looks in sightings.items()]
    certificate = certificate_from_evidence(CertificateEvidence("c", ("http://h/",), by_url, intent, {}, setback))
    assert certificate_from_json(b"".join(certificate_to_json(certificate))) == certificate
    return certificate


def verdicts(certificate: CoherenceCertificate) -> dict[str, str]:
    return {each.url.removeprefix("http://h/"): each.verdict.value for each in certificate.resources}


def pyramid() -> dict[str, list[Sighting]]:
    """Five pages, visited every ten seconds and revisited in the opposite order; the last one needs no revisit."""
    return {
        "a": [seen(0), again(80)],
        "b": [seen(10), again(70, "other")],
        "c": [seen(20), again(60)],
        "d": [seen(30), again(50, status=404, digest=None)],
        "e": [seen(40)],
    }


def test_a_capture_of_visits_and_revisits() -> None:
    certificate = certified(**pyramid())
    assert verdicts(certificate) == {"a": "coherent", "b": "changed", "c": "coherent", "d": "vanished", "e": "apex"}
    summary = certificate.summary
    assert (summary.began, summary.ended) == (NOON, NOON.plus(80))
    assert (summary.reference, summary.basis, summary.at_reference) == (NOON.plus(40), ReferenceBasis.OBSERVED, 3)
    assert summary.coherent_set is not None
    assert (summary.coherent_set.start, summary.coherent_set.end, summary.coherent_set.resources) == (
        NOON.plus(40),
        NOON.plus(40),
        3,
    )
    assert summary.lasting_coherent_set is not None
    assert (summary.lasting_coherent_set.start, summary.lasting_coherent_set.end) == (NOON.plus(20), NOON.plus(60))
    assert summary.lasting_coherent_set.resources == 2
    assert [each.url[-1] for each in certificate.resources if each.agrees] == ["a", "c", "e"]
    assert (summary.all.coherent_count, summary.all.judged_count, summary.all.coherence) == (3, 5, 0.6)
    assert summary.is_revisited


def test_what_is_seen_once_outside_of_the_middle_is_no_apex() -> None:
    late = certified(**pyramid(), f=[seen(75)], g=[seen(5)])
    assert (verdicts(late)["e"], verdicts(late)["f"], verdicts(late)["g"]) == ("apex", "once", "once")


def test_each_part_of_a_site_has_an_apex_where_parts_were_made_coherent_one_by_one() -> None:
    sightings = {
        **pyramid(),
        "p": [seen(100), again(140)],
        "q": [seen(110), again(130)],
        "r": [seen(120)],
    }
    aimed = certified(CaptureIntent("x", 10.0, parts=(NOON.plus(45), NOON.plus(125))), **sightings)
    assert [name for name, verdict in verdicts(aimed).items() if verdict == "apex"] == ["e", "r"]
    assert (aimed.summary.reference, aimed.summary.basis) == (None, ReferenceBasis.PARTS)
    whole = certified(CaptureIntent("x", 10.0), **sightings)
    assert [name for name, verdict in verdicts(whole).items() if verdict == "apex"] == ["e"]


def test_without_revisits_made_on_purpose_there_is_no_apex() -> None:
    certificate = certified(logo=[seen(0), seen(100)], page=[seen(50)])
    assert verdicts(certificate) == {"logo": "coherent", "page": "once"}


def test_a_capture_of_single_visits_certifies_instants() -> None:
    summary = certified(a=[seen(0)], b=[seen(10)]).summary
    assert not summary.is_revisited
    assert (summary.reference, summary.basis) == (None, ReferenceBasis.NONE)
    assert summary.coherent_set is not None
    assert (summary.coherent_set.start, summary.coherent_set.end, summary.coherent_set.resources) == (NOON, NOON, 1)
    assert (summary.all.judged_count, summary.all.coherence) == (0, None)


def test_dates_of_last_change_let_single_visits_fit_together_if_they_are_believed() -> None:
    old = "Mon, 01 Jan 2024 00:00:00 GMT"
    summary = certified(a=[seen(0, last_modified=old)], b=[seen(10, last_modified=old)], c=[seen(20)]).summary
    assert summary.dated_coherent_set is not None
    assert (summary.dated_coherent_set.start, summary.dated_coherent_set.end) == (Moment.parse("2024-01-01"), NOON)
    assert summary.dated_coherent_set.resources == 2


def test_the_moment_aimed_at_is_the_reference() -> None:
    summary = certified(CaptureIntent("x", 10.0, NOON.plus(45)), **pyramid()).summary
    assert (summary.reference, summary.basis, summary.at_reference) == (NOON.plus(45), ReferenceBasis.PLAN, 2)
    aside = certified(CaptureIntent("x", 10.0, NOON.plus(500)), **pyramid()).summary
    assert (aside.reference, aside.at_reference) == (NOON.plus(500), 0)


def test_what_was_expected_stands_beside_what_came() -> None:
    rates = {"http://h/a": (0.001, "history"), "http://h/b": (0.02, "sitemap"), "http://h/e": (1.0, "http")}
    certificate = certified(CaptureIntent("x", 10.0, None, rates), **pyramid())
    figures = certificate.summary.all
    expected = exp(-0.08) + exp(-0.02 * 60) + 1
    assert (figures.rated, figures.rated_coherent) == (3, 2)
    assert figures.expected_coherent == pytest.approx(expected, rel=1e-5)
    blur = 0.001 * 80**2 / 4 / 80 + 0.02 * (10**2 / 2 + 60**2 / 4 + 10**2 / 2) / 80 + 1.0 * (80**2 / 4) / 80
    assert figures.expected_blur == pytest.approx(blur / 3, rel=1e-5)
    assert certificate.resources[1].rate_source == "sitemap"


def test_pages_and_embeds_are_counted_apart() -> None:
    certificate = certified(
        page=[seen(0), again(20)],
        picture=[seen(5, media_type="image/png"), again(15, media_type="image/png")],
        moved=[seen(6, status=301, target="/"), again(14, status=301, target="/")],
        gone=[seen(7, status=404), again(13, status=404)],
        was=[seen(8), again(12, status=404, media_type="text/plain")],
        still=[seen(9, status=304, media_type=""), again(11, status=304, media_type="")],
    )
    kinds = {each.url.rpartition("/")[2]: each.kind for each in certificate.resources}
    assert kinds == {
        "page": ResourceKind.PAGE,
        "picture": ResourceKind.EMBED,
        "moved": ResourceKind.OTHER,
        "gone": ResourceKind.OTHER,
        "was": ResourceKind.PAGE,
        "still": ResourceKind.EMBED,
    }
    summary = certificate.summary
    assert (summary.pages.resources, summary.embeds.resources, summary.others.resources) == (2, 2, 2)
    assert (summary.pages.coherent_count, summary.embeds.coherent_count, summary.others.coherent_count) == (1, 2, 2)


def test_a_clock_that_was_set_back_leaves_nothing_to_certify_together() -> None:
    certificate = certified(a=[seen(0), again(80)], b=[seen(100), again(20)])
    assert verdicts(certificate) == {"a": "coherent", "b": "undecided"}
    assert certificate.resources[1].caveats == (Caveat.CLOCK,)
    summary = certificate.summary
    assert (summary.coherent_set, summary.lasting_coherent_set, summary.dated_coherent_set) == (None, None, None)
    assert (summary.reference, summary.basis) == (None, ReferenceBasis.NONE)
    assert summary.caveats[Caveat.CLOCK] == 1


def test_answers_that_say_nothing() -> None:
    certificate = certified(
        troubled=[seen(0), again(10, status=503)],
        silent=[seen(1, status=500), again(9, status=429)],
        late=[seen(2, status=503), seen(3), again(8)],
        cut=[seen(4, is_whole=False), again(7)],
    )
    assert verdicts(certificate) == {
        "troubled": "once",
        "silent": "unanswered",
        "late": "coherent",
        "cut": "undecided",
    }


def test_a_version_that_came_back_is_seen_where_it_was_looked_at_between() -> None:
    certificate = certified(a=[seen(0), again(10, "b"), again(20)])
    assert verdicts(certificate) == {"a": "changed"}
    assert len(certificate.resources[0].versions) == 3


def test_a_page_that_appeared() -> None:
    assert verdicts(certified(a=[seen(0, status=404), again(10)])) == {"a": "appeared"}


def test_nothing_at_all() -> None:
    summary = certified().summary
    assert (summary.began, summary.coherent_set, summary.all.resources, summary.all.expected_blur) == (
        None,
        None,
        0,
        None,
    )


def test_parts_of_a_site_have_figures_of_their_own() -> None:
    sightings = [(f"http://h/{name}", looks) for name, looks in pyramid().items()]
    subsites = {"http://h/a": "one", "http://h/b": "two", "http://h/c": "one", "http://h/d": "two"}
    certificate = certificate_from_evidence(CertificateEvidence("c", (), sightings, None, subsites))
    one, two = certificate.summary.subsites
    assert (one.name, one.figures.coherent_count, two.name, two.figures.coherent_count) == ("one", 2, "two", 0)
    assert one.coherent_set is not None
    assert (one.coherent_set.start, one.coherent_set.end, one.coherent_set.resources) == (
        NOON.plus(20),
        NOON.plus(60),
        2,
    )


@pytest.mark.parametrize(
    ("stretches", "best"),
    [
        ([], None),
        ([(1, 5), (2, 6), (4, 9)], (4, 5, 3)),
        ([(1, 5), (2, 6), (4, 9), (6, 8)], (4, 5, 3)),
        ([(0, 0), (10, 20)], (10, 20, 1)),
        ([(0, 1), (1, 2)], (1, 1, 2)),
        ([(0, 3), (5, 8)], (0, 3, 1)),
    ],
)
def test_the_widest_agreement(stretches: list[tuple[int, int]], best: tuple[int, int, int] | None) -> None:
    assert densest_overlap(stretches) == best


def test_certificates_with_the_former_names_of_fields_are_read() -> None:
    subsites = {"http://h/a": "x", "http://h/b": "x"}
    looks = [(f"http://h/{name}", looks) for name, looks in pyramid().items()]
    certificate = certificate_from_evidence(CertificateEvidence("c", (), looks, None, subsites))
    written = b"".join(certificate_to_json(certificate))
    former = written.replace(b'coherent_set"', b'accord"').replace(b'"observations"', b'"sightings"')
    assert (former != written, certificate_from_json(former)) == (True, certificate)


def test_order_does_not_matter() -> None:
    sightings = [(f"http://h/{name}", looks) for name, looks in pyramid().items()]
    sightings.append(("http://h/typed", [seen(5, media_type="image/png"), again(75, media_type="text/html")]))
    turned = [(url, list(reversed(looks))) for url, looks in reversed(sightings)]
    assert certificate_from_evidence(CertificateEvidence("c", (), sightings)) == certificate_from_evidence(
        CertificateEvidence("c", (), turned)
    )


def test_verdicts_that_count() -> None:
    assert {each for each in CoherenceVerdict if each.is_coherent} == {CoherenceVerdict.COHERENT, CoherenceVerdict.APEX}
