"""The fields of a multipart/form-data body: name and value of each part, as text in its charset or as bytes of a file,
and when a body is no such form.
"""

from __future__ import annotations

import re

_BOUNDARY = re.compile(r'boundary=(?:"([^"]*)"|([^;\s]*))')
_PARAMETER = re.compile(r';\s*([\w-]+)\s*=\s*("(?:\\.|[^\\"])*"|[^;\s]*)')
_CHARSET = re.compile(r'charset\s*=\s*"?([\w.:-]+)', re.IGNORECASE)
_MAX_PART_HEAD_BYTES = 8192
"""A part with a longer head is no field of a form."""
# Python knows codecs that are no charsets, and some that take time in the square of the length.
_CHARSETS = ("utf8", "utf-8", "utf-16", "ascii", "us-ascii", "latin", "iso-8859-", "windows-12", "cp125", "shift_jis")


def parse_multipart_form(content_type: str, body: bytes) -> list[tuple[str, str | bytes]] | None:
    """Name and value of each part, as text or, for a file, as bytes; None where the body is no such form."""
    match = _BOUNDARY.search(content_type)
    boundary = (match[1] or match[2] or "") if match else ""
    if not boundary:
        return None
    # The first boundary may stand at the very beginning; with a line end before it all of them look alike.
    delimiter = b"\r\n--" + boundary.encode("utf-8", "replace")
    fields: list[tuple[str, str | bytes]] = []
    for part in (b"\r\n" + body).split(delimiter)[1:]:
        if part.startswith(b"--"):
            return fields
        field = _parse_part(part)
        if field is None:
            return None
        fields.append(field)
    return None


def _parse_part(part: bytes) -> tuple[str, str | bytes] | None:
    head, empty_line, value = part.partition(b"\r\n\r\n")
    if not part.startswith(b"\r\n") or not empty_line or len(head) > _MAX_PART_HEAD_BYTES:
        return None
    try:
        headers = _parse_part_head(head.decode("utf-8"))
        disposition = headers.get("content-disposition", "")
        if not disposition.lower().startswith("form-data"):
            return None
        parameters = {name.lower(): _unquote(text) for name, text in _PARAMETER.findall(disposition)}
        name = parameters.get("name", "")
        if parameters.get("filename"):
            return name, value
        return name, value.decode(_part_charset(headers.get("content-type", "")))
    except (ValueError, LookupError):
        return None


def _part_charset(content_type: str) -> str:
    match = _CHARSET.search(content_type)
    name = match[1].lower() if match else "utf-8"
    if not name.startswith(_CHARSETS):
        raise ValueError(name)
    return name


def _parse_part_head(text: str) -> dict[str, str]:
    unfolded = re.sub(r"\r\n[ \t]+", " ", text)
    pairs = (line.partition(":") for line in unfolded.split("\r\n"))
    return {name.strip().lower(): value.strip(" \t") for name, _, value in pairs}


def _unquote(text: str) -> str:
    """Undo what browsers, and those before them, put around a parameter."""
    inner = text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
    if '\\"' in inner:
        return inner.replace("\\\\", "\\").replace('\\"', '"')
    return inner.replace("%0D", "\r").replace("%0A", "\n").replace("%22", '"')
