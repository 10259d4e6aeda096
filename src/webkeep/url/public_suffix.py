"""Registrable domains (eTLD+1), by the public suffix list that comes with the `publicsuffixlist` package, and whether
that list knows the suffix of a host.
"""

from __future__ import annotations

import re
from functools import cache

from publicsuffixlist import PublicSuffixList

_ADDRESS = re.compile(r"\[.*|(?:.*\.)?[0-9]+", re.DOTALL).fullmatch


def registrable_domain(host: str) -> str | None:
    """The domain someone registered (`news.bbc.co.uk` is of `bbc.co.uk`); None for addresses and public suffixes."""
    lowered = host.lower().rstrip(".")
    if not lowered or _ADDRESS(lowered):
        return None
    return _suffix_list().privatesuffix(lowered)


def has_known_suffix(host: str) -> bool:
    """Whether a host is of a domain below a suffix that the list knows, as `example.org` and no `photo.png` is."""
    lowered = host.lower().rstrip(".")
    return bool(lowered) and _suffix_list().privatesuffix(lowered, accept_unknown=False) is not None


@cache
def _suffix_list() -> PublicSuffixList:
    return PublicSuffixList()
