"""The custody log: what was done with the evidence, when and by whom, each line with the digest of the one before, so
that none is changed, left out or put in afterwards unseen.
"""

from __future__ import annotations

import hashlib
import json

from webkeep.model import Clock

_NO_DIGEST = "0" * 64
"""What stands for the line before the first."""


class CustodyLog:
    """Lines of JSON, in the order in which things were done."""

    def __init__(self, clock: Clock, operator: str) -> None:
        self._clock = clock
        self._operator = operator or "not named"
        self._last = _NO_DIGEST
        self._lines: list[bytes] = []

    def note(self, action: str, **facts: object) -> None:
        """Something was done."""
        value = {"moment": self._clock.now().iso(), "operator": self._operator, "action": action, **facts}
        line = json.dumps({**value, "previous": self._last}, ensure_ascii=False).encode("utf-8", "replace")
        self._last = hashlib.sha256(line).hexdigest()
        self._lines.append(line)

    def render(self) -> bytes:
        """The log as a file."""
        return b"".join(line + b"\n" for line in self._lines)
