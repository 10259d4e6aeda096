"""`copy`: a website captured and copied in one step; where the archive of a copy is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, Texts, list_texts, read_path, read_path_or_none, read_paths
from webkeep.api.arguments.capture_options import CaptureOptions, name_options, plan_values_from_options
from webkeep.api.arguments.plan_file import build_capture_plan, merge_plan_values
from webkeep.api.captures import CallbackObserver, CaptureProgressCallback, CaptureSummary, run_capture
from webkeep.api.copies import CopyForm, MirrorSummary, PageSummary, check_copy_targets, write_copy, write_page
from webkeep.api.work_listener import (
    CallbackListener,
    FindingCallback,
    NoteCallback,
    ProgressCallback,
    WorkListener,
)
from webkeep.api.work_summary import WorkSummary
from webkeep.crawl.plan import CapturePlan
from webkeep.crawl.run import CaptureObserver
from webkeep.errors import RemoteError
from webkeep.formats.status import OK, is_error
from webkeep.mirror.selection import CopySelection
from webkeep.model import CONTENT_TYPES
from webkeep.presentation import describe_failure
from webkeep.process import call_cleanly
from webkeep.store.archive import Archive
from webkeep.store.views import read_outlines
from webkeep.url.scope import rules_from_filters

ARCHIVE_SUFFIX = ".archive"
"""The archive lies beside the copy under the same name with this ending."""
_ROBOTS_PATH = "/robots.txt"


@dataclass(frozen=True, slots=True)
class CopySummary(WorkSummary):
    """What a capture and the copy made of it came to."""

    out: Path
    captured: CaptureSummary
    written: MirrorSummary | PageSummary | None
    """The copy, or one page in one file; None where the capture did not come to its end."""

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        own = {"out": str(self.out)} if self.written is None else self.written.to_dict()
        return {**self.captured.to_dict(), **own}


@name_options(CaptureOptions)
@check_arguments
def copy(
    *seeds: str,
    out: StrPath,
    into: StrPath | None = None,
    new: bool = False,
    plan: StrPath | None = None,
    seeds_from: StrPath | Iterable[StrPath] = (),
    filters: str = "",
    with_gone: bool = False,
    single_file: str | None = None,
    profile: str | None = None,
    mark_outside: bool = False,
    versions: bool = False,
    own_files: bool = False,
    freeze: Texts = (),
    zip: StrPath | None = None,  # noqa: A002 - what the option is called
    replace: bool = False,
    on_progress: CaptureProgressCallback | None = None,
    on_copy_progress: ProgressCallback | None = None,
    on_note: NoteCallback | None = None,
    on_finding: FindingCallback | None = None,
    **options: Unpack[CaptureOptions],
) -> CopySummary:
    """Copy a website to a disk in one step: capture it, then write what opens in any browser.

    `single_file` names the one page that is wanted, in one file; `with_gone` has what is gone as it last was.
    """
    form = CopyForm(
        profile, mark_outside, versions, own_files, list_texts(freeze, "freeze"), read_path_or_none(zip), replace
    )
    values = merge_plan_values(read_path_or_none(plan), plan_values_from_options(options))
    if filters:
        values["rules"] = [*list_texts(values.get("rules", ()), "rules"), *rules_from_filters(filters)]
    observer, listener = CallbackObserver(on_progress, on_note), CallbackListener(on_copy_progress, on_note, on_finding)
    made = build_capture_plan(values, seeds, map(str, read_paths(seeds_from)), observer.on_note)
    request = CopyRequest(made, read_path(out), read_path_or_none(into), form, new, with_gone, single_file)
    return call_cleanly(lambda: run_copy(request, observer, listener))


@dataclass(frozen=True, slots=True)
class CopyRequest:
    """What is to be copied, and where to."""

    plan: CapturePlan
    out: Path
    into: Path | None
    """Where the archive is kept; beside the copy where nothing is said."""
    form: CopyForm
    new: bool = False
    with_gone: bool = False
    """Whether what earlier captures saw, and is gone, is in the copy as it last was."""
    single_file: str | None = None
    """The one page that is wanted, in one file."""


def run_copy(
    request: CopyRequest,
    observer: CaptureObserver,
    listener: WorkListener,
    on_captured: Callable[[CaptureSummary], object] = lambda _: None,
) -> CopySummary:
    """Capture, then write the copy of what was captured, if all of it was."""
    out = request.out
    check_copy_targets(out, request.form, request.single_file)
    into = request.into or out.with_name(f"{out.name}{ARCHIVE_SUFFIX}")
    captured = run_capture(request.plan, into, observer, listener, request.new)
    on_captured(captured)
    if not captured.finished:
        return CopySummary(out, captured, None)
    with Archive(into) as archive:
        if captured.seeds_missed and not request.with_gone and not _holds_anything(archive, captured.capture):
            missed = captured.seeds_missed[0]
            reason = describe_failure(missed.reason)
            raise RemoteError(f"nothing is copied, as nothing could be had: {missed.url} ({reason})")
        # What is gone was seen by an earlier capture.
        of_capture = "" if request.with_gone else captured.capture
        wanted = CopySelection(archive.clock.now(), capture=of_capture, with_gone=request.with_gone)
        options = request.form.build_options_for(archive)
        written: MirrorSummary | PageSummary
        if request.single_file is None:
            written = write_copy(archive, wanted, out, options, listener)
        else:
            written = write_page(archive, wanted, (request.single_file, out), options, listener)
    return CopySummary(out, captured, written)


def _holds_anything(archive: Archive, capture: str) -> bool:
    """Whether a capture has anything of a site but errors, and the rules that kept it from asking."""
    return any(
        seen.record_type in CONTENT_TYPES and not is_error(seen.status or OK) and not seen.url.endswith(_ROBOTS_PATH)
        for seen in read_outlines(archive, capture)
    )
