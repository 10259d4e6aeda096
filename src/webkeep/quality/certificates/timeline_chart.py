"""The picture of a certificate: every resource a line from its first sighting to its last, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webkeep.coherence.certificates import CertifiedResource, CoherenceCertificate, CoherenceVerdict
from webkeep.model import Moment
from webkeep.presentation import format_instant
from webkeep.quality.certificates.certificate_words import VERDICT_WORDS
from webkeep.quality.report_html import escape_visible

MAX_CHART_ROWS = 240
"""Lines that can be told apart on a screen; of more resources an even sample is drawn."""
_WIDTH, _LEFT, _TOP = 1000.0, 8.0, 26.0
"""Units of the drawing: its width, the margins at the sides and above."""
_TICK_COUNT = 5
"""Moments below the chart, as many as fit beside each other."""
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class _TimeScale:
    """Moments as places on the picture."""

    began: Moment
    seconds: float

    def x(self, moment: Moment) -> float:
        share = moment.seconds_since(self.began) / self.seconds if self.seconds > 0 else 0.5
        return _LEFT + min(max(share, 0.0), 1.0) * (_WIDTH - 2 * _LEFT)


def render_timeline_chart(certificate: CoherenceCertificate) -> Iterator[str]:
    """The picture, piece by piece; nothing where there is nothing to draw."""
    summary = certificate.summary
    seen = sorted((each for each in certificate.resources if each.versions), key=lambda each: each.versions[0].first)
    if not seen or summary.began is None or summary.ended is None:
        return
    drawn = sample_resources(seen)
    scale = _TimeScale(summary.began, summary.ended.seconds_since(summary.began))
    step = 10.0 if len(drawn) <= 60 else 4.0
    height = _TOP + step * len(drawn) + 30
    label = f"Timeline of {len(drawn):,} resources: when each was seen, and what became of it"
    yield f'<svg viewBox="0 0 {_WIDTH:g} {height:g}" role="img" aria-label="{escape_visible(label)}">\n'
    if summary.accord is not None and summary.is_revisited:
        yield _draw_band(scale.x(summary.accord.start), scale.x(summary.accord.end), height)
    for place, resource in enumerate(drawn):
        yield from _draw_resource(resource, scale, _TOP + step * (place + 0.5), step)
    if summary.reference is not None:
        yield from _draw_reference(summary.reference, scale.x(summary.reference), height)
    yield from _draw_ticks(scale, height)
    yield "</svg>\n"


def _draw_band(start: float, end: float, height: float) -> str:
    """The time for which the largest set fits together."""
    size = f'width="{max(end - start, 1):.2f}" height="{height - _TOP - 18:g}"'
    return f'<rect class="accord" x="{start:.2f}" y="{_TOP - 6:g}" {size}/>\n'


def _draw_reference(moment: Moment, x: float, height: float) -> Iterator[str]:
    yield f'<line class="reference" x1="{x:.2f}" x2="{x:.2f}" y1="{_TOP - 8:g}" y2="{height - 22:g}"/>\n'
    side = "end" if x > _WIDTH * 0.8 else "start" if x < _WIDTH * 0.2 else "middle"
    yield _draw_label(x, 14, side, f"reference {format_instant(moment)[11:]}")


def _draw_label(x: float, y: float, side: str, text: str) -> str:
    return f'<text x="{x:.2f}" y="{y:g}" text-anchor="{side}">{text}</text>\n'


def sample_resources(resources: Sequence[CertifiedResource]) -> Sequence[CertifiedResource]:
    """As many as can be told apart, evenly out of all."""
    if len(resources) <= MAX_CHART_ROWS:
        return resources
    return [resources[place * len(resources) // MAX_CHART_ROWS] for place in range(MAX_CHART_ROWS)]


def _draw_resource(resource: CertifiedResource, scale: _TimeScale, y: float, step: float) -> Iterator[str]:
    versions = resource.versions
    first, last = scale.x(versions[0].first), scale.x(versions[-1].last)
    words = f"{resource.url}: {VERDICT_WORDS[resource.verdict][0]}"
    yield f'<g class="{resource.verdict.value}"><title>{escape_visible(words)}</title>'
    if first != last:
        yield f'<line x1="{first:.2f}" x2="{last:.2f}" y1="{y:.2f}" y2="{y:.2f}"/>'
    size = min(step * 0.4, 3.0)
    for version in versions:
        for moment in dict.fromkeys((version.first, version.last)):
            yield f'<circle cx="{scale.x(moment):.2f}" cy="{y:.2f}" r="{size:g}"/>'
    if (
        resource.verdict not in (CoherenceVerdict.COHERENT, CoherenceVerdict.APEX, CoherenceVerdict.ONCE)
        and len(versions) > 1
    ):
        x = scale.x(versions[1].first)
        yield f'<path d="M{x - 3:.2f} {y - 3:.2f}l6 6m0 -6l-6 6"/>'
    yield "</g>\n"


def _draw_ticks(scale: _TimeScale, height: float) -> Iterator[str]:
    """The scale below: as many moments as there is room for."""
    for place in range(_TICK_COUNT):
        moment = scale.began.plus(scale.seconds * place / (_TICK_COUNT - 1))
        side = "start" if place == 0 else "end" if place == _TICK_COUNT - 1 else "middle"
        text = format_instant(moment)
        short = text if place == 0 else text[11:] if scale.seconds < _DAY_SECONDS else text[5:16]
        yield _draw_label(scale.x(moment), height - 6, side, short)
        if scale.seconds == 0:
            return
