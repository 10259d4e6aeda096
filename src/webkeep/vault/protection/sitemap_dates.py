"""Dates in a site's sitemaps, moved with the blocks of pages that they name, so that archives fetch them again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from turbohtml import unescape

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.url import normalize_url, split_url
from webkeep.vault.page_paths import decode_path

_ENTRY = re.compile(rb"<url\b[^>]*>.*?</url\s*>", re.DOTALL)
_LOCATION = re.compile(rb"<loc\b[^>]*>\s*(?:<!\[CDATA\[)?\s*(.*?)\s*(?:\]\]>)?\s*</loc\s*>", re.DOTALL)
_MODIFIED = re.compile(rb"(<lastmod\b[^>]*>)\s*(.*?)\s*(</lastmod\s*>)", re.DOTALL)


def is_sitemap_file(path: Path) -> bool:
    """Whether a file of a tree is called as sitemaps are."""
    return path.name.lower().startswith("sitemap") and path.suffix.lower() == ".xml"


def move_sitemap_dates(sitemap: bytes, moved: Mapping[str, Moment]) -> bytes:
    """A sitemap in which no page is older than its blocks; by the paths of pages."""

    def move(entry: re.Match[bytes]) -> bytes:
        location = _LOCATION.search(entry[0])
        when = moved.get(_path_of(location[1])) if location else None
        return entry[0] if when is None or location is None else _move_entry(entry[0], location.end(), when)

    return _ENTRY.sub(move, sitemap)


def _move_entry(entry: bytes, after_location: int, when: Moment) -> bytes:
    said = _MODIFIED.search(entry)
    if said is None:
        return entry[:after_location] + f"<lastmod>{when.iso()}</lastmod>".encode() + entry[after_location:]
    if _is_later(said[2].decode("ascii", "replace"), when):
        return entry
    return entry[: said.start()] + said[1] + when.iso().encode() + said[3] + entry[said.end() :]


def _is_later(text: str, when: Moment) -> bool:
    try:
        return Moment.parse(text) >= when
    except UsageError:
        return False


def _path_of(location: bytes) -> str:
    """The file of a tree that an address names."""
    href = normalize_url(unescape(location.decode("utf-8", "replace")))
    path = decode_path(split_url(href).path or "/") if href is not None else ""
    return f"{path}index.html" if path.endswith("/") else path
