"""Refresh: the address in a `Refresh` field or a `meta` http-equiv refresh element that stands for one; its delay is
passed over.
"""

from __future__ import annotations

import re

_REFRESH = re.compile(r"""\s*+[\d.]*+[\s;,]*+(?:url\s*+=\s*+)?""", re.IGNORECASE)


def refresh_span(value: str) -> tuple[int, int] | None:
    """Where the address begins and ends; None where the page only reloads itself."""
    match = _REFRESH.match(value)
    start = match.end() if match else 0
    quote = value[start : start + 1]
    if quote in ('"', "'"):
        closing = value.find(quote, start + 1)
        start, end = start + 1, len(value) if closing < 0 else closing
    else:
        end = len(value)
    text = value[start:end]
    start += len(text) - len(text.lstrip())
    end = start + len(text.strip())
    return (start, end) if end > start else None
