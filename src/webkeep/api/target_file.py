"""Files that commands write for people (`--html`, `--output`): in place only once they are whole, and refused where one
is there already.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from webkeep.errors import StorageError, UsageError
from webkeep.process import atomic_file


@contextmanager
def open_target_file(path: Path, replace: bool = False) -> Iterator[BinaryIO]:
    """A file to write; where it cannot be finished nothing is left behind."""
    taken = UsageError(f"{path} is there already; choose another name or remove it")
    if os.path.lexists(path) and not replace:
        raise taken
    try:
        with atomic_file(path, replace=replace, sync=True) as stream:
            yield stream
    except FileExistsError:
        raise taken from None
    except OSError as error:
        raise StorageError(f"cannot write {path} ({error.strerror}); nothing was left behind") from error
