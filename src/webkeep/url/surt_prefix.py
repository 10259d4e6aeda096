"""SURT prefixes as scopes: URLs turned round (`http://(org,example,`) so that what lies together sorts together, which
prefix a URL stands for, and which of many covers it.

The full form, unlike the lookup key, loses nothing: `http://www.example.org/a/b` is `http://(org,example,www,)/a/b`.
A prefix that ends inside the parentheses takes in subdomains, one that ends in a slash a directory.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(?:([^/?#]*)@)?(\[[^\]/?#]*\]|[^/?#:]*)(:[^/?#]*)?", re.DOTALL).match
_FORM = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\(").match
_ADDRESS = re.compile(r"\[.*|(?:[0-9]{1,3}\.){3}[0-9]{1,3}", re.DOTALL).fullmatch


def build_surt_form(url: str) -> str:
    """The URL with its host turned round (`http://(org,example,www,)/a/b`); unchanged where it has no host."""
    match = None if _FORM(url) else _URL(url)
    if match is None:
        return url
    scheme, userinfo, host, port = match.groups("")
    user = f"@{userinfo}" if userinfo else ""
    return f"{scheme.lower()}://({reverse_host(host)}{port}{user}){url[match.end() :]}"


def reverse_host(host: str) -> str:
    """The labels of a host from the last to the first, a comma after each; an address stays in one piece."""
    lowered = host.lower().rstrip(".")
    return f"{lowered}," if _ADDRESS(lowered) else "".join(f"{label}," for label in reversed(lowered.split(".")))


def build_surt_prefix(url: str) -> str:
    """The SURT prefix a URL (or its form) stands for: its directory, or all below its host where no slash follows."""
    form = build_surt_form(url)
    if form.count("/") >= 3:
        form = form[: form.rindex("/") + 1]
    return form.removesuffix(")")


class SurtPrefixes:
    """A set of prefixes that tells of a form, in logarithmic time, which of them it begins with."""

    __slots__ = ("_prefixes",)

    def __init__(self, prefixes: Iterable[str]) -> None:
        # Only without prefixes of one another is the nearest one before a form the one to try.
        kept: list[str] = []
        for prefix in sorted(set(prefixes)):
            if not kept or not prefix.startswith(kept[-1]):
                kept.append(prefix)
        self._prefixes = kept

    def find_prefix(self, form: str) -> str | None:
        """The widest prefix that the form begins with."""
        place = bisect_right(self._prefixes, form) - 1
        return self._prefixes[place] if place >= 0 and form.startswith(self._prefixes[place]) else None

    def covers(self, url: str) -> bool:
        """Whether the URL's form begins with one of the prefixes."""
        return self.find_prefix(build_surt_form(url)) is not None
