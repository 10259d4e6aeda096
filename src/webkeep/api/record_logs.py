"""`log`: the log of an archive's records begun, its checkpoints made and shown, its tiles published, and proofs that
records are in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.api.archive_opening import open_archive
from webkeep.api.work_listener import WorkListener
from webkeep.api.work_summary import IF_GIVEN, LEFT_OUT, WorkSummary
from webkeep.errors import FormatError, UsageError
from webkeep.formats.transparency import NoteKey, list_tiles, parse_checkpoint
from webkeep.process import write_atomically
from webkeep.signing import KeyPurpose, open_own_key, read_passphrase
from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.folder import is_archive
from webkeep.store.log import (
    RecordLog,
    begin_log,
    hash_record_at,
    make_checkpoint,
    prove_records,
    read_checkpoint_history,
    read_tile,
)
from webkeep.url import UrlMatch


@dataclass(frozen=True, slots=True)
class LogSummary(WorkSummary):
    """What an archive's log is now."""

    archive: Path
    origin: str
    """The name of the log."""
    size: int
    """Records in it."""
    key: str | None = field(default=None, metadata=IF_GIVEN)
    """The public key that signed the checkpoint, for those who check it."""
    checkpoint: str | None = field(default=None, metadata=IF_GIVEN)
    """The last checkpoint, as a signed note."""
    checkpoint_size: int | None = field(default=None, metadata=IF_GIVEN)
    """Records that it covers."""
    checkpoints: int | None = field(default=None, metadata=IF_GIVEN)
    """Checkpoints that the archive holds."""
    tiles: int | None = field(default=None, metadata=IF_GIVEN)
    """Files that were written to be published."""


@dataclass(frozen=True, slots=True)
class ProofSummary(WorkSummary):
    """Proofs that records are in a log."""

    archive: Path
    origin: str
    size: int
    """Records that the checkpoint covers."""
    proven: int
    unproven: int
    """Records that came since the checkpoint."""
    proofs: bytes = field(default=b"", metadata=LEFT_OUT)
    """The proofs as a file."""


def run_log_begin(path: Path, origin: str = "") -> LogSummary:
    """Have an archive, which is made where there is none, keep a log of its records, those it has among them."""
    if not is_archive(path):
        WritableArchive.create(path).close()
    kept = begin_log(path, origin)
    if origin and kept != origin:
        raise UsageError(f"{path} keeps a log already, and it is called {kept}; leave --origin out")
    with WritableArchive(path) as archive:
        return summarize_log(path, require_log_of(archive))


@dataclass(frozen=True, slots=True)
class CheckpointRequest:
    """Of which archive a checkpoint is made, and who signs it."""

    archive: Path
    key: Path | None = None
    """The file of the key; one's own where none is named."""
    passphrase_file: Path | None = None
    signed: bool = True


def run_log_checkpoint(request: CheckpointRequest) -> LogSummary:
    """Make a checkpoint over all records, or give the last one again where nothing has come since."""
    signer = (
        open_own_key(KeyPurpose.LOG, request.key, read_passphrase(request.passphrase_file)) if request.signed else None
    )
    with WritableArchive(request.archive) as archive:
        require_log_of(archive)
        make_checkpoint(archive, signer)
        return summarize_log(request.archive, require_log_of(archive), archive)


def run_log_show(path: Path, listener: WorkListener) -> LogSummary:
    """Say what an archive's log is now."""
    with open_archive(path, listener) as archive:
        return summarize_log(path, require_log_of(archive), archive)


def run_log_publish(path: Path, folder: Path, listener: WorkListener) -> LogSummary:
    """Write the last checkpoint and the tiles below it as files, for any web server; full tiles that are there stay."""
    with open_archive(path, listener) as archive:
        log = require_log_of(archive)
        note = log.checkpoint
        if not note:
            raise UsageError(f"{path} has no checkpoint yet; webkeep log checkpoint {path} makes one")
        count, size = 0, parse_checkpoint(note)[0].size
        for tile in list_tiles(size):
            target = folder / tile.path
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(target, read_tile(log, tile, size))
                count += 1
        write_atomically(folder / "checkpoint", note)
        summary = summarize_log(path, log)
    return LogSummary(path, summary.origin, summary.size, checkpoint_size=summary.checkpoint_size, tiles=count)


def run_log_proofs(path: Path, url: str, match: UrlMatch, listener: WorkListener) -> ProofSummary:
    """Prove that the records of a URL, with their requests, are in the log at its last checkpoint."""
    with open_archive(path, listener) as archive:
        log = require_log_of(archive)
        if not log.checkpoint:
            raise UsageError(f"{path} has no checkpoint yet; webkeep log checkpoint {path} makes one")
        checkpoint, _ = parse_checkpoint(log.checkpoint)
        wanted = list(_hash_records_of(archive, url, match))
        if not wanted:
            raise UsageError(f"{path} holds nothing of {url}; webkeep list {path} shows what is there")
        proofs = prove_records(log, wanted, checkpoint)
    missing = len(set(wanted) - proofs.proofs.keys())
    return ProofSummary(path, log.origin, checkpoint.size, len(proofs.proofs), missing, proofs.to_json())


def require_log_of(archive: Archive) -> RecordLog:
    """The log of an archive; UsageError where it keeps none."""
    if archive.log is None:
        raise UsageError(f"{archive.path} keeps no log; webkeep log begin {archive.path} has it keep one")
    return archive.log


def summarize_log(path: Path, log: RecordLog, archive: Archive | None = None) -> LogSummary:
    """What a log is now; with what the archive holds of checkpoints."""
    size, note = None, log.checkpoint
    if note:
        size = parse_checkpoint(note)[0].size
    history = list(read_checkpoint_history(archive.index, archive.files, log.origin)) if archive else []
    return LogSummary(
        path,
        log.origin,
        log.size,
        _signing_key(note, [key for _, key in history]),
        note.decode() or None,
        size,
        len(history) if archive else None,
    )


def _signing_key(note: bytes, keys: list[NoteKey | None]) -> str | None:
    """The key that signed a note, among those that are named."""
    if not note:
        return None
    _, signed = parse_checkpoint(note)
    for key in keys:
        try:
            if key is not None and signed.signers_among([key]):
                return key.text
        except FormatError:
            continue
    return None


def _hash_records_of(archive: Archive, url: str, match: UrlMatch) -> Iterator[bytes]:
    for observation in archive.history(url, match, resolve=False):
        yield hash_record_at(archive.files, observation.place)
        if observation.request is not None:
            yield hash_record_at(archive.files, observation.request)
