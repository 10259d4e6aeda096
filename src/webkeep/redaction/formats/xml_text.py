"""XML without its secrets: elements and attributes by their names, values that an element or attribute beside them
names, and what is in CDATA and comments.
"""

from __future__ import annotations

import re
from html import escape

from webkeep.redaction.formats.name_value_pairs import ValueRedactor
from webkeep.redaction.names.credential_names import ValueTest
from webkeep.redaction.names.secret_names import SecretNames
from webkeep.redaction.values import decode_references

_TOKEN = re.compile(r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|<[^<>]*>?|[^<]+", re.DOTALL)
_TAG = re.compile(r"<\s*+(/?)\s*+([^\s/<>=]++)")
_ATTRIBUTE = re.compile(r"""(?<![^\s=<>"'/])([^\s=<>"'/]++)(\s*+=\s*+)("[^"]*+"|'[^']*+'|[^\s"'<>]++)""")
_NAMING_ELEMENTS = frozenset({"key", "name", "field", "label"})
_NAMING_ATTRIBUTES = _NAMING_ELEMENTS | {"var", "id"}
_VALUE_NAMES = frozenset({"value", "val", "content"})
_PACKED_SIGN = re.compile(r"[=@%:{\[]").search
_REDACTED = "[redacted]"


class _XmlScanner:
    def __init__(self, names: SecretNames, inner: ValueRedactor) -> None:
        self._names, self._inner = names, inner
        self._open: list[tuple[str, ValueTest | None]] = []
        self._next_test: ValueTest | None = None
        """What an element that names the next one says of it."""
        self.count = 0

    def take_token(self, token: str) -> str:
        """A token, or what stands in for it."""
        if token.startswith("<![CDATA["):
            return self._redact_cdata(token, token[9:].removesuffix("]]>"))
        if token.startswith("<!--"):
            return self._redact_comment(token, token[4:].removesuffix("-->"))
        if token.startswith(("<!", "<?")):
            return token
        if token.startswith("<") and (tag := _TAG.match(token)) is not None:
            return self._redact_tag(token, bool(tag[1]), _local_name(tag[2]))
        return self._redact_text(token, decode_references(token))

    def _redact_tag(self, token: str, is_end: bool, name: str) -> str:
        if is_end:
            while self._open and self._open.pop()[0] != name:
                continue
            return token
        test = (self._open[-1][1] if self._open else None) or self._names.secrecy_of(name)
        if name.lower() not in _NAMING_ELEMENTS:
            test, self._next_test = test or self._next_test, None
        if not token.endswith("/>"):
            self._open.append((name, test or self._attribute_names(token)))
        return self._redact_attributes(token)

    def _attribute_names(self, token: str) -> ValueTest | None:
        """What an attribute that names its element says: `<string name="password">`."""
        for name, _, value in _ATTRIBUTE.findall(token):
            if (
                _local_name(name).lower() in _NAMING_ATTRIBUTES
                and (test := self._names.secrecy_of(_unquote(value))) is not None
            ):
                return test
        return None

    def _redact_attributes(self, token: str) -> str:
        named = self._attribute_names(token)

        def replace_match(match: re.Match[str]) -> str:
            name = _local_name(match[1])
            test = self._names.secrecy_of(name) or (named if name.lower() in _VALUE_NAMES else None)
            value = _unquote(match[3])
            quote = match[3][0] if match[3][0] in "\"'" else '"'
            if test is not None and test(value):
                self.count += 1
                return f"{match[1]}{match[2]}{quote}{_REDACTED}{quote}"
            redacted, found = self._inner(value, name) if _PACKED_SIGN(value) else (value, 0)
            self.count += found
            return f"{match[1]}{match[2]}{quote}{escape(redacted)}{quote}" if found else match[0]

        return _ATTRIBUTE.sub(replace_match, token) if "=" in token else token

    def _redact_cdata(self, token: str, value: str) -> str:
        redacted = self._redact_value(value)
        if redacted == _REDACTED:
            return redacted
        return token if redacted == value else f"<![CDATA[{redacted.replace(']]>', ']] >')}]]>"

    def _redact_comment(self, token: str, value: str) -> str:
        """What is commented out may be more of the same."""
        test = self._open[-1][1] if self._open else None
        if test is not None and value.strip() and test(value):
            self.count += 1
            return f"<!--{_REDACTED}-->"
        redacted, found = self._inner(value.strip(), "") if value.strip()[:1] in ("<", "{") else (value, 0)
        self.count += found
        return f"<!--{redacted}-->" if found else token

    def _redact_text(self, token: str, value: str) -> str:
        redacted = self._redact_value(value)
        return token if redacted == value else escape(redacted, quote=False)

    def _redact_value(self, value: str) -> str:
        name, test = self._open[-1] if self._open else ("", None)
        if not value.strip():
            return value
        if test is not None and test(value):
            self.count += 1
            return _REDACTED
        if name.lower() in _NAMING_ELEMENTS:
            self._next_test = self._names.secrecy_of(value.strip())
        redacted, found = self._inner(value, name) if _PACKED_SIGN(value) else (value, 0)
        self.count += found
        return redacted if found else value


def redact_xml(text: str, names: SecretNames, inner: ValueRedactor) -> tuple[str, int]:
    """A text of XML without its secrets, and how many there were; `inner` is given what elements hold."""
    scan = _XmlScanner(names, inner)
    out: list[str] = []
    for match in _TOKEN.finditer(text):
        token = scan.take_token(match[0])
        if token != _REDACTED or out[-1:] != [_REDACTED]:  # where tags are broken, one value is many
            out.append(token)
    return "".join(out), scan.count


def _local_name(name: str) -> str:
    return name.rpartition(":")[2]


def _unquote(value: str) -> str:
    return decode_references(value[1:-1] if value[0] in "\"'" else value)
