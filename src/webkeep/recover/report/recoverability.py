"""How likely a resource of a living site would come back if the site were lost: the published weights, which traits
they look at, and how those are scaled.

The score is a linear probability, fitted in 2006 to 143,001 resources of 300 sites and four repositories; it explains a
fifth of the variance, so that it tells more of a site than of a resource. Logarithms are natural ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import log
from types import MappingProxyType

from webkeep.errors import UsageError


@dataclass(frozen=True, slots=True)
class ScoreInputs:
    """What the score looks at."""

    external_links: float = 0.0
    """Links to the resource from other sites."""
    internal_links: float = 0.0
    """Links to it from its own site."""
    birth_rate: float = 0.0
    """The share of the site's resources that are new each week."""
    importance: float = 0.0
    """From 0 to 10, on the scale that PageRank was shown with."""
    site_size: int = 1
    """Resources of the site."""
    hops: int = 0
    """Links from the root of the site."""
    path_depth: int = 0
    query_parameters: int = 0
    size: int = 1
    """In bytes."""
    age_days: float = 0.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0 <= value < float("inf"):
                raise UsageError(f"{name} of a resource cannot be {value}; give a number from zero up")

    def terms(self) -> dict[str, float]:
        """The traits as the score takes them: sizes as logarithms, births by the logarithm of one and the rate."""
        return asdict(self) | {
            "birth_rate": log(1.0 + self.birth_rate),
            "site_size": log(max(self.site_size, 1)),
            "size": log(max(self.size, 1)),
        }


@dataclass(frozen=True, slots=True)
class RecoverabilityScore:
    """A weight for every trait, and where to begin."""

    intercept: float
    weights: Mapping[str, float]

    def score(self, inputs: ScoreInputs) -> float:
        """The score, kept between zero and one."""
        return min(max(self.raw_score(inputs), 0.0), 1.0)

    def raw_score(self, inputs: ScoreInputs) -> float:
        """The score as the weights give it."""
        terms = inputs.terms()
        return self.intercept + sum(weight * terms[name] for name, weight in self.weights.items())


PUBLISHED_SCORE = RecoverabilityScore(
    0.76071,
    MappingProxyType(
        {
            "external_links": -3.96e-7,
            "internal_links": 0.00004,
            "birth_rate": -0.13361,
            "importance": 0.08162,
            "site_size": -0.04074,
            "hops": -0.04184,
            "path_depth": -0.06044,
            "query_parameters": -0.04342,
            "size": 0.00248,
            "age_days": 0.00014,
        }
    ),
)
"""The weights that were published."""


def score_recoverability(inputs: ScoreInputs) -> float:
    """The share of such resources that would come back, by the published weights."""
    return PUBLISHED_SCORE.score(inputs)
