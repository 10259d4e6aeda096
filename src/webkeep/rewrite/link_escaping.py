"""Spelling: how a new address is escaped where an old one stood (attribute, CSS, script string, JSON, srcset, header),
in ASCII, which every charset has.
"""

from __future__ import annotations

import re
from urllib.parse import quote

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_QUOTE_ENTITIES = {'"': "&quot;", "'": "&#39;"}
_CSS_STRING_UNSAFE = re.compile(r"""["'\\\n\r\f<]|[^\x00-\x7f]""")
_CSS_BARE_UNSAFE = re.compile(r"""[\s"'()\\<]|[^\x00-\x7f]""")
_SCRIPT_UNSAFE = re.compile(r"[\\\n\r\u2028\u2029]|[^\x00-\x7f]")
_PLAIN_UNSAFE = re.compile(r"[\s\"'<>`]|[^\x00-\x7f]")


def escape_attribute(text: str, quotes: str) -> str:
    """The value of an HTML or XML attribute between quotes."""
    escaped = text.replace("&", "&amp;") if "&" in text else text
    if quotes in escaped:
        escaped = escaped.replace(quotes, _QUOTE_ENTITIES[quotes])
    if "<" in escaped:  # right in HTML, but not in XML
        escaped = escaped.replace("<", "&lt;")
    return escaped if escaped.isascii() else _BEYOND_ASCII.sub(lambda sign: f"&#{ord(sign[0])};", escaped)


def escape_markup(text: str) -> str:
    """Text between tags."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return escaped if escaped.isascii() else _BEYOND_ASCII.sub(lambda sign: f"&#{ord(sign[0])};", escaped)


def escape_style_address(text: str, before: str) -> str:
    """An address in CSS; `before` is the sign it stands behind, which tells whether it is quoted."""
    pattern = _CSS_STRING_UNSAFE if before and before in "\"'" else _CSS_BARE_UNSAFE
    return pattern.sub(_css_escape, text)


def escape_script_string(text: str, quotes: str) -> str:
    """The inside of a string in a script, safe within a script element."""
    escaped = _SCRIPT_UNSAFE.sub(_script_escape, text)
    escaped = escaped.replace("</", "<\\/").replace("<!--", "<\\!--")
    if quotes and quotes in "\"'`":
        escaped = escaped.replace(quotes, f"\\{quotes}")
    return escaped.replace("${", "\\${") if quotes == "`" else escaped


def escape_json_string(text: str) -> str:
    """The inside of a string in JSON, safe within a script element."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("</", "<\\/")
    return re.sub(r"[\x00-\x1f]|[^\x00-\x7f]", _json_escape, escaped)


def escape_plain_address(text: str) -> str:
    """An address where nothing can be quoted: in header fields, playlists, lists of candidates."""
    return _PLAIN_UNSAFE.sub(lambda sign: quote(sign[0].encode("utf-8", "replace"), safe=""), text)


def escape_candidate(text: str) -> str:
    """An address among image candidates, which must not begin or end in a comma."""
    address = escape_plain_address(text)
    inner = address.strip(",")
    if inner == address:
        return address
    before, _, after = address.partition(inner) if inner else (address, "", "")
    return before.replace(",", "%2C") + inner + after.replace(",", "%2C")


def _css_escape(sign: re.Match[str]) -> str:
    char = sign[0]
    return f"\\{ord(char):x} " if char.isspace() or char == "<" or not char.isascii() else f"\\{char}"


def _script_escape(sign: re.Match[str]) -> str:
    char = sign[0]
    if char == "\\":
        return "\\\\"
    if char in "\n\r":
        return "\\n" if char == "\n" else "\\r"
    return _utf16_escape(char)


def _json_escape(sign: re.Match[str]) -> str:
    return _utf16_escape(sign[0])


def _utf16_escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
