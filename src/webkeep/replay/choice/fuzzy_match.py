"""Likeness of URLs (fuzzy matching): which differ only in cache-busters, in the name of a JSONP callback or in redacted
values; and how a callback is replaced in the answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote_plus

from webkeep.url import UrlMatch, key_range

_CACHE_BUSTER_NAMES = frozenset(
    {
        "_", "__", "cachebuster", "cache_buster", "cachebust", "nocache", "no_cache", "no-cache", "bust", "buster",
        "rnd", "rand", "random", "nonce", "requestid", "_dc", "_ts", "_t", "_r",
    }
)  # fmt: skip
_MAYBE_BUSTER_NAMES = frozenset({"cb", "cache", "r", "ord", "t", "ts", "time", "timestamp", "uid"})
"""Names that cache-busters often have, and other things too: these must look like chance."""
_CALLBACK_NAMES = frozenset({"callback", "jsonp", "jsoncallback", "cb", "jsonpcallback", "_callback"})
# Milliseconds or seconds since 1970 in this century, and what Math.random gives.
_RANDOM_VALUE = re.compile(r"1[0-9]{9}(?:[0-9]{3}(?:\.[0-9]+)?)?|0\.[0-9]{6,}|[0-9]\.[0-9]+e-[0-9]+")
_GENERATED_NAME = re.compile(r"(?:jQuery|jsonp|callback|cb|json|__)[A-Za-z]*_?[0-9]+[_0-9]*", re.IGNORECASE)
_REDACTED_VALUES = frozenset({"redacted", "[redacted]", "%5Bredacted%5D"})
"""What recordings have in place of secrets, in addresses and in what was sent."""
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$.\[\]]{0,127}")


@dataclass(frozen=True, slots=True)
class FuzzyUrl:
    """A URL as far as it says what is wanted."""

    before: str
    """All before the query."""
    parameters: tuple[str, ...]
    """The parameters that count, sorted."""
    callback: str = ""
    """The name that the answer is to call."""


def fuzzy_url(url: str) -> FuzzyUrl:
    """The URL without its cache-busters and callback names."""
    before, _, query = url.partition("#")[0].partition("?")
    counted: list[str] = []
    callback = ""
    for parameter in query.split("&"):
        name, _, value = parameter.partition("=")
        lowered, text = unquote_plus(name).lower(), unquote_plus(value)
        if lowered in _CALLBACK_NAMES and _IDENTIFIER.fullmatch(text):
            callback = callback or text
        elif parameter and not _is_cache_buster(lowered, text):
            counted.append(parameter)
    return FuzzyUrl(before, tuple(sorted(counted)), callback)


def are_same_parameters(held: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether held parameters are those asked with; what a recording left out as a secret may have been anything."""
    if held == asked:
        return True
    left, kept = Counter(asked), [each for each in held if each.partition("=")[2] not in _REDACTED_VALUES]
    left.subtract(kept)
    if len(held) != len(asked) or min(left.values(), default=0) < 0:
        return False
    secrets = sorted(each.partition("=")[0] for each in held if each.partition("=")[2] in _REDACTED_VALUES)
    return secrets == sorted(each.partition("=")[0] for each in left.elements())


def _is_cache_buster(name: str, text: str) -> bool:
    """Whether a parameter is a cache-buster: by its value alone, or by its name."""
    if _RANDOM_VALUE.fullmatch(text) or (not text and _RANDOM_VALUE.fullmatch(name)):  # jQuery's way: a bare number
        return True
    digits = sum(char.isdigit() for char in text)
    return name in _CACHE_BUSTER_NAMES or (
        name in _MAYBE_BUSTER_NAMES and (digits * 2 >= len(text) or _GENERATED_NAME.fullmatch(text) is not None)
    )


def fuzzy_key_range(url: str) -> tuple[str, str]:
    """The range of keys in which what is like a URL can be filed: the same path with any query."""
    bare = url.partition("#")[0].partition("?")[0]
    low, _ = key_range(bare, UrlMatch.EXACT)
    return low, low + "@"  # `?` and all that may follow it come before


def replace_callback(content: bytes, old: str, new: str) -> bytes:
    """A script that calls one function, made to call another."""
    if not old or not new or old == new:
        return content
    return re.sub(
        rb"\A(\s*(?:/\*.*?\*/\s*)?(?:typeof\s+)?)" + re.escape(old.encode()) + rb"(?=\s*(?:\(|&&|===))",
        lambda match: match[1] + new.encode(),
        content,
        count=1,
        flags=re.DOTALL,
    )
