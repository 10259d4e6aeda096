"""The sixty things: what a hostile site, archive or client may do to capture, recover, mirror and serve.

Each is a name and what is done: a server's answers for captures and recoveries, an archive's contents for copies, and
what a client does for `serve`. All are without end, or as huge, deep or slow as the run says.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial

from bench.hostile_material import bomb, flash_bomb, pdf_bomb
from bench.hostile_server import GONE, Answer, Answers, going_on, told

LOST = "http://lost.example/"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
HOME = told(b"<title>home</title><a href=/thing>thing</a><img src=/thing>")
DATE = "Fri, 01 Jan 2010 00:00:00 GMT"


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything."""

    bomb: int
    """Bytes that a small body unpacks to."""
    many: int
    """How often something is repeated."""


def at(path: str, answer: Callable[[], Answer]) -> Answers:
    """A site whose front page leads to one thing."""
    return lambda asked, _: answer() if asked == path else HOME if asked == "/" else GONE


def on_thing(answer: Callable[[], Answer]) -> Answers:
    """The same, with the thing where the page says."""
    return at("/thing", answer)


def everywhere(answers: Answers) -> Answers:
    """A site without rules that answers so to whatever else it is asked."""
    return lambda asked, url: GONE if asked == "/robots.txt" else answers(asked, url)


async def _silence() -> AsyncIterator[bytes]:
    await asyncio.sleep(3600)
    yield b""


def site_things(size: Size) -> dict[str, Answers]:
    """What a site may do to a capture."""
    many = size.many
    chunk = b"10000\r\n" + bytes(1 << 16) + b"\r\n"
    chunked = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    coded: dict[str, Answers] = {
        f"{name} that unpacks to {size.bomb >> 20} MB": on_thing(
            partial(told, bomb(name, size.bomb), "text/html", f"Content-Encoding: {name}")
        )
        for name in ("br", "gzip", "zstd", "deflate", "br,gzip", "gzip,gzip")
    }
    return coded | {
        "a body without end": on_thing(lambda: going_on(HEAD + b"\r\n", bytes(1 << 16))),
        "chunks without end": on_thing(lambda: going_on(chunked, chunk)),
        "one byte a second": on_thing(lambda: going_on(HEAD + b"\r\n", b"x", 1.0)),
        "no answer at all": on_thing(_silence),
        "a head without end": on_thing(lambda: going_on(HEAD, b"X-More: and more\r\n" * 100)),
        "a head line without end": on_thing(lambda: going_on(HEAD + b"X-More: ", b"more" * 1000)),
        "a head a byte a second": on_thing(lambda: going_on(b"HTTP/1.1 200", b"O", 1.0)),
        "interim answers without end": on_thing(
            lambda: going_on(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n" * 50)
        ),
        "interim answers without end, and no status line after": on_thing(
            lambda: going_on(b"HTTP/1.1 103 Early\r\nbad\r\n\r\n" * 1000, b"HTTP/1.1 103 Early\r\nbad\r\n\r\n" * 50)
        ),
        "a chunk extension without end": on_thing(lambda: going_on(chunked + b"5;", b"x=y;" * 1000)),
        "a chunk that claims 2^60 bytes": on_thing(lambda: going_on(chunked + b"1000000000000000\r\n", b"x" * 65536)),
        "trailers without end": on_thing(lambda: going_on(chunked + b"0\r\n", b"T: x\r\n" * 1000)),
        "a length of 2^60": on_thing(lambda: told(b"short", length=1 << 60)),
        "an answer without a head and end": on_thing(lambda: going_on(b"hello ", b"hello " * 10_000)),
        "redirects without end": everywhere(
            lambda asked, url: told(b"", "text/plain", f"Location: {url}{len(asked)}x{asked[1:40]}", status="302 Found")
        ),
        "a redirect to itself": on_thing(lambda: told(b"", "text/plain", "Location: /thing", status="301 Moved")),
        "robots.txt without end": at(
            "/robots.txt", lambda: going_on(HEAD.replace(b"html", b"plain") + b"\r\n", b"Disallow: /x\n" * 1000)
        ),
        "robots.txt that never comes": at("/robots.txt", _silence),
        "indexes of sitemaps in indexes of sitemaps": _nested_sitemaps,
        "a sitemap that unpacks without end": _sitemap_of(lambda: told(bomb("gzip", size.bomb), "application/gzip")),
        "a sitemap of entities in entities": _sitemap_of(lambda: told(_entities(), "application/xml")),
        "a sitemap without end": _sitemap_of(
            lambda: going_on(HEAD.replace(b"html", b"xml") + b"\r\n<urlset>", b"<url><loc>/p</loc></url>" * 999)
        ),
        "a page nested beyond all depth": on_thing(lambda: told(b"<div>" * many)),
        "frames in frames in attributes": on_thing(lambda: told(b'<iframe srcdoc="' * 2000)),
        "a page with links without end": on_thing(
            lambda: told(b"".join(b"<a href=/l/%d>" % number for number in range(many)))
        ),
        "one attribute of many megabytes": on_thing(lambda: told(b'<a href="/' + b"a" * (8 * many) + b'">')),
        "a style sheet nested beyond all depth": on_thing(lambda: told(b"a{" * many, "text/css")),
        "JSON nested beyond all depth": on_thing(lambda: told(b"[" * many, "application/json")),
        "a PDF that unpacks without end": on_thing(lambda: told(pdf_bomb(size.bomb), "application/pdf")),
        "a Flash film that unpacks without end": on_thing(
            lambda: told(flash_bomb(size.bomb), "application/x-shockwave-flash")
        ),
        "ten thousand cookies": on_thing(
            lambda: told(b"<p>", "text/html", *(f"Set-Cookie: c{n}=x" for n in range(9_999)))
        ),
        "a calendar without end": everywhere(lambda asked, _: told(_days(asked))),
        "a path that grows without end": everywhere(lambda *_: told(b"<a href=deeper/>on</a>")),
        "wait for a year": on_thing(lambda: told(b"", "text/plain", "Retry-After: 31536000", status="503 Busy")),
    }  # fmt: skip


def _nested_sitemaps(asked: str, _url: str) -> bytes:
    if asked == "/":
        return HOME
    if asked == "/robots.txt":
        return told(b"Sitemap: /sitemap.xml\n", "text/plain")
    children = "".join(f"<sitemap><loc>{asked}{number}</loc></sitemap>" for number in range(10))
    return told(f"<sitemapindex>{children}</sitemapindex>".encode(), "application/xml")


def _sitemap_of(answer: Callable[[], Answer]) -> Answers:
    rules = told(b"Sitemap: /sitemap.xml\n", "text/plain")
    return lambda asked, _: (
        {"/": HOME, "/robots.txt": rules}.get(asked) or (answer() if asked == "/sitemap.xml" else GONE)
    )


def _entities() -> bytes:
    lines = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(12))
    return f'<!DOCTYPE urlset [<!ENTITY e0 "x">{lines}]><urlset><url><loc>/&e12;</loc></url></urlset>'.encode()


def _days(asked: str) -> bytes:
    day = int("0" + "".join(filter(str.isdigit, asked))[-8:])
    return f"<a href='/events?day={day + 1}'>next</a> <a href='/events?day={day + 2}'>later</a>".encode()


def archive_things(size: Size) -> dict[str, tuple[str, Answers]]:
    """What an archive may do to a recovery: how it is named, and its answers."""
    row = json.dumps({"urlkey": "x", "timestamp": "20100101000000", "url": LOST, "mime": "text/html", "status": "200"})
    rows = told(row.encode() + b"\n", "text/plain")
    memento = f"Memento-Datetime: {DATE}"
    begun = HEAD + memento.encode() + b"\r\n\r\n"
    link = f'<{LOST}web/20100101000000/{LOST}>; rel="memento"; datetime="{DATE}",\n'.encode()

    def listed(answer: Callable[[], Answer]) -> tuple[str, Answers]:
        return "cdx={url}cdx", lambda asked, _: rows if asked.startswith("/cdx") else answer()

    def index(answer: Callable[[], Answer]) -> tuple[str, Answers]:
        return "cdx={url}cdx", lambda asked, _: answer() if asked.startswith("/cdx") else GONE

    def timemap(answer: Callable[[str], Answer]) -> tuple[str, Answers]:
        return "memento={url}timemap/link", lambda _, url: answer(url)

    plain = b"HTTP/1.1 200 OK\r\nContent-Type: application/link-format\r\n\r\n"
    packed = ("application/link-format", "Content-Encoding: gzip")
    return {
        "a version without end": listed(lambda: going_on(begun, b"<p>more" * 9999)),
        "a version a byte a second": listed(lambda: going_on(begun, b"x", 1.0)),
        "a version that unpacks without end": listed(
            lambda: told(
                bomb("br", size.bomb), "text/html", memento, "Content-Encoding: br", "X-Archive-Orig-Content-Type: a/b"
            )
        ),
        "a version that redirects for ever": listed(
            lambda: told(b"", "text/plain", "Location: /web/20100101000000/x", status="302 Found")
        ),
        "an index without end": index(lambda: going_on(plain, row.encode() + b"\n")),
        "an index of one line without end": index(lambda: going_on(plain, b"x" * 65536)),
        "an index that never answers": index(_silence),
        "an index that unpacks without end": index(lambda: told(bomb("gzip", size.bomb), *packed)),
        "a TimeMap without end": timemap(lambda _: going_on(plain, link * 500)),
        "a TimeMap that unpacks without end": timemap(lambda _: told(bomb("gzip", size.bomb), *packed)),
    }  # fmt: skip


def client_things() -> dict[str, Callable[[int], None]]:
    """What a client may do to a server at a port; each gives up by itself after a while."""
    return {
        "a body that unpacks without end, asked for": lambda port: _asked(port, b"GET /web/2024id_/http://bomb.example/"),
        "a page that unpacks without end, shown": lambda port: _asked(port, b"GET /web/2024mp_/http://bomb.example/page"),
        "five hundred connections that say nothing": _silent_clients,
        "a request without end": lambda port: _sent(port, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 9, b"X: y\r\n" * 9999),
        "a request line without end": lambda port: _sent(port, b"GET /", b"a" * 65536),
        "a request body without end": lambda port: _sent(
            port, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999\r\n\r\n", bytes(65536)
        ),
        "an answer that is never read": _never_read,
        "ten thousand ranges": lambda port: _asked(
            port, b"GET /web/2024id_/http://bomb.example/", b"Range: bytes=" + b"0-1," * 10_000 + b"0-1"
        ),
    }  # fmt: skip


def _connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 10)


def _asked(port: int, line: bytes, field: bytes = b"X: y") -> None:
    with _connected(port) as client:
        client.sendall(line + b" HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n%s\r\n\r\n" % (port, field))
        while client.recv(1 << 20):
            pass


def _sent(port: int, begin: bytes, piece: bytes) -> None:
    with _connected(port) as client:
        client.sendall(begin)
        for _ in range(200):
            client.sendall(piece)


def _silent_clients(port: int) -> None:
    clients = [_connected(port) for _ in range(500)]
    for client in clients:
        client.close()


def _never_read(port: int) -> None:
    with _connected(port) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        ask = b"GET /web/2024id_/http://bomb.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for _ in range(100):
            client.sendall(ask)
