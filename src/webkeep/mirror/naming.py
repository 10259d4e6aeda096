"""Names of files: what a URL's file is called where nothing speaks against it.

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

from webkeep.mirror.extensions import needed_extension, own_extension
from webkeep.mirror.profile import Profile

_HASH = 10
_SITE = re.compile(r"([a-z][a-z0-9+.-]*)://([^/?#]*)([^?#]*)(\?[^#]*)?", re.DOTALL).match
_PORT = re.compile(r":([0-9]*)$")
_OWN_PORT = {"https": "443", "http": "80", "ftp": "21"}
_INDEX = "index"
_OURS = frozenset({"index.html", "_webkeep"})
_NOT_NAMED = "other"
_DEEP = "deep"
_LONGEST_CAPITAL_ENDING = 6


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


def plain_name(url: str, media_type: str, profile: Profile, with_query: bool = False) -> FileName:
    """What the file of a URL is called; a query that tells nothing of it is left out unless it is asked for."""
    match = _SITE(url)
    if match is None:
        stem, extension = _leaf(url, "", media_type, profile, True)
        return FileName(_NOT_NAMED, stem, extension)
    above, _, last = match[3].rpartition("/")
    folders = _folders(match[1], match[2], above, profile)
    stem, extension = _leaf(last, match[4] or "", media_type, profile, with_query)
    folder = "/".join(folders)
    if len(folders) > profile.deepest or profile.size(folder) + profile.size(stem) >= profile.longest_path:
        folder = f"{folders[0]}/{_hashed(_DEEP, above, profile, profile.longest)}"
    return FileName(folder, stem, extension)


@lru_cache(10_000)
def _folders(scheme: str, authority: str, above: str, profile: Profile) -> tuple[str, ...]:
    """The folders of a path, of which the first is that of its site."""
    # A path begins with a slash, which parts nothing; any further ones do.
    parts = above.split("/")[1:]
    return (_site_name(scheme, authority, profile), *(_fitted(_shown(each), each, profile) for each in parts))


def _site_name(scheme: str, authority: str, profile: Profile) -> str:
    """The folder of a site: its host, and its port where that is an unusual one."""
    place = authority.rpartition("@")[2]
    port = _PORT.search(place)
    host = place[: port.start()] if port else place
    name = host if port is None or port[1] in ("", _OWN_PORT.get(scheme)) else f"{host}_{port[1]}"
    return _fitted(f"{name}_" if name in _OURS else name, authority, profile)


def _leaf(segment: str, query: str, media_type: str, profile: Profile, with_query: bool) -> tuple[str, str]:
    """The file of the last part of a path, with as much of its query as tells something."""
    shown = _shown(segment) or _INDEX
    added, own = needed_extension(shown, media_type), own_extension(shown)
    ending = f".{added}" if added else f".{own}" if own else ""
    stem = shown if added or not own else shown[: -len(ending)]
    if query and (with_query or added):
        stem = f"{shown if added else stem}{profile.question}{_shown(query[1:])}"
        ending = ending or f".{needed_extension('', media_type)}".rstrip(".")
    if profile.upper:
        ending = ending.upper()[:_LONGEST_CAPITAL_ENDING]
    exact = segment + query
    return _fitted(stem, exact, profile, profile.size(ending), bool(ending)), ending


def _fitted(text: str, exact: str, profile: Profile, more: int = 0, is_stem: bool = False) -> str:
    """A text as a file system can hold it, with room for what comes behind it."""
    room = profile.longest - more
    if profile.upper:
        return text.upper() if text == _INDEX else _hashed(text, exact, profile, room)
    name = profile.fitted(unicodedata.normalize("NFC", text), is_stem)
    return name if profile.size(name) <= room else _hashed(name, exact, profile, room)


def _hashed(visible: str, exact: str, profile: Profile, room: int) -> str:
    """A name of what there is room for of a text, and a hash that stands for all of it."""
    digest = hashlib.sha256(exact.encode("utf-8", "surrogatepass")).digest()
    code = base64.b32encode(digest).decode("ascii")[:_HASH]
    shown = profile.fitted(visible, True)
    if profile.upper:
        return f"{shown}_{code}"
    room -= _HASH + 1
    while profile.size(shown) > room:
        shown = shown[: max(room // 4, len(shown) - (profile.size(shown) - room))] if room > 0 else ""
    return f"{shown}-{code.lower()}"


def _shown(segment: str) -> str:
    """The text of a part of a path as people read it, where its escapes are text at all."""
    if "%" not in segment:
        return segment
    try:
        return unquote_to_bytes(segment.encode("utf-8", "surrogatepass")).decode("utf-8")
    except UnicodeDecodeError:
        return segment
