"""What another rule would take out of a capture that runs, before it is applied: of its queue and of what it stored.

URLs are judged as the frontier judges them, by the plan as it is and by the plan with the rule. They are read from the
newest on, for as long as somebody waits; of a large capture that is a part, and how large a part is said.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webkeep.crawl.plan.capture_plan import CapturePlan
from webkeep.crawl.plan.policies import policy_from_plan
from webkeep.crawl.run.capture_job import CaptureJob
from webkeep.crawl.run.control_loop import apply_changes, restore_changes
from webkeep.frontier.admission import judge_scope
from webkeep.frontier.urls import UrlRole
from webkeep.model import STORED_OUTCOMES, UrlOutcome
from webkeep.store.jobs import StoredUrls
from webkeep.url.scope import ScopeVerdict

_MAX_EXAMPLES = 10
"""Of each kind: enough to see what a rule means."""
_ROWS_PER_LOOK = 500
"""URLs that are judged between two looks at the time."""


@dataclass(frozen=True, slots=True)
class RulePreview:
    """What a change of rules would take out."""

    looked_at: int
    """URLs that were judged."""
    is_whole: bool
    """Whether these were all."""
    queued: int
    stored: int
    """What is stored stays; the rule would have left it out."""
    undecided: int
    """In the queue, of which it is known only once they were asked for, by type or size."""
    queued_examples: tuple[str, ...]
    stored_examples: tuple[str, ...]


def preview_change(folder: Path, plan: CapturePlan, values: Mapping[str, Any], seconds: float) -> RulePreview:
    """What a change would take out of the capture whose job is in a folder, looked for so long at most."""
    job = CaptureJob(folder)
    current = restore_changes(plan, job.control.load_changes())
    before, after = policy_from_plan(current), policy_from_plan(apply_changes(current, values))
    found: dict[bool, list[str]] = {True: [], False: []}
    counts = {True: 0, False: 0}
    looked = undecided = 0
    deadline = time.monotonic() + seconds
    is_whole = True
    with StoredUrls(job.url_store_path) as urls:
        for candidate, outcome in urls.newest_first():
            if looked % _ROWS_PER_LOOK == 0 and time.monotonic() > deadline:
                is_whole = False
                break
            looked += 1
            is_queued = outcome is UrlOutcome.QUEUED
            if candidate.role is UrlRole.ROBOTS or not (is_queued or outcome in STORED_OUTCOMES):
                continue
            if not judge_scope(before, candidate).is_allowed:
                continue
            decision = judge_scope(after, candidate)
            if decision.verdict is ScopeVerdict.OPEN:
                undecided += is_queued
            elif not decision.is_allowed:
                counts[is_queued] += 1
                if len(found[is_queued]) < _MAX_EXAMPLES:
                    found[is_queued].append(candidate.url)
    return RulePreview(
        looked, is_whole, counts[True], counts[False], undecided, tuple(found[True]), tuple(found[False])
    )
