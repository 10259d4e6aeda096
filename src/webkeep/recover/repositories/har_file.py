"""HAR files: what a browser's developer tools saved of the answers it got; which entries are taken, which fields are
dropped because bodies come decoded, and how large a file may be.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from webkeep.errors import UsageError
from webkeep.formats import read_json
from webkeep.formats.http import ResponseHead
from webkeep.model import BytesBody, Exchange, Finding, Headers, Moment
from webkeep.recover.repositories.original_head import build_head
from webkeep.url import normalize_url
from webkeep.url.canonical import FETCH_IDENTITY

FindingListener = Callable[[Finding], None]

_MAX_FILE_BYTES = 1 << 30
"""A HAR file is read as one JSON value, at several times its size in memory."""
_CODING_FIELDS = ("content-encoding", "transfer-encoding", "content-length")


def read_exchanges(path: Path, tell: FindingListener) -> Iterator[Exchange]:
    """The answers in a HAR file that have their content; what cannot be taken is told."""
    for number, entry in enumerate(_read_entries(path)):
        exchange = _build_exchange(entry) if isinstance(entry, dict) else None
        if exchange is not None:
            yield exchange
        else:
            message = f"entry {number} has no response with content; left out"
            tell(Finding("har-passed-over", str(path), number, message))


def _read_entries(path: Path) -> list[Any]:
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise UsageError(f"{path} is larger than {_MAX_FILE_BYTES >> 30} GB; split it")
        log = read_json(path.read_bytes())["log"]["entries"]
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its name") from error
    except (KeyError, TypeError) as error:
        raise UsageError(f"{path} is no HAR file (no log with entries); save it again") from error
    if not isinstance(log, list):
        raise UsageError(f"{path} is no HAR file (no list of entries); save it again")
    return log


def _build_exchange(entry: dict[str, Any]) -> Exchange | None:
    try:
        request, response = entry["request"], entry["response"]
        url, status, kept = normalize_url(str(request["url"])), int(response["status"]), response["content"]
        data = _decode_body(kept)
        moment = Moment.parse(str(entry["startedDateTime"]))
        fields = Headers(tuple((str(each["name"]), str(each["value"])) for each in response.get("headers", [])))
    except (KeyError, TypeError, ValueError, UsageError, AttributeError):
        return None
    if url is None or data is None or request.get("method", "GET") != "GET" or not url.startswith("http"):
        return None
    if "content-type" not in fields and isinstance(kept.get("mimeType"), str):
        fields = fields.with_field("Content-Type", kept["mimeType"])
    # What tools save is decoded, and those of HTTP/2 have names that begin with a colon.
    told = Headers(tuple(each for each in fields.without(*_CODING_FIELDS).fields if not each[0].startswith(":")))
    head = ResponseHead("HTTP/1.1", status, str(response.get("statusText") or ""))
    return Exchange(FETCH_IDENTITY(url), moment, build_head(head, told, len(data)), BytesBody(data))


def _decode_body(kept: dict[str, Any]) -> bytes | None:
    text = kept.get("text")
    if not isinstance(text, str):
        return b"" if kept.get("size") == 0 else None
    if kept.get("encoding") != "base64":
        return text.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(text, validate=False)
    except binascii.Error:
        return None
