"""From sightings to a certificate: each resource is judged by itself, then all are laid over each other in time.
Decides verdicts, what is a page or an embed, and the reference moment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from webkeep.coherence.certificates.capture_intent import CaptureIntent
from webkeep.coherence.certificates.certificate import (
    CertificateFigures,
    CertificateSummary,
    CertifiedResource,
    CoherenceCertificate,
    CoherenceVerdict,
    ReferenceBasis,
    ResourceKind,
    Subsite,
)
from webkeep.coherence.certificates.certificate_figures import build_figures
from webkeep.coherence.certificates.coherent_set import CoherentSet, densest_overlap, largest_coherent_set
from webkeep.coherence.sightings.seen_versions import (
    KnownReach,
    ResourceHistory,
    SeenVersion,
    history_from_sightings,
    version_intervals,
)
from webkeep.coherence.sightings.sighting import Sighting
from webkeep.coherence.sightings.sighting_comparison import Caveat, Sameness
from webkeep.model import Moment

_NO_MOMENT = Moment(0)
"""Stands for the moments of a capture that has none."""
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_VERDICT_BY_ENDING = {
    Sameness.CHANGED: CoherenceVerdict.CHANGED,
    Sameness.VANISHED: CoherenceVerdict.VANISHED,
    Sameness.APPEARED: CoherenceVerdict.APPEARED,
}


@dataclass(frozen=True, slots=True)
class CertificateEvidence:
    """What a capture's records say, gathered by URL."""

    capture: str
    seeds: tuple[str, ...]
    sightings: Iterable[tuple[str, Sequence[Sighting]]]
    """All sightings of each URL; gone through once, so that they need not be held together with what comes of them."""
    intent: CaptureIntent | None = None
    subsites: Mapping[str, str] | None = None
    """The subsite of each URL; those without one belong to none."""
    setback: float = 0.0
    known: Mapping[str, CertifiedResource] = field(default_factory=dict)
    """Resources as an earlier certificate has them, whose records were taken down since."""


def certificate_from_evidence(evidence: CertificateEvidence) -> CoherenceCertificate:
    """The certificate that evidence gives; the same evidence, in whatever order, gives the same."""
    rates = evidence.intent.rates if evidence.intent else {}
    waits = evidence.intent.waits if evidence.intent else {}
    weights = evidence.intent.weights if evidence.intent else {}
    resources: list[CertifiedResource] = []
    is_aimed = False
    for url, sightings in evidence.sightings:
        if url not in evidence.known:
            judged = judge_resource(url, _shift_visits(sightings, waits.get(url, 0.0)), rates.get(url))
            resources.append(replace(judged, weight=weights[url]) if url in weights else judged)
        is_aimed = is_aimed or any(each.is_revisit for each in sightings)
    resources += map(_without_context, evidence.known.values())
    resources.sort(key=lambda each: each.url)
    window = _common_window(resources)
    for each in _part_windows(resources, evidence.intent, window) if is_aimed else ():
        _mark_apexes(resources, each)
    return _CertificateBuilder(evidence, resources, window).build()


def _without_context(resource: CertifiedResource) -> CertifiedResource:
    """A resource without what it has from lying among others."""
    verdict = CoherenceVerdict.ONCE if resource.verdict is CoherenceVerdict.APEX else resource.verdict
    return replace(resource, agrees=False, verdict=verdict)


def _shift_visits(sightings: Sequence[Sighting], wait: float) -> Sequence[Sighting]:
    """The sightings with visits at the end of their answers: a server may look at a page long after it was asked."""
    if not wait:
        return sightings
    return [each if each.is_revisit else replace(each, moment=each.moment.plus(wait)) for each in sightings]


def judge_resource(url: str, sightings: Sequence[Sighting], rate: tuple[float, str] | None = None) -> CertifiedResource:
    """A resource by itself."""
    sightings = sorted(sightings, key=lambda each: each.moment)
    if _is_clock_set_back(sightings):
        apart = [history_from_sightings([each]) for each in sightings]
        history = ResourceHistory(
            tuple(version for each in apart for version in each.versions),
            frozenset({Caveat.CLOCK}).union(*(each.caveats for each in apart)),
        )
        verdict = CoherenceVerdict.UNDECIDED
    else:
        history = history_from_sightings(sightings)
        verdict = _verdict_of(history.versions)
    media_type = _choose_media_type(sightings)
    return CertifiedResource(
        url,
        _resource_kind(sightings, media_type),
        media_type,
        verdict,
        history.versions,
        caveats=_sort_caveats(history.caveats),
        rate=rate[0] if rate else None,
        rate_source=rate[1] if rate else "",
    )


@cache
def _sort_caveats(caveats: frozenset[Caveat]) -> tuple[Caveat, ...]:
    """In their order; most resources have the same few."""
    return tuple(sorted(caveats))


def _is_clock_set_back(sightings: Sequence[Sighting]) -> bool:
    """Whether a revisit is said to have been before the visit: the clock was set back in between."""
    visits = [each.moment for each in sightings if not each.is_revisit]
    revisits = [each.moment for each in sightings if each.is_revisit]
    return bool(visits and revisits) and min(revisits) < min(visits)


def _verdict_of(versions: Sequence[SeenVersion]) -> CoherenceVerdict:
    if not versions:
        return CoherenceVerdict.UNANSWERED
    if len(versions) == 1:
        return CoherenceVerdict.COHERENT if versions[0].observations > 1 else CoherenceVerdict.ONCE
    endings = (_VERDICT_BY_ENDING.get(version.ending) for version in versions if version.ending is not None)
    return next((verdict for verdict in endings if verdict is not None), CoherenceVerdict.UNDECIDED)


def _choose_media_type(sightings: Sequence[Sighting]) -> str:
    """What the resource is, by the first answer that shows it."""
    named = [each for each in sightings if each.media_type]
    shown = (each.media_type for each in named if each.is_content)
    return next(shown, named[0].media_type if named else "")


def _resource_kind(sightings: Sequence[Sighting], media_type: str) -> ResourceKind:
    if not any(each.is_answer and each.is_content for each in sightings):
        return ResourceKind.OTHER
    return ResourceKind.PAGE if media_type in _HTML_TYPES else ResourceKind.EMBED


def _common_window(resources: Sequence[CertifiedResource]) -> tuple[int, int] | None:
    """When most of what was seen twice stood under observation, whatever became of it."""
    best = densest_overlap(_observed_interval(each.versions) for each in resources if _is_seen_again(each))
    return None if best is None else best[:2]


def _part_windows(
    resources: Sequence[CertifiedResource], intent: CaptureIntent | None, window: tuple[int, int] | None
) -> list[tuple[int, int]]:
    """The same for each part, where a capture made the parts of a site coherent one after the other."""
    if intent is None or len(intent.parts) < 2:
        return [window] if window is not None else []
    around = ([each for each in resources if _is_observed_at(each, moment.micros)] for moment in intent.parts)
    return [turn for turn in map(_common_window, around) if turn is not None]


def _is_observed_at(resource: CertifiedResource, micros: int) -> bool:
    """Whether a moment lies between the first look at a resource and the last."""
    first, last = _observed_interval(resource.versions) if resource.versions else (micros, micros)
    return first <= micros <= last


def _mark_apexes(resources: list[CertifiedResource], window: tuple[int, int]) -> None:
    """Mark, on each host, the last page seen once while all that was seen twice stood under observation."""
    last: dict[str, int] = {}
    for place, each in enumerate(resources):
        if each.verdict is CoherenceVerdict.ONCE and window[0] <= each.versions[0].first.micros <= window[1]:
            host = _host_of(each.url)
            if host not in last or resources[last[host]].versions[0].first < each.versions[0].first:
                last[host] = place
    for place in last.values():
        resources[place] = replace(resources[place], verdict=CoherenceVerdict.APEX)


def _is_seen_again(resource: CertifiedResource) -> bool:
    return sum(version.observations for version in resource.versions) > 1 and Caveat.CLOCK not in resource.caveats


def _observed_interval(versions: Sequence[SeenVersion]) -> tuple[int, int]:
    """From the first sighting to the last."""
    return versions[0].first.micros, versions[-1].last.micros


def _version_ends(version: SeenVersion) -> tuple[Moment, Moment]:
    return version.first, version.last


def _host_of(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].lower()


class _CertificateBuilder:
    """All resources of a capture laid over each other in time."""

    def __init__(
        self, evidence: CertificateEvidence, resources: list[CertifiedResource], window: tuple[int, int] | None
    ) -> None:
        self._evidence = evidence
        self._resources = resources
        self._window = window
        self._is_clock_sound = not any(Caveat.CLOCK in each.caveats for each in resources)
        self._reference, self._basis = self._choose_reference()
        self._coherent_set, members = self._largest_coherent_set(range(len(resources)))
        for place in members:
            resources[place] = replace(resources[place], agrees=True)

        moments = [each for resource in resources for version in resource.versions for each in _version_ends(version)]
        self._began, self._ended = min(moments, default=None), max(moments, default=None)

    def build(self) -> CoherenceCertificate:
        """The whole of it."""
        resources, evidence = self._resources, self._evidence
        intent = evidence.intent

        def of(*kinds: ResourceKind) -> CertificateFigures:
            return self._build_figures([each for each in resources if each.kind in kinds])

        summary = CertificateSummary(
            evidence.capture,
            evidence.seeds,
            intent.strategy if intent else "",
            intent.delay_seconds if intent else None,
            self._began,
            self._ended,
            self._reference,
            self._basis,
            self._count_known_at(self._reference),
            self._coherent_set,
            self._largest_coherent_set(range(len(resources)), KnownReach.SEEN_TWICE)[0],
            self._largest_coherent_set(range(len(resources)), KnownReach.DATED)[0],
            of(*ResourceKind),
            of(ResourceKind.PAGE),
            of(ResourceKind.EMBED),
            of(ResourceKind.OTHER),
            dict(sorted(Counter(caveat for each in resources for caveat in each.caveats).items())),
            evidence.setback,
            any(_is_seen_again(each) for each in resources),
            tuple(self._build_subsites()),
        )
        return CoherenceCertificate(summary, tuple(resources))

    def _build_figures(self, resources: Sequence[CertifiedResource]) -> CertificateFigures:
        began = self._began or _NO_MOMENT
        return build_figures(resources, began, self._ended or began)

    def _choose_reference(self) -> tuple[Moment | None, ReferenceBasis]:
        if not self._is_clock_sound:
            return None, ReferenceBasis.NONE
        intent = self._evidence.intent
        if intent is not None and intent.reference is not None:
            return intent.reference, ReferenceBasis.PLAN
        if intent is not None and len(intent.parts) > 1:
            return None, ReferenceBasis.PARTS
        apexes = [each.versions[0].first for each in self._resources if each.verdict is CoherenceVerdict.APEX]
        if apexes:
            return max(apexes), ReferenceBasis.OBSERVED
        window = self._window
        return (Moment(sum(window) // 2), ReferenceBasis.OBSERVED) if window else (None, ReferenceBasis.NONE)

    def _count_known_at(self, reference: Moment | None) -> int:
        """How many resources were for certain what they are held as, at a moment."""
        if reference is None:
            return 0
        return sum(
            any(start <= reference.micros <= end for start, end in version_intervals(each.versions))
            for each in self._resources
            if Caveat.CUT_OFF not in each.caveats
        )

    def _largest_coherent_set(
        self, places: Iterable[int], reach: KnownReach = KnownReach.SEEN
    ) -> tuple[CoherentSet | None, set[int]]:
        """The largest set among some resources that fits together; without a sound clock nothing can be said of it."""
        if not self._is_clock_sound:
            return None, set()
        # Of what was cut off nobody knows what it was.
        whole = (place for place in places if Caveat.CUT_OFF not in self._resources[place].caveats)
        named = ((place, self._resources[place].versions) for place in whole)
        return largest_coherent_set(named, self._reference, reach)

    def _build_subsites(self) -> Iterable[Subsite]:
        named = self._evidence.subsites or {}
        places: dict[str, list[int]] = {}
        for place, each in enumerate(self._resources):
            if each.url in named:
                places.setdefault(named[each.url], []).append(place)
        for name, mine in sorted(places.items()):
            yield Subsite(
                name,
                self._build_figures([self._resources[place] for place in mine]),
                self._largest_coherent_set(mine)[0],
            )
