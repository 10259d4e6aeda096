"""The log of an archive's records on disk: entries appended one behind the other, and the row of the tree above them.

Theory of operation. `entries` holds 32 bytes for each record, in the order in which records came: its hash. That is all
that a writer appends, with one call for each group of records and without a sync, because the entries can be made again
from the WARC files. From time to time, and always before a checkpoint, entries are synced and it is written down how
far they reach (`store/log/log_state.py`); opening an archive goes on from there. `row1` holds the hash of each 256
leaves, so that a root or a proof needs few others; it is computed when it is first needed.
"""

from __future__ import annotations

import hashlib
import mmap
import os
from pathlib import Path
from typing import Self

from webkeep.errors import StorageError
from webkeep.formats.transparency import HASH_BYTES, TILE_WIDTH
from webkeep.store.folder.layout import replace_file_durably, sync_directory, write_error
from webkeep.store.log.entry_tree import EntryTree
from webkeep.store.log.log_state import LogState, discard_log_state, read_log_state, write_log_state

_ENTRIES_NAME = "entries"
_ROW_NAME = "row1"
_CHECKPOINT_NAME = "checkpoint"
_SETTLE_ENTRIES = 20_000
"""After so many entries it is written down how far the log reaches: reading so many records again takes a second."""


class RecordLog:
    """The log of one archive; open for its one writer, or for reading beside it."""

    def __init__(self, folder: Path, origin: str, writable: bool = False) -> None:
        self.folder = folder
        self.origin = origin
        self._handle = -1
        try:
            if writable and not folder.exists():
                folder.mkdir()
                sync_directory(folder.parent)
            flags = os.O_RDWR | os.O_CREAT if writable else os.O_RDONLY
            self._handle = os.open(folder / _ENTRIES_NAME, flags, folder.parent.stat().st_mode & 0o644)
        except OSError as error:
            is_not_begun = isinstance(error, FileNotFoundError) and not writable
            if not is_not_begun:
                raise write_error(folder, error) from error
        found = read_log_state(folder)
        held = os.fstat(self._handle).st_size // HASH_BYTES if self._handle >= 0 else 0
        self.is_sound = found is not None and found.origin == origin and found.size <= held
        """Whether what is here can be gone on with; otherwise it has to be made anew from the WARC files."""
        self.state = found if found is not None and self.is_sound else LogState(origin)
        self.size = self.state.size
        self._covered = dict(self.state.covered)
        self._pending: list[bytes] = []
        self._tree: EntryTree | None = None

    # Reading

    def read_entries(self, start: int, count: int) -> bytes:
        """So many entries, one behind the other."""
        data = os.pread(self._handle, count * HASH_BYTES, start * HASH_BYTES) if self._handle >= 0 else b""
        if len(data) != count * HASH_BYTES:
            raise StorageError(f"{self.folder} is shorter than it says; run webkeep rebuild {self.folder.parent}")
        return data

    def map_entries(self) -> mmap.mmap | bytes:
        """All entries that are on disk, to be searched; whoever has it closes it."""
        if not self.size:
            return b""
        return mmap.mmap(self._handle, self.size * HASH_BYTES, access=mmap.ACCESS_READ)

    @property
    def tree(self) -> EntryTree:
        """The tree over the entries."""
        if self._tree is None:
            self._tree = EntryTree(self.read_entries, self._read_row())
        return self._tree

    def _read_row(self) -> bytes:
        """The row that is kept, if it is the one that was written."""
        try:
            row = (self.folder / _ROW_NAME).read_bytes()
        except OSError:
            return b""
        is_right = hashlib.sha256(row).hexdigest() == self.state.rows_sha256
        return row if is_right and len(row) // HASH_BYTES * TILE_WIDTH <= self.size else b""

    @property
    def checkpoint(self) -> bytes:
        """The last checkpoint that was made, as a note; nothing where there is none."""
        try:
            return (self.folder / _CHECKPOINT_NAME).read_bytes()
        except OSError:
            return b""

    # Writing

    def append(self, entries: bytes) -> None:
        """Append a record's hash, or several of them, to be written with the others of its group."""
        self._pending.append(entries)

    @property
    def pending(self) -> int:
        """How many times something was appended that waits to be written."""
        return len(self._pending)

    def take_back(self, pending: int) -> None:
        """Leave no more than so much waiting: the records of the rest were taken back."""
        del self._pending[pending:]

    def write_pending(self) -> None:
        """Write what waits."""
        data, self._pending = b"".join(self._pending), []
        try:
            _write_all(self._handle, data, self.size * HASH_BYTES)
        except OSError as error:
            raise write_error(self.folder, error) from error
        self.size += len(data) // HASH_BYTES

    def cover(self, file: str, covered: int) -> None:
        """Take note that all records in so many bytes of a WARC file are in the log."""
        self._covered[file] = covered
        if self.size - self.state.size >= _SETTLE_ENTRIES:
            self.settle()

    def settle(
        self, covered: dict[str, int] | None = None, listed: int | None = None, closing_size: int | None = None
    ) -> None:
        """Sync the entries and write down how far they reach."""
        if covered is not None:
            self._covered = dict(covered)
        try:
            os.fsync(self._handle)
            self.state = LogState(
                self.origin,
                self.size,
                dict(self._covered),
                self.state.listed if listed is None else listed,
                self.state.closing_size if closing_size is None else closing_size,
                self._save_row(),
            )
            write_log_state(self.folder, self.state)
        except OSError as error:
            raise write_error(self.folder, error) from error

    def _save_row(self) -> str:
        """Keep the row of the tree, as far as it was computed; gives the digest by which it is believed."""
        if self._tree is None:
            return self.state.rows_sha256
        row = self._tree.row
        digest = hashlib.sha256(row).hexdigest()
        if digest != self.state.rows_sha256:
            replace_file_durably(self.folder / _ROW_NAME, row)
        return digest

    def restart(self) -> None:
        """Begin anew with no entries; until it is settled, whoever opens it knows that it is not whole."""
        discard_log_state(self.folder)
        self.size = 0
        self._tree = None
        self._covered.clear()
        self.state = LogState(self.origin)
        self.is_sound = True

    def replace_file(self, old: str, new: str, covered: int) -> None:
        """Another file took the place of one, and has what is left of its records."""
        self._covered.pop(old, None)
        self._covered[new] = covered

    def covered_bytes(self, file: str) -> int:
        """How many bytes of a WARC file are in the log."""
        return self._covered.get(file, 0)

    @property
    def covered_files(self) -> dict[str, int]:
        """The WARC files that are in the log, and how many bytes of each."""
        return dict(self._covered)

    def keep_checkpoint(self, note: bytes) -> None:
        """Keep the last checkpoint where people and programs find it."""
        try:
            replace_file_durably(self.folder / _CHECKPOINT_NAME, note)
        except OSError as error:
            raise write_error(self.folder, error) from error

    def close(self) -> None:
        """Let go of the file."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _write_all(handle: int, data: bytes, offset: int) -> None:
    rest = memoryview(data)
    while rest:
        written = os.pwrite(handle, rest, offset)
        rest, offset = rest[written:], offset + written
