"""The replay router for the fuzzer: any bytes as a request, to a server that shows one small archive."""

from __future__ import annotations

import atexit
import tempfile
from functools import cache
from pathlib import Path
from random import Random

from bench.replay_answers import CLOSED, HOST, MOMENT, build_archive
from webkeep.replay.endpoints import Router, ServePlan, open_server
from webkeep.replay.server import DeferredResponse, Request, Response
from webkeep.replay.server.response_head import build_head
from webkeep.web.page_router import ArchivePages

_BASE = "localhost:8080"
_LABEL = f"{MOMENT.digits()}h-{HOST.replace('.', '-')}"
_HOSTS = (
    f"{_LABEL}.{_BASE}",
    f"{_LABEL}.{_BASE}",
    f"{_LABEL}.{_BASE}",
    _BASE,
    f"{MOMENT.digits()}hz-{'a' * 32}.{_BASE}",
)
_DESTINATIONS = ("", "document", "iframe", "script", "style", "empty", "image", "worker", "serviceworker", "manifest")
_METHODS = ("GET", "GET", "GET", "HEAD", "POST", "OPTIONS", "PUT", "PROPFIND")
_MOST_BODY = 1 << 20

SEEDS = [
    b"/type/0",
    b"/.webkeep/to/https/other.example/x?y#z",
    b"/.webkeep/state/ab12/page?q",
    b"/.webkeep/script?url=http%3A%2F%2Fways.example%2F&id=ab",
    b"/.webkeep/frames?url=wss://ways.example/socket",
    b"/.webkeep/shim.js?v=1&facts=7b226f726967696e223a2278227d",
    b"/web/20240301120000id_/http://ways.example/type/0",
    b"/web/2024/http://ways.example/closed",
    b"/timegate/http://ways.example/status/301",
    b"/timemap/link/20240301120000/http://ways.example/",
    b"/timemap/cdxj/http://ways.example/type/1",
    b"/cdx?url=ways.example/*&output=json&page=1&pageSize=9&filter=!status:200&collapse=timestamp:4&resumeKey=YQ",
    b"/cdx?url=*.example&matchType=domain&closest=2024&sort=reverse&limit=-3&showNumPages=true",
    b"/view/20240301120000cw7-ab12/http://ways.example/type/0",
    b"/history/2024/http://ways.example/type/0",
    b"/parts/20240301/http://ways.example/type/0",
    b"/search?q=ways",
    f"{_LABEL}.{_BASE}".encode(),
    b"bytes=0-5,7-",
    b"Fri, 01 Mar 2024 12:00:00 GMT",
]
WORDS = [
    b"/", b"?", b"#", b"%", b"%00", b"%2e%2e/", b"//", b"\\", b" ", b"\r\n", b"&", b"=", b"id_/", b"http://", b"ws://",
    b"/.webkeep/", b"facts=", b"99999999999999", b"-1", b"*", b"[", b"\xff", b"localhost", b"20240301120000", b"h-",
]  # fmt: skip


@cache
def _site() -> Router:
    """The server of this process; its archive is gone with it."""
    folder = tempfile.TemporaryDirectory(prefix="webkeep-fuzz-")
    atexit.register(folder.cleanup)
    place = str(build_archive(Path(folder.name) / "archive"))
    plan = ServePlan((place,), ("archive",), f"http://{_BASE}", access=(CLOSED,))
    opening = open_server(plan, ArchivePages)
    context = opening.__enter__()
    atexit.register(opening.__exit__, None, None, None)
    return Router(context)


def put_request(chance: Random, data: bytes) -> None:
    """Have a request answered whose target, host and fields are made of the input."""
    site, text = _site(), data.decode("latin-1")
    request = _request(chance, text, data)
    answer = site.respond(request)
    made = answer.make() if isinstance(answer, DeferredResponse) else answer
    _drain(made)
    head = build_head(made, site.locks(request.host, made.security_class, chance.random() < 0.5), (), 0)
    lines = head.split(b"\r\n")
    if b"\n" in head.replace(b"\r\n", b"") or any(b":" not in line for line in lines[1:-2]):
        raise AssertionError("a head is not made of lines")
    if sum(line.lower().startswith(b"connection-allowlist:") for line in lines) != 1 and request.host != _BASE:
        raise AssertionError("an answer of a replay host is not locked")


def _request(chance: Random, text: str, data: bytes) -> Request:
    cut = chance.randrange(len(text) + 1)
    host = text[:cut].lower() if chance.random() < 0.1 else chance.choice(_HOSTS)
    target = text if text.startswith("/") or chance.random() < 0.1 else f"/{text}"
    headers = {"host": host, "sec-fetch-dest": chance.choice(_DESTINATIONS)}
    for name in ("range", "referer", "origin", "accept-datetime", "content-type", "cookie", "accept-encoding"):
        if chance.random() < 0.1:
            headers[name] = text[cut:]
    if chance.random() < 0.2:
        headers["referer"] = f"http://{_LABEL}.{_BASE}{target}"
    return Request(chance.choice(_METHODS), target, headers, data[cut:] if chance.random() < 0.3 else b"", "127.0.0.1")


def _drain(answer: Response) -> None:
    size = 0
    for piece in (answer.body,) if isinstance(answer.body, bytes) else answer.body:
        size += len(piece)
        if size > _MOST_BODY:
            return
