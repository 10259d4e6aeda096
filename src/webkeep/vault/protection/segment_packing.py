"""Segments made of components: what is in each, packed and sealed into a file, with dumps made on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.model import CHUNK_BYTES, Finding
from webkeep.process import write_dump
from webkeep.vault.components.component import Component, DumpComponent, PathComponent
from webkeep.vault.components.selection import SelectedFile, SelectionRules, select_files
from webkeep.vault.container.age_encryption import SealingKey
from webkeep.vault.container.packed_entry import EntryKind, PackedEntry
from webkeep.vault.container.sealing import SealedSegment, seal
from webkeep.vault.container.tar_writer import write_tar

_DUMP_MODE = 0o600
"""A dump is for whoever loads it."""


@dataclass(frozen=True, slots=True)
class SegmentContent:
    """What a segment is made of."""

    name: str
    components: tuple[Component, ...]
    files: tuple[SelectedFile, ...]

    @property
    def entries(self) -> list[PackedEntry]:
        """What its container holds."""
        return [each.entry for each in self.files]


@dataclass(frozen=True, slots=True)
class PackedSegment:
    """A segment as a sealed file."""

    content: SegmentContent
    path: Path
    sealed: SealedSegment


def gather_content(
    name: str, components: Sequence[Component], rules: SelectionRules, work: Path, passed_over: list[Finding]
) -> SegmentContent:
    """The files of components; dumps are made now, into a folder for the work."""
    files: list[SelectedFile] = []
    for component in components:
        if isinstance(component, PathComponent):
            files += select_files(component, rules, passed_over)
        else:
            files.append(_dump_component(component, work))
    return SegmentContent(name, tuple(components), tuple(files))


def _dump_component(component: DumpComponent, work: Path) -> SelectedFile:
    target = work / f"dump-{component.name}"
    write_dump(component.kind, component.what, component.name, target)
    # It has no time of its own: the same data is to be the same file.
    size = target.stat().st_size
    entry = PackedEntry(f"{component.name}/{component.file_name}", EntryKind.FILE, size, 0, _DUMP_MODE)
    return SelectedFile(entry, target)


def pack_segment(content: SegmentContent, work: Path, key: SealingKey | None) -> PackedSegment:
    """A segment sealed into a file in a folder for the work."""
    sources = {each.entry.path: each.source for each in content.files}

    def read(entry: PackedEntry) -> Iterator[bytes]:
        source = sources[entry.path]
        return read_exactly(source, entry.size) if source is not None else iter(())

    path = work / f"sealed-{content.name}"
    with path.open("xb") as target:
        sealed = seal(write_tar(content.entries, read), target, key)
    return PackedSegment(content, path, sealed)


def read_exactly(path: Path, size: int) -> Iterator[bytes]:
    """A file as long as it was when it was chosen; raises StorageError where it became shorter meanwhile."""
    try:
        with path.open("rb") as stream:
            left = size
            while left and (chunk := stream.read(min(left, CHUNK_BYTES))):
                left -= len(chunk)
                yield chunk
    except OSError as error:
        raise StorageError(f"{path} cannot be read ({error.strerror}); exclude it or mend its permissions") from error
    if left:
        raise StorageError(f"{path} became shorter while it was packed; protect again when it is at rest")
