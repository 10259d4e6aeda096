"""A certificate never claims more than the records prove."""

from webkeep.coherence.certificate import Verdict
from webkeep.coherence.certifying import Evidence, certificate_of
from webkeep.coherence.comparing import Caveat, Sameness, compared
from webkeep.coherence.sighting import Sighting
from webkeep.coherence.version import history_of
from webkeep.model import Digest, Moment

NOON = Moment.parse("2024-03-01T12:00:00Z")
ONE, TWO = Digest.of("sha1", [b"one"]), Digest.of("sha1", [b"two"])


def look(seconds: float, status: int = 200, digest: Digest | None = ONE, **facts: object) -> Sighting:
    return Sighting(NOON.plus(seconds), status, digest, digest, **facts)  # type: ignore[arg-type]


def test_a_304_about_another_version_says_nothing_of_the_one_held() -> None:
    held, other = look(0, etag='"b"'), look(9, 304, ONE, etag='"a"')
    assert compared(held, other).sameness is Sameness.UNKNOWN
    assert compared(held, look(9, 304, ONE, etag='"b"')).sameness is Sameness.SAME
    assert compared(held, look(9, 304, ONE)).sameness is Sameness.SAME


def test_a_304_that_nothing_is_held_for_is_no_answer() -> None:
    history = history_of([look(0, 304, None), look(9, 304, None)])
    assert history.versions == ()
    assert Caveat.UNANSWERED in history.caveats
    founded = history_of([look(0), look(9, 304, None)])
    assert [version.sightings for version in founded.versions] == [2]


def test_what_was_cut_off_does_not_fit_together_with_anything() -> None:
    cut = [look(0, is_whole=False), look(9, is_whole=False, is_revisit=True)]
    whole = [look(1), look(8, is_revisit=True)]
    certificate = certificate_of(Evidence("c", (), [("http://h/cut", cut), ("http://h/whole", whole)]))
    assert {each.url for each in certificate.resources if each.agrees} == {"http://h/whole"}
    assert certificate.summary.at_reference == 1


def test_redirects_that_lead_nowhere_are_held_against_each_other_by_content() -> None:
    assert compared(look(0, 300, ONE), look(9, 300, TWO)).sameness is Sameness.CHANGED
    assert compared(look(0, 300, ONE), look(9, 300, ONE)).sameness is Sameness.SAME


def test_only_a_server_that_says_so_makes_a_page_vanish() -> None:
    for status, verdict in ((404, Verdict.VANISHED), (410, Verdict.VANISHED), (403, Verdict.ONCE), (431, Verdict.ONCE)):
        looks = {"http://h/": [look(0), look(9, status, TWO, is_revisit=True)]}
        (resource,) = certificate_of(Evidence("c", (), looks.items())).resources
        assert resource.verdict is verdict or (verdict is Verdict.ONCE and resource.verdict is Verdict.APEX), status


def test_a_page_seen_once_is_known_at_that_instant_alone() -> None:
    looks = {
        "http://h/a": [look(0), look(20, is_revisit=True)],
        "http://h/b": [look(1), look(19, is_revisit=True)],
        "http://h/apex": [look(10, digest=TWO)],
    }
    summary = certificate_of(Evidence("c", (), looks.items())).summary
    assert summary.reference == NOON.plus(10)
    assert summary.at_reference == 3
