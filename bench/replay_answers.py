"""Every kind of answer that a replay host can give, by the server's own tables, and an archive that brings it about.

A page can open whatever its host answers in a frame and make that frame do its work. So ways out are tried from each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from webkeep.model import BytesBody, Exchange, Moment
from webkeep.replay.delivery.replay_rewriter import KINDS_BY_TYPE
from webkeep.replay.endpoints.shim_endpoint import OWN_ENDPOINTS
from webkeep.replay.server.http_connection import REFUSAL_MESSAGES
from webkeep.replay.shim.scripts import OWN_PATH
from webkeep.store.archive import WritableArchive

MOMENT = Moment.parse("2024-03-01T12:00:00Z")
HOST = "ways.example"
ORIGIN = f"http://{HOST}"
CLOSED = f"block:{HOST}/closed*"
"""The access rule under which some answers say that they may not be given."""

_BEHIND = {"to/": "https/other.example/x", "state/": "ab12/page"}
_ODD_OWN = (
    "none",
    "to/ftps/x",
    "to/",
    "state/!/",
    "script?url=x&id=y",
    "frames?url=ws://x.example/",
    "shim.js?facts=7b7d",
)
_OTHER_TYPES = (
    "text/plain", "application/json", "image/png", "application/pdf", "application/octet-stream", "video/mp4",
    "audio/mpeg", "font/woff2", "text/xml", "application/xml", "text/vtt", "multipart/x-mixed-replace; boundary=x",
    "application/wasm", "message/rfc822", "text/x-server-parsed-html", "application/signed-exchange;v=b3", "",
)  # fmt: skip
_BODIES = {
    "text/html": "<!doctype html><title>x</title><body>x",
    "application/xhtml+xml": '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>x</body></html>',
    "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    "text/xml": "<a/>", "application/xml": "<a/>", "application/dash+xml": "<MPD/>",
}  # fmt: skip
_STATUSES = [each for each in HTTPStatus if each >= 200]
_TOO_LONG = 100 * 1024
_TOO_MUCH = (8 << 20) + 1


@dataclass(frozen=True, slots=True)
class AnswerKind:
    """One kind of answer, and how a page gets it into a frame."""

    name: str
    target: str
    method: str = "GET"
    body_size: int = 0
    """How many bytes are sent with the request."""
    cookie_bytes: int = 0
    """How many bytes of cookies a page sets for that path before it asks."""


def answer_kinds() -> list[AnswerKind]:
    """All kinds that a page can bring about."""
    return [*_own_kinds(), *_archived_kinds(), *_absent_kinds(), *_refused_kinds()]


def _own_kinds() -> Iterator[AnswerKind]:
    for name in OWN_ENDPOINTS:
        yield AnswerKind(f"own {name}", f"{OWN_PATH}{name}{_BEHIND.get(name, '')}")
    for name in _ODD_OWN:
        yield AnswerKind(f"own {name}", f"{OWN_PATH}{name}")


def _archived_kinds() -> Iterator[AnswerKind]:
    for number, media_type in enumerate(_types()):
        yield AnswerKind(f"type {media_type or 'none'}", f"/type/{number}")
    for status in _STATUSES:
        yield AnswerKind(f"status {status.value}", f"/status/{status.value}")
    yield AnswerKind("a part", "/part")
    yield AnswerKind("posted", "/posted", "POST", 3)


def _absent_kinds() -> Iterator[AnswerKind]:
    yield AnswerKind("missing", "/nothing")
    yield AnswerKind("missing, posted", "/nothing", "POST", 3)
    yield AnswerKind("closed", "/closed")
    yield AnswerKind("elsewhere", "/secure")


def _refused_kinds() -> Iterator[AnswerKind]:
    """What the wire itself refuses; that a request has two hosts no browser can bring about."""
    made = {
        413: AnswerKind("refused 413", "/posted", "POST", _TOO_MUCH),
        414: AnswerKind("refused 414", f"/{'x' * _TOO_LONG}"),
        431: AnswerKind("refused 431", "/crumbs/", cookie_bytes=_TOO_LONG),
    }
    yield from (made[status] for status in REFUSAL_MESSAGES if status != 400)


def _types() -> tuple[str, ...]:
    return (*KINDS_BY_TYPE, *_OTHER_TYPES)


def exchanges() -> Iterator[Exchange]:
    """What an archive has to hold for all of that."""
    for number, media_type in enumerate(_types()):
        yield exchange(f"{ORIGIN}/type/{number}", _BODIES.get(media_type, "x"), media_type)
    for status in _STATUSES:
        location = f"Location: {ORIGIN}/type/0\r\n" if status.value // 100 == 3 else ""
        yield exchange(f"{ORIGIN}/status/{status.value}", _BODIES["text/html"], head=location, status=status.value)
    yield exchange(f"{ORIGIN}/part", "part", head="Content-Range: bytes 3-6/20\r\n", status=206)
    yield exchange(f"{ORIGIN}/closed", "closed")
    yield exchange(f"https://{HOST}/secure", "secure")
    posted = f"POST /posted HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 3\r\n\r\n".encode()
    yield exchange(f"{ORIGIN}/posted", "posted", request=posted, request_body=b"a=b")


def exchange(
    url: str,
    content: str,
    media_type: str = "text/html",
    head: str = "",
    status: int = 200,
    request: bytes = b"",
    request_body: bytes = b"",
) -> Exchange:
    """An archived answer."""
    body = BytesBody(content.encode())
    kind = f"Content-Type: {media_type}\r\n" if media_type else ""
    told = f"HTTP/1.1 {status} X\r\n{kind}{head}Content-Length: {body.size}\r\n\r\n"
    return Exchange(url, MOMENT, told.encode(), body, request, BytesBody(request_body))


def build_archive(path: Path, *more: Exchange) -> Path:
    """An archive that holds all of that, and more."""
    with WritableArchive.create(path) as archive, archive.begin("capture") as capture:
        for acknowledgement in [capture.submit(each) for each in (*exchanges(), *more)]:
            acknowledgement.result()
    return path
