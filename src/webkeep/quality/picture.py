"""The picture of a certificate: every resource a line from its first sighting to its last, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webkeep.coherence.certificate import Certificate, Resource, Verdict
from webkeep.model import Moment
from webkeep.quality.markup import shown
from webkeep.quality.wording import VERDICTS, clock

MOST_ROWS = 240
_WIDTH, _LEFT, _TOP = 1000.0, 8.0, 26.0
_SCALE_MARKS = 5
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class _Scale:
    """Moments as places on the picture."""

    began: Moment
    seconds: float

    def x(self, moment: Moment) -> float:
        share = moment.seconds_since(self.began) / self.seconds if self.seconds > 0 else 0.5
        return _LEFT + min(max(share, 0.0), 1.0) * (_WIDTH - 2 * _LEFT)


def timeline(certificate: Certificate) -> Iterator[str]:
    """The picture, piece by piece; nothing where there is nothing to draw."""
    summary = certificate.summary
    seen = sorted((each for each in certificate.resources if each.versions), key=lambda each: each.versions[0].first)
    if not seen or summary.began is None or summary.ended is None:
        return
    drawn = sampled(seen)
    scale = _Scale(summary.began, summary.ended.seconds_since(summary.began))
    step = 10.0 if len(drawn) <= 60 else 4.0
    height = _TOP + step * len(drawn) + 30
    label = f"Timeline of {len(drawn):,} resources: when each was seen, and what became of it"
    yield f'<svg viewBox="0 0 {_WIDTH:g} {height:g}" role="img" aria-label="{shown(label)}">\n'
    if summary.accord is not None and summary.is_revisited:
        yield _band(scale.x(summary.accord.start), scale.x(summary.accord.end), height)
    for place, resource in enumerate(drawn):
        yield from _line(resource, scale, _TOP + step * (place + 0.5), step)
    if summary.reference is not None:
        yield from _reference(summary.reference, scale.x(summary.reference), height)
    yield from _marks(scale, height)
    yield "</svg>\n"


def _band(start: float, end: float, height: float) -> str:
    """The time for which the largest set fits together."""
    size = f'width="{max(end - start, 1):.2f}" height="{height - _TOP - 18:g}"'
    return f'<rect class="accord" x="{start:.2f}" y="{_TOP - 6:g}" {size}/>\n'


def _reference(moment: Moment, x: float, height: float) -> Iterator[str]:
    yield f'<line class="reference" x1="{x:.2f}" x2="{x:.2f}" y1="{_TOP - 8:g}" y2="{height - 22:g}"/>\n'
    side = "end" if x > _WIDTH * 0.8 else "start" if x < _WIDTH * 0.2 else "middle"
    yield _name(x, 14, side, f"reference {clock(moment)[11:]}")


def _name(x: float, y: float, side: str, text: str) -> str:
    return f'<text x="{x:.2f}" y="{y:g}" text-anchor="{side}">{text}</text>\n'


def sampled(resources: Sequence[Resource]) -> Sequence[Resource]:
    """As many as can be told apart, evenly out of all."""
    if len(resources) <= MOST_ROWS:
        return resources
    return [resources[place * len(resources) // MOST_ROWS] for place in range(MOST_ROWS)]


def _line(resource: Resource, scale: _Scale, y: float, step: float) -> Iterator[str]:
    versions = resource.versions
    first, last = scale.x(versions[0].first), scale.x(versions[-1].last)
    words = f"{resource.url}: {VERDICTS[resource.verdict][0]}"
    yield f'<g class="{resource.verdict.value}"><title>{shown(words)}</title>'
    if first != last:
        yield f'<line x1="{first:.2f}" x2="{last:.2f}" y1="{y:.2f}" y2="{y:.2f}"/>'
    size = min(step * 0.4, 3.0)
    for version in versions:
        for moment in dict.fromkeys((version.first, version.last)):
            yield f'<circle cx="{scale.x(moment):.2f}" cy="{y:.2f}" r="{size:g}"/>'
    if resource.verdict not in (Verdict.COHERENT, Verdict.APEX, Verdict.ONCE) and len(versions) > 1:
        x = scale.x(versions[1].first)
        yield f'<path d="M{x - 3:.2f} {y - 3:.2f}l6 6m0 -6l-6 6"/>'
    yield "</g>\n"


def _marks(scale: _Scale, height: float) -> Iterator[str]:
    """The scale below: as many moments as there is room for."""
    for place in range(_SCALE_MARKS):
        moment = scale.began.plus(scale.seconds * place / (_SCALE_MARKS - 1))
        side = "start" if place == 0 else "end" if place == _SCALE_MARKS - 1 else "middle"
        text = clock(moment)
        short = text if place == 0 else text[11:] if scale.seconds < _DAY else text[5:16]
        yield _name(scale.x(moment), height - 6, side, short)
        if scale.seconds == 0:
            return
