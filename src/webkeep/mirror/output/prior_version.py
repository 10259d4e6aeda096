"""The version of a copy before this one: which of its files are the same and need not be made again (by digest and
where links lead), and the rendering version that has all made anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from webkeep.formats import read_json
from webkeep.mirror.names.copy_layout import MANIFEST_FILE, MARKER_FILE, RENAMED_KEY, SEARCH_FILE, USES_KEY
from webkeep.mirror.names.name_register import PriorNames, pair_number
from webkeep.mirror.rendering.build_result import PageAbstract
from webkeep.mirror.rendering.script_uses import ScriptUse
from webkeep.mirror.selection.copy_contents import CopyContents, CopyItem, unpack_digest
from webkeep.version import __version__

_RENDERING_VERSION = "2"
"""To be raised with every change of what copies look like."""
_OPAQUE_TYPES = ("image/", "video/", "audio/", "font/")
_SVG = "image/svg"
_BATCH_LINES = 1000
"""Read together: a statement of SQL for each line would take longer than reading it."""


@dataclass(frozen=True, slots=True)
class PriorVersion:
    """A version that is whole."""

    folder: Path
    same_links: bool
    """Whether every link leads to the same file in both versions."""
    digests: dict[str, str]
    """Of the payloads of its files, by name."""
    uses: frozenset[ScriptUse] = frozenset()
    """What its scripts use."""

    def has_unchanged(self, item: CopyItem) -> bool:
        """Whether the file of an item is there and is the same, told without reading anything."""
        if not item.digest or self.digests.get(item.name) != unpack_digest(item.digest):
            return False
        return self.same_links or (_is_opaque(item.media_type) and not item.is_redirect)

    def path(self, name: str) -> str:
        """Where one of its files lies."""
        return f"{self.folder}/{name}"

    def is_same(self, name: str, content: bytes) -> bool:
        """Whether one of its files has just these bytes."""
        path = self.folder / name
        try:
            return path.stat().st_size == len(content) and path.read_bytes() == content
        except OSError:
            return False

    def read_abstracts(self) -> Iterator[PageAbstract]:
        """What its search knows of its pages."""
        lines = (
            (self.folder / SEARCH_FILE).read_text("utf-8").splitlines() if (self.folder / SEARCH_FILE).is_file() else []
        )
        found = (read_json(line.rstrip(",")) for line in lines if line.startswith('["'))
        yield from (PageAbstract(*each) for each in found if each)

    def read_pairs(self, name: str, verb: str) -> Iterator[tuple[str, str]]:
        """What one of its lists says: a URL and what it has to do with it."""
        path = self.folder / name
        for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
            url, mark, other = line.partition(f"\t{verb} ")
            if mark:
                yield url, other


@dataclass(frozen=True, slots=True)
class CopyManifest:
    """What the list of files of an earlier copy says."""

    folder: Path
    links: str
    """What stands for where its links lead; see `links_fingerprint`."""
    names: PriorNames
    digests: dict[str, str]
    uses: frozenset[ScriptUse]

    def prior_version(self, fingerprint: str) -> PriorVersion:
        """The version it is of, as seen from one whose links lead where this fingerprint says."""
        return PriorVersion(self.folder, self.links == fingerprint, self.digests, self.uses)


def read_manifest(folder: Path, profile: str, with_digests: bool) -> CopyManifest | None:
    """The manifest in a folder; None where it cannot be read or has names of another kind, so that all is made anew."""
    known: set[int] = set()
    unusual: dict[str, str] = {}
    digests: dict[str, str] = {}
    try:
        sign = read_json((folder / MARKER_FILE).read_bytes())
        if sign.get("names") != profile:
            return None
        for entry in _read_entries(folder):
            url, name = entry["url"], entry["file"]
            known.add(pair_number(url, name))
            if entry.get(RENAMED_KEY):
                unusual[url] = name
            if with_digests and entry.get("digest"):
                digests[name] = entry["digest"]
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return None
    uses = frozenset(use for use in ScriptUse if use.value in sign.get(USES_KEY, ()))
    return CopyManifest(folder, str(sign.get("links")), PriorNames(known, unusual), digests, uses)


def _read_entries(folder: Path) -> Iterator[dict[str, str]]:
    """What the list of files says of each, many read at a time."""
    with (folder / MANIFEST_FILE).open(encoding="utf-8") as lines:
        while some := list(islice(lines, _BATCH_LINES)):
            yield from read_json(f"[{','.join(some)}]")


def links_fingerprint(contents: CopyContents, profile: str) -> str:
    """What stands for where all links of a copy lead, and for how they are written."""
    hasher = hashlib.sha256(f"{_RENDERING_VERSION} {__version__} {profile}\n".encode())
    for url in sorted(contents.items):
        item = contents.items[url]
        hasher.update(f"{url} {item.name} {item.target}\n".encode("utf-8", "surrogatepass"))
    return hasher.hexdigest()


def _is_opaque(media_type: str) -> bool:
    """Whether nothing in a file of such a type is ever rewritten."""
    return media_type.startswith(_OPAQUE_TYPES) and not media_type.startswith(_SVG)
