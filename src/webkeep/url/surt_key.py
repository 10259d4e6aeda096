"""Lookup keys: the SURT (urlkey) under which CDX indexes of web archives file a URL (`org,foo)/bar?a=1&b=2`), and which
URLs are plain enough to get theirs the quick way.

Almost all URLs are plain, and for those a few checks replace most of the rules: the site's key is remembered, and path
and query need only lower case and sorting, which takes 1.9 µs instead of 10 (`bench.quick_paths`). Everything else
takes the complete way of `surt_key_rules`; `test_a_key_is_one_word_of_ascii_whatever_the_text` holds both to the same.
"""

from __future__ import annotations

import re
from functools import lru_cache

from webkeep.url.surt_key_rules import complete_surt, sort_parameters

_PLAIN_SITE = re.compile(r"https?://[A-Za-z0-9_.-]+(?::[0-9]+)?").fullmatch
# Escapes that come back as they are once decoded and escaped again: of a space, `#`, controls and bytes beyond ASCII.
_ESCAPE = "%(?:20|23|7[Ff]|[01][0-9A-Fa-f]|[89A-Fa-f][0-9A-Fa-f])"
# Printable ASCII that neither decoding nor escaping changes; no parenthesis in paths, where sessions hide in them.
_PATH_TEXT = r"""[!"$&')-;<=>@-~]*"""
_QUERY_TEXT = r"""[!"$&-~]*"""
_PLAIN_REST = re.compile(
    rf"(/{_PATH_TEXT}(?:{_ESCAPE}{_PATH_TEXT})*)(?:\?({_QUERY_TEXT}(?:{_ESCAPE}{_QUERY_TEXT})*))?(?:#.*)?\Z", re.DOTALL
).match
_MAX_CACHED_SITE_CHARS = 300
"""Longer sites are not remembered: no host's name is longer than 253 characters."""


def surt(url: str) -> str:
    """The lookup key of a URL: one word of ASCII, the same for all spellings that archives take for one page."""
    return _plain_surt(url) or "".join(complete_surt(url))


def _plain_surt(url: str) -> str | None:
    slash = url.find("/", 8)
    if not 0 < slash <= _MAX_CACHED_SITE_CHARS:
        return None
    site = _plain_site_surt(url[:slash])
    match = _PLAIN_REST(url, slash) if site else None
    if match is None:
        return None
    path, query = match.groups()
    if "//" in path or "/." in path:
        return None
    if len(path) > 1 and path.endswith("/"):
        path = path[:-1]
    if not query:
        return f"{site}{path.lower()}"
    query = query.lower()
    if "sid=" in query or "sessionid" in query or "cfid=" in query:
        return None
    return f"{site}{path.lower()}?{sort_parameters(query) if '&' in query else query}"


@lru_cache(8192)
def _plain_site_surt(site: str) -> str:
    """What the keys of all plain URLs of a site begin with; nothing where that cannot be told by the site alone."""
    return complete_surt(f"{site}/")[0] if _PLAIN_SITE(site) else ""
