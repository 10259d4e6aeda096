"""Heads of requests and responses without their secrets: fields by their names (Cookie, Authorization), which fields
are URLs (Referer, Location), and tokens beside the protocols of a WebSocket.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from webkeep.redaction.formats.name_value_pairs import REDACTED_IN_URL
from webkeep.redaction.names.credential_names import may_hold_credentials
from webkeep.redaction.names.secret_names import SecretNames
from webkeep.redaction.text_redactor import REDACTED, TextRedactor
from webkeep.redaction.values.escapes import decode_bytes

_URL_FIELDS = frozenset(
    {
        "referer", "location", "content-location", "destination", "origin", "uri", "sourcemap", "x-sourcemap",
        "x-original-url", "x-rewrite-url", "x-forwarded-uri", "x-forwarded-url", "x-request-uri", "x-wap-profile",
    }
)  # fmt: skip
"""Fields whose value is a URL from its first letter to its last."""
_WORD = r"[a-z]{1,20}(?:[0-9]{1,3}[a-z]{0,3})?"
_PROTOCOL_NAME = re.compile(rf"(?=.{{1,50}}$){_WORD}(?:[.+_/-](?:{_WORD}|[0-9]{{1,3}}))*")
"""What protocols within a WebSocket are called: small words, and numbers of versions.

Pages put tokens beside them, as no other field is theirs to set; those are neither.
"""
_PUBLIC_PARAMETER_FIELDS = frozenset({"signature", "signature-input", "public-key-pins", "public-key-pins-report-only"})
"""Fields whose parameters are for everyone to check."""
_SUBPROTOCOL = "sec-websocket-protocol"
_FIELD = re.compile(r"([^:\r\n]*):([ \t]*)((?:[^\r\n]|\r?\n[ \t]+)*)")
_FOLD = re.compile(r"\r?\n[ \t]+")
_MAX_CLEAN_LINE_BYTES, _MAX_CLEAN_LINES = 200, 4096
"""Lines found clean are remembered, for most heads of a site are made of the same: 0.8 MB at most."""


class HeadRedactor:
    """Leaves secrets out of heads, each with how many there were."""

    def __init__(self, names: SecretNames, text: TextRedactor, words: tuple[bytes, ...] | None = None) -> None:
        """With `words`, nothing is secret but what has one of them in it, or is on the list of credentials."""
        self._names, self._text, self._words = names, text, words
        self._clean_lines: set[bytes] = set()
        """Lines that have nothing to hide; the same come again and again."""

    def redact_request(self, head: bytes) -> tuple[bytes, int]:
        """The head of a request."""
        return self._redact_head(head, in_response=False)

    def redact_response(self, head: bytes) -> tuple[bytes, int]:
        """The head of a response."""
        return self._redact_head(head, in_response=True)

    def redact_value(self, name: str, value: str, in_response: bool) -> tuple[str, int]:
        """The value of a field."""
        lowered = name.strip().lower()
        if lowered == _SUBPROTOCOL:
            return self._redact_subprotocols(value)
        test = self._names.header_secrecy_of(lowered, in_response)
        if test is not None and test(value):
            return REDACTED, 1
        if lowered in _PUBLIC_PARAMETER_FIELDS:
            return value, 0
        return self._text.redact_target(value) if lowered in _URL_FIELDS else self._text.redact_field(value)

    def _redact_head(self, head: bytes, in_response: bool) -> tuple[bytes, int]:
        lines = head.split(b"\n")
        has_known = self._text.has_known and self._text.holds_known(decode_bytes(head))
        if self._words is not None and b"\n " not in head and b"\n\t" not in head:
            suspects = [
                at
                for at, line in enumerate(lines)
                if (has_known or line not in self._clean_lines) and self._is_suspect(line, has_known)
            ]
        else:
            lines = list(_join_folded_lines(head))
            suspects = list(range(len(lines)))
        count = 0
        for at in suspects:
            lines[at], found = self._redact_line(lines[at], at == 0, in_response)
            count += found
        return (b"\n".join(lines), count) if count else (head, 0)

    def _is_suspect(self, line: bytes, has_known: bool) -> bool:
        if has_known and self._text.holds_known(decode_bytes(line)):
            return True
        if line in self._clean_lines:
            return False
        if may_hold_credentials(line, self._words or ()):
            return True
        if len(line) <= _MAX_CLEAN_LINE_BYTES:
            if len(self._clean_lines) >= _MAX_CLEAN_LINES:
                self._clean_lines.clear()
            self._clean_lines.add(line)
        return False

    def _redact_line(self, line: bytes, is_first: bool, in_response: bool) -> tuple[bytes, int]:
        text = decode_bytes(line)
        redacted, count = (text, 0) if is_first else self._redact_named(text, in_response)
        if not count:
            redacted, count = self._text.hide_known(text, REDACTED_IN_URL)
            read = self._redact_first_line if is_first else self._redact_field
            redacted, more = read(redacted, in_response)
            count += more
        if not count:
            return line, 0
        try:
            return redacted.encode("utf-8" if text.encode() == line else "latin-1"), count
        except UnicodeEncodeError:
            return redacted.encode(), count

    def _redact_first_line(self, line: str, in_response: bool) -> tuple[str, int]:
        if in_response:
            return line, 0
        method, space, rest = line.partition(" ")
        target, between, version = rest.rpartition(" ")
        if not between or not version.upper().startswith("HTTP"):
            target, between, version = rest.rstrip("\r\n"), "", rest[len(rest.rstrip("\r\n")) :]
        redacted, count = self._text.redact_target(target)
        return f"{method}{space}{redacted}{between}{version}", count

    def _redact_named(self, line: str, in_response: bool) -> tuple[str, int]:
        """A field without its value where that is secret by the name, whether or not its value is known besides."""
        match = _FIELD.match(line)
        test = self._names.header_secrecy_of(match[1].strip().lower(), in_response) if match is not None else None
        if match is None or test is None or not test(_FOLD.sub(" ", match[3])):
            return line, 0
        return f"{match[1]}:{match[2]}{REDACTED}{line[match.end() :]}", 1

    def _redact_field(self, line: str, in_response: bool) -> tuple[str, int]:
        match = _FIELD.match(line)
        if match is None:
            return line, 0
        value = _FOLD.sub(" ", match[3])
        redacted, count = self.redact_value(match[1], value, in_response)
        return (f"{match[1]}:{match[2]}{redacted}{line[match.end() :]}", count) if count else (line, 0)

    def _redact_subprotocols(self, value: str) -> tuple[str, int]:
        names = [each.strip() for each in value.split(",")]
        test = self._names.header_secrecy_of("authorization", in_response=False)
        if test is None:
            return value, 0
        kept = [each if _PROTOCOL_NAME.fullmatch(each) or not test(each) else REDACTED for each in names]
        return ", ".join(kept), sum(old != new for old, new in zip(names, kept, strict=True))


def _join_folded_lines(head: bytes) -> Iterator[bytes]:
    """The lines without their ends, each with those that are folded behind it."""
    held: list[bytes] = []
    for line in head.split(b"\n"):
        if held and line[:1] not in (b" ", b"\t"):
            yield b"\n".join(held)
            held.clear()
        held.append(line)
    yield b"\n".join(held)
