"""`verify`: every record, digest, index entry and revisit record of an archive checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.api.archive_opening import open_archive
from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, read_path
from webkeep.api.work_listener import (
    CallbackListener,
    FindingCallback,
    FindingTally,
    NoteCallback,
    ProgressCallback,
    WorkListener,
    WorkWatch,
)
from webkeep.api.work_summary import LEFT_OUT, WorkSummary
from webkeep.model import Finding
from webkeep.store.archive import Archive
from webkeep.store.maintenance import VerificationResult, verify_archive


@dataclass(frozen=True, slots=True)
class VerifySummary(WorkSummary):
    """What a verification went through and found."""

    archive: Path
    files: int
    records: int
    bytes: int
    findings: int
    codes: Mapping[str, int]
    """How many findings of each code there are."""
    recovered: int
    """What opening the archive brought in order or came across."""
    listed: tuple[Finding, ...] = field(default=(), metadata=LEFT_OUT)
    """The first thousand findings; `on_finding` gets them all."""


@check_arguments
def verify(
    archive: StrPath,
    *,
    on_finding: FindingCallback | None = None,
    on_progress: ProgressCallback | None = None,
    on_note: NoteCallback | None = None,
) -> VerifySummary:
    """Check every record, digest, index entry and revisit record of an archive."""
    return run_verify(read_path(archive), CallbackListener(on_progress, on_note, on_finding))


def run_verify(path: Path, listener: WorkListener) -> VerifySummary:
    """Check an archive, and tell whoever listens."""
    tally = FindingTally(listener)
    with open_archive(path, listener) as archive:
        result = check_records(archive, tally, listener)
        recovered = len(archive.repair_findings)
    return VerifySummary(
        path,
        result.files,
        result.records,
        result.size,
        result.findings,
        result.codes,
        recovered,
        tuple(tally.listed),
    )


def check_records(archive: Archive, tally: FindingTally, listener: WorkListener) -> VerificationResult:
    """Hold all records against their digests and the caches."""
    result = VerificationResult()
    with WorkWatch(listener, "verifying", lambda: {"records": result.records, "files": result.files}) as watch:
        return verify_archive(archive, tally.add, result, watch.tick)
