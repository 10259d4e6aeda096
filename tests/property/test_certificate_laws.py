"""Laws of certificates, of time travel and of what fits a page: against histories in which the truth is known."""

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given, strategies as st

from webkeep.coherence.certificates import (
    CaptureIntent,
    CertificateEvidence,
    CoherenceVerdict,
    certificate_from_evidence,
    certificate_to_json,
    read_intent,
)
from webkeep.coherence.certificates.certificate_json import certificate_from_json
from webkeep.coherence.certificates.coherent_set import densest_overlap
from webkeep.coherence.schedules import TimeInterval
from webkeep.coherence.sightings import Caveat, Sighting
from webkeep.coherence.sightings.seen_versions import KnownReach, history_from_sightings, version_intervals
from webkeep.coherence.sightings.sighting_comparison import MAX_CLOCK_SKEW_SECONDS
from webkeep.coherence.time_travel import (
    CaptureSpan,
    MomentMapping,
    TemporalFit,
    choose_capture,
    choose_sighting,
    choose_sighting_at,
    judge_fit,
)
from webkeep.coherence.time_travel.embed_fit import FitGround
from webkeep.errors import FormatError
from webkeep.lab.coherence.schedulers import largest_agreement
from webkeep.model import Digest, Moment

START = Moment.parse("2024-03-01T12:00:00Z")
VERSIONS = [Digest.from_chunks("sha1", [bytes([number])]) for number in range(200)]
TIME = st.integers(0, 2000)
STRETCHES = st.lists(st.tuples(TIME, TIME).map(lambda pair: (min(pair), max(pair))), max_size=40)


@dataclass(frozen=True)
class Truth:
    """A page whose every change is known; each change makes a version that never was there before."""

    changes: tuple[int, ...]

    def version(self, time: int) -> int:
        return sum(change <= time for change in self.changes)

    def changed_last(self, time: int) -> int | None:
        return max((change for change in self.changes if change <= time), default=None)

    def seen(self, time: int, dated: bool, revisit: bool = False) -> Sighting:
        last = self.changed_last(time)
        said = "" if last is None or not dated else START.plus(last).datetime.strftime("%a, %d %b %Y %H:%M:%S GMT")
        return Sighting(START.plus(time), digest=VERSIONS[self.version(time)], last_modified=said, is_revisit=revisit)


TRUTHS = st.lists(TIME, max_size=8).map(lambda times: Truth(tuple(sorted(set(times)))))
LOOKS = st.lists(TIME, min_size=1, max_size=8, unique=True)
SITES = st.lists(
    st.tuples(TRUTHS, st.tuples(TIME, TIME).filter(lambda pair: pair[0] < pair[1])), min_size=1, max_size=12
)


def evidence(site: list[tuple[Truth, tuple[int, int]]]) -> CertificateEvidence:
    looks = [
        (f"http://h/{place:03}", [truth.seen(visit, True), truth.seen(revisit, True, True)])
        for place, (truth, (visit, revisit)) in enumerate(site)
    ]
    return CertificateEvidence("c", (), looks)


@given(SITES)
def test_verdicts_are_the_truth(site: list[tuple[Truth, tuple[int, int]]]) -> None:
    for resource, (truth, (visit, revisit)) in zip(
        certificate_from_evidence(evidence(site)).resources, site, strict=True
    ):
        changed = any(visit < change <= revisit for change in truth.changes)
        assert resource.verdict is (CoherenceVerdict.CHANGED if changed else CoherenceVerdict.COHERENT)


@given(SITES)
def test_what_fits_together_did_exist_together(site: list[tuple[Truth, tuple[int, int]]]) -> None:
    certificate = certificate_from_evidence(evidence(site))
    coherent_set = certificate.summary.coherent_set
    assert coherent_set is not None
    members = [place for place, each in enumerate(certificate.resources) if each.agrees]
    assert len(members) == coherent_set.resources == certificate.summary.all.agreeing
    for moment in (coherent_set.start, coherent_set.end):
        time = round(moment.seconds_since(START))
        for place in members:
            truth, held = site[place][0], certificate.resources[place].versions
            assert any(
                version.digest == VERSIONS[truth.version(time)] and version.first <= moment <= version.last
                for version in held
            )


@given(SITES)
def test_dates_that_are_honest_make_the_set_larger_or_leave_it(site: list[tuple[Truth, tuple[int, int]]]) -> None:
    summary = certificate_from_evidence(evidence(site)).summary
    assert summary.coherent_set is not None
    assert summary.dated_coherent_set is not None
    assert summary.dated_coherent_set.resources >= summary.coherent_set.resources


@given(SITES)
def test_a_certificate_comes_back_from_its_json(site: list[tuple[Truth, tuple[int, int]]]) -> None:
    certificate = certificate_from_evidence(evidence(site))
    written = b"".join(certificate_to_json(certificate))
    assert certificate_from_json(written) == certificate
    assert b"".join(certificate_to_json(certificate_from_json(written))) == written


@given(STRETCHES)
def test_one_sweep_finds_as_many_as_trying_every_moment(stretches: list[tuple[int, int]]) -> None:
    best = densest_overlap(stretches)
    counts = [sum(start <= time <= end for start, end in stretches) for time in range(2001)] if stretches else [0]
    assert (best[2] if best else 0) == max(counts)
    assert len(largest_agreement([TimeInterval(*each) for each in stretches]).pages) == max(counts)
    if best:
        assert counts[best[0]] == counts[best[1]] == best[2]


@given(TRUTHS, LOOKS, st.booleans())
def test_versions_are_disjoint_and_in_order(truth: Truth, looks: list[int], dated: bool) -> None:
    versions = history_from_sightings([truth.seen(time, dated) for time in looks]).versions
    assert sum(version.observations for version in versions) == len(looks)
    for reach in KnownReach:
        stretches = version_intervals(versions, reach)
        assert all(one[1] < other[0] for one, other in pairwise(stretches))


@given(TRUTHS, LOOKS, TIME, st.booleans())
def test_what_is_called_coherent_was_there_and_what_is_called_violative_was_not(
    truth: Truth, looks: list[int], page: int, dated: bool
) -> None:
    sightings = [truth.seen(time, dated) for time in looks]
    for place, time in enumerate(looks):
        fit = judge_fit(START.plus(page), sightings, place)
        was_there = truth.version(time) == truth.version(page)
        if fit is TemporalFit.COHERENT:
            assert was_there
        if fit is TemporalFit.VIOLATIVE:
            assert not was_there


@given(TRUTHS, LOOKS, TIME, st.booleans())
def test_the_choice_is_no_worse_than_any(truth: Truth, looks: list[int], page: int, dated: bool) -> None:
    sightings = [truth.seen(time, dated) for time in looks]
    choice = choose_sighting(START.plus(page), sightings)
    assert choice is not None
    fits = [judge_fit(START.plus(page), sightings, place) for place in range(len(looks))]
    assert choice.fit is fits[choice.place]
    if TemporalFit.COHERENT in fits:
        assert choice.fit is TemporalFit.COHERENT
    elif set(fits) != {TemporalFit.VIOLATIVE}:
        assert choice.fit is not TemporalFit.VIOLATIVE
    if choice.ground is FitGround.PROVEN:
        assert min(looks) <= page <= max(looks)


@given(TRUTHS, LOOKS, TIME)
def test_the_order_of_sightings_does_not_matter(truth: Truth, looks: list[int], page: int) -> None:
    sightings = [truth.seen(time, True) for time in looks]
    one, other = choose_sighting(START.plus(page), sightings), choose_sighting(START.plus(page), sightings[::-1])
    assert one is not None
    assert other is not None
    assert (sightings[one.place], one.fit, one.ground) == (sightings[::-1][other.place], other.fit, other.ground)


@given(TRUTHS, LOOKS, TIME)
def test_what_time_travel_calls_proven_is_true_and_nothing_is_nearer(
    truth: Truth, looks: list[int], asked: int
) -> None:
    answer = choose_sighting_at([truth.seen(time, False) for time in looks], START.plus(asked))
    assert answer is not None
    assert abs(looks[answer.place] - asked) == min(abs(time - asked) for time in looks)
    if answer.is_proven:
        assert truth.version(looks[answer.place]) == truth.version(asked)


@given(st.lists(st.tuples(TIME, st.integers(0, 100)), max_size=8), TIME)
def test_both_mappings_agree_at_the_moments_of_captures(spans: list[tuple[int, int]], asked: int) -> None:
    captures = [
        CaptureSpan(str(n), START.plus(time), START.plus(time + 2 * half)) for n, (time, half) in enumerate(spans)
    ]
    for each in captures:
        found = [choose_capture(captures, each.reference_moment(), mapping) for mapping in MomentMapping]
        assert found[0] == found[1]
        assert found[0] is not None
        assert found[0].reference_moment() == each.reference_moment()
    moment = START.plus(asked)
    before = choose_capture(captures, moment, MomentMapping.LATEST_BEFORE)
    assert (before is None) == all(each.reference_moment() > moment for each in captures)


RATES = st.dictionaries(st.text(max_size=20), st.tuples(st.floats(0, 1e6), st.text(max_size=9)), max_size=20)


@given(st.text(max_size=20), st.none() | st.floats(0, 1e6), st.none() | TIME.map(START.plus), RATES)
def test_an_intent_comes_back_from_its_notes(
    strategy: str, delay: float | None, reference: Moment | None, rates: dict[str, tuple[float, str]]
) -> None:
    intent = CaptureIntent(strategy, delay, reference, rates)
    assert read_intent(intent.render_notes()) == intent


@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_any_bytes_are_a_certificate_or_a_format_error(data: bytes) -> None:
    for read in (certificate_from_json, lambda block: read_intent([block])):
        try:
            read(data)
        except FormatError:
            continue


@given(TRUTHS, LOOKS)
def test_a_change_taken_back_is_excluded_only_by_firm_words(truth: Truth, looks: list[int]) -> None:
    history = history_from_sightings([truth.seen(time, True) for time in looks])
    for version in history.versions:
        if version.observations > 1 and version.strength is not None:
            fresh = version.first.seconds_since(version.believed_since) < MAX_CLOCK_SKEW_SECONDS
            assert version.strength.is_firm is not (fresh or not version.last_modified)
            assert version.strength.is_firm or Caveat.REVERT_UNSEEN in history.caveats
