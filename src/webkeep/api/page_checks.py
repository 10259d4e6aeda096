"""`check`: how well a live page can be archived, estimated by a capture of it alone, which is thrown away."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.capture_options import CaptureOptions, name_options, plan_values_from_options
from webkeep.api.arguments.plan_file import build_capture_plan
from webkeep.api.captures import CallbackObserver, run_capture
from webkeep.api.site_previews import limits_of, look_around, outline_page
from webkeep.api.work_listener import CallbackListener, NoteCallback, WorkListener
from webkeep.api.work_summary import WorkSummary
from webkeep.crawl.plan import CapturePlan
from webkeep.crawl.run import CaptureObserver
from webkeep.process import call_cleanly
from webkeep.quality.report import PageCheck, SiteOutlook, check_page, estimate_capture, plain_value
from webkeep.store.archive import Archive
from webkeep.url.scope import ScopeExtent

SiteCallback = Callable[[SiteOutlook], object]
_MAX_PARTS = 500
"""URLs that are asked for: a page and what it needs; more say nothing new of it."""


@dataclass(frozen=True, slots=True)
class CheckSummary(WorkSummary):
    """How well a page can be archived, and what a capture of its site would mean."""

    check: PageCheck
    site: SiteOutlook | None = None
    """Where that was asked for."""

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        told = plain_value(self.check)
        site = {} if self.site is None else {"site": plain_value(self.site)}
        return {**told, **site} if isinstance(told, dict) else site


@name_options(CaptureOptions)
@check_arguments
def check(
    url: str, *, site: bool = False, on_note: NoteCallback | None = None, **options: Unpack[CaptureOptions]
) -> CheckSummary:
    """Estimate how well a live page can be archived, before a capture: as politely as a capture, of one page.

    `site` has its robots.txt and sitemaps looked at as well, and what a capture of all of it would take.
    """
    observer = CallbackObserver(None, on_note)
    plan = build_capture_plan(plan_values_from_options(options), [url], [], observer.on_note)
    return call_cleanly(lambda: run_check(plan, observer, CallbackListener(on_note=on_note), site))


def run_check(
    plan: CapturePlan,
    observer: CaptureObserver,
    listener: WorkListener,
    site: bool = False,
    on_site: SiteCallback = lambda _site: None,
) -> CheckSummary:
    """Capture the first seed of a plan with all that it needs, and judge what came.

    `on_site` is told of the site as soon as that is known, which is before the page is.
    """
    alone = replace(plan, seeds=plan.seeds[:1], scope=ScopeExtent.PAGE, sitemaps=False, max_urls=_MAX_PARTS)
    with tempfile.TemporaryDirectory(prefix="webkeep-check-") as folder:
        outlook = None
        if site:
            outlook = SiteOutlook(*look_around(plan, Path(folder) / "site", observer, listener))
            on_site(outlook)
        path = Path(folder) / "page"
        done = run_capture(alone, path, observer, listener, new=True)
        with Archive(path) as archive:
            if outlook is not None and (page := outline_page(archive, plan, done)) is not None:
                estimate = estimate_capture(page, outlook.sitemap, limits_of(plan))
                outlook = replace(outlook, page=page, estimate=estimate)
            return CheckSummary(check_page(archive, plan.seeds[0]), outlook)
