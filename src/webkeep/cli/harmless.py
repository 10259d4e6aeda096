"""Archived text made harmless: what could move a cursor, hide text or turn it around is shown as an escape."""

from __future__ import annotations

import re

_HARMFUL = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # controls, with the escape that begins terminal commands
    "\u00ad\u061c\u200b\u200e\u200f\u2060-\u2064\ufeff"  # invisible, and marks of direction
    "\u2028-\u202e\u2066-\u206f"  # line ends, and text turned around
    "\ufff9-\ufffb\U000e0000-\U000e007f"  # annotations and tags
    "\ud800-\udfff]"  # half characters, which no encoding can print
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def harmless(text: str) -> str:
    """The text with every harmful character written as an escape such as `\\x1b`."""
    return text if text.isprintable() else _HARMFUL.sub(_escape, text)


def harmless_json(line: str) -> str:
    """The same for a line of JSON, which means the same afterwards."""
    return line if line.isprintable() else _HARMFUL.sub(_json_escape, line)


def is_plain(data: bytes) -> bool:
    """Whether bytes can go to a terminal as they are."""
    return all(line.isprintable() for line in re.split(r"[\t\r\n]+", data.decode("utf-8", "surrogateescape")))


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    return _SHORT.get(char) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def _json_escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
