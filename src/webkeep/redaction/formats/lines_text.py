"""Lines of text without their secrets: `password: x`, `password = x`, exports of .env files, fields of heads, and YAML
with what is below.
"""

from __future__ import annotations

import re

from webkeep.redaction.formats.name_value_pairs import LINE_VALUE, ValueRedactor, redact_pairs
from webkeep.redaction.names.secret_names import SecretNames

_LINE = re.compile(
    r"""([ \t]*+(?:(?:[-*>]|export|set|SET)[ \t]++)?)(["']?)([$@]?\w[\w.\[\]-]{0,80}+(?:[ ][\w.-]{1,40}+){0,2}+)\2"""
    r"""([ \t]*+(?:=>|[:=])[ \t]*+|\t++)(.*)""",
    re.DOTALL,
)
_ONE_WORD = re.compile(r"(?:(?:Bearer|Basic|Token|Digest|Negotiate)[ ])?\S+[ \t]*+", re.IGNORECASE)
_BLOCK_START = re.compile(r"(?:[|>][+-]?[0-9]?)?[ \t]*+")
_LINE_END = re.compile(r"[\r\n]*\Z")
_REDACTED = "[redacted]"


def redact_lines(text: str, names: SecretNames, inner: ValueRedactor) -> tuple[str, int]:
    """Lines without their secrets, and how many there were."""
    lines = _LineScanner(names, inner)
    return "".join([lines.take_line(line) for line in re.split(r"(?<=\n)", text)]), lines.count


def redact_named_value(text: str, names: SecretNames) -> tuple[str, int]:
    """The same for a value that may be such a line, and prose as well: one word behind the name of one word."""
    match = _LINE.fullmatch(text)
    if match is None or " " in match[3] or not _ONE_WORD.fullmatch(match[5]) or "=" in match[4]:
        return text, 0
    test = names.secrecy_of(match[3])
    return (text[: match.start(5)] + _REDACTED, 1) if test is not None and test(match[5]) else (text, 0)


class _LineScanner:
    def __init__(self, names: SecretNames, inner: ValueRedactor) -> None:
        self._names, self._inner = names, inner
        self._below = -1
        """How far a secret name is indented that has its value in the lines below it."""
        self.count = 0

    def take_line(self, line: str) -> str:
        """A line, or what stands in for it."""
        end = line[_LINE_END.search(line).start() :]  # type: ignore[union-attr]
        body = line[: len(line) - len(end)]
        if self._is_below(body):
            return self._replace_from(body, len(body) - len(body.lstrip())) + end
        match = _LINE.fullmatch(body)
        if match is not None and (redacted := self._redact_named(match)) is not None:
            return redacted + end
        if body.lstrip()[:1] in ("{", "["):
            body, found = self._inner(body, "")
        else:
            body, found = redact_pairs(body, LINE_VALUE, self._names, self._inner, _REDACTED, anywhere=False)
        self.count += found
        return body + end

    def _redact_named(self, match: re.Match[str]) -> str | None:
        test = self._names.secrecy_of(match[3])
        if test is None or "&" in match[5]:
            return None
        if _BLOCK_START.fullmatch(match[5]) and ":" in match[4]:
            self._below = len(match[1])
            return match[0]
        value = match[5].strip().strip("\"'")
        return self._replace_from(match[0], match.start(5)) if test(value) else None

    def _is_below(self, line: str) -> bool:
        if self._below < 0 or not line.strip():
            return False
        if len(line) - len(line.lstrip(" \t")) > self._below:
            return True
        self._below = -1
        return False

    def _replace_from(self, line: str, begin: int) -> str:
        if line[begin:].strip() == _REDACTED:
            return line
        self.count += 1
        return line[:begin] + _REDACTED
