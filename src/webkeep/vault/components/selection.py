"""Which files of a component are packed: by rules, and by whether archives are trusted to keep what they can crawl.

A rule is a pattern as shells have it, held against the path below the component and against the last name in it. What
is excluded is not packed, unless it is included; where anything is included, nothing else is packed.
"""

from __future__ import annotations

import enum
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from webkeep.errors import UsageError
from webkeep.model import Finding
from webkeep.vault.components.component import PathComponent
from webkeep.vault.container.packed_entry import EntryKind, PackedEntry

_NEVER_PACKED = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv"})
"""What is made again from elsewhere: histories, caches, installed packages. Left out by the optimistic selection."""
_CRAWLABLE_ENDINGS = frozenset(
    [
        "avif",
        "bmp",
        "css",
        "eot",
        "gif",
        "ico",
        "jpeg",
        "jpg",
        "m4a",
        "mov",
        "mp3",
        "mp4",
        "ogg",
        "otf",
        "pdf",
        "png",
        "svg",
        "tif",
        "tiff",
        "ttf",
        "wav",
        "webm",
        "webp",
        "woff",
        "woff2",
    ]
)
"""Ends of names of what archives keep by themselves, wherever pages link to it; HTML beside an application is what it
makes pages of, and archives have the pages only."""


class SelectionPolicy(enum.StrEnum):
    """How much is trusted to come back by other means."""

    OPTIMISTIC = "optimistic"
    """Scripts, configuration and data; what archives can crawl and what can be installed again is left out."""
    PESSIMISTIC = "pessimistic"
    """Everything."""


@dataclass(frozen=True, slots=True)
class SelectionRules:
    """What a person says of which files are packed."""

    policy: SelectionPolicy = SelectionPolicy.OPTIMISTIC
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def takes(self, path: str, is_directory: bool) -> bool:
        """Whether a file is packed, or a directory looked into; by its path below the component."""
        if any(_matches(path, rule) for rule in self.include):
            return True
        if any(_matches(path, rule) for rule in self.exclude):
            return False
        name = path.rpartition("/")[2]
        if self.policy is SelectionPolicy.OPTIMISTIC:
            if name in _NEVER_PACKED:
                return False
            if not is_directory and name.rpartition(".")[2].lower() in _CRAWLABLE_ENDINGS:
                return False
        return is_directory or not self.include


def _matches(path: str, rule: str) -> bool:
    rule = rule.rstrip("/")
    return fnmatchcase(path, rule) or fnmatchcase(path.rpartition("/")[2], rule)


@dataclass(frozen=True, slots=True)
class SelectedFile:
    """An entry of a container, and where its content lies."""

    entry: PackedEntry
    source: Path | None


def select_files(component: PathComponent, rules: SelectionRules, passed_over: list[Finding]) -> list[SelectedFile]:
    """All that is packed of a component, under its name; what is of no kind that is packed is told."""
    root = component.path
    try:
        facts = root.stat()
    except OSError as error:
        raise UsageError(
            f"{root} cannot be read ({error.strerror}); check the path of component {component.name!r}"
        ) from error
    if not stat.S_ISDIR(facts.st_mode):
        return [SelectedFile(_entry_from(f"{component.name}/{root.name}", facts, root), root)]
    top = SelectedFile(_entry_from(component.name, facts, root), None)
    return [top, *_walk(component, root, "", rules, passed_over)]


def _walk(
    component: PathComponent, folder: Path, below: str, rules: SelectionRules, passed_over: list[Finding]
) -> Iterator[SelectedFile]:
    try:
        names = sorted(os.scandir(folder), key=lambda each: each.name)
    except OSError as error:
        raise UsageError(f"{folder} cannot be read ({error.strerror}); exclude it or mend its permissions") from error
    for each in names:
        path = f"{below}{each.name}"
        facts = each.stat(follow_symlinks=False)
        is_directory = stat.S_ISDIR(facts.st_mode)
        if not rules.takes(path, is_directory):
            continue
        source = Path(each.path)
        try:
            entry = _entry_from(f"{component.name}/{path}", facts, source)
        except ValueError as error:
            passed_over.append(Finding("vault-not-packed", str(source), 0, f"{error}; it is left out"))
            continue
        yield SelectedFile(entry, source if entry.kind is EntryKind.FILE else None)
        if is_directory:
            yield from _walk(component, source, f"{path}/", rules, passed_over)


def _entry_from(path: str, facts: os.stat_result, source: Path) -> PackedEntry:
    mode = stat.S_IMODE(facts.st_mode)
    if stat.S_ISREG(facts.st_mode):
        return PackedEntry(path, EntryKind.FILE, facts.st_size, facts.st_mtime_ns, mode)
    if stat.S_ISDIR(facts.st_mode):
        # The time of a directory moves with whatever is made in it, of which some may not be packed.
        return PackedEntry(path, EntryKind.DIRECTORY, 0, 0, mode)
    if stat.S_ISLNK(facts.st_mode):
        target = str(source.readlink())
        if not is_inside(path, target):
            raise ValueError(f"the link leads out of its component, to {target}")
        return PackedEntry(path, EntryKind.LINK, 0, 0, 0o777, target)
    raise ValueError("it is neither a file, a directory nor a link")


def is_inside(path: str, target: str) -> bool:
    """Whether a link at a path leads to somewhere below the first name of that path."""
    if target.startswith("/") or not target:
        return False
    depth = len(PurePosixPath(path).parts) - 1
    for part in target.split("/"):
        depth += {"..": -1, ".": 0, "": 0}.get(part, 1)
        if depth < 1:
            return False
    return True
