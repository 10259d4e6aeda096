"""The manifest: what is in a vault, in which segments, and which page carries what; itself a segment in the pages that
are seen most. Nothing is lost without it but these names: blocks tell the rest themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webkeep.errors import FormatError
from webkeep.vault.components.component import Component, DumpComponent
from webkeep.vault.container.packed_entry import EntryKind, PackedEntry
from webkeep.vault.protection.vault_folder import PublishedSegment
from webkeep.vault.vault_plan import CarrierPage

MANIFEST_FILE = "manifest.json"
_FORMAT = "webkeep-vault-manifest-1"
_BILLION = 1_000_000_000
"""Nanoseconds of a second."""
MAX_LISTED_FILES = 5_000
"""Of a segment; names beyond that are left to the segments themselves."""


@dataclass(frozen=True, slots=True)
class ManifestDetail:
    """How much a manifest names; where pages have little room for it, it names less."""

    files: int
    """Of each segment."""
    has_pages: bool = True


MANIFEST_DETAILS = (
    *(ManifestDetail(files) for files in (MAX_LISTED_FILES, 500, 50, 0)),
    ManifestDetail(0, has_pages=False),
)
"""From all there is to say to what is never left out: the segments, and how their dumps are loaded."""


@dataclass(frozen=True, slots=True)
class ManifestSegment:
    """What a manifest says of a segment."""

    name: str
    version: str
    needed: int
    total: int
    size: int
    components: tuple[str, ...]
    files: int
    """How many files it holds."""
    unpacked_bytes: int
    pages: tuple[str, ...]
    """Paths of the pages that carry its blocks, in the order of the blocks; none where there was no room for them."""
    paths: tuple[str, ...]
    """Of its files, or of the first of them."""
    sizes: tuple[int, ...]
    """Of these files, in bytes."""
    modified: tuple[int, ...]
    """When these files were, in seconds since 1970."""
    loading: tuple[str, ...]
    """How its dumps are loaded again."""


@dataclass(frozen=True, slots=True)
class VaultManifest:
    """What a manifest says."""

    version: str
    site: str
    segments: tuple[ManifestSegment, ...]

    def to_bytes(self) -> bytes:
        """As it is packed."""
        segments = [{name: getattr(each, name) for name in ManifestSegment.__slots__} for each in self.segments]
        said = {"format": _FORMAT, "version": self.version, "site": self.site, "segments": segments}
        return json.dumps(said, ensure_ascii=False, indent=0).encode("utf-8", "surrogateescape")


def describe_segment(
    published: PublishedSegment,
    components: Sequence[Component],
    entries: Iterable[PackedEntry],
    pages: Sequence[CarrierPage],
    detail: ManifestDetail = MANIFEST_DETAILS[0],
) -> ManifestSegment:
    """What is said of a segment, given what is in it."""
    files = [each for each in entries if each.kind is not EntryKind.DIRECTORY]
    identity = published.identity
    dumps = [each for each in components if isinstance(each, DumpComponent)]
    advice = [each.loading_advice for each in dumps]
    return ManifestSegment(
        name=identity.name,
        version=identity.version,
        needed=identity.needed,
        total=identity.total,
        size=identity.size,
        components=tuple(each.name for each in components),
        files=len(files),
        unpacked_bytes=sum(each.size for each in files),
        pages=tuple(pages[page].path for page in published.pages) if detail.has_pages else (),
        paths=tuple(each.path for each in files[: detail.files]),
        sizes=tuple(each.size for each in files[: detail.files]),
        modified=tuple(each.modified_ns // _BILLION for each in files[: detail.files]),
        loading=tuple(filter(None, advice)),
    )


def parse_manifest(data: bytes) -> VaultManifest:
    """A manifest out of its bytes; raises FormatError where they are none."""
    try:
        said: Mapping[str, Any] = json.loads(data.decode("utf-8", "surrogateescape"))
        segments = tuple(_segment_from_json(each) for each in said["segments"] if said["format"] == _FORMAT)
        return VaultManifest(str(said["version"]), str(said["site"]), segments)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FormatError(f"the manifest cannot be read ({error})") from error


def _segment_from_json(said: Mapping[str, Any]) -> ManifestSegment:
    return ManifestSegment(
        name=str(said["name"]),
        version=str(said["version"]),
        needed=int(said["needed"]),
        total=int(said["total"]),
        size=int(said["size"]),
        components=tuple(map(str, said["components"])),
        files=int(said["files"]),
        unpacked_bytes=int(said["unpacked_bytes"]),
        pages=tuple(map(str, said["pages"])),
        paths=tuple(map(str, said["paths"])),
        sizes=tuple(map(int, said.get("sizes", ()))),
        modified=tuple(map(int, said.get("modified", ()))),
        loading=tuple(map(str, said["loading"])),
    )
