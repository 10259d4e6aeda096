"""From sightings to a certificate: each resource is judged by itself, then all are laid over each other in time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from webkeep.coherence.accord import Accord, accord_of, widest
from webkeep.coherence.certificate import (
    Basis,
    Certificate,
    Figures,
    Kind,
    Resource,
    Subsite,
    Summary,
    Verdict,
)
from webkeep.coherence.comparing import Caveat, Sameness
from webkeep.coherence.figures import figures_of
from webkeep.coherence.intent import Intent
from webkeep.coherence.sighting import Sighting
from webkeep.coherence.version import History, Reach, Version, history_of, intervals
from webkeep.model import Moment

_BEGINNING = Moment(0)
"""Stands for the moments of a capture that has none."""
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_BOUNDARIES = {
    Sameness.CHANGED: Verdict.CHANGED,
    Sameness.VANISHED: Verdict.VANISHED,
    Sameness.APPEARED: Verdict.APPEARED,
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a capture's records say, gathered by URL."""

    capture: str
    seeds: tuple[str, ...]
    sightings: Iterable[tuple[str, Sequence[Sighting]]]
    """All sightings of each URL; gone through once, so that they need not be held together with what comes of them."""
    intent: Intent | None = None
    subsites: Mapping[str, str] | None = None
    """The subsite of each URL; those without one belong to none."""
    setback: float = 0.0
    known: Mapping[str, Resource] = field(default_factory=dict)
    """Resources as an earlier certificate has them, whose records were taken down since."""


def certificate_of(evidence: Evidence) -> Certificate:
    """The certificate that evidence gives; the same evidence, in whatever order, gives the same."""
    rates = evidence.intent.rates if evidence.intent else {}
    waits = evidence.intent.waits if evidence.intent else {}
    resources: list[Resource] = []
    is_aimed = False
    for url, sightings in evidence.sightings:
        if url not in evidence.known:
            resources.append(judged(url, _answered(sightings, waits.get(url, 0.0)), rates.get(url)))
        is_aimed = is_aimed or any(each.is_revisit for each in sightings)
    resources += map(_by_itself, evidence.known.values())
    resources.sort(key=lambda each: each.url)
    window = _window(resources)
    for each in _turns(resources, evidence.intent, window) if is_aimed else ():
        _mark_apexes(resources, each)
    return _Layout(evidence, resources, window).certificate()


def _by_itself(resource: Resource) -> Resource:
    """A resource without what it has from lying among others."""
    verdict = Verdict.ONCE if resource.verdict is Verdict.APEX else resource.verdict
    return replace(resource, agrees=False, verdict=verdict)


def _answered(sightings: Sequence[Sighting], wait: float) -> Sequence[Sighting]:
    """The sightings with visits at the end of their answers: a server may look at a page long after it was asked."""
    if not wait:
        return sightings
    return [each if each.is_revisit else replace(each, moment=each.moment.plus(wait)) for each in sightings]


def judged(url: str, sightings: Sequence[Sighting], rate: tuple[float, str] | None = None) -> Resource:
    """A resource by itself."""
    sightings = sorted(sightings, key=lambda each: each.moment)
    if _is_turned_around(sightings):
        apart = [history_of([each]) for each in sightings]
        history = History(
            tuple(version for each in apart for version in each.versions),
            frozenset({Caveat.CLOCK}).union(*(each.caveats for each in apart)),
        )
        verdict = Verdict.UNDECIDED
    else:
        history = history_of(sightings)
        verdict = _verdict(history.versions)
    media_type = _media_type(sightings)
    return Resource(
        url,
        _kind(sightings, media_type),
        media_type,
        verdict,
        history.versions,
        caveats=_listed(history.caveats),
        rate=rate[0] if rate else None,
        rate_source=rate[1] if rate else "",
    )


@cache
def _listed(caveats: frozenset[Caveat]) -> tuple[Caveat, ...]:
    """In their order; most resources have the same few."""
    return tuple(sorted(caveats))


def _is_turned_around(sightings: Sequence[Sighting]) -> bool:
    """Whether a revisit is said to have been before the visit: the clock was set back in between."""
    visits = [each.moment for each in sightings if not each.is_revisit]
    revisits = [each.moment for each in sightings if each.is_revisit]
    return bool(visits and revisits) and min(revisits) < min(visits)


def _verdict(versions: Sequence[Version]) -> Verdict:
    if not versions:
        return Verdict.UNANSWERED
    if len(versions) == 1:
        return Verdict.COHERENT if versions[0].sightings > 1 else Verdict.ONCE
    endings = (_BOUNDARIES.get(version.ending) for version in versions if version.ending is not None)
    return next((verdict for verdict in endings if verdict is not None), Verdict.UNDECIDED)


def _media_type(sightings: Sequence[Sighting]) -> str:
    """What the resource is, by the first answer that shows it."""
    named = [each for each in sightings if each.media_type]
    shown = (each.media_type for each in named if each.is_content)
    return next(shown, named[0].media_type if named else "")


def _kind(sightings: Sequence[Sighting], media_type: str) -> Kind:
    if not any(each.is_answer and each.is_content for each in sightings):
        return Kind.OTHER
    return Kind.PAGE if media_type in _HTML else Kind.EMBED


def _window(resources: Sequence[Resource]) -> tuple[int, int] | None:
    """When most of what was seen twice stood under observation, whatever became of it."""
    best = widest(_observed(each.versions) for each in resources if _is_seen_again(each))
    return None if best is None else best[:2]


def _turns(
    resources: Sequence[Resource], intent: Intent | None, window: tuple[int, int] | None
) -> list[tuple[int, int]]:
    """The same for each part, where a capture made the parts of a site coherent one after the other."""
    if intent is None or len(intent.parts) < 2:
        return [window] if window is not None else []
    around = ([each for each in resources if _holds(each, moment.micros)] for moment in intent.parts)
    return [turn for turn in map(_window, around) if turn is not None]


def _holds(resource: Resource, micros: int) -> bool:
    """Whether a moment lies between the first look at a resource and the last."""
    first, last = _observed(resource.versions) if resource.versions else (micros, micros)
    return first <= micros <= last


def _mark_apexes(resources: list[Resource], window: tuple[int, int]) -> None:
    """Mark, on each host, the last page seen once while all that was seen twice stood under observation."""
    last: dict[str, int] = {}
    for place, each in enumerate(resources):
        if each.verdict is Verdict.ONCE and window[0] <= each.versions[0].first.micros <= window[1]:
            host = _host(each.url)
            if host not in last or resources[last[host]].versions[0].first < each.versions[0].first:
                last[host] = place
    for place in last.values():
        resources[place] = replace(resources[place], verdict=Verdict.APEX)


def _is_seen_again(resource: Resource) -> bool:
    return sum(version.sightings for version in resource.versions) > 1 and Caveat.CLOCK not in resource.caveats


def _observed(versions: Sequence[Version]) -> tuple[int, int]:
    """From the first sighting to the last."""
    return versions[0].first.micros, versions[-1].last.micros


def _ends(version: Version) -> tuple[Moment, Moment]:
    return version.first, version.last


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].lower()


class _Layout:
    """All resources of a capture laid over each other in time."""

    def __init__(self, evidence: Evidence, resources: list[Resource], window: tuple[int, int] | None) -> None:
        self._evidence = evidence
        self._resources = resources
        self._window = window
        self._is_clock_sound = not any(Caveat.CLOCK in each.caveats for each in resources)
        self._reference, self._basis = self._aimed()
        self._accord, members = self._accord_of(range(len(resources)))
        for place in members:
            resources[place] = replace(resources[place], agrees=True)

        moments = [each for resource in resources for version in resource.versions for each in _ends(version)]
        self._began, self._ended = min(moments, default=None), max(moments, default=None)

    def certificate(self) -> Certificate:
        """The whole of it."""
        resources, evidence = self._resources, self._evidence
        intent = evidence.intent

        def of(*kinds: Kind) -> Figures:
            return self._figures([each for each in resources if each.kind in kinds])

        summary = Summary(
            evidence.capture,
            evidence.seeds,
            intent.strategy if intent else "",
            intent.delay_seconds if intent else None,
            self._began,
            self._ended,
            self._reference,
            self._basis,
            self._at(self._reference),
            self._accord,
            self._accord_of(range(len(resources)), Reach.SEEN_TWICE)[0],
            self._accord_of(range(len(resources)), Reach.DATED)[0],
            of(*Kind),
            of(Kind.PAGE),
            of(Kind.EMBED),
            of(Kind.OTHER),
            dict(sorted(Counter(caveat for each in resources for caveat in each.caveats).items())),
            evidence.setback,
            any(_is_seen_again(each) for each in resources),
            tuple(self._subsites()),
        )
        return Certificate(summary, tuple(resources))

    def _figures(self, resources: Sequence[Resource]) -> Figures:
        began = self._began or _BEGINNING
        return figures_of(resources, began, self._ended or began)

    def _aimed(self) -> tuple[Moment | None, Basis]:
        if not self._is_clock_sound:
            return None, Basis.NONE
        intent = self._evidence.intent
        if intent is not None and intent.reference is not None:
            return intent.reference, Basis.PLAN
        if intent is not None and len(intent.parts) > 1:
            return None, Basis.PARTS
        apexes = [each.versions[0].first for each in self._resources if each.verdict is Verdict.APEX]
        if apexes:
            return max(apexes), Basis.OBSERVED
        window = self._window
        return (Moment(sum(window) // 2), Basis.OBSERVED) if window else (None, Basis.NONE)

    def _at(self, reference: Moment | None) -> int:
        """How many resources were for certain what they are held as, at a moment."""
        if reference is None:
            return 0
        return sum(
            any(start <= reference.micros <= end for start, end in intervals(each.versions))
            for each in self._resources
            if Caveat.CUT_OFF not in each.caveats
        )

    def _accord_of(self, places: Iterable[int], reach: Reach = Reach.SEEN) -> tuple[Accord | None, set[int]]:
        """The largest set among some resources that fits together; without a sound clock nothing can be said of it."""
        if not self._is_clock_sound:
            return None, set()
        # Of what was cut off nobody knows what it was.
        whole = (place for place in places if Caveat.CUT_OFF not in self._resources[place].caveats)
        named = ((place, self._resources[place].versions) for place in whole)
        return accord_of(named, self._reference, reach)

    def _subsites(self) -> Iterable[Subsite]:
        named = self._evidence.subsites or {}
        places: dict[str, list[int]] = {}
        for place, each in enumerate(self._resources):
            if each.url in named:
                places.setdefault(named[each.url], []).append(place)
        for name, mine in sorted(places.items()):
            yield Subsite(name, self._figures([self._resources[place] for place in mine]), self._accord_of(mine)[0])
