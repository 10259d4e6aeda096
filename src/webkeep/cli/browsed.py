"""What commands say of pages that were run in a browser."""

from __future__ import annotations

from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING

from webkeep.cli import measure
from webkeep.cli.output import Output

if TYPE_CHECKING:
    from webkeep.crawl.browsing.report import Browsed
    from webkeep.frontier.tiers import TierReport

_TOLD = 20
_NOTHING_LEARNED = 0.5
"""A bound on a share that lies above this says nothing that anybody could go by."""


def browsed_facts(browsed: Browsed | None) -> dict[str, object]:
    """What programs are told."""
    if browsed is None:
        return {}
    facts = asdict(browsed)
    facts["seconds"] = round(browsed.seconds, 3)
    return {"browser": {**facts, "failures": dict(islice(browsed.failures.items(), _TOLD))}}


def browsed_words(browsed: Browsed | None) -> str:
    """What the browser gained, in a sentence behind the outcome."""
    if browsed is None or not browsed.pages:
        return ""
    run = f"; {measure.counted(browsed.pages, 'page')} run in a browser"
    if not browsed.resources:
        return f"{run} led to nothing new"
    gained = f"{measure.counted(browsed.resources, 'URL')} that nothing else led to"
    by_clicks = (
        f", {browsed.resources_by_clicks:,} of them only by scrolling, clicks and the like"
        if browsed.views > browsed.pages
        else ""
    )
    return f"{run} gave {gained}{by_clicks}"


def tell_browsed(browsed: Browsed | None, out: Output) -> bool:
    """Say what a person should know; whether everything was run that was to be."""
    if browsed is None:
        return True
    for page, reason in islice(browsed.failures.items(), _TOLD):
        out.event("page", url=page, outcome="failed", reason=reason)
        out.note(f"{page} could not be run in the browser: {reason}")
    if browsed.left:
        out.note(_left_words(browsed))
    if browsed.curtailed:
        pages = measure.counted(browsed.curtailed, "page")
        out.note(f"{pages} asked for more in the browser than the limits of the capture allow, which is missing")
    if browsed.wishes:
        held = measure.counted(browsed.wishes, "request")
        out.note(f"{held} held back that might have done something at a server; --allow-post lets some pass")
    tiers = browsed.tiers
    if tiers is not None and tiers.skipped:
        left, them = measure.counted(tiers.skipped, "page"), "it" if tiers.skipped == 1 else "them"
        out.note(f"{left} not run in the browser, as pages like {them} loaded nothing new; {audit_words(tiers)}")
    return browsed.is_whole


def _left_words(browsed: Browsed) -> str:
    """Which pages were not run, why, and what can be done about it."""
    pages = measure.counted(browsed.left, "page")
    if browsed.trouble:
        return f"{pages} with scripts not run, so what they load is missing: {browsed.trouble}; or say --browser off"
    return f"{pages} not run in the browser: {browsed.reason}"


def audit_words(tiers: TierReport) -> str:
    """What is known of pages that were left out of the browser, by those of them that were run all the same."""
    if not tiers.audited:
        return "none such was run to see whether that holds"
    sample = f"of {measure.counted(tiers.audited, 'such page')} run all the same {tiers.missed:,} loaded something new"
    if tiers.upper_bound > _NOTHING_LEARNED:
        return f"{sample}, which is too few to say how many of those not run would have"
    return f"{sample}, so with 95% confidence at most {tiers.upper_bound:.1%} of those not run would have"
