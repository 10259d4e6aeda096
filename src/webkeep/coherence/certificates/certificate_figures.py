"""Figures of a certificate: the coherence and blur that change rates let expect, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp, fsum

from webkeep.coherence.certificates.certificate import CertificateFigures, CertifiedResource, WeightedFigures
from webkeep.coherence.schedules.blur import TimeInterval, expected_page_blur
from webkeep.model import Moment

_SIGNIFICANT_DIGITS = 6
"""As many as every machine comes to, whatever its order of adding."""


def build_figures(resources: Sequence[CertifiedResource], began: Moment, ended: Moment) -> CertificateFigures:
    """The figures of some resources of a capture that took this time."""
    span = TimeInterval(0.0, ended.seconds_since(began))
    rated = [each for each in resources if each.rate is not None and each.versions]
    judged = [each for each in rated if each.verdict.is_judged]
    return CertificateFigures(
        len(resources),
        dict(sorted(Counter(each.verdict for each in resources).items())),
        sum(each.verdict.is_coherent and _is_firm(each) for each in resources),
        sum(each.agrees for each in resources),
        len(judged),
        sum(each.verdict.is_coherent for each in judged),
        round_figure(fsum(_unchanged_probability(each) for each in judged)) if judged else None,
        round_figure(fsum(_resource_blur(each, span, began) for each in rated) / len(rated)) if rated else None,
        _weigh(resources, span, began) if any(each.weight != 1.0 for each in resources) else None,
    )


def _weigh(resources: Sequence[CertifiedResource], span: TimeInterval, began: Moment) -> WeightedFigures:
    """The figures in which each resource counts by its weight."""
    judged = [each for each in resources if each.verdict.is_judged]
    rated = [each for each in resources if each.rate is not None and each.versions]
    known = [each for each in rated if each.verdict.is_judged]
    expected = fsum(each.weight * _unchanged_probability(each) for each in known)
    blur, weight = fsum(each.weight * _resource_blur(each, span, began) for each in rated), _weight_of(rated)
    return WeightedFigures(
        _weight_of(judged),
        _weight_of([each for each in judged if each.verdict.is_coherent]),
        _weight_of(known),
        round_figure(expected) if known else None,
        round_figure(blur / weight) if weight else None,
    )


def _weight_of(resources: Sequence[CertifiedResource]) -> float:
    return round_figure(fsum(each.weight for each in resources))


def round_figure(value: float) -> float:
    """A figure as certificates have it: with no more digits than every machine comes to."""
    return float(f"{value:.{_SIGNIFICANT_DIGITS}g}")


def _is_firm(resource: CertifiedResource) -> bool:
    strength = resource.versions[0].strength
    return strength is not None and strength.is_firm


def _unchanged_probability(resource: CertifiedResource) -> float:
    length = resource.versions[-1].last.seconds_since(resource.versions[0].first)
    return exp(-(resource.rate or 0.0) * max(length, 0.0))


def _resource_blur(resource: CertifiedResource, span: TimeInterval, began: Moment) -> float:
    visit = resource.versions[0].first.seconds_since(began)
    revisit = resource.versions[-1].last.seconds_since(began)
    return expected_page_blur(resource.rate or 0.0, min(visit, revisit), max(visit, revisit), span)
