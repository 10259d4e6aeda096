"""Settling an archive on opening: unfinished replacements and torn ends are put in order, WARC files that shrank or
vanished are told, and the caches are brought up to the files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from webkeep.errors import StorageError
from webkeep.model import Finding
from webkeep.store.folder.derived_files import clear_derived
from webkeep.store.folder.layout import ArchiveLayout, sync_directory
from webkeep.store.folder.replacement_journal import apply_journal, close_journal
from webkeep.store.folder.writer_lock import WriterLock
from webkeep.store.index.catalog import Catalog
from webkeep.store.index.url_index import UrlIndex
from webkeep.store.log.log_opening import is_log_current, repair_kept_log
from webkeep.store.opening.torn_tail import cut_torn_tail
from webkeep.store.opening.warc_indexer import IndexingTask, index_files
from webkeep.store.writing.group_commit import apply_rows

_LOSS_ADVICE = "put a whole copy back, or accept the loss with webkeep rebuild"


IndexProgress = Callable[[int], None]
"""Is told how many index entries were made, some at a time."""


def ignore_progress(_entries: int) -> None:
    """Nobody watches."""


def are_caches_current(layout: ArchiveLayout, index: UrlIndex, catalog: Catalog) -> bool:
    """Whether index and catalog reach to the end of every WARC file and hold nothing else."""
    sizes = _file_sizes(layout)
    return all(
        cache.database.has_tables
        # A file that is empty is known all the same; one that is forgotten is known no more than by name.
        and sizes == {name: size for name, size in cache.database.covered_bytes().items() if size or name in sizes}
        for cache in (index, catalog)
    ) and is_log_current(layout, sizes)


def repair_caches(
    layout: ArchiveLayout,
    lock: WriterLock,
    index: UrlIndex,
    catalog: Catalog,
    progress: IndexProgress = ignore_progress,
) -> list[Finding]:
    """Bring an archive in order; says what was cut off and what in new files is flawed."""
    replaced = apply_journal(layout)
    covered = _covered_bytes(index, catalog)
    findings = cut_torn_tail(layout.warcs, lock, covered.get(lock.growing_file, 0))
    sizes = _file_sizes(layout)
    for name, former in _changed_files(sizes, index, catalog).items():
        covered[name] = 0
        if name in replaced:
            drop_file(name, index, catalog)
            continue
        loss = _loss_finding(name, former, sizes.get(name))
        _reset_file(name, loss, index, catalog)
        findings += [loss] if loss else []
        if loss and name == lock.growing_file:
            # Nothing is appended to what is left of a file, so that a whole copy can take its place.
            lock.announce_growing("")
    tasks = [
        IndexingTask(
            str(layout.warcs / name), max(covered.get(name, 0), 0), size, _capture_before(name, covered, catalog)
        )
        for name, size in sizes.items()
        if covered.get(name, -1) < size
    ]
    if tasks:
        sync_directory(layout.warcs)
    findings += _index_files(tasks, index, catalog, progress)
    repair_kept_log(layout, index, sizes, bool(replaced))
    if replaced:
        clear_derived(layout)
    close_journal(layout)
    return findings


def _changed_files(sizes: dict[str, int], index: UrlIndex, catalog: Catalog) -> dict[str, int]:
    """The files to be read from the start again, each with the size it once had."""
    lost = {finding.source: finding.offset for finding in catalog.log.losses()}
    # The further of the two: a process may have been ended when only one had forgotten a file.
    reaches = _covered_bytes(index, catalog, max)
    return {
        name: max(reach, lost.get(name, 0))
        for name, reach in reaches.items()
        if _is_changed(sizes.get(name, -1), reach, name in lost)
    }


def _is_changed(size: int, reach: int, is_lossy: bool) -> bool:
    """Whether a file is shorter than it was, or one that had lost something is longer again."""
    return (reach > 0 and size < reach) or (is_lossy and size > reach)


def _loss_finding(name: str, former: int, size: int | None) -> Finding | None:
    """What is to be said of a file that once had so many bytes; its offset is where the file ended."""
    if size is None:
        return Finding("file-gone", name, former, f"the file is there no more, nor what it held; {_LOSS_ADVICE}")
    if size < former:
        return Finding("file-shrunk", name, former, f"the file had {former} bytes and has {size}; {_LOSS_ADVICE}")
    return None


def _reset_file(name: str, loss: Finding | None, index: UrlIndex, catalog: Catalog) -> None:
    """Drop what a file gave, and keep in the same breath what it lost."""
    with index.database.transaction():
        index.drop_file(name)
    with catalog.database.transaction():
        catalog.drop_file(name)
        catalog.log.set_loss(name, loss)


def drop_file(name: str, index: UrlIndex, catalog: Catalog) -> None:
    """Drop from index and catalog what one WARC file gave; what is known to be lost of it stays known."""
    with index.database.transaction():
        index.drop_file(name)
    with catalog.database.transaction():
        catalog.drop_file(name)


def index_new_files(paths: Iterable[Path], index: UrlIndex, catalog: Catalog) -> list[Finding]:
    """Put what WARC files hold into index and catalog."""
    return _index_files([IndexingTask(str(path), 0, path.stat().st_size, "") for path in paths], index, catalog)


def _index_files(
    tasks: list[IndexingTask], index: UrlIndex, catalog: Catalog, progress: IndexProgress = ignore_progress
) -> list[Finding]:
    findings: list[Finding] = []
    for task in tasks:
        with _open_file(task.path):
            continue
    syncing = ThreadPoolExecutor(1)  # the disk is busy while the files are read
    try:
        sure = {indexing_task.path: syncing.submit(_sync_file, indexing_task.path) for indexing_task in tasks}
        for learned in index_files(tasks):
            if learned.findings:
                findings += learned.findings
                with catalog.database.transaction():
                    catalog.log.add_findings(learned.findings)
            sure[learned.task.path].result()
            apply_rows(learned.rows, index, catalog)
            progress(len(learned.rows.entries))
    finally:
        syncing.shutdown(cancel_futures=True)
    return findings


def _sync_file(path: str) -> None:
    """Put a file on disk that someone else wrote: from now on records may refer to what it holds."""
    with _open_file(path) as file:
        os.fsync(file.fileno())


@contextmanager
def _open_file(path: str) -> Iterator[BinaryIO]:
    try:
        with Path(path).open("rb") as file:
            yield file
    except OSError as error:
        raise StorageError(f"{path} cannot be read ({error.strerror}); mend that or take the file away") from error


def _capture_before(name: str, covered: dict[str, int], catalog: Catalog) -> str:
    return catalog.observations.last_capture_in(name) if covered.get(name, 0) > 0 else ""


def _covered_bytes(index: UrlIndex, catalog: Catalog, choose: Callable[[int, int], int] = min) -> dict[str, int]:
    indexed, catalogued = index.database.covered_bytes(), catalog.database.covered_bytes()
    return {name: choose(indexed.get(name, -1), catalogued.get(name, -1)) for name in {**indexed, **catalogued}}


def _file_sizes(layout: ArchiveLayout) -> dict[str, int]:
    return {name: (layout.warcs / name).stat().st_size for name in layout.warc_names()}
