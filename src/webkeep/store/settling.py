"""Settling an archive: what a crash or a power cut left is cut off, and the caches are brought up to the WARC files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from webkeep.errors import StorageError
from webkeep.model import Finding
from webkeep.store.catalog import Catalog
from webkeep.store.committing import put_into
from webkeep.store.derived import clear_derived
from webkeep.store.index import Index
from webkeep.store.journal import carry_out, conclude
from webkeep.store.layout import Layout, sync_directory
from webkeep.store.learning import Lesson, learn_all
from webkeep.store.lock import WriterLock
from webkeep.store.torn_tail import cut_torn_tail

_ADVICE = "put a whole copy back, or accept the loss with webkeep rebuild"


Watcher = Callable[[int], None]
"""Is told how many index entries were made, some at a time."""


def unwatched(_entries: int) -> None:
    """Nobody watches."""


def is_settled(layout: Layout, index: Index, catalog: Catalog) -> bool:
    """Whether index and catalog reach to the end of every WARC file and hold nothing else."""
    sizes = _sizes(layout)
    return all(
        cache.database.is_made
        # A file that is empty is known all the same; one that is forgotten is known no more than by name.
        and sizes == {name: size for name, size in cache.database.covered().items() if size or name in sizes}
        for cache in (index, catalog)
    )


def settle(
    layout: Layout, lock: WriterLock, index: Index, catalog: Catalog, watcher: Watcher = unwatched
) -> list[Finding]:
    """Bring an archive in order; says what was cut off and what in new files is flawed."""
    replaced = carry_out(layout)
    covered = _covered(index, catalog)
    findings = cut_torn_tail(layout.warcs, lock, covered.get(lock.growing, 0))
    sizes = _sizes(layout)
    for name, former in _disturbed(sizes, index, catalog).items():
        covered[name] = 0
        if name in replaced:
            forget_file(name, index, catalog)
            continue
        loss = _loss(name, former, sizes.get(name))
        _begin_anew(name, loss, index, catalog)
        findings += [loss] if loss else []
        if loss and name == lock.growing:
            # Nothing is appended to what is left of a file, so that a whole copy can take its place.
            lock.grow("")
    lessons = [
        Lesson(str(layout.warcs / name), max(covered.get(name, 0), 0), size, _capture_before(name, covered, catalog))
        for name, size in sizes.items()
        if covered.get(name, -1) < size
    ]
    if lessons:
        sync_directory(layout.warcs)
    findings += _caught_up(lessons, index, catalog, watcher)
    if replaced:
        clear_derived(layout)
    conclude(layout)
    return findings


def _disturbed(sizes: dict[str, int], index: Index, catalog: Catalog) -> dict[str, int]:
    """The files to be read from the start again, each with the size it once had."""
    lost = {finding.source: finding.offset for finding in catalog.ledger.losses()}
    # The further of the two: a process may have been ended when only one had forgotten a file.
    reaches = _covered(index, catalog, max)
    return {
        name: max(reach, lost.get(name, 0))
        for name, reach in reaches.items()
        if _is_disturbed(sizes.get(name, -1), reach, name in lost)
    }


def _is_disturbed(size: int, reach: int, is_lossy: bool) -> bool:
    """Whether a file is shorter than it was, or one that had lost something is longer again."""
    return (reach > 0 and size < reach) or (is_lossy and size > reach)


def _loss(name: str, former: int, size: int | None) -> Finding | None:
    """What is to be said of a file that once had so many bytes; its offset is where the file ended."""
    if size is None:
        return Finding("file-gone", name, former, f"the file is there no more, nor what it held; {_ADVICE}")
    if size < former:
        return Finding("file-shrunk", name, former, f"the file had {former} bytes and has {size}; {_ADVICE}")
    return None


def _begin_anew(name: str, loss: Finding | None, index: Index, catalog: Catalog) -> None:
    """Drop what a file gave, and keep in the same breath what it lost."""
    with index.database.transaction():
        index.forget(name)
    with catalog.database.transaction():
        catalog.forget(name)
        catalog.ledger.set_loss(name, loss)


def forget_file(name: str, index: Index, catalog: Catalog) -> None:
    """Drop from index and catalog what one WARC file gave; what is known to be lost of it stays known."""
    with index.database.transaction():
        index.forget(name)
    with catalog.database.transaction():
        catalog.forget(name)


def catch_up(paths: Iterable[Path], index: Index, catalog: Catalog) -> list[Finding]:
    """Put what WARC files hold into index and catalog."""
    return _caught_up([Lesson(str(path), 0, path.stat().st_size, "") for path in paths], index, catalog)


def _caught_up(lessons: list[Lesson], index: Index, catalog: Catalog, watcher: Watcher = unwatched) -> list[Finding]:
    findings: list[Finding] = []
    for lesson in lessons:
        with _opened(lesson.path):
            continue
    syncing = ThreadPoolExecutor(1)  # the disk is busy while the files are read
    try:
        sure = {lesson.path: syncing.submit(_make_sure, lesson.path) for lesson in lessons}
        for learned in learn_all(lessons):
            if learned.findings:
                findings += learned.findings
                with catalog.database.transaction():
                    catalog.ledger.add_findings(learned.findings)
            sure[learned.lesson.path].result()
            put_into(learned.rows, index, catalog)
            watcher(len(learned.rows.entries))
    finally:
        syncing.shutdown(cancel_futures=True)
    return findings


def _make_sure(path: str) -> None:
    """Put a file on disk that someone else wrote: from now on records may refer to what it holds."""
    with _opened(path) as file:
        os.fsync(file.fileno())


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    try:
        with Path(path).open("rb") as file:
            yield file
    except OSError as error:
        raise StorageError(f"{path} cannot be read ({error.strerror}); mend that or take the file away") from error


def _capture_before(name: str, covered: dict[str, int], catalog: Catalog) -> str:
    return catalog.observations.last_capture_in(name) if covered.get(name, 0) > 0 else ""


def _covered(index: Index, catalog: Catalog, choose: Callable[[int, int], int] = min) -> dict[str, int]:
    indexed, catalogued = index.database.covered(), catalog.database.covered()
    return {name: choose(indexed.get(name, -1), catalogued.get(name, -1)) for name in {**indexed, **catalogued}}


def _sizes(layout: Layout) -> dict[str, int]:
    return {name: (layout.warcs / name).stat().st_size for name in layout.warc_names()}
