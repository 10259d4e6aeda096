"""Percent-escapes (%41): which characters an escape may be replaced by, decoding until nothing is left to decode, and
upper case for the digits of those that stay.

Decoding can make new escapes (`%2541`, `%4%31`), so one pass is not enough to be idempotent, and passes until
nothing changes cost a square of the length on hostile text. Escapes never overlap, so the order of decoding does
not matter, and a single pass over a stack gives what any number of passes would.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping

_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_HEX = frozenset(string.hexdigits)

UNRESERVED: Mapping[int, str] = {ord(char): char for char in string.ascii_letters + string.digits + "-._~"}
"""What RFC 3986 lets be decoded without a change of meaning (section 2.3)."""

PRINTABLE: Mapping[int, str] = {
    **{code: chr(code) for code in range(0x21, 0x7F) if chr(code) not in "%?#"},
    0x20: "+",
}
"""Printable ASCII, a space as `+`; without the three that would change how the text around them is read."""

EVERY_BYTE: Mapping[int, str] = {code: chr(code) for code in range(256)}
"""All bytes, as characters of the same number."""


def decode_escapes(text: str, table: Mapping[int, str]) -> str:
    """The text with every escape the table knows replaced, those that decoding brings about included."""
    if "%" not in text:
        return text

    def replace_match(match: re.Match[str]) -> str:
        return table.get(int(match[1], 16), match[0])

    once = _ESCAPE.sub(replace_match, text)
    twice = _ESCAPE.sub(replace_match, once)
    return once if once == twice else _decode_on_stack(twice, table)


def uppercase_escapes(text: str) -> str:
    """The text with the hexadecimal digits of its escapes in upper case."""
    return _ESCAPE.sub(lambda match: match[0].upper(), text) if "%" in text else text


def _decode_on_stack(text: str, table: Mapping[int, str]) -> str:
    stack: list[str] = []
    for char in text:
        stack.append(char)
        # A decoded character may itself complete an escape begun further left.
        while len(stack) > 2 and stack[-3] == "%" and stack[-1] in _HEX and stack[-2] in _HEX:
            replacement = table.get(int(stack[-2] + stack[-1], 16))
            if replacement is None:
                break
            stack[-3:] = [replacement]
    return "".join(stack)
