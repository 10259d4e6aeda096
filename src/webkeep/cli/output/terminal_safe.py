"""Archived bytes on their way to a terminal: whether they are text without commands to it."""

from __future__ import annotations

import codecs
import re

_TERMINAL_COMMAND = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")


class TerminalGuard:
    """Looks at bytes on their way to a terminal, wherever they were cut."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def is_safe(self, piece: bytes) -> bool:
        """Whether the next bytes are text without commands to the terminal."""
        return _TERMINAL_COMMAND.search(self._decoder.decode(piece)) is None
