"""Text that anybody may have written, with nothing hidden in it: which characters could move a cursor, hide text or
turn it around (controls, zero-width and bidirectional marks), and the escapes they are shown as.
"""

from __future__ import annotations

import codecs
import re

_UNSAFE_CHARACTER = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # controls, with the escape that begins terminal commands
    "\u00ad\u061c\u200b\u200e\u200f\u2060-\u2064\ufeff"  # invisible, and marks of direction
    "\u2028-\u202e\u2066-\u206f"  # line ends, and text turned around
    "\ufff9-\ufffb\U000e0000-\U000e007f"  # annotations and tags
    "\ud800-\udfff]"  # half characters, which no encoding can print
)
_TERMINAL_COMMAND = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LAYOUT = frozenset("\n\t")
"""White space that a page may have anywhere, and that hides nothing there."""


def escape_controls(text: str) -> str:
    """The text with every harmful character written as an escape of its number."""
    return text if text.isprintable() else _UNSAFE_CHARACTER.sub(_escape_match, text)


def escape_controls_in_lines(text: str) -> str:
    """The same for text of several lines, whose ends and tabs stay."""
    if text.isprintable():
        return text
    return _UNSAFE_CHARACTER.sub(lambda match: match[0] if match[0] in _LAYOUT else _escape_match(match), text)


def escape_json_controls(line: str) -> str:
    """The same for a line of JSON, which means the same afterwards."""
    return line if line.isprintable() else _UNSAFE_CHARACTER.sub(_escape_json_match, line)


class TerminalGuard:
    """Looks at bytes on their way to a terminal, wherever they were cut."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def is_safe(self, piece: bytes) -> bool:
        """Whether the next bytes are text without commands to the terminal."""
        return _TERMINAL_COMMAND.search(self._decoder.decode(piece)) is None


def _escape_match(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return _SHORT_ESCAPES.get(match[0]) or f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_json_match(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
