"""Settling an archive: what a crash or a power cut left is cut off, and the caches are brought up to the WARC files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.model import Finding
from webkeep.store.catalog import Catalog
from webkeep.store.committing import put_into
from webkeep.store.index import Index
from webkeep.store.journal import carry_out, conclude
from webkeep.store.layout import Layout, sync_directory
from webkeep.store.learning import Lesson, learn_all
from webkeep.store.lock import WriterLock
from webkeep.store.torn_tail import cut_torn_tail


def is_settled(layout: Layout, index: Index, catalog: Catalog) -> bool:
    """Whether index and catalog reach to the end of every WARC file and hold nothing else."""
    sizes = _sizes(layout)
    return all(
        cache.database.is_made
        # A file that is empty is known all the same; one that is forgotten is known no more than by name.
        and sizes == {name: size for name, size in cache.database.covered().items() if size or name in sizes}
        for cache in (index, catalog)
    )


def settle(layout: Layout, lock: WriterLock, index: Index, catalog: Catalog) -> list[Finding]:
    """Bring an archive in order; says what was cut off and what in new files is flawed."""
    replaced = carry_out(layout)
    covered = _covered(index, catalog)
    findings = cut_torn_tail(layout.warcs, lock, covered.get(lock.growing, 0))
    sizes = _sizes(layout)
    for name, reach in covered.items():
        if reach > 0 and sizes.get(name, -1) < reach:
            forget_file(name, index, catalog)
            covered[name] = 0
            if name not in replaced:
                findings.append(_loss(name, reach, sizes.get(name)))
    lessons = [
        Lesson(str(layout.warcs / name), max(covered.get(name, 0), 0), size, _capture_before(name, covered, catalog))
        for name, size in sizes.items()
        if covered.get(name, -1) < size
    ]
    if lessons:
        sync_directory(layout.warcs)
    findings += _caught_up(lessons, index, catalog)
    conclude(layout)
    return findings


def _loss(name: str, reach: int, size: int | None) -> Finding:
    if size is None:
        return Finding("file-gone", name, 0, "the file is there no more; what it held is forgotten")
    return Finding("file-shrunk", name, size, f"the file had {reach} bytes and has {size}; what is left is read again")


def forget_file(name: str, index: Index, catalog: Catalog) -> None:
    """Drop from index and catalog what one WARC file gave."""
    with index.database.transaction():
        index.forget(name)
    with catalog.database.transaction():
        catalog.forget(name)


def catch_up(paths: Iterable[Path], index: Index, catalog: Catalog) -> list[Finding]:
    """Put what WARC files hold into index and catalog."""
    return _caught_up([Lesson(str(path), 0, path.stat().st_size, "") for path in paths], index, catalog)


def _caught_up(lessons: list[Lesson], index: Index, catalog: Catalog) -> list[Finding]:
    findings: list[Finding] = []
    for lesson in lessons:
        _make_sure(Path(lesson.path))
    for learned in learn_all(lessons):
        if learned.findings:
            findings += learned.findings
            with catalog.database.transaction():
                catalog.ledger.add_findings(learned.findings)
        put_into(learned.rows, index, catalog)
    return findings


def _make_sure(path: Path) -> None:
    """Put a file on disk that someone else wrote: from now on records may refer to what it holds."""
    try:
        with path.open("rb") as file:
            os.fsync(file.fileno())
    except OSError as error:
        raise StorageError(f"{path} cannot be read ({error.strerror}); mend that or take the file away") from error


def _capture_before(name: str, covered: dict[str, int], catalog: Catalog) -> str:
    return catalog.observations.last_capture_in(name) if covered.get(name, 0) > 0 else ""


def _covered(index: Index, catalog: Catalog) -> dict[str, int]:
    indexed, catalogued = index.database.covered(), catalog.database.covered()
    return {name: min(indexed.get(name, -1), catalogued.get(name, -1)) for name in {**indexed, **catalogued}}


def _sizes(layout: Layout) -> dict[str, int]:
    return {name: (layout.warcs / name).stat().st_size for name in layout.warc_names()}
