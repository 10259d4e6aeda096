"""The head of a response on the wire. Every head that is sent is made here, and has its security fields; which other
fields may be sent with them, and how values are cleaned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from webkeep.formats.status import NO_CONTENT, build_status_line, reason_phrase
from webkeep.replay.server.message import Response
from webkeep.replay.server.security_headers import SecurityFields, reserved_names

_BAD_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]+")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+").fullmatch


def build_head(response: Response, locks: SecurityFields, own: Sequence[str], size: int | None) -> bytes:
    """The head of an answer: every head that is sent is made here, and has its locks. `own` are lines of the wire."""
    taken = reserved_names(locks)
    lines = [build_status_line(response.status, reason_phrase(response.status) or "Archived Status"), *own]
    lines += [f"{name}: {_clean_value(value)}" for name, value in response.fields if _may_be_sent(name, taken)]
    lines += [f"{name}: {value}" for name, value in locks]
    if size is not None and response.status != NO_CONTENT:
        lines.append(f"Content-Length: {size}")
    text = "\r\n".join(lines) + "\r\n\r\n"
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


@lru_cache(4096)
def _may_be_sent(name: str, taken: frozenset[str]) -> bool:
    """Whether it is the name of a field, and of none that locks have."""
    return _NAME(name) is not None and name.lower() not in taken


def _clean_value(value: str) -> str:
    return value if value.isprintable() else _BAD_VALUE.sub(" ", value)
