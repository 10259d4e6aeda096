"""Whether an archive keeps a log of its records: the log opened where it does, begun, and brought up to the WARC files.

What logs are made of is loaded only where one is kept: most archives have none, and a capture's first request would
wait for it.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from webkeep.errors import UsageError
from webkeep.store.folder.layout import ArchiveLayout, read_settings, write_settings

if TYPE_CHECKING:
    from webkeep.store.index.url_index import UrlIndex
    from webkeep.store.log.record_log import RecordLog

_ORIGIN_PREFIX = "webkeep-log/"
"""Before the random name of a log that nobody named."""


def begin_log(path: Path, origin: str = "") -> str:
    """Have an archive keep a log from now on, and give its name; opening the archive puts all records into it."""
    from webkeep.formats.transparency import is_key_name

    layout = ArchiveLayout(path)
    settings = read_settings(layout)
    if settings.log:
        return settings.log
    named = origin or f"{_ORIGIN_PREFIX}{uuid.uuid4()}"
    if not is_key_name(named):
        raise UsageError(f"{origin!r} cannot name a log; use something like example.org/log, without blanks and +")
    write_settings(layout, replace(settings, log=named))
    return named


def open_log(layout: ArchiveLayout, writable: bool = False) -> RecordLog | None:
    """The log of an archive; None where it keeps none."""
    origin = read_settings(layout).log
    if not origin:
        return None
    from webkeep.store.log.record_log import RecordLog

    return RecordLog(layout.log, origin, writable)


def is_log_current(layout: ArchiveLayout, sizes: dict[str, int]) -> bool:
    """Whether the log, if one is kept, reaches to the end of every WARC file and has nothing else."""
    log = open_log(layout)
    if log is None:
        return True
    with log:
        return log.is_sound and log.covered_files == sizes


def repair_kept_log(layout: ArchiveLayout, index: UrlIndex, sizes: dict[str, int], is_replaced: bool = False) -> None:
    """Bring the log, if one is kept, up to WARC files of these sizes; the index knows all of them."""
    log = open_log(layout, writable=True)
    if log is None:
        return
    from webkeep.store.log.log_repair import repair_log

    with log:
        repair_log(log, layout, index, sizes, is_replaced)
