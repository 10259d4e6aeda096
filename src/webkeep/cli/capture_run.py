"""What commands say of a capture at its end: in a sentence, in notes on traps, missed seeds and pages not run in the
browser, and by the exit code.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from webkeep.api import MAX_PAGE_FAILURES_LISTED, CaptureSummary, trap_values
from webkeep.cli.output.console import Output
from webkeep.cli.output.outcome_words import OUTCOME_WORDS, describe_outcome_counts
from webkeep.cli.progress.capture_view import CaptureProgressView
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.crawl.plan import CapturePlan
from webkeep.frontier.traps import Trap
from webkeep.model import UrlOutcome
from webkeep.presentation import format_count, format_elapsed, format_moment, format_share, format_size

if TYPE_CHECKING:
    from webkeep.coherence.certificates import CertificateSummary
    from webkeep.crawl.application import DataComparison
    from webkeep.crawl.browsing import BrowserReport
    from webkeep.frontier.browser_tiers import TierReport


# What commands say of pages that were run in a browser.

_MAX_USEFUL_BOUND = 0.5
"""A bound on a share that lies above this says nothing that anybody could go by."""


def describe_browser_run(browsed: BrowserReport | None) -> str:
    """What the browser gained, in a sentence behind the outcome."""
    if browsed is None or not browsed.pages:
        return ""
    run = f"; {format_count(browsed.pages, 'page')} run in a browser"
    if not browsed.resources:
        return f"{run} led to nothing new"
    gained = f"{format_count(browsed.resources, 'URL')} that nothing else led to"
    by_clicks = (
        f", {browsed.resources_by_clicks:,} of them only by scrolling, clicks and the like"
        if browsed.views > browsed.pages
        else ""
    )
    return f"{run} gave {gained}{by_clicks}"


def report_browser(browsed: BrowserReport | None, out: Output) -> None:
    """Say what a person should know of pages that were run, or not."""
    if browsed is None:
        return
    for page, reason in islice(browsed.failures.items(), MAX_PAGE_FAILURES_LISTED):
        out.event("page", url=page, outcome="failed", reason=reason)
        out.note(f"{page} could not be run in the browser: {reason}")
    if browsed.left:
        out.note(_skipped_pages_words(browsed))
    if browsed.curtailed:
        pages = format_count(browsed.curtailed, "page")
        out.note(f"{pages} asked for more in the browser than the limits of the capture allow; the rest is missing")
    if browsed.withheld_count:
        held = format_count(browsed.withheld_count, "request")
        out.note(f"{held} held back that might have done something at a server; --allow-post lets some pass")
    tiers = browsed.tiers
    if tiers is not None and tiers.skipped:
        left, them = format_count(tiers.skipped, "page"), "it" if tiers.skipped == 1 else "them"
        out.note(f"{left} not run in the browser, as pages like {them} loaded nothing new; {describe_audit(tiers)}")


def _skipped_pages_words(browsed: BrowserReport) -> str:
    """Which pages were not run, why, and what can be done about it."""
    pages = format_count(browsed.left, "page")
    if browsed.trouble:
        return f"{pages} with scripts not run, so what they load is missing: {browsed.trouble}; or say --browser off"
    return f"{pages} not run in the browser: {browsed.reason}"


def describe_audit(tiers: TierReport) -> str:
    """What is known of pages that were left out of the browser, by those of them that were run all the same."""
    if not tiers.audited:
        return "none such was run to see whether that holds"
    pages = format_count(tiers.audited, "such page")
    sample = (
        f"of {pages} run as a check {tiers.missed:,} loaded something new"
        if tiers.missed
        else f"{pages} run as a check loaded nothing new either"
    )
    if tiers.upper_bound > _MAX_USEFUL_BOUND:
        return f"{sample}, which is too few to tell of the others"
    return f"{sample}, so with 95% confidence at most {format_share(tiers.upper_bound)} of the others would have"


_RESTORE_ADVICE = "--include URL, with the whole URL, asks for one again"


def report_capture(plan: CapturePlan, captured: CaptureSummary, view: CaptureProgressView, out: Output) -> int:
    """Say what a person should know of a capture at its end; gives the exit code."""
    view.report_failures(captured.failures)
    for trap in captured.traps:
        out.event("trap", **trap_values(trap))
        out.note(f"left out {_trap_line(trap)}")
    for fate in captured.seeds_missed:
        out.event("seed", url=fate.url, outcome=fate.outcome.value, reason=fate.reason)
        if fate.outcome is not UrlOutcome.FAILED:  # those were told
            out.note(f"the seed {fate.url} came to nothing: {fate.reason}")
    for host in _unasked_hosts(plan, captured):
        view.on_note(f"nothing was asked of {host}, for which --auth has a password; check how it is written")
    if left := captured.counts.get(UrlOutcome.TAKEN_DOWN, 0):
        what = format_count(left, "URL")
        out.note(f"{what} taken down here before {'is' if left == 1 else 'are'} not asked for; {_RESTORE_ADVICE}")
    report_browser(captured.browsed, out)
    for compared in captured.data:
        out.event("data", **compared.to_values())
        out.note(_data_words(compared))
    if not captured.finished:
        return UNFINISHED
    if captured.not_seen_again:
        out.note(f"{format_count(captured.not_seen_again, 'URL')} could not be seen again, and prove nothing")
    return DONE if captured.is_whole else FINDINGS


def _data_words(compared: DataComparison) -> str:
    """What is known of the data behind a site while its pages were captured."""
    if compared.before is None or compared.after is None:
        return f"the data of {compared.name} is kept once: nobody can tell whether it changed: {compared.trouble}"
    span = f"between {format_moment(compared.before.moment)} and {format_moment(compared.after.moment)}"
    if compared.is_unchanged:
        return f"the data of {compared.name} is the same before and after: no change is seen {span}"
    return f"the data of {compared.name} changed while pages were captured: they show it as it was at moments {span}"


def describe_coherence(summary: CertificateSummary | None) -> str:
    """What a certificate says in a sentence, behind the outcome."""
    if summary is None:
        return ""
    from webkeep.quality.certificates import headline

    return f"; {headline(summary)}"


def _unasked_hosts(plan: CapturePlan, captured: CaptureSummary) -> list[str]:
    """The hosts that credentials were given for, and that nothing was asked of from beginning to end."""
    asked = {name for host in captured.hosts for name in (host, host.rpartition(":")[0])}
    return [host for host, _, _ in plan.credentials if captured.finished and host not in asked]


def describe_capture(captured: CaptureSummary) -> str:
    """What a capture came to, for people."""
    counts = {**captured.counts, UrlOutcome.FAILED: captured.counts.get(UrlOutcome.FAILED, 0) - captured.rules_failed}
    stored, again = counts.get(UrlOutcome.STORED, 0), counts.get(UrlOutcome.DUPLICATE, 0)
    known = f", {again:,} of them with content that was held already" if again else ""
    told = [f"stored {format_count(stored + again, 'URL')}{known}"]
    told += describe_outcome_counts(
        counts, [each for each in OUTCOME_WORDS if each not in (UrlOutcome.STORED, UrlOutcome.DUPLICATE)]
    )
    pace = f"{format_size(captured.bytes)} in {format_elapsed(captured.seconds)}"
    if captured.resumed:
        pace = f"{format_size(captured.bytes)} in all; this run took {format_elapsed(captured.seconds)}"
    end = "" if captured.finished else "; stopped before the end: the same command goes on"
    return f"{', '.join(told)} ({pace}){describe_browser_run(captured.browsed)}{end}"


def _trap_line(trap: Trap) -> str:
    return f"{format_count(trap.left_out, 'URL')} like {trap.shape} ({trap.kind}); {trap.advice}"
