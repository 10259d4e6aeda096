"""Request heads without their secrets, for records that others may read."""

from __future__ import annotations

import re

_SECRETS = re.compile(
    rb"^((?:authorization|proxy-authorization|cookie)[ \t]*:[ \t]*)[^\r\n]*", re.IGNORECASE | re.MULTILINE
)


def redacted(head: bytes) -> bytes:
    """The head with the values of credentials and cookies replaced."""
    return _SECRETS.sub(rb"\1[redacted]", head)
