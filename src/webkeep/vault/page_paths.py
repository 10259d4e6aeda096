"""Paths of pages: as file systems and applications have them, which is how a vault names pages, and as addresses spell
them, with percent signs.
"""

from __future__ import annotations

import os
import re
from urllib.parse import quote, unquote_to_bytes

_KEPT_ESCAPE = re.compile(r"(%3F)", re.IGNORECASE)
"""A question mark of a name stays escaped, as a plain one begins the query."""
_SAFE = "/:@!$&'()*+,;=~"


def decode_path(escaped: str) -> str:
    """A path with its query, as an address spells it, as pages are named; the query stays as it is."""
    path, mark, query = escaped.partition("?")
    parts = _KEPT_ESCAPE.split(path) if "%" in path else [path]
    decoded = (each if _KEPT_ESCAPE.fullmatch(each) else os.fsdecode(unquote_to_bytes(each)) for each in parts)
    return f"{''.join(decoded)}{mark}{query}"


def encode_path(name: str) -> str:
    """The name of a page as an address spells it."""
    path, mark, query = name.partition("?")
    parts = _KEPT_ESCAPE.split(path)
    encoded = (each if _KEPT_ESCAPE.fullmatch(each) else quote(os.fsencode(each), safe=_SAFE) for each in parts)
    return f"{''.join(encoded)}{mark}{query}"
