"""`update`: an archive brought up to date, and what changed meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Unpack

from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, read_path, read_path_or_none
from webkeep.api.arguments.capture_options import CaptureOptions, name_options, plan_values_from_options
from webkeep.api.arguments.plan_file import merge_plan_values
from webkeep.api.captures import (
    CallbackObserver,
    CaptureProgressCallback,
    CaptureSummary,
    capture_and_certify,
    capture_name,
    capture_values,
)
from webkeep.api.differences import ArchiveChangeCallback, ChangeCallback, count_update_changes
from webkeep.api.logged_writing import open_to_write
from webkeep.api.work_listener import CallbackListener, FindingCallback, NoteCallback, WorkListener
from webkeep.api.work_summary import LEFT_OUT
from webkeep.crawl.plan import CapturePlan
from webkeep.crawl.run import CaptureObserver, build_update_plan, capture_to_update
from webkeep.process import call_cleanly
from webkeep.quality.diff import ChangeKind, PageChange


@dataclass(frozen=True, slots=True)
class UpdateSummary(CaptureSummary):
    """What an update came to."""

    updates: str = ""
    """The capture that was brought up to date."""
    changes: Mapping[ChangeKind, int] = field(default_factory=dict)
    """How many URLs there are of each kind."""
    pages: tuple[PageChange, ...] = field(default=(), metadata=LEFT_OUT)
    """What became of every URL that is not the same as it was."""

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        changes = {kind.value: count for kind, count in self.changes.items()}
        return {**capture_values(self), "updates": self.updates, "changes": changes}


@name_options(CaptureOptions)
@check_arguments
def update(
    archive: StrPath,
    *,
    capture: str = "",
    new: bool = False,
    plan: StrPath | None = None,
    on_change: ChangeCallback | None = None,
    on_progress: CaptureProgressCallback | None = None,
    on_note: NoteCallback | None = None,
    on_finding: FindingCallback | None = None,
    **options: Unpack[CaptureOptions],
) -> UpdateSummary:
    """Bring an archive up to date: only what has changed is downloaded, and nothing that is held is lost.

    `capture` is the start of the identifier of the capture to bring up to date: by default, the last that is finished.
    """
    tell = on_change or (lambda _: None)
    values = merge_plan_values(read_path_or_none(plan), plan_values_from_options(options))
    request = UpdateRequest(read_path(archive), capture, values, new)
    observer, listener = (
        CallbackObserver(on_progress, on_note),
        CallbackListener(on_note=on_note, on_finding=on_finding),
    )
    return call_cleanly(lambda: run_update(request, lambda _: observer, listener, lambda _, change: tell(change)))


@dataclass(frozen=True, slots=True)
class UpdateRequest:
    """Which capture is brought up to date, and what is said anew for it."""

    archive: Path
    capture: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    new: bool = False


def run_update(
    request: UpdateRequest,
    observe: Callable[[CapturePlan], CaptureObserver],
    listener: WorkListener,
    on_change: ArchiveChangeCallback,
) -> UpdateSummary:
    """Capture once more, asking only for what has changed, and compare; whoever observes is chosen by the plan."""
    with open_to_write(request.archive, listener.on_note, create=False) as archive:
        for finding in archive.repair_findings:
            listener.on_finding(finding)
        before = capture_to_update(archive, request.capture)
        plan = build_update_plan(archive, before, request.values)
        listener.on_note(f"bringing {capture_name(before)} up to date")
        done = capture_and_certify(plan, archive, observe(plan), request.archive, request.new, before.id)
        counts, changed = count_update_changes(archive, before, done.capture, on_change)
    own = {each.name: getattr(done, each.name) for each in fields(done)}
    return UpdateSummary(**own, updates=before.id, changes=counts, pages=changed)
