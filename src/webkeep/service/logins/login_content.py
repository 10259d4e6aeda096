"""What a login profile holds: cookies and local storage, as they are sealed; and its bound."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webkeep.errors import FormatError, UsageError
from webkeep.formats import read_json

MAX_CONTENT_BYTES = 8_000_000
"""Of all of it: local storage has at most 10 MB for one site, and logins take a few kilobytes of that."""


@dataclass(frozen=True, slots=True)
class LoginContent:
    """What sites gave whoever logged in; it is never shown and never printed."""

    cookies: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    """In the words of the debugging protocol."""
    stores: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    """What sites keep in a browser beside cookies, by origin."""

    @property
    def is_empty(self) -> bool:
        """Whether no site gave anything."""
        return not self.cookies and not any(self.stores.values())

    def to_bytes(self) -> bytes:
        """As it is sealed."""
        text = json.dumps({"cookies": list(self.cookies), "stores": self.stores}).encode()
        if len(text) > MAX_CONTENT_BYTES:
            raise UsageError(
                f"the sites keep {len(text):,} bytes in the browser, more than the {MAX_CONTENT_BYTES:,} that a login "
                "may have; log in to one site alone"
            )
        return text


def content_from_bytes(text: bytes) -> LoginContent:
    """What was sealed."""
    values = read_json(text)
    if not isinstance(values, dict):
        raise FormatError("what was sealed is no login")
    stores = {str(origin): {str(k): str(v) for k, v in items.items()} for origin, items in values["stores"].items()}
    return LoginContent(tuple(dict(each) for each in values["cookies"]), stores)
