"""`verify`: every record, digest, index entry and revisit record of an archive checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.api.archive_opening import open_archive
from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, read_path, read_path_or_none
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
from webkeep.errors import FormatError, UsageError
from webkeep.formats.transparency import MAX_NOTE_BYTES, parse_checkpoint, parse_note_key
from webkeep.model import Finding
from webkeep.store.archive import Archive
from webkeep.store.log import KeptCheckpoint, LogVerification
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
    elsewhere: Mapping[str, int] | None = field(default=None, metadata=IF_GIVEN)
    """How many revisits refer to payloads that other archives hold, by whose archive that is; None where none do."""
    log: LogVerification | None = field(default=None, metadata=IF_GIVEN)
    """What the log of the records says; None where the archive keeps none."""
    carried_logs: tuple[LogVerification, ...] | None = field(default=None, metadata=IF_GIVEN)
    """What is said of logs that came along with imported records; None where there are none."""


@check_arguments
def verify(
    archive: StrPath,
    *,
    checkpoint: StrPath | None = None,
    log_key: str = "",
    on_finding: FindingCallback | None = None,
    on_progress: ProgressCallback | None = None,
    on_note: NoteCallback | None = None,
) -> VerifySummary:
    """Check every record, digest, index entry and revisit record of an archive, and its log where it keeps one.

    `checkpoint` is a file with a checkpoint of the log that was kept elsewhere, `log_key` the key that signed it.
    """
    kept = read_kept_checkpoint(read_path_or_none(checkpoint), log_key)
    return run_verify(read_path(archive), CallbackListener(on_progress, on_note, on_finding), kept)


def read_kept_checkpoint(path: Path | None, key: str = "") -> KeptCheckpoint:
    """A checkpoint that was kept in a file, and the key that must have signed it, as text."""
    try:
        keys = (parse_note_key(key).public_key,) if key else ()
    except FormatError as error:
        raise UsageError(f"--log-key is no key: {error.args[0]}") from error
    if path is None:
        return KeptCheckpoint(keys=keys)
    try:
        with path.open("rb") as stream:
            checkpoint, note = parse_checkpoint(stream.read(MAX_NOTE_BYTES + 1))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); name the file of a checkpoint") from error
    except FormatError as error:
        raise UsageError(f"{path} is no checkpoint: {error.args[0]}") from error
    return KeptCheckpoint(checkpoint, note, keys)


def run_verify(path: Path, listener: WorkListener, kept: KeptCheckpoint | None = None) -> VerifySummary:
    """Check an archive, and tell whoever listens."""
    tally = FindingTally(listener)
    with open_archive(path, listener) as archive:
        result = check_records(archive, tally, listener, kept)
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
        result.elsewhere or None,
        result.log,
        tuple(result.carried_logs) or None,
    )


def check_records(
    archive: Archive, tally: FindingTally, listener: WorkListener, kept: KeptCheckpoint | None = None
) -> VerificationResult:
    """Hold all records against their digests, the caches and the log."""
    result = VerificationResult()
    with WorkWatch(listener, "verifying", lambda: {"records": result.records, "files": result.files}) as watch:
        return verify_archive(archive, tally.add, result, watch.tick, kept)
