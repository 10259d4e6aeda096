"""Pages opened live, as politely as a capture, as it is one: the plan of the capture that is reported on, for a few
pages and what they need, into an archive that is thrown away; and why a page could not be had.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from webkeep.api.captures import CaptureSummary, run_capture
from webkeep.api.work_listener import WorkListener
from webkeep.crawl.plan import BrowserMode, CapturePlan, Subsites
from webkeep.crawl.run import NullCaptureObserver, build_update_plan
from webkeep.errors import UsageError
from webkeep.formats.status import is_successful, reason_phrase
from webkeep.model import UrlOutcome
from webkeep.presentation import format_count
from webkeep.quality.fidelity import PageRendering, read_kept_rendering
from webkeep.store.archive import Archive
from webkeep.url.scope import ScopeExtent

_MAX_PARTS_PER_PAGE = 500
"""URLs that are asked for on behalf of one page."""
_PAGE_SECONDS = 60.0
"""For one page in the browser: longer nobody waits for a page."""
_FORBIDDEN = 403
"""What a page is answered whose request we do not make."""


def build_live_plan(archive: Archive, capture: str, pages: Sequence[str]) -> CapturePlan:
    """The plan by which pages are opened live: as they were captured, each by itself, shown in a browser."""
    urls = tuple(pages)
    try:
        plan = build_update_plan(archive, archive.capture(capture), {}) if capture else CapturePlan(urls)
    except UsageError:  # it came from elsewhere, or of another version
        plan = CapturePlan(urls)
    return replace(
        plan,
        seeds=urls,
        scope=ScopeExtent.PAGE,
        requisites=True,
        depth=None,
        external_depth=0,
        max_urls=_MAX_PARTS_PER_PAGE * len(urls),
        max_urls_per_host=None,
        strategy="breadth-first",
        subsites=Subsites.NONE,
        rates="",
        weights="",
        sitemaps=False,
        probe=False,
        save_cookies="",
        browser=BrowserMode.ALWAYS,
        states=0,
        fill=(),
        screenshots=True,
        full_page=True,
        page_seconds=_PAGE_SECONDS,
        browser_seconds=None,
        dump=(),
    )


@dataclass(slots=True)
class LiveVisits:
    """Live pages as they were found once, in an archive of their own; closed with it."""

    archive: Archive
    result: CaptureSummary
    _missed: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self._missed = {fate.url: _missed_words(fate.outcome, fate.reason) for fate in self.result.seeds_missed}

    def rendering_of(self, url: str) -> PageRendering:
        """What the live page showed, or why there is nothing to see."""
        seen = self.archive.lookup(url)
        now = self.archive.clock.now()
        if reason := self._missed.get(url):
            return PageRendering(url, now, trouble=reason)
        if seen is None:
            return PageRendering(url, now, trouble="there was no time left to open it live")
        if not is_successful(seen.status):
            return PageRendering(url, now, trouble=f"the live page answers {_status_words(seen.status)}")
        found = read_kept_rendering(self.archive, url, now, "")
        if found is None:
            return PageRendering(url, now, trouble="the browser made no picture of the live page")
        return found

    def unasked_parts(self, live: PageRendering, replay: PageRendering) -> str:
        """Why a live page is not whole, though replay is: its parts may not be asked for, or there was no time."""
        refused = [
            url
            for url, status in live.failures.items()
            if status == _FORBIDDEN
            and url in replay.requests
            and url not in replay.failures
            and self.archive.lookup(url) is None
        ]
        if not refused:
            return ""
        return (
            f"{format_count(len(refused), 'part')} of the live page could not be asked for (robots.txt, a limit, or no "
            f"time left), such as {refused[0]}"
        )


def visit_live(plan: CapturePlan, into: Path, seconds: float, listener: WorkListener) -> LiveVisits:
    """Open pages live, within so many seconds."""
    limited = replace(plan, max_seconds=seconds if plan.max_seconds is None else min(seconds, plan.max_seconds))
    result = run_capture(limited, into, NullCaptureObserver(), listener, new=True)
    return LiveVisits(Archive(into), result)


def _missed_words(outcome: UrlOutcome, reason: str) -> str:
    if outcome is UrlOutcome.REFUSED:
        return f"the live page may not be asked for ({reason})"
    if reason.startswith("status "):
        return f"the live page answers {_status_words(int(reason.removeprefix('status ').split()[0] or 0))}"
    return f"the live page could not be had ({reason})"


def _status_words(status: int | None) -> str:
    return f"{status} {reason_phrase(status)}".strip() if status else "nothing"
