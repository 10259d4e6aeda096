"""The plan of an evidence package: from which vantage points pages are captured, by whom, in how many rounds at most;
and what of a capture's plan is always so for evidence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from webkeep.crawl.plan import PURPOSES, BrowserMode, CapturePlan, coherent_strategy
from webkeep.errors import UsageError
from webkeep.url.scope import ScopeExtent

_PAGE_STRATEGY = "sharc-revisits"
"""For one page with its parts: everything is visited, then everything is visited again."""
_ALL_URLS = ("*",)
"""A rule that holds for every URL."""
DEFAULT_ROUNDS = 3
"""Captures of one vantage point until all parts are proven to have been there together; what changes at every look
changes at the fourth too."""


@dataclass(frozen=True, slots=True)
class VantagePoint:
    """From where, and as whom, pages are looked at."""

    name: str
    plan: CapturePlan
    description: str = ""
    """In what it differs from the first, in words; empty for the first."""


@dataclass(frozen=True, slots=True)
class EvidencePlan:
    """Everything that a person says about a package."""

    vantages: tuple[VantagePoint, ...]
    operator: str = ""
    """Who makes it, as given; nobody checks that."""
    about: str = ""
    """What it is for, as given."""
    rounds: int = DEFAULT_ROUNDS

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise UsageError(f"--rounds cannot be {self.rounds}; one capture is the least there is")

    @property
    def seeds(self) -> tuple[str, ...]:
        """What is captured, as it is written down."""
        return self.vantages[0].plan.named_seeds


def plan_for_evidence(plan: CapturePlan) -> CapturePlan:
    """The plan of a capture with what evidence needs: visits and second visits, whole bodies, portraits in Chromium."""
    if plan.browser is BrowserMode.OFF:
        raise UsageError("evidence shows pages as Chromium does; take --browser off away")
    is_page = plan.scope is ScopeExtent.PAGE
    strategy = plan.strategy
    if coherent_strategy(strategy) is None:
        strategy = _PAGE_STRATEGY if is_page else PURPOSES["evidence"]
    return replace(
        plan,
        strategy=strategy,
        conditional=False,
        redact=True if plan.redact is None else plan.redact,
        browser=BrowserMode.ALWAYS,
        # Nothing is clicked: what a page sends by itself it sends to whoever opens it, and shows what comes.
        allow_post=plan.allow_post or (() if plan.states else _ALL_URLS),
        portraits=True,
        screenshots=False,
        full_page=False,
        sitemaps=plan.sitemaps and not is_page,
    )
