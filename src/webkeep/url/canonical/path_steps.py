"""Steps on a URL's path, in the order in which they run: how its canonical form treats escapes, letter case, session
ids, dot segments, repeated slashes, default pages such as index.html, and final slashes.
"""

from __future__ import annotations

import re

from webkeep.url import percent_escapes as escapes
from webkeep.url.canonical.recipe_builder import UrlPart, step
from webkeep.url.canonical.session_ids import drop_path_session_ids

_DEFAULT_PAGES = ("/index.html", "/index.htm", "/default.htm")
_SLASHES = re.compile(r"/{2,}")
_DOT = re.compile(r"\.|%2e", re.IGNORECASE).fullmatch
_TWO_DOTS = re.compile(r"(?:\.|%2e){2}", re.IGNORECASE).fullmatch


@step(UrlPart.PATH)
def fill_empty_path(path: str) -> str:
    """Write an empty path as `/`."""
    return path or "/"


@step(UrlPart.PATH)
def decode_unreserved(path: str) -> str:
    """Decode the escapes that mean the same decoded: letters, digits, `-`, `.`, `_`, `~`."""
    return escapes.decode_escapes(path, escapes.UNRESERVED)


@step(UrlPart.PATH)
def decode_printable(path: str) -> str:
    """Decode the escapes of all printable ASCII, a space as `+`; merges URLs that may differ."""
    return escapes.decode_escapes(path, escapes.PRINTABLE)


@step(UrlPart.PATH)
def lowercase_path(path: str) -> str:
    """Write the path in lower case, for servers that ignore case."""
    return path.lower()


@step(UrlPart.PATH)
def uppercase_path_escapes(path: str) -> str:
    """Write the escapes in upper case (`%8a` as `%8A`)."""
    return escapes.uppercase_escapes(path)


@step(UrlPart.PATH)
def drop_path_sessions(path: str) -> str:
    """Drop session identifiers: `;jsessionid=…` and the like, ASP.NET's `(S(…))` segments."""
    return drop_path_session_ids(path)


@step(UrlPart.PATH)
def resolve_dots(path: str) -> str:
    """Resolve `.` and `..` segments; those that would leave the root vanish."""
    if "/." not in path and "/%2" not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if _TWO_DOTS(segment):
            del kept[-1:]
        elif not _DOT(segment):
            kept.append(segment)
    if _DOT(segments[-1]) or _TWO_DOTS(segments[-1]):
        kept.append("")
    return "/" + "/".join(kept)


@step(UrlPart.PATH)
def squeeze_slashes(path: str) -> str:
    """Write repeated slashes as one."""
    return _SLASHES.sub("/", path) if "//" in path else path


@step(UrlPart.PATH)
def drop_default_page(path: str) -> str:
    """Drop a last `index.html`, `index.htm` or `default.htm`."""
    return path[: path.rindex("/") + 1] if path.endswith(_DEFAULT_PAGES) else path


@step(UrlPart.PATH)
def add_directory_slash(path: str) -> str:
    """Take a last segment without a dot for a directory, and end it with a slash."""
    return path if path.endswith("/") or "." in path[path.rfind("/") :] else f"{path}/"
