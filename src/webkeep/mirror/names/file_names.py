"""Names of files: what a URL's file is called where nothing speaks against it; the folder of its host and port, when
its query is in the name, and when a hash stands for what is too long or too deep.

A name is that of the URL as people write it: its host, its folders, its file. It differs only where a file system
cannot hold it, where a disk would not know by it what the file is, and where two URLs would have the same one, which is
the affair of `name_register`.

    https://example.org/news/           example.org/news/index.html
    https://example.org/news            example.org/news.html
    https://example.org/News/A.html     example.org/News/A.html
    https://example.org/a.css?v=3       example.org/a.css
    https://example.org/list.php?p=2    example.org/list.php_p=2.html
    http://example.org:8080/v1.2/x      example.org_8080/v1.2/x.html
"""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from webkeep.mirror.names.file_extensions import missing_extension, own_extension
from webkeep.mirror.names.file_system_profile import FileSystemProfile

_HASH_CHARS = 10
"""In base32, 50 bits: enough to tell names apart that were cut to the same beginning."""
_SITE = re.compile(r"([a-z][a-z0-9+.-]*)://([^/?#]*)([^?#]*)(\?[^#]*)?", re.DOTALL).match
_PORT = re.compile(r":([0-9]*)$")
_DEFAULT_PORTS = {"https": "443", "http": "80", "ftp": "21"}
_INDEX_STEM = "index"
_OWN_NAMES = frozenset({"index.html", "_webkeep"})
_OTHER_FOLDER = "other"
_DEEP_FOLDER = "deep"
_MAX_UPPERCASE_EXTENSION_CHARS = 6
"""With its dot; in profiles of upper case, where names are short and an ending is to leave room for them."""


class FileName(NamedTuple):
    """The name of a file in its parts."""

    folder: str
    """The folders it is in, with slashes and none at the end."""
    stem: str
    extension: str
    """With its dot; empty where it has none."""

    @property
    def path(self) -> str:
        """All of it, below the folder of the copy."""
        return f"{self.folder}/{self.stem}{self.extension}"


def plain_name(url: str, media_type: str, profile: FileSystemProfile, with_query: bool = False) -> FileName:
    """What the file of a URL is called; a query that tells nothing of it is left out unless it is asked for."""
    match = _SITE(url)
    if match is None:
        stem, extension = _leaf_name(url, "", media_type, profile, True)
        return FileName(_OTHER_FOLDER, stem, extension)
    above, _, last = match[3].rpartition("/")
    folders = _folder_names(match[1], match[2], above, profile)
    stem, extension = _leaf_name(last, match[4] or "", media_type, profile, with_query)
    folder = "/".join(folders)
    if len(folders) > profile.max_depth or profile.size(folder) + profile.size(stem) >= profile.max_path_size:
        folder = f"{folders[0]}/{_hash_name(_DEEP_FOLDER, above, profile, profile.max_name_size)}"
    return FileName(folder, stem, extension)


@lru_cache(10_000)
def _folder_names(scheme: str, authority: str, above: str, profile: FileSystemProfile) -> tuple[str, ...]:
    """The folders of a path, of which the first is that of its site."""
    # A path begins with a slash, which parts nothing; any further ones do.
    parts = above.split("/")[1:]
    return (
        _site_name(scheme, authority, profile),
        *(_fit_name(_readable_segment(each), each, profile) for each in parts),
    )


def _site_name(scheme: str, authority: str, profile: FileSystemProfile) -> str:
    """The folder of a site: its host, and its port where that is an unusual one."""
    place = authority.rpartition("@")[2]
    port = _PORT.search(place)
    host = place[: port.start()] if port else place
    name = host if port is None or port[1] in ("", _DEFAULT_PORTS.get(scheme)) else f"{host}_{port[1]}"
    return _fit_name(f"{name}_" if name in _OWN_NAMES else name, authority, profile)


def _leaf_name(
    segment: str, query: str, media_type: str, profile: FileSystemProfile, with_query: bool
) -> tuple[str, str]:
    """The file of the last part of a path, with as much of its query as tells something."""
    shown = _readable_segment(segment) or _INDEX_STEM
    added, own = missing_extension(shown, media_type), own_extension(shown)
    ending = f".{added}" if added else f".{own}" if own else ""
    stem = shown if added or not own else shown[: -len(ending)]
    if query and (with_query or added):
        stem = f"{shown if added else stem}{profile.query_mark}{_readable_segment(query[1:])}"
        ending = ending or f".{missing_extension('', media_type)}".rstrip(".")
    if profile.is_uppercase:
        ending = ending.upper()[:_MAX_UPPERCASE_EXTENSION_CHARS]
    exact = segment + query
    return _fit_name(stem, exact, profile, profile.size(ending), bool(ending)), ending


def _fit_name(text: str, exact: str, profile: FileSystemProfile, more: int = 0, is_stem: bool = False) -> str:
    """A text as a file system can hold it, with room for what comes behind it."""
    room = profile.max_name_size - more
    if profile.is_uppercase:
        return text.upper() if text == _INDEX_STEM else _hash_name(text, exact, profile, room)
    name = profile.fit(unicodedata.normalize("NFC", text), is_stem)
    return name if profile.size(name) <= room else _hash_name(name, exact, profile, room)


def _hash_name(visible: str, exact: str, profile: FileSystemProfile, room: int) -> str:
    """A name of what there is room for of a text, and a hash that stands for all of it."""
    digest = hashlib.sha256(exact.encode("utf-8", "surrogatepass")).digest()
    code = base64.b32encode(digest).decode("ascii")[:_HASH_CHARS]
    shown = profile.fit(visible, True)
    if profile.is_uppercase:
        return f"{shown}_{code}"
    room -= _HASH_CHARS + 1
    while profile.size(shown) > room:
        shown = shown[: max(room // 4, len(shown) - (profile.size(shown) - room))] if room > 0 else ""
    return f"{shown}-{code.lower()}"


def _readable_segment(segment: str) -> str:
    """The text of a part of a path as people read it, where its escapes are text at all."""
    if "%" not in segment:
        return segment
    try:
        return unquote_to_bytes(segment.encode("utf-8", "surrogatepass")).decode("utf-8")
    except UnicodeDecodeError:
        return segment
