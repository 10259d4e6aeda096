"""When two spellings of a URL name one page of a lost site, where no server is left that could be asked (case, final
slashes); also what a URL names by its ending: a page, a picture, a media type.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from webkeep.url import normalize_url
from webkeep.url.canonical import (
    FETCH_IDENTITY,
    REPOSITORY_KEY,
    Recipe,
    add_directory_slash,
    lowercase_path,
    lowercase_query,
)

_LAST_SEGMENT = re.compile(r"/([^/?#]*)(?:[?#].*)?\Z", re.DOTALL)
_IMAGE_EXTENSIONS = frozenset(("gif", "jpg", "jpeg", "png", "ico", "bmp", "webp", "avif", "tif", "tiff", "jfif"))
_PAGE_EXTENSIONS = frozenset(("", "htm", "html", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "cfm", "cgi", "pl"))
_MEDIA_TYPES = {
    "css": "text/css", "js": "text/javascript", "mjs": "text/javascript", "pdf": "application/pdf",
    "doc": "application/msword", "xls": "application/vnd.ms-excel", "ppt": "application/vnd.ms-powerpoint",
    "ps": "application/postscript", "swf": "application/x-shockwave-flash", "xml": "text/xml", "txt": "text/plain",
    "svg": "image/svg+xml", "jpg": "image/jpeg", "tif": "image/tiff", "ico": "image/x-icon",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class UrlIdentity:
    """How URLs of one recovery are told apart."""

    recipe: Recipe

    @classmethod
    def from_options(cls, ignore_case: bool = False, lost_slashes: bool = False) -> UrlIdentity:
        """The usual one, for a server that ignored case or for archives that dropped final slashes if need be."""
        recipe = REPOSITORY_KEY
        if ignore_case:
            recipe = recipe.with_(lowercase_path, lowercase_query)
        if lost_slashes:
            recipe = recipe.with_(add_directory_slash)
        return cls(recipe)

    def key(self, url: str) -> str:
        """The key under which all spellings of a page meet."""
        return self.recipe(normalize_url(url) or url)


def request_spelling(url: str) -> str:
    """A URL as links name it, with nothing left that makes no difference to a request."""
    return FETCH_IDENTITY(normalize_url(url) or url)


def toggle_slash(key: str) -> str:
    """The key of the same page as a directory, or no directory; "" where a file is named or a query follows."""
    if "?" in key or (key.count("/") <= 3 and key.endswith("/")):
        return ""
    if key.endswith("/"):
        return key[:-1]
    return "" if "." in key.rpartition("/")[2] else f"{key}/"


def path_extension(url: str) -> str:
    """What the last name of a path ends in, in lower case; "" where it has no ending."""
    match = _LAST_SEGMENT.search(url, url.find("://") + 3)
    name = match[1] if match else ""
    return name.rpartition(".")[2].lower() if "." in name else ""


def is_image_url(url: str) -> bool:
    """Whether a URL names a picture, by its ending."""
    return path_extension(url) in _IMAGE_EXTENSIONS


def is_page_url(url: str) -> bool:
    """Whether a URL probably names a page, by its ending."""
    return path_extension(url) in _PAGE_EXTENSIONS


def guess_media_type(url: str) -> str:
    """The media type that a URL probably has."""
    last = path_extension(url)
    if last in _MEDIA_TYPES:
        return _MEDIA_TYPES[last]
    if last in _IMAGE_EXTENSIONS:
        return f"image/{last}"
    return "text/html" if last in _PAGE_EXTENSIONS else ""
