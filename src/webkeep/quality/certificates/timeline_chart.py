"""The picture of a certificate: every resource a line from its first sighting to its last; how many are drawn, and how
changes, the reference moment and the coherent time are marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webkeep.coherence.certificates import CertifiedResource, CoherenceCertificate, CoherenceVerdict
from webkeep.model import Moment
from webkeep.presentation import format_count, format_instant
from webkeep.presentation.drawings import (
    PlotAxis,
    draw_circle,
    draw_cross,
    draw_group,
    draw_line,
    draw_rect,
    draw_svg,
    draw_text,
)
from webkeep.presentation.pages import Markup
from webkeep.quality.certificates.certificate_words import VERDICT_WORDS

MAX_CHART_ROWS = 240
"""Lines that can be told apart on a screen; of more resources an even sample is drawn."""
_WIDTH, _LEFT, _TOP = 1000.0, 8.0, 26.0
"""Units of the drawing: its width, the margins at the sides and above."""
_TICK_COUNT = 5
"""Moments below the chart, as many as fit beside each other."""
_DAY_SECONDS = 86_400
_CALM_VERDICTS = (CoherenceVerdict.COHERENT, CoherenceVerdict.APEX, CoherenceVerdict.ONCE)
"""Of which no moment of change is marked."""


@dataclass(frozen=True, slots=True)
class _TimeScale:
    """Moments as places on the picture."""

    began: Moment
    seconds: float

    def x(self, moment: Moment) -> float:
        share = PlotAxis(0.0, self.seconds).share(moment.seconds_since(self.began))
        return _LEFT + min(max(share, 0.0), 1.0) * (_WIDTH - 2 * _LEFT)


def render_timeline_chart(certificate: CoherenceCertificate) -> Markup:
    """The picture; nothing where there is nothing to draw."""
    summary = certificate.summary
    seen = sorted((each for each in certificate.resources if each.versions), key=lambda each: each.versions[0].first)
    if not seen or summary.began is None or summary.ended is None:
        return Markup("")
    drawn = sample_resources(seen)
    scale = _TimeScale(summary.began, summary.ended.seconds_since(summary.began))
    step = 10.0 if len(drawn) <= 60 else 4.0
    height = _TOP + step * len(drawn) + 30
    shapes: list[Markup] = []
    if summary.coherent_set is not None and summary.is_revisited:
        shapes.append(_draw_band(scale.x(summary.coherent_set.start), scale.x(summary.coherent_set.end), height))
    shapes += [
        draw_group(
            _draw_resource(resource, scale, _TOP + step * (place + 0.5), step),
            class_=resource.verdict.value,
            title=f"{resource.url}: {VERDICT_WORDS[resource.verdict][0]}",
        )
        for place, resource in enumerate(drawn)
    ]
    if summary.reference is not None:
        shapes += _draw_reference(summary.reference, scale.x(summary.reference), height)
    shapes += _draw_ticks(scale, height)
    label = f"Timeline of {format_count(len(drawn), 'resource')}: when each was seen, and what became of it"
    return draw_svg(_WIDTH, height, shapes, label=label)


def _draw_band(start: float, end: float, height: float) -> Markup:
    """The time for which the largest set fits together."""
    return draw_rect(start, _TOP - 6, max(end - start, 1), height - _TOP - 18, "together")


def _draw_reference(moment: Moment, x: float, height: float) -> Iterator[Markup]:
    yield draw_line(x, _TOP - 8, x, height - 22, "reference")
    side = "end" if x > _WIDTH * 0.8 else "start" if x < _WIDTH * 0.2 else "middle"
    yield draw_text(x, 14, f"reference {format_instant(moment)[11:]}", side)


def sample_resources(resources: Sequence[CertifiedResource]) -> Sequence[CertifiedResource]:
    """As many as can be told apart, evenly out of all."""
    if len(resources) <= MAX_CHART_ROWS:
        return resources
    return [resources[place * len(resources) // MAX_CHART_ROWS] for place in range(MAX_CHART_ROWS)]


def _draw_resource(resource: CertifiedResource, scale: _TimeScale, y: float, step: float) -> Iterator[Markup]:
    versions = resource.versions
    first, last = scale.x(versions[0].first), scale.x(versions[-1].last)
    if first != last:
        yield draw_line(first, y, last, y)
    for version in versions:
        for moment in dict.fromkeys((version.first, version.last)):
            yield draw_circle(scale.x(moment), y, min(step * 0.4, 3.0))
    if resource.verdict not in _CALM_VERDICTS and len(versions) > 1:
        yield draw_cross(scale.x(versions[1].first), y, 3)


def _draw_ticks(scale: _TimeScale, height: float) -> Iterator[Markup]:
    """The scale below: as many moments as there is room for."""
    for place, seconds in enumerate(PlotAxis(0.0, scale.seconds).ticks(_TICK_COUNT)):
        moment = scale.began.plus(seconds)
        side = "start" if place == 0 else "end" if place == _TICK_COUNT - 1 else "middle"
        text = format_instant(moment)
        short = text if place == 0 else text[11:] if scale.seconds < _DAY_SECONDS else text[5:16]
        yield draw_text(scale.x(moment), height - 6, short, side)
        if scale.seconds == 0:
            return
