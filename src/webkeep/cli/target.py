"""Files that commands write for people: in place only once they are whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from webkeep.errors import StorageError, UsageError


@contextmanager
def new_file(path: Path, replace: bool = False) -> Iterator[BinaryIO]:
    """A file to write; where it cannot be finished nothing is left behind."""
    if path.exists() and not replace:
        raise UsageError(f"{path} is there already; choose another name or remove it")
    partial = path.with_name(f".{path.name}.part")
    try:
        with partial.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise StorageError(f"cannot write {path} ({error.strerror}); nothing was left behind") from error
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
