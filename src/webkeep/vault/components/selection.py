"""Which files of a component are packed: by rules, and by whether archives are trusted to keep what they can crawl.

A rule is a pattern as shells have it, held against the path below the component and against the last name in it. What
is excluded is not packed, unless it is included; where anything is included, nothing else is packed. What carries the
vault is not, nor is the folder of any vault, whatever is said: it would hold itself, and grow with each run.
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
from webkeep.presentation import format_count
from webkeep.vault.blocks.block_signing import COMMENT_FOLDER, KEY_FILE
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
    carriers: frozenset[Path] = frozenset()
    """Real paths of files and directories that carry the vault: it cannot hold itself."""

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
    """All that is packed of a component, under its name; what is not packed though it was asked for is told."""
    root = component.path
    try:
        facts = root.stat()
    except OSError as error:
        raise UsageError(
            f"{root} cannot be read ({error.strerror}); check the path of component {component.name!r}"
        ) from error
    real = root.resolve()
    places = (real, *real.parents)
    if not rules.carriers.isdisjoint(places) or any(map(_is_vault_folder, places)):
        raise UsageError(f"{root} is what carries the vault, or the vault itself; name what the site is made by")
    if not stat.S_ISDIR(facts.st_mode):
        return [SelectedFile(_entry_from(f"{component.name}/{root.name}", facts, root), root)]
    carriers = frozenset(each.relative_to(real).as_posix() for each in rules.carriers if real in each.parents)
    walk = _ComponentWalk(component.name, rules, carriers, passed_over)
    selected = [SelectedFile(_entry_from(component.name, facts, root), None), *walk.select_below(root, "")]
    if walk.carrying_files and rules.policy is SelectionPolicy.PESSIMISTIC:
        told = format_count(walk.carrying_files, "file in it carries the vault", "files in it carry the vault")
        passed_over.append(Finding("vault-not-packed", str(root), 0, f"{told}, which cannot hold itself; left out"))
    if all(each.entry.kind is EntryKind.DIRECTORY for each in selected):
        reason = "no file of it is packed: it is empty, or what is in it is left out"
        passed_over.append(Finding("vault-not-packed", str(root), 0, reason))
    return selected


@dataclass(slots=True)
class _ComponentWalk:
    """A walk through a component."""

    name: str
    rules: SelectionRules
    carriers: frozenset[str]
    """Paths below the component of what carries the vault."""
    passed_over: list[Finding]
    carrying_files: int = 0
    """How many files were left out because they carry the vault."""

    def select_below(self, folder: Path, below: str) -> Iterator[SelectedFile]:
        """What is packed of a folder, in the order of names."""
        try:
            names = sorted(os.scandir(folder), key=lambda each: each.name)
        except OSError as error:
            raise UsageError(
                f"{folder} cannot be read ({error.strerror}); exclude it or mend its permissions"
            ) from error
        for each in names:
            path = f"{below}{each.name}"
            facts = each.stat(follow_symlinks=False)
            is_directory = stat.S_ISDIR(facts.st_mode)
            if not self.rules.takes(path, is_directory):
                continue
            if path in self.carriers:
                self.carrying_files += not is_directory
                continue
            if is_directory and _is_vault_folder(Path(each.path)):
                continue
            yield from self._select(Path(each.path), path, facts)
            if is_directory:
                yield from self.select_below(Path(each.path), f"{path}/")

    def _select(self, source: Path, path: str, facts: os.stat_result) -> Iterator[SelectedFile]:
        try:
            entry = _entry_from(f"{self.name}/{path}", facts, source)
        except ValueError as error:
            self.passed_over.append(Finding("vault-not-packed", str(source), 0, f"{error}; it is left out"))
        else:
            yield SelectedFile(entry, source if entry.kind is EntryKind.FILE else None)


def _is_vault_folder(folder: Path) -> bool:
    try:
        return (folder / KEY_FILE).is_file() and (folder / COMMENT_FOLDER).is_dir()
    except PermissionError:
        return False  # what cannot be read is told when it is looked into


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
