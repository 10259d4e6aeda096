"""`log stamp`: the last checkpoint of an archive's log dated by time-stamping authorities, as files that anybody can
check.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from webkeep.api.archive_opening import open_archive
from webkeep.api.package_stamping import StampRequest, authority_client
from webkeep.api.record_logs import require_log_of
from webkeep.api.work_listener import WorkListener
from webkeep.api.work_summary import WorkSummary
from webkeep.errors import StorageError, UsageError
from webkeep.evidence.sealing import StampAnswer, StampFailure
from webkeep.formats.transparency import parse_checkpoint
from webkeep.process import write_atomically

CHECKPOINT_FILE = "checkpoint.txt"
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class LogStampSummary(WorkSummary):
    """What authorities gave for a checkpoint."""

    archive: Path
    origin: str
    size: int
    """Records that the checkpoint covers."""
    stamps: Mapping[str, str]
    """The files that were written, each with the moment that its authority vouches for."""
    failed: Mapping[str, str]
    """Authorities that gave nothing, and why."""


def run_log_stamp(request: StampRequest, folder: Path, listener: WorkListener) -> LogStampSummary:
    """Have the last checkpoint of the archive that a request names dated; it and the stamps are put into a folder."""
    with open_archive(request.path, listener) as archive:
        note = require_log_of(archive).checkpoint
    if not note:
        raise UsageError(f"{request.path} has no checkpoint yet; webkeep log checkpoint {request.path} makes one")
    checkpoint, _ = parse_checkpoint(note)
    answers = authority_client(request).ask(request.authorities, note)
    stamps: dict[str, str] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / CHECKPOINT_FILE, note)
        for answer in answers:
            if isinstance(answer, StampAnswer):
                name = f"{checkpoint.size}-{_host_name(answer.authority)}"
                write_atomically(folder / f"{name}.tsq", answer.request)
                write_atomically(folder / f"{name}.tsr", answer.response)
                stamps[f"{name}.tsr"] = answer.stamp.moment.iso()
    except OSError as error:
        raise StorageError(f"nothing can be written to {folder} ({error.strerror}); choose another place") from error
    failed = {each.authority: each.meaning for each in answers if isinstance(each, StampFailure)}
    return LogStampSummary(request.path, checkpoint.origin, checkpoint.size, stamps, failed)


def _host_name(authority: str) -> str:
    place = urlsplit(authority).netloc.rpartition("@")[2] or "authority"
    return _NOT_IN_NAMES.sub("-", place.lower()).strip("-")
