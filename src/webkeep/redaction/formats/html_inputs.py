"""HTML pages without what the `<input>` fields of their forms are filled with, under secret names."""

from __future__ import annotations

import re

from webkeep.redaction.names.secret_names import SecretNames

_INPUT = re.compile(r"<input\b[^>]{0,4096}>", re.IGNORECASE)
_NAME = re.compile(r"""\bname\s*=\s*["']?([^"'\s>]{1,200})""", re.IGNORECASE)
_VALUE = re.compile(r"""(\bvalue\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)""", re.IGNORECASE)


def redact_inputs(text: str, names: SecretNames) -> tuple[str, int]:
    """A page without the values of its fields that are secret, and how many there were."""
    count = 0

    def replace_match(match: re.Match[str]) -> str:
        nonlocal count
        name, value = _NAME.search(match[0]), _VALUE.search(match[0])
        test = names.secrecy_of(name[1]) if name is not None else None
        if test is None or value is None or not test(value[2].strip("\"'")):
            return match[0]
        count += 1
        return _VALUE.sub(r'\1"[redacted]"', match[0], count=1)

    return _INPUT.sub(replace_match, text), count
