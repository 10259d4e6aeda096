"""Settling an archive: what a crash or a power cut left is cut off, and the caches are brought up to the WARC files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from webkeep.model import Finding
from webkeep.store.catalog import Catalog
from webkeep.store.committing import put_into
from webkeep.store.index import Index
from webkeep.store.journal import carry_out
from webkeep.store.layout import Layout
from webkeep.store.learning import Learned, Lesson, learn_all
from webkeep.store.lock import WriterLock


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
    sizes = _sizes(layout)
    for name, reach in covered.items():
        if reach and sizes.get(name, -1) < reach:
            forget_file(name, index, catalog)
            covered[name] = 0
    behind = [name for name, size in sizes.items() if covered.get(name, 0) < size or not size]
    lessons = [
        Lesson(str(layout.warcs / name), covered.get(name, 0), sizes[name], _capture_before(name, covered, catalog))
        for name in behind
    ]
    return _caught_up(lessons, lock.growing, index, catalog)


def forget_file(name: str, index: Index, catalog: Catalog) -> None:
    """Drop from index and catalog what one WARC file gave."""
    with index.database.transaction():
        index.forget(name)
    with catalog.database.transaction():
        catalog.forget(name)


def catch_up(paths: Iterable[Path], index: Index, catalog: Catalog) -> list[Finding]:
    """Put what WARC files hold into index and catalog."""
    return _caught_up([Lesson(str(path), 0, path.stat().st_size, "") for path in paths], "", index, catalog)


def _caught_up(lessons: list[Lesson], growing: str, index: Index, catalog: Catalog) -> list[Finding]:
    findings: list[Finding] = []
    for learned in learn_all(lessons):
        if learned.ended and learned.rows.file == growing:
            findings += _without_torn_tail(learned)
        else:
            findings += learned.findings
        put_into(learned.rows, index, catalog)
        if learned.findings and learned.rows.file != growing:
            with catalog.database.transaction():
                catalog.ledger.add_findings(learned.findings)
    return findings


def _without_torn_tail(learned: Learned) -> list[Finding]:
    """Cut off what follows the last whole record of the file that was growing; no more was acknowledged."""
    path = Path(learned.lesson.path)
    end, size = learned.end, learned.lesson.size
    if end < size:
        os.truncate(path, end)
        with path.open("rb") as file:
            os.fsync(file.fileno())
    learned.rows.covered = end
    if end == 0:
        path.unlink()
    if end == size:
        return learned.findings
    lost = f"cut off {size - end} bytes of a record that was never acknowledged"
    return [Finding("torn-tail", path.name, end, lost)]


def _capture_before(name: str, covered: dict[str, int], catalog: Catalog) -> str:
    return catalog.observations.last_capture_in(name) if covered.get(name, 0) else ""


def _covered(index: Index, catalog: Catalog) -> dict[str, int]:
    indexed, catalogued = index.database.covered(), catalog.database.covered()
    return {name: min(indexed.get(name, 0), catalogued.get(name, 0)) for name in {**indexed, **catalogued}}


def _sizes(layout: Layout) -> dict[str, int]:
    return {name: (layout.warcs / name).stat().st_size for name in layout.warc_names()}
