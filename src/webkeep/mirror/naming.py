"""Names of files: a pure function of a URL, its media type and a profile.

No name depends on which other URLs are in a copy. A name is plain where nothing is lost by it. Else it has a mark, a
comma: what stands before is for reading, what stands behind tells it from all others. Files always have an extension,
and directories have none that is not marked, so no path is both.

    https://example.org/news/          example.org/news/index.html
    https://example.org/news           example.org/news,.html
    https://example.org/news/a.html    example.org/news/a.html
    https://example.org/news/A.html    example.org/news/A,2f6kzqo4hm.html
    https://example.org/list.php?p=2   example.org/list.php_p=2,q3hx7dmwae.html
    http://example.org:8080/v1.2/x     example.org,http,8080/v1.2,/x,.html
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import lru_cache
from urllib.parse import unquote_to_bytes

from webkeep.mirror.extensions import needed_extension, own_extension
from webkeep.mirror.profile import MARK, Profile

_HASH = 10
_SITE = re.compile(r"([a-z][a-z0-9+.-]*)://([^/?#]*)([^?#]*)(\?[^#]*)?", re.DOTALL).match
_OWN_PORT = {"https": "443", "http": "80", "ftp": "21"}
_USUAL_SCHEME = "https"
_INDEX = "index"
_OURS = frozenset({"index.html", "_webkeep"})
_DEEP = "deep"


def name_of(url: str, media_type: str, profile: Profile) -> str:
    """The path of the file that a URL has in a copy, with slashes, below the folder of the copy."""
    match = _SITE(url)
    if match is None:
        return f"{_hashed('other', url, profile)}/{_file_name(url, '', media_type, profile)}"
    above, _, last = match[3].rpartition("/")
    folders = _folders(match[1], match[2], above, profile)
    file = _file_name(last, match[4] or "", media_type, profile)
    name = "/".join((*folders, file))
    if len(folders) > profile.deepest or profile.size(name) > profile.longest_path:
        return "/".join((folders[0], _hashed(_DEEP, above, profile), file))
    return name


@lru_cache(10_000)
def _folders(scheme: str, authority: str, above: str, profile: Profile) -> tuple[str, ...]:
    """The folders of a path, of which the first is that of its site."""
    # A path begins with a slash, which parts nothing; any further ones do.
    parts = above.split("/")[1:]
    return (_site_name(scheme, authority, profile), *(_folder_name(each, profile) for each in parts))


def _site_name(scheme: str, authority: str, profile: Profile) -> str:
    """The folder of a site; what is usual in its address is not said."""
    userinfo, _, place = authority.rpartition("@")
    host, _, port = place.rpartition(":") if re.search(r":[0-9]*$", place) else (place, "", "")
    marks = ([] if scheme == _USUAL_SCHEME else [scheme]) + ([] if port in ("", _OWN_PORT.get(scheme)) else [port])
    is_plain = re.fullmatch(r"[a-z0-9-]+(?:\.[a-z0-9-]+)*", host) is not None and profile.is_plain(host)
    if userinfo or not is_plain or host in _OURS or profile.size(host) > profile.longest - 20:
        return _hashed(host, f"{scheme}://{authority}", profile)
    return MARK.join((host, *marks))


def _folder_name(segment: str, profile: Profile) -> str:
    """The folder of one part of a path."""
    text = _decoded(segment, profile)
    if text is not None and profile.is_plain(text) and profile.size(text) < profile.longest:
        return f"{text}{MARK}" if "." in text else text
    return _hashed(_shown(segment), segment, profile)


def _file_name(segment: str, query: str, media_type: str, profile: Profile) -> str:
    """The file of the last part of a path, with its query."""
    if not segment and not query:
        extension = needed_extension(_INDEX, media_type)
        return f"{_INDEX}.{extension}" if not profile.upper else f"{_INDEX}.{extension}".upper()
    added = needed_extension(segment if not query else "", media_type)
    text = None if query else _decoded(segment, profile)
    if text is not None and profile.is_plain(text) and not _is_index(text):
        name = f"{text}{MARK}.{added}" if added else text
        if profile.size(name) <= profile.longest:
            return name
    extension = added or own_extension(segment)
    stem = _shown(segment) if added else _shown(segment[: -len(extension) - 1])
    if query:
        extension = needed_extension("", media_type)
        own = own_extension(segment).lower()
        if needed_extension(segment, media_type) == "" and own:
            extension = own
        stem = f"{_shown(segment)}_{_shown(query[1:])}"
    return _hashed(stem, segment + query, profile, extension)


def _is_index(text: str) -> bool:
    """Whether it is the name of what a directory shows."""
    return text.partition(".")[0] == _INDEX


def _hashed(visible: str, exact: str, profile: Profile, extension: str = "") -> str:
    """A name of what is readable of a text, and a hash that stands for all of it."""
    digest = hashlib.sha256(exact.encode("utf-8", "surrogatepass")).digest()
    code = base64.b32encode(digest).decode("ascii")[:_HASH]
    ending = f".{extension}" if extension else ""
    shown = profile.visible(visible)
    if profile.upper:
        return f"{shown}_{code}{ending.upper()}"[: profile.longest]
    room = profile.longest - _HASH - 1 - profile.size(ending)
    while profile.size(shown) > room:
        shown = shown[: max(room // 4, len(shown) - (profile.size(shown) - room))] if room > 0 else ""
    return f"{shown}{MARK}{code.lower()}{ending.lower()}"


def _decoded(segment: str, profile: Profile) -> str | None:
    """The text of a part of a path if that is how it is spelt; None where something would be lost by it."""
    if "%" not in segment:
        return segment or None
    if profile.name not in ("unix", "windows"):
        return None
    text = _utf8(segment)
    return text if text is not None and _spelt(text) == segment else None


def _shown(segment: str) -> str:
    """The text of a part of a path for reading."""
    return _utf8(segment) or segment


def _utf8(segment: str) -> str | None:
    try:
        return unquote_to_bytes(segment.encode("utf-8", "surrogatepass")).decode("utf-8")
    except UnicodeDecodeError:
        return None


def _spelt(text: str) -> str:
    """How a browser spells text in a path, which it does in capitals and for everything beyond ASCII."""
    return "".join(
        char if char.isascii() and char not in ' "#<>?`{}%' else "".join(f"%{byte:02X}" for byte in char.encode())
        for char in text
    )
