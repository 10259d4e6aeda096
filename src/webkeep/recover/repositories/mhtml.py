"""MHTML files: a page and what it shows, as a browser saved them in one message of many parts (RFC 2557)."""

from __future__ import annotations

import binascii
import email.policy
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.errors import MessageError
from email.message import Message
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.formats.http1 import ResponseHead
from webkeep.formats.http_date import read_date
from webkeep.model import BytesBody, Exchange, Finding, Headers, Moment
from webkeep.recover.repositories.original_head import head_bytes
from webkeep.url import FETCH_IDENTITY, normal

Listener = Callable[[Finding], None]

_LARGEST = 256 << 20
_OK = ResponseHead("HTTP/1.1", 200, "OK")


def saved(path: Path, tell: Listener) -> Iterator[Exchange]:
    """The parts of an MHTML file that have a URL; what cannot be taken is told."""
    message = _message(path)
    moment = read_date(str(message.get("Date", ""))) or Moment(path.stat().st_mtime_ns // 1000)
    parts = [part for part in message.walk() if not part.is_multipart()]
    if not any(_url(part) for part in parts):
        raise UsageError(f"{path} is no MHTML file (no part has a Content-Location); save the page again")
    for number, part in enumerate(parts):
        exchange = _exchange(part, moment)
        if exchange is not None:
            yield exchange
        elif not _url(part).startswith("cid:"):
            tell(Finding("mhtml-passed-over", str(path), number, f"part {number} has no URL or no content; left out"))


def _message(path: Path) -> Message:
    try:
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"{path} is larger than {_LARGEST >> 20} MB; no page is")
        return message_from_bytes(path.read_bytes(), policy=email.policy.compat32)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its name") from error
    except (MessageError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no MHTML file ({error}); save the page again") from error


def _url(part: Message) -> str:
    return "".join(str(part.get("Content-Location", "")).split())


def _exchange(part: Message, moment: Moment) -> Exchange | None:
    url = normal(_url(part))
    try:
        data = part.get_payload(decode=True)
    except (ValueError, LookupError, binascii.Error):
        return None
    if url is None or not url.startswith("http") or not isinstance(data, bytes):
        return None
    fields = Headers((("Content-Type", str(part.get("Content-Type", "application/octet-stream"))),))
    return Exchange(FETCH_IDENTITY(url), moment, head_bytes(_OK, fields, len(data)), BytesBody(data))
