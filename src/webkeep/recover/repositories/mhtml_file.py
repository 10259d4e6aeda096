"""MHTML files: a page and what it shows, as a browser saved them in one message of many parts (RFC 2557); which parts
are taken, of which moment they are, and how large a file may be.
"""

from __future__ import annotations

import binascii
import email.policy
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.errors import MessageError
from email.message import Message
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.formats.http import ResponseHead, parse_http_date
from webkeep.model import BytesBody, Exchange, Finding, Headers, Moment
from webkeep.recover.repositories.original_head import build_head
from webkeep.url import normalize_url
from webkeep.url.canonical import FETCH_IDENTITY

FindingListener = Callable[[Finding], None]

_MAX_FILE_BYTES = 256 << 20
"""A page is read as one message, at several times its size in memory."""
_OK_HEAD = ResponseHead("HTTP/1.1", 200, "OK")


def read_exchanges(path: Path, tell: FindingListener) -> Iterator[Exchange]:
    """The parts of an MHTML file that have a URL; what cannot be taken is told."""
    message = _read_message(path)
    moment = parse_http_date(str(message.get("Date", ""))) or Moment(path.stat().st_mtime_ns // 1000)
    parts = [part for part in message.walk() if not part.is_multipart()]
    if not any(_part_url(part) for part in parts):
        raise UsageError(f"{path} is no MHTML file (no part has a Content-Location); save the page again")
    for number, part in enumerate(parts):
        exchange = _build_exchange(part, moment)
        if exchange is not None:
            yield exchange
        elif not _part_url(part).startswith("cid:"):
            tell(Finding("mhtml-passed-over", str(path), number, f"part {number} has no URL or no content; left out"))


def _read_message(path: Path) -> Message:
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise UsageError(f"{path} is larger than {_MAX_FILE_BYTES >> 20} MB; no page is")
        return message_from_bytes(path.read_bytes(), policy=email.policy.compat32)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its name") from error
    except (MessageError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no MHTML file ({error}); save the page again") from error


def _part_url(part: Message) -> str:
    return "".join(str(part.get("Content-Location", "")).split())


def _build_exchange(part: Message, moment: Moment) -> Exchange | None:
    url = normalize_url(_part_url(part))
    try:
        data = part.get_payload(decode=True)
    except (ValueError, LookupError, binascii.Error):
        return None
    if url is None or not url.startswith("http") or not isinstance(data, bytes):
        return None
    fields = Headers((("Content-Type", str(part.get("Content-Type", "application/octet-stream"))),))
    return Exchange(FETCH_IDENTITY(url), moment, build_head(_OK_HEAD, fields, len(data)), BytesBody(data))
