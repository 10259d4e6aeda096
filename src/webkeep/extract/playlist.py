"""Links of playlists: HLS, M3U and PLS."""

from __future__ import annotations

import re
from collections.abc import Iterator

from webkeep.extract.link import Reference, Role
from webkeep.extract.resource import Resource

_ATTRIBUTE = re.compile(r'(?:[:,]|\s)(URI|X-ASSET-URI|X-ASSET-LIST|SERVER-URI)\s*=\s*"([^"]{1,8192})"')
_ENTRY = re.compile(r"\s*(?:File|Ref)\d{1,6}\s*=\s*(\S.*)", re.IGNORECASE)
_LONGEST = 64 * 1024


def playlist_references(text: str, _resource: Resource) -> Iterator[Reference]:
    """The streams, segments, keys and renditions of an M3U playlist."""
    for line in text.splitlines():
        if line.startswith("#EXT"):
            for match in _ATTRIBUTE.finditer(line[:_LONGEST]):
                yield Reference(match[2], Role.EMBED, f"hls {match[1]}")
        elif line.strip() and not line.startswith("#") and len(line) < _LONGEST:
            yield Reference(line.strip(), Role.EMBED, "hls segment")


def listed_references(text: str, _resource: Resource) -> Iterator[Reference]:
    """The entries of a PLS playlist or of an ASX one in its old form."""
    for line in text.splitlines():
        if (match := _ENTRY.match(line[:_LONGEST])) is not None:
            yield Reference(match[1].strip(), Role.EMBED, "pls entry")
