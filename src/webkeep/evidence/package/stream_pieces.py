"""Streams that came in pieces: which pieces that the playlists of a capture name were not kept, and which streams were
still going on, so that nobody takes what is there for the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from webkeep.evidence.package.coherence_proof import UnprovenPart
from webkeep.extract import MAX_READ_BYTES, extract_links
from webkeep.formats.status import is_error
from webkeep.model import Headers, Observation
from webkeep.store.archive import Archive

_PLAYLIST_TYPES = frozenset(
    {"application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl"}
)
_PRESENTATION_TYPES = frozenset({"application/dash+xml"})
_PLAYLIST_NAME = re.compile(r"\.(?:m3u8|mpd)(?:[?#]|$)", re.IGNORECASE)
_DYNAMIC = re.compile(rb"<(?:\w+:)?MPD\b[^>]{0,10000}\stype\s*=\s*[\"']dynamic", re.IGNORECASE)
_LIVE_REASON = "a live stream: there is no more of it than it named then"
_MAX_LOST_PIECES = 1000
"""Pieces that are named of one capture; more say nothing new."""


def find_lost_pieces(archive: Archive, capture: str) -> Iterator[UnprovenPart]:
    """Pieces of streams that are not kept, each once, up to a bound; and streams that had no end."""
    named: set[str] = set()
    playlists = {seen.url: seen for seen in archive.observations(capture) if _is_playlist(seen)}
    for url, seen in playlists.items():
        content = b"".join(archive.read(seen).content(MAX_READ_BYTES))
        if _is_live(content):
            yield UnprovenPart(url, _LIVE_REASON)
        for link in extract_links(url, Headers(), content, content_type=seen.media_type):
            piece = link.url.partition("#")[0]
            if piece not in named and len(named) < _MAX_LOST_PIECES and not _is_kept(archive, piece, seen):
                named.add(piece)
                yield UnprovenPart(piece, f"a piece of the stream {url} that is not kept")


def _is_playlist(seen: Observation) -> bool:
    if seen.status is None or is_error(seen.status):
        return False
    is_named = _PLAYLIST_NAME.search(seen.url) is not None
    return is_named or seen.media_type.lower() in _PLAYLIST_TYPES | _PRESENTATION_TYPES


def _is_live(content: bytes) -> bool:
    """Whether a playlist of segments has no end, or a presentation says that it goes on."""
    if content.lstrip().startswith(b"#EXTM3U"):
        return b"#EXTINF" in content and b"#EXT-X-ENDLIST" not in content and b"#EXT-X-TARGETDURATION" in content
    return _DYNAMIC.search(content) is not None


def _is_kept(archive: Archive, url: str, playlist: Observation) -> bool:
    """Whether a capture has an answer to a URL that is no error."""
    held = archive.lookup(url, playlist.moment)
    return held is not None and held.capture == playlist.capture and not is_error(held.status or 0)
