"""Archives opened to be written by a capture, a recording, an import: where one keeps a log of its records, a
checkpoint of it is made and signed when the work is done.

Keys and cryptography are loaded only then: they took a seventh of the processor time in which a capture starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from webkeep.api.work_listener import NoteCallback
from webkeep.errors import StorageError, UsageError
from webkeep.model import Clock
from webkeep.store.archive import WritableArchive

if TYPE_CHECKING:
    from webkeep.signing import Signer


@contextmanager
def open_to_write(
    path: Path, on_note: NoteCallback, create: bool = True, keep_log: bool = False, clock: Clock | None = None
) -> Iterator[WritableArchive]:
    """The archive at a path, made where there is none and that is allowed; from now on it may keep a log."""
    opened = WritableArchive.open_or_create(path, clock, keep_log=keep_log) if create else WritableArchive(path, clock)
    with opened as archive:
        yield archive
        close_log(archive, on_note)


def close_log(archive: WritableArchive, on_note: NoteCallback) -> None:
    """Make a checkpoint of the log, where one is kept; say so where it could not be signed."""
    if archive.log is not None:
        from webkeep.store.log import make_checkpoint

        make_checkpoint(archive, _open_signer(on_note))


def _open_signer(on_note: NoteCallback) -> Signer | None:
    """One's own key for logs; None, and that is said, where it cannot be opened now."""
    from webkeep.signing import KeyPurpose, open_own_key, read_passphrase

    try:
        return open_own_key(KeyPurpose.LOG, passphrase=read_passphrase(None))
    except (UsageError, StorageError) as error:
        on_note(f"the checkpoint of the log is not signed, because {error}; webkeep log checkpoint makes one that is")
        return None
