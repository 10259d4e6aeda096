"""The base URL that a document's links are joined with, and its charset, in which queries are spelled; which schemes a
crawl can ask for, and which links are joined without a full parse.
"""

from __future__ import annotations

import re

from webkeep.url import normalize_url, resolve_url, split_url

FETCHED_SCHEMES = ("http:", "https:", "ftp:", "file:")
"""What a crawl can ask for; all other links lead nowhere here."""

# A path whose spelling no browser changes: no dots at the start of a segment, no empty segment, nothing to escape.
_PLAIN_REFERENCE = re.compile(
    r"(?:[A-Za-z0-9_~-][A-Za-z0-9_.~-]*+/)*+(?:[A-Za-z0-9_~-][A-Za-z0-9_.~-]*+)?(?:\?[A-Za-z0-9_.=&%+-]*+)?"
)
_PYTHON_NAMES = {
    "shift_jis": "cp932", "gbk": "gb18030", "euc-kr": "cp949", "big5": "big5hkscs", "iso-8859-8-i": "iso-8859-8",
    "windows-874": "cp874", "macintosh": "mac_roman", "x-mac-cyrillic": "mac_cyrillic", "utf-16le": "utf-8",
    "utf-16be": "utf-8", "replacement": "utf-8", "x-user-defined": "utf-8",
}  # fmt: skip


class LinkBase:
    """Joins the links of one document; plain ones without a full parse, as most are.

    A plain link takes 0.5 µs instead of 1.9 (`bench.quick_paths`); `test_short_cuts_join_as_browsers_do` holds both to
    the same.
    """

    __slots__ = ("_directory", "_encoding", "_origin", "_origin_slash", "href")

    def __init__(self, href: str, charset: str = "utf-8") -> None:
        self.href = normalize_url(href) or ""
        self._encoding = _PYTHON_NAMES.get(charset, charset)
        self._origin = self._directory = self._origin_slash = ""
        if self.href.startswith(("http:", "https:")):
            url = split_url(self.href)
            before_path = self.href[: len(self.href) - len(url.path + url.query + url.fragment)]
            self._origin = before_path
            self._origin_slash = before_path + "/"
            self._directory = before_path + url.path[: url.path.rfind("/") + 1]

    def join(self, text: str) -> str | None:
        """Where a reference leads; None where that is nowhere a crawl could go."""
        if self._origin:
            if text[:1] == "/":
                if len(text) > 1 and _PLAIN_REFERENCE.fullmatch(text, 1):
                    return self._origin + text
            elif text[:4] == "http":
                size = len(self._origin_slash)
                if text.startswith(self._origin_slash) and _PLAIN_REFERENCE.fullmatch(text, size):
                    return text
            elif text[:1] != "?" and _PLAIN_REFERENCE.fullmatch(text) and text:
                return self._directory + text
        joined = resolve_url(self.href, text, self._encoding) if self.href else normalize_url(text.strip())
        return joined if joined is not None and joined.startswith(FETCHED_SCHEMES) else None

    def rebase(self, text: str) -> LinkBase:
        """The base that a `base` element or a codebase makes of this one."""
        joined = self.join(text)
        return self if joined is None else LinkBase(joined, self._encoding)
