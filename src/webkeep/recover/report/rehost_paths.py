"""Paths of files that mirror URLs, so that a web server finds each where it was asked for before; how names too long or
not for Windows are spelled, and which would be obeyed or run and are made inert.
"""

from __future__ import annotations

import hashlib
import re
from urllib.parse import unquote_to_bytes

from webkeep.url import normalize_url, split_url

INDEX_NAME = "index.html"
_MAX_NAME_BYTES = 200
"""File systems allow 255, and a mark and an ending are still to come."""
_ILLEGAL = re.compile(r"[\x00-\x1f\x7f]")
_WINDOWS_SUBSTITUTES = str.maketrans(
    {"?": "@", "|": "%7C", ":": "+", "*": "%2A", '"': "%22", "<": "%3C", ">": "%3E", "\\": "%5C"}
)
_WINDOWS_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


INERT_SUFFIX = "~"
"""How names end that would be obeyed or run without it."""
_WELL_KNOWN = ".well-known"
_SERVER_CONFIG_NAMES = frozenset(
    {"web.config", "php.ini", "_redirects", "_headers", "_routes.json", "_worker.js", "netlify.toml", "vercel.json",
     "staticwebapp.config.json", "global.asax", "firebase.json"}
)  # fmt: skip
"""Files that a web server or a static host takes its orders from, beside those that begin with a dot."""
_EXECUTABLE_EXTENSIONS = frozenset(
    {"php", "php3", "php4", "php5", "php7", "php8", "phps", "pht", "phtm", "phtml", "phar", "cgi", "fcgi", "pl", "pm",
     "py", "rb", "sh", "lua", "asp", "aspx", "ashx", "asmx", "asax", "ascx", "asa", "cer", "cdx", "jsp", "jspx", "jspf",
     "jhtml", "shtml", "shtm", "stm", "cfm", "cfc", "htaccess", "htpasswd", "exe", "dll"}
)  # fmt: skip
"""Endings of files that some web server runs."""


def path_from_url(url: str, windows: bool = False) -> str:
    """The path of a URL's file below the folder of all sites: `foo.org/bar/hello.html`, `foo.org/bar/index.html`.

    No part of it is a name that web servers obey or run: `foo.org/_.htaccess~`, `foo.org/index.php~`.
    """
    parts = split_url(normalize_url(url) or "http://unknown/")
    names = [_file_name(each, windows) for each in parts.path.split("/")[1:]]
    if not names or not names[-1]:
        names[-1:] = [INDEX_NAME]
    if parts.query:
        names[-1] = _file_name(names[-1] + parts.query, windows)
    return "/".join([_file_name(parts.authority, windows), *map(_inert_name, names)])


def _inert_name(name: str) -> str:
    """A name that no web server obeys or runs; the same as before if that holds already."""
    if name.startswith(".") and name != _WELL_KNOWN:
        return f"_{name}{INERT_SUFFIX}"
    parts = name.lower().split(".")
    # Servers look at every ending of a name, not at the last alone.
    return (
        f"{name}{INERT_SUFFIX}"
        if name.lower() in _SERVER_CONFIG_NAMES or not _EXECUTABLE_EXTENSIONS.isdisjoint(parts[1:])
        else name
    )


def _file_name(segment: str, windows: bool) -> str:
    """One part of a path as the name of a file or folder; what would not do is spelled otherwise."""
    decoded = unquote_to_bytes(segment).decode("utf-8", "replace")
    text = _ILLEGAL.sub("_", decoded).replace("/", "%2F")
    if windows:
        text = text.translate(_WINDOWS_SUBSTITUTES)
        if text.endswith((".", " ")):
            text += "_"
        if _WINDOWS_DEVICES.fullmatch(text):
            text = f"_{text}"
    if text in (".", ".."):
        return "_" * len(text)
    if len(text.encode()) > _MAX_NAME_BYTES:
        mark = hashlib.sha256(segment.encode("utf-8", "replace")).hexdigest()[:12]
        text = text.encode()[: _MAX_NAME_BYTES - 20].decode("utf-8", "ignore") + "~" + mark
    return text
