"""Guesses (speculative links): whether a string looks like the address of something, what it would be for by its
extension, and from what length on it is data.
"""

from __future__ import annotations

import re

from webkeep.extract.links.link import LinkRole

MAX_ADDRESS_CHARS = 2048
"""Longer strings are data, not addresses."""

_EMBEDDED_WORDS = (
    "apng avif bmp cur gif ico jfif jpe jpeg jpg jxl png svg svgz tif tiff webp css js mjs wasm eot otf ttf woff "
    "woff2 aac flac m4a mid midi mka mp3 oga ogg opus wav weba wma avi flv m3u8 m4s m4v mkv mov mp4 mpd mpeg mpg "
    "ogv swf ts vtt webm wmv class jar glb gltf lottie webmanifest"
)
_EMBEDDED_EXTENSIONS = frozenset(_EMBEDDED_WORDS.split())
_VISITED_WORDS = (
    "asp aspx cfm cgi do htm html jhtml jsp mht php php3 php5 phtml pl shtml xhtml atom csv doc docx epub json md "
    "odt pdf ppt pptx ps rss rtf txt xls xlsx xml zip gz tgz"
)
_PAGE_EXTENSIONS = frozenset(_VISITED_WORDS.split())
_ABSOLUTE = re.compile(
    r"(?:(?:https?|ftp):)?//(?:[\w-]+(?:\.[\w-]+)+|localhost|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:[/?#][^\s<>\"'`{}|\\^]*)?",
    re.IGNORECASE,
)
_PATH = re.compile(r"(\.{0,2}/)?([\w~%@!+,;=.-]+(?:/[\w~%@!+,;=.-]*)*)?(?:\?[^\s<>\"'`{}|\\^#]*)?(?:#[\w./!=&-]*)?")
_EXTENSION = re.compile(r"[\w~%@)-]\.([A-Za-z0-9]{1,11})$")


def guess_role(text: str, trusted: bool = False) -> LinkRole | None:
    """What a string would be linked for if it is an address; None where it does not look like one.

    `trusted` says that what stands around the string makes an address likely, so that any path will do.
    """
    if not 2 < len(text) <= MAX_ADDRESS_CHARS or text.isdigit():
        return None
    if _ABSOLUTE.fullmatch(text):
        return role_by_name(text.partition("//")[2].partition("/")[2])
    match = _PATH.fullmatch(text)
    if match is None or not match[2]:
        return None
    lead, path = match[1] or "", match[2]
    role = _role_by_extension(path)
    if role is not None:
        return role if _has_stem(path) else None
    rooted = lead == "/" and ("/" in path or len(path) > 1) and not path.endswith((".", "="))
    if rooted and (trusted or path.endswith("/") or path.count("/") > 1):
        return LinkRole.NAVIGATE
    return LinkRole.NAVIGATE if trusted and (lead or "/" in path or "?" in text) else None


def is_absolute_address(text: str) -> bool:
    """Whether a string is a whole address."""
    return len(text) <= MAX_ADDRESS_CHARS and _ABSOLUTE.fullmatch(text) is not None


def role_by_name(address: str, default: LinkRole = LinkRole.NAVIGATE) -> LinkRole:
    """What something of such a name is usually linked for."""
    path = re.split(r"[?#]", address, maxsplit=1)[0]
    return _role_by_extension(path) or default


def _role_by_extension(path: str) -> LinkRole | None:
    match = _EXTENSION.search(path[-64:])
    extension = match[1].lower() if match else ""
    if extension in _EMBEDDED_EXTENSIONS:
        return LinkRole.EMBED
    return LinkRole.NAVIGATE if extension in _PAGE_EXTENSIONS else None


def _has_stem(path: str) -> bool:
    return not path.rpartition("/")[2].startswith(".")
