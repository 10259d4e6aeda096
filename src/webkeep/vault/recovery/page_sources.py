"""Whatever holds pages on this machine, as pages: archives, files of records, copies, directories of saved pages."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

from webkeep.clock import SystemClock
from webkeep.errors import StorageError, UsageError
from webkeep.formats.codings import ExpansionLimit
from webkeep.model import RecordType
from webkeep.store.archive import Archive
from webkeep.store.folder import is_archive
from webkeep.store.transfer import build_temporary_archive, has_record_files, list_record_files, sniff_record_ending
from webkeep.vault.container.packed_files import FileChunks, holds_records, read_packed_files
from webkeep.vault.recovery.block_collection import BlockCollection

_WACZ_ENDING = ".wacz"
_MAX_PROBED_PAGES = 200
"""Pages that are looked at to see whether there is a vault: its blocks are in most of them."""
_PAGE_LIMIT = ExpansionLimit(64 << 20, 200, 512 << 20)
"""How much of one page is looked at: more than any page with blocks has."""
_PAGE_RECORDS = (RecordType.RESPONSE, RecordType.RESOURCE)
"""What holds a page itself; others refer to one of these, or tell of it."""
_UNREADABLE_TYPES = ("image/", "video/", "audio/", "font/")
"""No blocks are in these."""


@contextmanager
def open_source(path: Path) -> Iterator[Iterator[FileChunks]]:
    """The pages at a path, to be read until it is left."""
    if path.is_dir() and is_archive(path):
        with Archive(path) as archive:
            yield _archive_pages(archive)
    elif path.is_dir() and not has_record_files(path):
        yield _directory_pages(path, ())
    elif path.is_dir() or (path.is_file() and _is_record_file(path)):
        with tempfile.TemporaryDirectory(prefix="webkeep-vault-") as folder:
            files = list_record_files(path)
            build_temporary_archive(files, Path(folder) / "archive", path.name, SystemClock().now())
            with Archive(Path(folder) / "archive") as archive:
                beside = _directory_pages(path, files) if path.is_dir() else iter(())
                yield chain(_archive_pages(archive), beside)
    elif path.is_file():
        yield read_packed_files(path, str(path))
    else:
        raise UsageError(
            f"there is nothing at {path}; name an archive, a WARC or WACZ file, a copy, or a directory of pages"
        )


def _is_record_file(path: Path) -> bool:
    ending = sniff_record_ending(path)
    return bool(ending) and (ending != _WACZ_ENDING or holds_records(path))


def find_vaults(archive: Archive) -> list[str]:
    """The vaults that some pages of an archive carry blocks of, by the pages that come first."""
    with BlockCollection() as collection:
        for where, chunks in islice(_archive_pages(archive), _MAX_PROBED_PAGES):
            collection.add_page(where, chunks)
        return sorted({identity.vault for identity in collection.versions})


def _archive_pages(archive: Archive) -> Iterator[FileChunks]:
    """Every version of every page that an archive holds.

    Each record is read, though its digest may be that of another: digests in records of others are only claimed.
    """
    for each in archive.observations(resolve=False):
        if each.record_type not in _PAGE_RECORDS or each.media_type.startswith(_UNREADABLE_TYPES):
            continue
        try:
            stored = archive.read(each)
        except StorageError:
            continue  # a record that cannot be read holds no block that can be used
        yield each.url, stored.content(_PAGE_LIMIT.max_output(each.size))


def _directory_pages(folder: Path, others: Collection[Path]) -> Iterator[FileChunks]:
    """The files of a directory but those that are read otherwise."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path not in others:
            yield from read_packed_files(path, str(path.relative_to(folder)))
