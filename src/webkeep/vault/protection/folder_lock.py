"""A folder that one run at a time changes, and what a run that was killed left in it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.process import name_of_unfinished


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Let no other run change a folder meanwhile; raises StorageError where one does. Nothing is left of it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise StorageError(f"{folder} cannot be opened ({error.strerror}); mend its permissions") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StorageError(f"{folder} is being changed by another run; wait for it to end") from error
        yield
    finally:
        os.close(descriptor)


def remove_unfinished(files: Iterable[Path]) -> None:
    """Remove those of some files that a killed run left unfinished; only who has locked their folder may."""
    for path in files:
        if name_of_unfinished(path.name) is not None and path.is_file() and not path.is_symlink():
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise StorageError(f"{path} cannot be removed ({error.strerror}); mend its permissions") from error
