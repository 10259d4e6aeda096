"""Files restored out of a container, with their paths, times and modes, below one folder and nowhere else.

Theory of operation. Everything is written into a folder that was made for it, where nobody else's links are; links of
the container itself are made last and none below another, so that nothing is written through one; one that leads out
by way of others is taken away again. Modes of directories are set at the end,
from the inside outwards. Whoever calls moves the folder to its place once all is right.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from webkeep.errors import FormatError, StorageError
from webkeep.model import Finding
from webkeep.vault.components.selection import is_inside
from webkeep.vault.container.packed_entry import EntryKind, PackedEntry
from webkeep.vault.container.tar_reader import StrangeEntry, read_tar

_MAX_ENTRIES = 2_000_000
"""Files that are restored out of one container: more than a disk is made for."""
_MAX_DEPTH = 200
"""Of folders in each other."""
_UNNAMEABLE = (errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL)
"""What a file system says of a name that it cannot have."""
_PERMISSIONS = 0o777
"""Of a mode: whoever starts a file becomes nobody else by it."""


@dataclass(frozen=True, slots=True)
class RestoredFiles:
    """What came out of a container."""

    files: int
    size: int
    findings: tuple[Finding, ...]
    """What was in it and is not restored."""


def restore_container(chunks: Iterable[bytes], folder: Path, segment: str) -> RestoredFiles:
    """Write all that a container holds below a folder; raises FormatError where it is damaged."""
    restorer = _Restorer(folder, segment)
    try:
        for entry, content in read_tar(chunks):
            restorer.restore(entry, content)
        restorer.finish()
    except OSError as error:
        raise StorageError(f"{error.filename or folder} cannot be written ({error.strerror}); make room") from error
    return RestoredFiles(restorer.files, restorer.size, tuple(restorer.findings))


class _Restorer:
    def __init__(self, folder: Path, segment: str) -> None:
        self._folder, self._segment = folder, segment
        self._links: list[PackedEntry] = []
        self._directories: list[PackedEntry] = []
        self._entries = 0
        self.files = self.size = 0
        self.findings: list[Finding] = []

    def restore(self, entry: PackedEntry | StrangeEntry, content: Iterator[bytes]) -> None:
        """One entry, with what is in it."""
        self._entries += 1
        if self._entries > _MAX_ENTRIES:
            raise FormatError(f"segment {self._segment!r} has more than {_MAX_ENTRIES:,} entries; it is left packed")
        if isinstance(entry, StrangeEntry):
            self._refuse(entry.path, entry.reason)
        elif (reason := _unsafe_reason(entry.path)) is not None:
            self._refuse(entry.path, reason)
        elif entry.kind is EntryKind.FILE:
            with self._refuse_unnameable(entry.path):
                self._write_file(entry, content)
        elif entry.kind is EntryKind.DIRECTORY:
            with self._refuse_unnameable(entry.path):
                self._make_directory(entry)
        elif is_inside(entry.path, entry.target) and "\0" not in entry.target:
            self._links.append(entry)
        else:
            self._refuse(entry.path, f"the link leads to {entry.target!r}, outside its component")

    def _write_file(self, entry: PackedEntry, content: Iterator[bytes]) -> None:
        path = self._folder / entry.path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as stream:
                for chunk in content:
                    stream.write(chunk)
            path.chmod(entry.mode & _PERMISSIONS)
            os.utime(path, ns=(entry.modified_ns, entry.modified_ns))
        except (FileExistsError, NotADirectoryError):
            self._refuse(entry.path, "something is there already")
            return
        except (OverflowError, ValueError):
            self._refuse(entry.path, "it has a time that no file can have; it has the present one")
        self.files += 1
        self.size += entry.size

    def _make_directory(self, entry: PackedEntry) -> None:
        try:
            (self._folder / entry.path).mkdir(parents=True, exist_ok=True)
            self._directories.append(entry)
        except (FileExistsError, NotADirectoryError):
            self._refuse(entry.path, "something is there already")

    def finish(self) -> None:
        """Make links, then set what directories are to have, from the inside outwards."""
        made = []
        for link in self._links:
            with self._refuse_unnameable(link.path):
                made += [link] if self._make_link(link) else []
        for link in made:
            if self._leads_out(link):
                (self._folder / link.path).unlink()
                self._refuse(link.path, f"the link leads to {link.target!r}, outside its component by way of others")
            else:
                self.files += 1
        for directory in sorted(self._directories, key=lambda each: each.path.count("/"), reverse=True):
            (self._folder / directory.path).chmod(directory.mode & _PERMISSIONS | 0o700)

    def _make_link(self, link: PackedEntry) -> bool:
        path = self._folder / link.path
        if any((self._folder / above).is_symlink() for above in _folders_above(link.path)):
            self._refuse(link.path, "it lies below a link")
            return False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(link.target)
        except (FileExistsError, NotADirectoryError):
            self._refuse(link.path, "something is there already")
            return False
        return True

    def _leads_out(self, link: PackedEntry) -> bool:
        """Whether a link that is made leads elsewhere than its words say, through links on its way."""
        root = os.path.realpath(self._folder)
        return not os.path.realpath(self._folder / link.path).startswith(root + os.sep)

    @contextmanager
    def _refuse_unnameable(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno not in _UNNAMEABLE:
                raise
            self._refuse(path, f"no file here can be called so ({error.strerror})")

    def _refuse(self, path: str, reason: str) -> None:
        self.findings.append(Finding("vault-not-restored", f"{self._segment}: {path[:500]}", 0, reason))


def _folders_above(path: str) -> Iterator[str]:
    """The folders that a path goes through, the outermost first."""
    return reversed([str(each) for each in PurePosixPath(path).parents][:-1])


def _unsafe_reason(path: str) -> str | None:
    parts = path.split("/")
    if path.startswith("/") or "\0" in path or ("\\" in path and os.sep == "\\"):
        return "its path is not below anything"
    if any(part in ("", ".", "..") for part in parts):
        return "its path leads out of its place"
    if len(parts) > _MAX_DEPTH or any(len(os.fsencode(part)) > 255 for part in parts):
        return "its path is longer than file systems have them"
    return None
