"""Rules and their defaults: which answers the middleware records (scope, share, gap, size, errors), what is private,
and which fields of requests are kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from webkeep.errors import UsageError
from webkeep.url import parse_url
from webkeep.url.scope import Scope, ScopeVerdict, UrlRule, include_rule


@dataclass(frozen=True, slots=True)
class RecorderRules:
    """What a person wants recorded; without any, every answer to a GET that is nobody's own."""

    rules: tuple[UrlRule, ...] = ()
    """Made with `include_rule` and `exclude_rule` of `webkeep.url.scope`; the last that fits decides, and where none
    does it is recorded."""
    share: float = 1.0
    """The share of URLs that are recorded, chosen by their hash: what is recorded has its whole history."""
    gap: float = 0.0
    """Seconds that must lie between two records of one URL, for pages that are never the same twice."""
    max_size: int = 64 << 20
    """Larger bodies are left out."""
    partial: bool = False
    """Whether answers that are too large, or broke off, are kept as far as they came, marked as truncated."""
    errors: bool = False
    """Whether error pages are recorded at URLs that never answered well; there are as many as visitors can think of."""
    credentials: bool = False
    """Whether answers to requests with cookies or credentials are recorded; those themselves never are."""
    private: bool = False
    """Whether answers are recorded that set cookies, say that they are private or not to be stored, or have a secret
    in their URL; the cookies themselves never are."""
    origin: str = ""
    """What all URLs begin with, as in `https://example.org`; without it, whatever the request says."""
    request_fields: frozenset[str] = frozenset()
    """Request fields that are kept beside `Host` and those that the answer varies by."""
    scope: Scope = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise UsageError(f"a share of {self.share} cannot be recorded: give one from 0 to 1")
        if not (math.isfinite(self.gap) and self.gap >= 0 and self.max_size >= 0):
            raise UsageError("gap and max_size of a recorder's rules must not be negative: mend them")
        if self.origin:
            object.__setattr__(self, "origin", _parse_origin(self.origin))
        object.__setattr__(self, "request_fields", frozenset(name.lower() for name in self.request_fields))
        object.__setattr__(self, "scope", Scope([], [include_rule("*"), *self.rules]))

    def verdict(self, url: str, media_type: str, size: int | None = None) -> ScopeVerdict:
        """Whether the answer at a URL is to be recorded, or that this hangs on its size."""
        return self.scope.judge(url, media_type, size).verdict

    def is_kept_field(self, name: str, varies_by: str) -> bool:
        """Whether a request's field, named in lower case, is kept for an answer that varies by those."""
        return name == "host" or name in self.request_fields or name in varies_by.replace(",", " ").split()


def _parse_origin(text: str) -> str:
    url = parse_url(text)
    if url.scheme not in ("http", "https") or url.target != "/" or url.fragment or url.userinfo:
        raise UsageError(f"not the origin of a site: {text!r}; write it as https://example.org")
    return url.origin
