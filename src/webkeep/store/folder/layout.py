"""Where things lie in an archive's folder, which files in it are WARC files, and what `archive.toml` says of it: name,
creation and format version.
"""

from __future__ import annotations

import errno
import json
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from webkeep.errors import StorageError, UsageError
from webkeep.formats import render_toml_text
from webkeep.model import Moment
from webkeep.process import PART_SUFFIX, write_atomically

_SURROGATE_ESCAPES = re.compile(r"(?<!\\)(?:\\u[dD][89a-fA-F][0-9a-fA-F]{2})+")
FORMAT_VERSION = 1
"""Of the archive's folder, as archive.toml names it; an archive of a later one is not opened."""
_SETTINGS_NAME = "archive.toml"
WARC_ENDINGS = (".warc.gz", ".warc", ".warc.zst", ".arc", ".arc.gz")
"""How the names end of files that are read as WARC or ARC files."""


@dataclass(frozen=True, slots=True)
class ArchiveLayout:
    """The paths inside one archive."""

    root: Path

    @property
    def settings(self) -> Path:
        """Name, creation, format version."""
        return self.root / _SETTINGS_NAME

    @property
    def warcs(self) -> Path:
        """The WARC files: the truth."""
        return self.root / "warcs"

    @property
    def index(self) -> Path:
        """The look-up by URL and time."""
        return self.root / "index" / "index.sqlite"

    @property
    def catalog(self) -> Path:
        """Captures, observations, fates, findings."""
        return self.root / "catalog.sqlite"

    @property
    def jobs(self) -> Path:
        """Work in progress."""
        return self.root / "jobs"

    @property
    def reports(self) -> Path:
        """What was derived and is always safe to delete."""
        return self.root / "reports"

    @property
    def log(self) -> Path:
        """The log of all records, where one is kept: made again from the WARC files."""
        return self.root / "log"

    @property
    def lock(self) -> Path:
        """Who writes, and which file is growing."""
        return self.root / "lock"

    def warc_names(self) -> list[str]:
        """The WARC and ARC files there are, by name."""
        try:
            with os.scandir(self.warcs) as entries:
                return sorted(entry.name for entry in entries if entry.name.endswith(WARC_ENDINGS) and entry.is_file())
        except OSError as error:
            raise StorageError(f"{self.warcs} cannot be read ({error.strerror}); bring the WARC files back") from error


@dataclass(frozen=True, slots=True)
class ArchiveDescription:
    """What an archive is said to be, in the words of Dublin Core; empty values are not written."""

    title: str = ""
    description: str = ""
    subjects: tuple[str, ...] = ()
    creator: str = ""
    rights: str = ""

    def to_toml(self) -> str:
        """The lines of `archive.toml`."""
        texts = {name: getattr(self, name) for name in ("title", "description", "creator", "rights")}
        lines = [f"{name} = {render_toml_text(text)}\n" for name, text in texts.items() if text]
        listed = ", ".join(map(render_toml_text, self.subjects))
        return "".join([*lines, f"subjects = [{listed}]\n" if self.subjects else ""])


@dataclass(frozen=True, slots=True)
class ArchiveSettings:
    """What `archive.toml` says."""

    name: str
    created: Moment
    version: int = FORMAT_VERSION
    log: str = ""
    """The name of the log of its records; "" where none is kept."""
    about: ArchiveDescription = ArchiveDescription()

    def to_toml(self) -> str:
        """The text of `archive.toml`."""
        kept = f"log = {render_toml_text(self.log)}\n" if self.log else ""
        created = render_toml_text(self.created.iso())
        own = f"name = {render_toml_text(self.name)}\ncreated = {created}\nversion = {self.version}\n{kept}"
        return own + self.about.to_toml()


def is_archive(root: Path) -> bool:
    """Whether an archive lies there."""
    return (root / _SETTINGS_NAME).is_file()


def create_archive(root: Path, name: str, now: Moment) -> ArchiveLayout:
    """Make an empty archive; the settings come last, so that half an archive is none and can be begun again."""
    layout = ArchiveLayout(root)
    if root.exists() and not _is_vacant(layout):
        raise UsageError(f"{root} is there and is not a webkeep archive; choose an empty or new directory")
    missing = [folder for folder in root.parents if not folder.exists()]
    for folder in (layout.warcs, layout.index.parent, layout.jobs):
        folder.mkdir(parents=True, exist_ok=True)
        sync_directory(folder)
    replace_file_durably(layout.settings, ArchiveSettings(name, now).to_toml().encode())
    for folder in (root, *missing):
        sync_directory(folder.parent)
    return layout


def _replace_surrogate_escapes(text: str) -> str:
    """Settings without the halves of characters that earlier versions wrote, and that TOML does not know."""

    def whole(halves: re.Match[str]) -> str:
        text: str = json.loads(f'"{halves[0]}"')
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    return _SURROGATE_ESCAPES.sub(whole, text)


def _is_vacant(layout: ArchiveLayout) -> bool:
    """Whether a directory is empty, or holds no more than what a broken-off making of an archive leaves."""
    folders = {layout.warcs, layout.index.parent, layout.jobs}
    return layout.root.is_dir() and all(
        each == layout.lock
        or _is_unfinished(each, layout.settings)
        or (each in folders and each.is_dir() and not any(each.iterdir()))
        for each in layout.root.iterdir()
    )


def read_settings(layout: ArchiveLayout) -> ArchiveSettings:
    """Read `archive.toml` and make sure this version can work with the archive."""
    try:
        values = tomllib.loads(_replace_surrogate_escapes(layout.settings.read_text("utf-8")))
        created, version = Moment.parse(str(values["created"])), int(values["version"])
        settings = ArchiveSettings(
            str(values["name"]), created, version, str(values.get("log", "")), _read_description(values)
        )
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{layout.root} is not a webkeep archive (no {_SETTINGS_NAME}); check the path") from None
    except (ValueError, KeyError, TypeError, UsageError) as error:
        raise StorageError(f"{layout.settings} cannot be read ({error}); restore it from a copy") from error
    if settings.version > FORMAT_VERSION:
        raise StorageError(f"{layout.root} has format {settings.version}, newer than this webkeep; update webkeep")
    return settings


def _read_description(values: Mapping[str, object]) -> ArchiveDescription:
    title, description, creator, rights = (
        str(values.get(name, "")) for name in ("title", "description", "creator", "rights")
    )
    listed = values.get("subjects", [])
    subjects = tuple(map(str, listed)) if isinstance(listed, list) else ()
    return ArchiveDescription(title, description, subjects, creator, rights)


def describe_archive(root: Path, about: ArchiveDescription) -> bool:
    """Have an archive said to be something; whether it said something else before."""
    layout = ArchiveLayout(root)
    settings = read_settings(layout)
    if settings.about == about:
        return False
    write_settings(layout, replace(settings, about=about))
    return True


def write_settings(layout: ArchiveLayout, settings: ArchiveSettings) -> None:
    """Write `archive.toml` anew, with the permissions it had."""
    mode = layout.settings.stat().st_mode & 0o777
    replace_file_durably(layout.settings, settings.to_toml().encode())
    layout.settings.chmod(mode)


def replace_file_durably(path: Path, data: bytes) -> None:
    """Write a small file so that after a power cut it holds all of the old or all of the new."""
    write_atomically(path, data, sync=True)
    sync_directory(path.parent)


def _is_unfinished(path: Path, of: Path) -> bool:
    before = f"{of.name}.new"  # by which earlier versions called it
    return path.name == before or (path.name.startswith(f".{of.name}.") and path.name.endswith(PART_SUFFIX))


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_error(path: Path, error: OSError) -> StorageError:
    """What to say when writing failed."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageError(f"the disk is full, writing {path}; free some space and run it again: nothing kept is lost")
    return StorageError(f"cannot write {path} ({error.strerror}); mend that and run it again: nothing kept is lost")
