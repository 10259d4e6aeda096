"""Settling an archive: what a crash or a power cut left is cut off, and the caches are brought up to the WARC files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from webkeep.formats.flaws import Flaws
from webkeep.model import Finding
from webkeep.store.catalog import Catalog
from webkeep.store.committing import Tally
from webkeep.store.index import Index
from webkeep.store.journal import carry_out
from webkeep.store.layout import Layout
from webkeep.store.lock import WriterLock
from webkeep.store.scanning import Seen, scan

_BATCH = 2000


def is_settled(layout: Layout, index: Index, catalog: Catalog) -> bool:
    """Whether index and catalog reach to the end of every WARC file and hold nothing else."""
    sizes = _sizes(layout)
    return all(
        sizes == {name: size for name, size in cache.database.covered().items() if size} for cache in (index, catalog)
    )


def settle(layout: Layout, lock: WriterLock, index: Index, catalog: Catalog) -> list[Finding]:
    """Bring an archive in order; says what was cut off and what in new files is flawed."""
    carry_out(layout)
    covered = _covered(index, catalog)
    findings = list(_cut_torn_tail(layout, lock.growing, covered.get(lock.growing, 0)))
    sizes = _sizes(layout)
    for name, reach in covered.items():
        if reach and sizes.get(name, -1) < reach:
            forget_file(name, index, catalog)
            covered[name] = 0
    for name, size in sizes.items():
        if covered.get(name, 0) < size:
            findings += catch_up(layout.warcs / name, covered.get(name, 0), size, index, catalog)
    return findings


def forget_file(name: str, index: Index, catalog: Catalog) -> None:
    """Drop from index and catalog what one WARC file gave."""
    with index.database.transaction():
        index.forget(name)
    with catalog.database.transaction():
        catalog.forget(name)


def catch_up(path: Path, start: int, size: int, index: Index, catalog: Catalog) -> list[Finding]:
    """Put what a WARC file holds from an offset on into index and catalog."""
    flaws = Flaws()
    name = path.name
    tally = Tally()
    with path.open("rb") as stream:
        for seen in scan(stream, name, flaws, start, catalog.observations.last_capture_in(name) if start else ""):
            _count(tally, seen)
            if len(tally.sights) >= _BATCH:
                tally.put_into(index, catalog)
                tally = Tally()
    tally.covered[name] = size
    tally.put_into(index, catalog)
    with catalog.database.transaction():
        catalog.ledger.add_findings(flaws.found)
    return flaws.found


def _count(tally: Tally, seen: Seen) -> None:
    name = seen.place.file
    if seen.sight is not None:
        tally.sights.append((seen.place, seen.sight, seen.request))
    if seen.news is not None:
        tally.news.append((name, seen.news))
    tally.covered[name] = seen.place.offset + seen.place.length


def _cut_torn_tail(layout: Layout, growing: str, covered: int) -> Iterator[Finding]:
    path = layout.warcs / growing
    if not growing or not path.exists():
        return
    size = path.stat().st_size
    end = _end_of_last_record(path, covered) if covered < size else size
    if end < size:
        os.truncate(path, end)
        with path.open("rb") as file:
            os.fsync(file.fileno())
        lost = f"cut off {size - end} bytes of a record that was never acknowledged"
        yield Finding("torn-tail", path.name, end, lost)
    if end == 0:
        path.unlink()


def _end_of_last_record(path: Path, start: int) -> int:
    end = start
    with path.open("rb") as stream:
        for seen in scan(stream, path.name, Flaws(), start):
            end = seen.place.offset + seen.place.length
    return end


def _covered(index: Index, catalog: Catalog) -> dict[str, int]:
    indexed, catalogued = index.database.covered(), catalog.database.covered()
    return {name: min(indexed.get(name, 0), catalogued.get(name, 0)) for name in {**indexed, **catalogued}}


def _sizes(layout: Layout) -> dict[str, int]:
    return {name: (layout.warcs / name).stat().st_size for name in layout.warc_names()}
