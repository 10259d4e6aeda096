"""Forms in parts (multipart/form-data) without their secrets: which parts are secret by their names, base64 undone,
whatever ends their lines and even where no boundary is declared.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

from webkeep.redaction.names.secret_names import SecretNames
from webkeep.redaction.values.escapes import decode_bytes, decode_name

PartRedactor = Callable[[bytes, str], tuple[bytes, int]]
"""Leaves secrets out of what a part holds, by its media type, and says how many."""

_BOUNDARY = re.compile(r"""\bboundary\s*=\s*(?:"([^"]{1,200})"|([^\s;,]{1,200}))""", re.IGNORECASE)
_FIRST_LINE = re.compile(rb"\s*--([^\r\n]{1,200})\r?\n")
_END_OF_HEAD = re.compile(rb"\r\n\r\n|\n\n|\r\r|\n\r\n|\r\n\n")
_PARAMETER = re.compile(r""";\s*(name|filename)(\*[0-9]*\*?)?\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;\s]*))""", re.IGNORECASE)
_CONTENT_TYPE = re.compile(r"^content-type\s*:[ \t]*([^\r\n]+(?:\r?\n[ \t]+[^\r\n]+)*+)", re.IGNORECASE | re.MULTILINE)
_BASE64_FIELD = re.compile(r"^content-transfer-encoding\s*:\s*base64", re.IGNORECASE | re.MULTILINE)
_EXTENDED = re.compile(r"[\w-]*'[\w-]*'")
_FILE_TYPE = "application/octet-stream"
_REDACTED = b"[redacted]"


def redact_parts(
    data: bytes, content_type: str, names: SecretNames, part_redacted: PartRedactor
) -> tuple[bytes, int] | None:
    """The parts without what is secret in them, and how much that was; None where no parts can be made out."""
    boundary = _find_boundary(data, content_type)
    if boundary is None:
        return None
    delimiter = re.compile(rb"(?:\A|\r\n|\n|\r)--" + re.escape(boundary) + rb"(?:--)?[ \t]*(?=\r|\n|\Z)")
    cuts = [(match.start(), match.end()) for match in delimiter.finditer(data)]
    if not cuts:
        return None
    out, count = [data[: cuts[0][0]]], 0
    for (start, end), (following, _) in zip(cuts, [*cuts[1:], (len(data), 0)], strict=True):
        part, found = _redact_part(data[end:following], names, part_redacted)
        out += (data[start:end], part)
        count += found
    return b"".join(out), count


def _find_boundary(data: bytes, content_type: str) -> bytes | None:
    match = _BOUNDARY.search(content_type)
    named = (match[1] or match[2]).encode("utf-8", "replace") if match else b""
    if named and b"--" + named in data:
        return named
    first = _FIRST_LINE.match(data)
    return first[1].rstrip() if first is not None else None


def _redact_part(part: bytes, names: SecretNames, part_redacted: PartRedactor) -> tuple[bytes, int]:
    end = _END_OF_HEAD.search(part)
    if end is None:
        return part, 0
    head, content = decode_bytes(part[: end.start()]), part[end.end() :]
    parameters = {match[1].lower(): _parameter_value(match) for match in _PARAMETER.finditer(head)}
    test = names.secrecy_of(parameters.get("name", ""))
    if content.strip() and test is not None and test(decode_bytes(content).strip()):
        return part[: end.end()] + _REDACTED, 1
    kind = _CONTENT_TYPE.search(head)
    content_type = kind[1].strip() if kind else _FILE_TYPE if parameters.get("filename") else "text/plain"
    if _BASE64_FIELD.search(head):
        return _redact_base64_part(part, end.end(), content_type, part_redacted)
    redacted, count = part_redacted(content, content_type)
    return part[: end.end()] + redacted, count


def _redact_base64_part(part: bytes, begin: int, content_type: str, part_redacted: PartRedactor) -> tuple[bytes, int]:
    try:
        redacted, count = part_redacted(base64.b64decode(part[begin:]), content_type)
    except ValueError:
        return part, 0
    return (part[:begin] + base64.b64encode(redacted), count) if count else (part, 0)


def _parameter_value(match: re.Match[str]) -> str:
    text = match[3] if match[3] is not None else match[4] or ""
    if match[2]:
        text = _EXTENDED.sub("", text, count=1)
    return decode_name(re.sub(r"\\(.)", r"\1", text))
