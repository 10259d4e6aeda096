"""`check`: how well a live page can be archived, estimated by a capture of it alone, which is thrown away."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.capture_options import CaptureOptions, name_options, plan_values_from_options
from webkeep.api.arguments.plan_file import build_capture_plan
from webkeep.api.captures import CallbackObserver, run_capture
from webkeep.api.work_listener import CallbackListener, NoteCallback, WorkListener
from webkeep.api.work_summary import WorkSummary
from webkeep.crawl.plan import CapturePlan
from webkeep.crawl.run import CaptureObserver
from webkeep.process import call_cleanly
from webkeep.quality.report import PageCheck, check_page, plain_value
from webkeep.store.archive import Archive
from webkeep.url.scope import ScopeExtent

_MAX_PARTS = 500
"""URLs that are asked for: a page and what it needs; more say nothing new of it."""


@dataclass(frozen=True, slots=True)
class CheckSummary(WorkSummary):
    """How well a page can be archived."""

    check: PageCheck

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        told = plain_value(self.check)
        return told if isinstance(told, dict) else {}


@name_options(CaptureOptions)
@check_arguments
def check(url: str, *, on_note: NoteCallback | None = None, **options: Unpack[CaptureOptions]) -> CheckSummary:
    """Estimate how well a live page can be archived, before a capture: as politely as a capture, of one page."""
    observer = CallbackObserver(None, on_note)
    plan = build_capture_plan(plan_values_from_options(options), [url], [], observer.on_note)
    return call_cleanly(lambda: run_check(plan, observer, CallbackListener(on_note=on_note)))


def run_check(plan: CapturePlan, observer: CaptureObserver, listener: WorkListener) -> CheckSummary:
    """Capture the first seed of a plan with all that it needs, and judge what came."""
    alone = replace(plan, seeds=plan.seeds[:1], scope=ScopeExtent.PAGE, sitemaps=False, max_urls=_MAX_PARTS)
    with tempfile.TemporaryDirectory(prefix="webkeep-check-") as folder:
        path = Path(folder) / "page"
        run_capture(alone, path, observer, listener, new=True)
        with Archive(path) as archive:
            return CheckSummary(check_page(archive, plan.seeds[0]))
