"""Links of playlists: the segments, keys and renditions of HLS and M3U, and the entries of PLS and of ASX in its old
form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from webkeep.extract.documents.decoded_content import DecodedContent
from webkeep.extract.links.link import LinkReference, LinkRole

_ATTRIBUTE = re.compile(r'(?:[:,]|\s)(URI|X-ASSET-URI|X-ASSET-LIST|SERVER-URI)\s*=\s*"([^"]{1,8192})"')
_ENTRY = re.compile(r"\s*(?:File|Ref)\d{1,6}\s*=\s*(\S.*)", re.IGNORECASE)
_MAX_LINE_CHARS = 64 * 1024
"""Longer lines are no addresses, and attributes are looked for in no more."""


def playlist_references(text: str, _resource: DecodedContent) -> Iterator[LinkReference]:
    """The streams, segments, keys and renditions of an M3U playlist."""
    for line in text.splitlines():
        if line.startswith("#EXT"):
            for match in _ATTRIBUTE.finditer(line[:_MAX_LINE_CHARS]):
                yield LinkReference(match[2], LinkRole.EMBED, f"hls {match[1]}")
        elif line.strip() and not line.startswith("#") and len(line) < _MAX_LINE_CHARS:
            yield LinkReference(line.strip(), LinkRole.EMBED, "hls segment")


def pls_references(text: str, _resource: DecodedContent) -> Iterator[LinkReference]:
    """The entries of a PLS playlist or of an ASX one in its old form."""
    for line in text.splitlines():
        if (match := _ENTRY.match(line[:_MAX_LINE_CHARS])) is not None:
            yield LinkReference(match[1].strip(), LinkRole.EMBED, "pls entry")
