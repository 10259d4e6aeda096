"""The tail of the growing WARC file after a crash or a power cut: whole records are kept, and what was torn behind them
is cut off.

Theory of operation. Up to the bytes the lock calls sure, and up to those the caches reach, nothing is touched. Behind
them whole records are kept, acknowledged or not, and what follows the last one is cut off. A torn record may hold
whole ones (a WARC file that was itself captured): a gzip member that the end of the file cuts off is therefore cut
off whole. Damage of any other kind is no tear; the records behind it are kept and the damage is reported.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path

from webkeep.formats import Flaws
from webkeep.model import Finding
from webkeep.store.folder.layout import sync_directory
from webkeep.store.folder.writer_lock import WriterLock
from webkeep.store.reading.record_scan import open_records

_READ_BYTES = 1 << 20
"""Read and inflated at a time, so that a long member is not held."""


def cut_torn_tail(folder: Path, lock: WriterLock, covered: int) -> list[Finding]:
    """Cut off what follows the last whole record of the growing file, and make the rest sure; says what was cut."""
    path = folder / lock.growing_file
    if not lock.growing_file or not path.exists():
        return []
    size = path.stat().st_size
    start = max(covered, lock.synced_bytes)
    end = _end_of_last_record(path, start) if start < size else size
    if end < size:
        os.truncate(path, end)
    # What a killed process wrote may be in memory only, and from now on records may refer to it.
    with path.open("rb") as file:
        os.fsync(file.fileno())
    if end == 0:
        path.unlink()
        sync_directory(folder)
    lock.announce_growing(lock.growing_file, end)
    lost = f"cut off {size - end} bytes of a record that was never acknowledged"
    return [Finding("torn-tail", path.name, end, lost)] if end < size else []


def _end_of_last_record(path: Path, start: int) -> int:
    flaws = Flaws()
    end = start
    with path.open("rb") as stream:
        for record in open_records(stream, path.name, flaws, start):
            if _is_torn(path, flaws):
                break
            record.finish()
            if record.intact and record.length:
                end = record.offset + record.length
    return end


def _is_torn(path: Path, flaws: Flaws) -> bool:
    """Whether one of the flaws met since is a member that the end of the file cuts off."""
    return any(_is_cut_off(path, offset) for offset in {flaw.offset for flaw in flaws.take_findings()})


def _is_cut_off(path: Path, offset: int) -> bool:
    inflater = zlib.decompressobj(wbits=31)
    with path.open("rb") as file:
        file.seek(offset)
        try:
            while not inflater.eof and (data := inflater.unconsumed_tail or file.read(_READ_BYTES)):
                inflater.decompress(data, _READ_BYTES)
        except zlib.error:
            return False
    return not inflater.eof
