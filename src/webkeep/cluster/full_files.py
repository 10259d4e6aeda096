"""WARC files of a worker that are full, moved to where the whole archive is kept: a folder that machines share, or
whatever else keeps files.

Theory of operation. A file that is full never grows again. It is copied, the copy is on the disk and has its name
before anything else happens, and then a link takes the place of the file in one step: whoever reads the worker's
archive reads on. A worker that is killed meanwhile leaves a copy that nobody counts on, and makes it again. A
storage that takes nothing for now holds nobody up: the files stay where they are.
"""

from __future__ import annotations

import filecmp
import re
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from webkeep.errors import StorageError
from webkeep.process import atomic_file, name_of_unfinished
from webkeep.store.folder import sync_directory

_LOOK_SECONDS = 2.0
"""So often it is looked for files that are full."""
_REST_SECONDS = 30.0
"""So long a storage that took nothing is left alone."""
_LINK_SUFFIX = ".link"
_COPY_BYTES = 1024 * 1024
"""Copied at a time: file systems of networks want it large."""
_WARC_SUFFIXES = (".warc.gz", ".warc", ".warc.zst")


class FileStorage(Protocol):
    """Keeps files for good; another one, such as of objects, has the same one function."""

    def keep(self, file: Path) -> Path | None:
        """Have a file kept, durably; gives where it can be read from now on, None where only here.

        Raises `StorageError` where that cannot be done for now.
        """
        ...


class FolderStorage:
    """A folder that machines share, with one for each worker in it."""

    def __init__(self, folder: Path, worker: str) -> None:
        self._folder = folder.absolute() / re.sub(r"[^A-Za-z0-9._-]+", "-", worker)

    def keep(self, file: Path) -> Path:
        """Copy a file there, under its name."""
        target = self._folder / file.name
        try:
            self._folder.mkdir(exist_ok=True)
            if target.exists() and not filecmp.cmp(file, target, shallow=False):
                raise StorageError(f"{target} is another file of that name; give each worker a --name of its own")
            if not target.exists():
                self._copy(file, target)
        except OSError as error:
            raise StorageError(
                f"{self._folder} takes no files ({error.strerror}); full ones stay at this worker until it does"
            ) from error
        return target

    def _copy(self, file: Path, target: Path) -> None:
        for left in self._folder.iterdir():
            if name_of_unfinished(left.name) == file.name:  # of a worker that was killed; nobody else writes here
                left.unlink(missing_ok=True)
        with file.open("rb") as source, atomic_file(target, replace=False, sync=True) as copy:
            shutil.copyfileobj(source, copy, _COPY_BYTES)
        shutil.copystat(file, target)
        sync_directory(self._folder)


class FullFileMover:
    """Has full files moved while its block lasts."""

    def __init__(
        self, warcs: Path, storage: FileStorage, growing: Callable[[], str], note: Callable[[str], None]
    ) -> None:
        """`growing` gives the name of the file that is written to; empty for none."""
        self._warcs, self._storage, self._growing, self._note = warcs, storage, growing, note
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webkeep full files", daemon=True)
        self._trouble = ""

    def __enter__(self) -> FullFileMover:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ending.set()
        self._thread.join()

    def _run(self) -> None:
        seconds = _LOOK_SECONDS
        while not self._ending.wait(seconds):
            seconds = _LOOK_SECONDS if self.move_all() else _REST_SECONDS

    def move_all(self) -> bool:
        """Move all files that do not grow; gives whether the storage took them."""
        try:
            # Who writes says its name before a file is there, so it is asked after these were listed.
            found = sorted(each for each in self._warcs.iterdir() if each.name.endswith(_WARC_SUFFIXES))
            growing = self._growing()
            for file in found:
                if file.name != growing and not file.is_symlink():
                    self._move(file)
        except StorageError as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                self._note(self._trouble)
            return False
        self._trouble = ""
        return True

    def _move(self, file: Path) -> None:
        kept = self._storage.keep(file)
        if kept is None:
            return
        link = file.with_name(f"{file.name}{_LINK_SUFFIX}")
        link.unlink(missing_ok=True)
        link.symlink_to(kept)
        link.replace(file)
        sync_directory(self._warcs)
