"""`name=value` in URLs, forms and texts: what stands behind a secret name, or as password before a host, is left out
however it is escaped; where values end, and what other parameters say of a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from webkeep.redaction.names.credential_names import ValueTest, is_meaningful
from webkeep.redaction.names.secret_names import SecretNames
from webkeep.redaction.values.escapes import decode_name, decode_percent, encode_percent

REDACTED_IN_URL = "redacted"
"""What stands in for a value in a URL."""

FORM_VALUE = re.compile(r"[^&]*")
LINE_VALUE = re.compile(r"[^&\r\n]*")
TARGET_VALUE = re.compile(r"(?:(?!;[\w.\[\]%-]+=)[^&#])*")
TEXT_VALUE = re.compile(r""""[^"]*"?|'[^']*'?|(?:(?!;[\w.\[\]%-]+=)[^&#\s<>"'\\])*""")
"""Where values end, by what they stand in: a form, one of lines, a URL, any text."""

ValueRedactor = Callable[[str, str], tuple[str, int]]
"""Leaves secrets out of a decoded value, which has a name, and says how many."""

_LETTER = r"""[^=&;#?\s,<>"'/\\|]"""
_NAME = re.compile(rf"(?<!{_LETTER})({_LETTER}++)=")  # from where it begins, or a long row of letters takes its square
_USERINFO = re.compile(rf"""(?<=//)([^/?#\s@"'<>:]*):(?!{REDACTED_IN_URL}@)[^/?#\s"'<>]*@""")
_PATH_PARAMETER = re.compile(r"[^&#;?/\s]*")
_NESTED_STARTS = ("{", "[", "<")
_PASSWORD_RESET = re.compile(r"action=(?:rp|resetpass)(?![^&#])").search
"""How WordPress asks for a new password, with a key that lets anyone set it."""
_PIXEL_HEIGHT = re.compile(r"(?<![^?&;])ph=[0-9]{1,5}(?![^&#;])").search
_PIXEL_WIDTH = re.compile(r"[0-9]{1,5}").fullmatch
_BEFORE_PAIR = "?&#;"


def redact_pairs(
    text: str,
    ends: re.Pattern[str],
    names: SecretNames,
    inner: ValueRedactor,
    word: str = REDACTED_IN_URL,
    anywhere: bool = True,
) -> tuple[str, int]:
    """A text without the values of secret names; without `anywhere`, names count only where a query could have them."""
    text, count = _USERINFO.subn(rf"\1:{REDACTED_IN_URL}@", text) if "@" in text else (text, 0)
    if "=" not in text:
        return text, count
    pairs = _PairValues(text, ends)
    out: list[str] = []
    at = 0
    for match in _NAME.finditer(text):
        if match.start() < at or not (anywhere or _begins_pair(text, match.start())):
            continue
        begin, test = match.end(), pairs.secrecy_of(match[1], names)
        if test is not None and test(decode_percent(pairs.read_value(match).strip("\"'"), plus=True)):
            new, found = _keep_quotes(word, pairs.read_value(match)), 1
        elif pairs.is_nested(match):
            new, found = _redact_nested(pairs.read_value(match), match[1], inner)
        else:
            continue
        out += (text[at:begin], new)
        at, count = pairs.value_end(match), count + found
    out.append(text[at:])
    return "".join(out), count


class _PairValues:
    """The values in a text, each looked for once."""

    def __init__(self, text: str, ends: re.Pattern[str]) -> None:
        self._text, self._ends = text, ends
        self._is_grant = "code=" in text and "state=" in text
        self._is_reset = "key=" in text and _PASSWORD_RESET(text) is not None
        self._is_sized = "pw=" in text and _PIXEL_HEIGHT(text) is not None
        self._question = text.find("?") if ends is not FORM_VALUE else -1
        self._end = self._percent = 0

    def secrecy_of(self, name: str, names: SecretNames) -> ValueTest | None:
        decoded = decode_name(name)
        # A code beside a state is what a login server sends a person back with (RFC 6749, 4.1.2).
        if (self._is_grant and decoded == "code") or (self._is_reset and decoded == "key"):
            decoded = f"auth_{decoded}"
        if self._is_sized and decoded == "pw":
            return _is_not_width
        return names.url_secrecy_of(decoded) if self._ends in (TARGET_VALUE, TEXT_VALUE) else names.secrecy_of(decoded)

    def value_end(self, match: re.Match[str]) -> int:
        begin = match.end()
        if begin < self._end:  # within another value
            return self._end
        found = (_PATH_PARAMETER if self._is_in_path(match.start()) else self._ends).match(self._text, begin)
        self._end = found.end() if found is not None else begin
        return self._end

    def read_value(self, match: re.Match[str]) -> str:
        return self._text[match.end() : self.value_end(match)]

    def is_nested(self, match: re.Match[str]) -> bool:
        """Whether a value has more in it than can be read as it stands."""
        if self._text.startswith(_NESTED_STARTS, match.end()):
            return True
        if self._percent >= 0 and self._percent < match.end():
            self._percent = self._text.find("%", match.end())
        return 0 <= self._percent < self.value_end(match) if self._percent >= 0 else False

    def _is_in_path(self, at: int) -> bool:
        is_behind = at > 0 and self._text[at - 1] == ";" and self._ends in (TARGET_VALUE, TEXT_VALUE)
        return is_behind and (self._question < 0 or at < self._question)


def _is_not_width(value: str) -> bool:
    """Whether what stands beside a height is something else."""
    return is_meaningful(value) and _PIXEL_WIDTH(value) is None


def _keep_quotes(word: str, value: str) -> str:
    """A word in the quotes that the value stood in."""
    quote = value[:1]
    return f"{quote}{word}{quote}" if quote in ("'", '"') and value.endswith(quote) and len(value) > 1 else word


def _begins_pair(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] in _BEFORE_PAIR


def _redact_nested(value: str, name: str, inner: ValueRedactor) -> tuple[str, int]:
    decoded = decode_percent(value, plus="%" in value)
    redacted, count = inner(decoded, decode_name(name))
    if not count:
        return value, 0
    return (redacted if decoded == value else encode_percent(redacted)), count
