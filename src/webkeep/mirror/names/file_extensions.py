"""Extensions of file names, by which alone a disk says what a file is: which fit a media type, when one is put behind a
name, and which would have a file opened as a page that is none.
"""

from __future__ import annotations

import re

_EXTENSIONS_BY_TYPE = {
    "text/html": ("html", "htm"),
    "application/xhtml+xml": ("xhtml", "xht", "html"),
    "text/css": ("css",),
    "text/javascript": ("js", "mjs", "cjs"),
    "application/javascript": ("js", "mjs"),
    "application/x-javascript": ("js", "mjs"),
    "application/ecmascript": ("js", "mjs"),
    "application/json": ("json",),
    "application/ld+json": ("jsonld", "json"),
    "application/manifest+json": ("webmanifest", "json"),
    "application/xml": ("xml", "xsl", "xslt", "rss", "atom", "svg"),
    "text/xml": ("xml", "xsl", "xslt", "rss", "atom", "svg"),
    "application/rss+xml": ("rss", "xml"),
    "application/atom+xml": ("atom", "xml"),
    "application/xslt+xml": ("xslt", "xsl"),
    "text/plain": ("txt", "text", "md", "csv", "log", "asc"),
    "text/csv": ("csv",),
    "text/markdown": ("md",),
    "text/calendar": ("ics",),
    "text/vtt": ("vtt",),
    "image/png": ("png",),
    "image/jpeg": ("jpg", "jpeg", "jpe"),
    "image/gif": ("gif",),
    "image/webp": ("webp",),
    "image/avif": ("avif",),
    "image/svg+xml": ("svg",),
    "image/x-icon": ("ico",),
    "image/vnd.microsoft.icon": ("ico",),
    "image/bmp": ("bmp",),
    "image/tiff": ("tif", "tiff"),
    "audio/mpeg": ("mp3",),
    "audio/ogg": ("ogg", "oga", "opus"),
    "audio/wav": ("wav",),
    "audio/x-wav": ("wav",),
    "audio/mp4": ("m4a", "mp4"),
    "video/mp4": ("mp4", "m4v"),
    "video/webm": ("webm",),
    "video/ogg": ("ogv", "ogg"),
    "video/mp2t": ("ts",),
    "application/vnd.apple.mpegurl": ("m3u8",),
    "application/x-mpegurl": ("m3u8",),
    "application/dash+xml": ("mpd",),
    "font/woff": ("woff",),
    "font/woff2": ("woff2",),
    "application/font-woff": ("woff",),
    "font/ttf": ("ttf",),
    "font/otf": ("otf",),
    "application/pdf": ("pdf",),
    "application/zip": ("zip",),
    "application/gzip": ("gz", "tgz"),
    "application/x-gzip": ("gz", "tgz"),
    "application/wasm": ("wasm",),
    "application/java-vm": ("class",),
    "application/java-archive": ("jar",),
    "application/x-shockwave-flash": ("swf",),
    "application/epub+zip": ("epub",),
    "application/rtf": ("rtf",),
    "application/msword": ("doc",),
}
_OWN_EXTENSION = re.compile(r".*[^.]\.([A-Za-z0-9]{1,12})", re.DOTALL).fullmatch
_ACTIVE_EXTENSIONS = frozenset({"html", "htm", "xhtml", "xht", "svg", "shtml", "mht", "mhtml"})
"""What a file is opened as that has one of these, whatever is in it."""
_PROGRAM_NAMES = "php php3 php4 php5 phtml asp aspx ashx jsp jspx jsf cgi pl py rb cfm do action dll"
_SERVER_PROGRAM_EXTENSIONS = frozenset(_PROGRAM_NAMES.split())
"""Names of programs on a server, which say nothing of what these gave."""
_NAME_BOUND_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/css", "image/svg+xml"})
"""What browsers take a file for by its name alone; at anything else they look themselves."""
_PLAIN = "text/plain"
_UNKNOWN_EXTENSION = "bin"


def own_extension(name: str) -> str:
    """The extension that a name has, without its dot; empty where it has none."""
    match = _OWN_EXTENSION(name)
    return match[1] if match else ""


def missing_extension(name: str, media_type: str) -> str:
    """The extension that a name needs behind it to be what its media type says; empty where it does as it is."""
    own = own_extension(name).lower()
    fitting = _EXTENSIONS_BY_TYPE.get(media_type)
    if fitting is not None and own in fitting:
        return ""
    if own in _ACTIVE_EXTENSIONS:
        # A page by its name that was not sent as one is not to be opened as one.
        return fitting[0] if fitting else _UNKNOWN_EXTENSION
    if fitting is None or media_type == _PLAIN:
        return ""
    return fitting[0] if not own or media_type in _NAME_BOUND_TYPES or own in _SERVER_PROGRAM_EXTENSIONS else ""
