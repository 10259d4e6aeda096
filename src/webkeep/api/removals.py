"""`remove`: a takedown, or what one would take down; that something must be selected, but not everything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.api.archive_opening import open_archive
from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, read_path
from webkeep.api.arguments.selections import SelectionRequest
from webkeep.api.logged_writing import close_log
from webkeep.api.work_listener import (
    CallbackListener,
    FindingCallback,
    FindingTally,
    NoteCallback,
    ProgressCallback,
    WorkListener,
    WorkWatch,
)
from webkeep.api.work_summary import IF_GIVEN, LEFT_OUT, WorkSummary
from webkeep.api.worker_archives import is_shared
from webkeep.errors import UsageError
from webkeep.model import Finding, MomentLike, Observation
from webkeep.store.archive import Archive, Selection, WritableArchive
from webkeep.store.maintenance import select_for_takedown, take_down
from webkeep.url import UrlMatch

ObservationCallback = Callable[[Observation], object]


@dataclass(frozen=True, slots=True)
class RemovalSummary(WorkSummary):
    """What a takedown did, or would do."""

    archive: Path
    removed: int | None = field(default=None, metadata=IF_GIVEN)
    """Records taken down; None where it was only looked what would be."""
    repaired: int | None = field(default=None, metadata=IF_GIVEN)
    """Revisits that were given the payload or turned to another record."""
    files: int | None = field(default=None, metadata=IF_GIVEN)
    """WARC files that were written anew."""
    findings: int | None = field(default=None, metadata=IF_GIVEN)
    would_remove: int | None = field(default=None, metadata=IF_GIVEN)
    """Records that would be taken down; None where they were."""
    bytes: int | None = field(default=None, metadata=IF_GIVEN)
    listed: tuple[Finding, ...] = field(default=(), metadata=LEFT_OUT)
    """The first thousand findings."""


@dataclass(frozen=True, slots=True)
class RemovalRequest:
    """What is to be taken down, and why."""

    archive: Path
    wanted: SelectionRequest
    reason: str = ""

    def __post_init__(self) -> None:
        if self.wanted.is_empty:
            raise UsageError("say what to remove: --url, --capture, --since or --until")

    def select(self, archive: Archive) -> Selection:
        """The records that are meant."""
        selection = self.wanted.select(archive, UrlMatch.EXACT)
        if selection.is_everything:
            raise UsageError("this would remove everything; to be rid of a whole archive delete its directory")
        return selection


@check_arguments
def remove(
    archive: StrPath,
    *,
    url: str | None = None,
    match: UrlMatch | str | None = None,
    capture: str | None = None,
    since: MomentLike | None = None,
    until: MomentLike | None = None,
    reason: str = "",
    yes: bool = False,
    on_observation: ObservationCallback | None = None,
    on_finding: FindingCallback | None = None,
    on_progress: ProgressCallback | None = None,
    on_note: NoteCallback | None = None,
) -> RemovalSummary:
    """Take something down: its bytes leave the disk, a tombstone says what and when.

    Only `yes=True` really does; without it the summary says what would go, and `on_observation` is told each of them.
    """
    request = RemovalRequest(read_path(archive), SelectionRequest(url, match, capture, since, until), reason)
    listener = CallbackListener(on_progress, on_note, on_finding)
    if yes:
        return run_removal(request, listener)
    return preview_removal(request, listener, on_observation or (lambda _: None))


def preview_removal(
    request: RemovalRequest, listener: WorkListener, on_observation: ObservationCallback
) -> RemovalSummary:
    """Look what would be taken down."""
    count = size = 0
    with open_archive(request.archive, listener) as archive:
        _tell_shared(archive, listener)
        for observation in select_for_takedown(archive, request.select(archive)):
            count, size = count + 1, size + observation.place.length
            on_observation(observation)
    return RemovalSummary(request.archive, would_remove=count, bytes=size)


def _tell_shared(archive: Archive, listener: WorkListener) -> None:
    """Say that other archives may refer to what goes."""
    if is_shared(archive):
        listener.on_note(
            "archives of other workers of its capture may refer to payloads of this one, and lose what goes here; "
            "bring them together with webkeep import, and remove there"
        )


def run_removal(request: RemovalRequest, listener: WorkListener) -> RemovalSummary:
    """Take it down."""
    tally, written = FindingTally(listener), 0
    with WritableArchive(request.archive) as archive:
        _tell_shared(archive, listener)
        selection = request.select(archive)
        with WorkWatch(listener, "removing", lambda: {"bytes": written}) as watch:

            def count_bytes(size: int) -> None:
                nonlocal written
                written += size
                watch.tick()

            result = take_down(archive, selection, request.reason, tally.add, count_bytes)
    if result.records and archive.log is not None:
        with WritableArchive(request.archive) as reopened:  # a takedown closes the archive for writing
            close_log(reopened, listener.on_note)
    return RemovalSummary(
        request.archive,
        result.records,
        result.mended,
        result.files,
        tally.count,
        listed=tuple(tally.listed),
    )
