"""A certificate never claims more than the records prove."""

from webkeep.coherence.certificates import CertificateEvidence, CoherenceVerdict, certificate_from_evidence
from webkeep.coherence.sightings import Caveat, Sameness, Sighting
from webkeep.coherence.sightings.seen_versions import history_from_sightings
from webkeep.coherence.sightings.sighting_comparison import compare_sightings
from webkeep.model import Digest, Moment

NOON = Moment.parse("2024-03-01T12:00:00Z")
ONE, TWO = Digest.from_chunks("sha1", [b"one"]), Digest.from_chunks("sha1", [b"two"])


def look(seconds: float, status: int = 200, digest: Digest | None = ONE, **facts: object) -> Sighting:
    return Sighting(NOON.plus(seconds), status, digest, digest, **facts)  # type: ignore[arg-type]


def test_a_304_about_another_version_says_nothing_of_the_one_held() -> None:
    held, other = look(0, etag='"b"'), look(9, 304, ONE, etag='"a"')
    assert compare_sightings(held, other).sameness is Sameness.UNKNOWN
    assert compare_sightings(held, look(9, 304, ONE, etag='"b"')).sameness is Sameness.SAME
    assert compare_sightings(held, look(9, 304, ONE)).sameness is Sameness.SAME


def test_a_304_that_nothing_is_held_for_is_no_answer() -> None:
    history = history_from_sightings([look(0, 304, None), look(9, 304, None)])
    assert history.versions == ()
    assert Caveat.UNANSWERED in history.caveats
    founded = history_from_sightings([look(0), look(9, 304, None)])
    assert [version.observations for version in founded.versions] == [2]


def test_what_was_cut_off_does_not_fit_together_with_anything() -> None:
    cut = [look(0, is_whole=False), look(9, is_whole=False, is_revisit=True)]
    whole = [look(1), look(8, is_revisit=True)]
    certificate = certificate_from_evidence(
        CertificateEvidence("c", (), [("http://h/cut", cut), ("http://h/whole", whole)])
    )
    assert {each.url for each in certificate.resources if each.agrees} == {"http://h/whole"}
    assert certificate.summary.at_reference == 1


def test_redirects_that_lead_nowhere_are_held_against_each_other_by_content() -> None:
    assert compare_sightings(look(0, 300, ONE), look(9, 300, TWO)).sameness is Sameness.CHANGED
    assert compare_sightings(look(0, 300, ONE), look(9, 300, ONE)).sameness is Sameness.SAME


def test_only_a_server_that_says_so_makes_a_page_vanish() -> None:
    for status, verdict in (
        (404, CoherenceVerdict.VANISHED),
        (410, CoherenceVerdict.VANISHED),
        (403, CoherenceVerdict.ONCE),
        (431, CoherenceVerdict.ONCE),
    ):
        looks = {"http://h/": [look(0), look(9, status, TWO, is_revisit=True)]}
        (resource,) = certificate_from_evidence(CertificateEvidence("c", (), looks.items())).resources
        assert resource.verdict is verdict or (
            verdict is CoherenceVerdict.ONCE and resource.verdict is CoherenceVerdict.APEX
        ), status


def test_a_page_seen_once_is_known_at_that_instant_alone() -> None:
    looks = {
        "http://h/a": [look(0), look(20, is_revisit=True)],
        "http://h/b": [look(1), look(19, is_revisit=True)],
        "http://h/apex": [look(10, digest=TWO)],
    }
    summary = certificate_from_evidence(CertificateEvidence("c", (), looks.items())).summary
    assert summary.reference == NOON.plus(10)
    assert summary.at_reference == 3
