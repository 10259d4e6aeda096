"""Figures of a certificate: what was expected of some resources, and what came of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp, fsum

from webkeep.coherence.blur import Interval, page_blur
from webkeep.coherence.certificate import Figures, Resource
from webkeep.model import Moment

_DIGITS = 6


def figures_of(resources: Sequence[Resource], began: Moment, ended: Moment) -> Figures:
    """The figures of some resources of a capture that took this time."""
    span = Interval(0.0, ended.seconds_since(began))
    rated = [each for each in resources if each.rate is not None and each.versions]
    judged = [each for each in rated if each.verdict.is_judged]
    return Figures(
        len(resources),
        dict(sorted(Counter(each.verdict for each in resources).items())),
        sum(each.verdict.is_coherent and _is_firm(each) for each in resources),
        sum(each.agrees for each in resources),
        len(judged),
        sum(each.verdict.is_coherent for each in judged),
        rounded(fsum(_stays(each) for each in judged)) if judged else None,
        rounded(fsum(_blur(each, span, began) for each in rated) / len(rated)) if rated else None,
    )


def rounded(value: float) -> float:
    """A figure as certificates have it: with no more digits than every machine comes to."""
    return float(f"{value:.{_DIGITS}g}")


def _is_firm(resource: Resource) -> bool:
    strength = resource.versions[0].strength
    return strength is not None and strength.is_firm


def _stays(resource: Resource) -> float:
    length = resource.versions[-1].last.seconds_since(resource.versions[0].first)
    return exp(-(resource.rate or 0.0) * max(length, 0.0))


def _blur(resource: Resource, span: Interval, began: Moment) -> float:
    visit = resource.versions[0].first.seconds_since(began)
    revisit = resource.versions[-1].last.seconds_since(began)
    return page_blur(resource.rate or 0.0, min(visit, revisit), max(visit, revisit), span)
