"""The faults that take more than sending the same bytes each time."""

import asyncio
import functools
import gzip
import socket
import struct
from collections.abc import Awaitable, Callable
from itertools import count

from fault_catalog import LINKS, Ending

Behaviour = Callable[[asyncio.StreamWriter, str, str, int], Awaitable[None]]
"""What a server does with a connection for a path, the cookies that came, and the how manieth request it is."""

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
_PIECE = b"and so on, and so forth. " * 2600


def small_page(body: bytes, status: str = "200 OK", *lines: str) -> bytes:
    """A page as it should be."""
    fields = "".join(f"{line}\r\n" for line in ("Content-Type: text/html", f"Content-Length: {len(body)}", *lines))
    return f"HTTP/1.1 {status}\r\n{fields}\r\n".encode() + body


async def finish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, ending: Ending) -> None:
    """End an answer as its fault wants it."""
    await writer.drain()
    match ending:
        case Ending.KEEP:
            return
        case Ending.STALL:
            await reader.read()  # until the other side has had enough
            writer.close()
        case Ending.RESET:
            connection: socket.socket = writer.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            writer.transport.abort()
        case Ending.CLOSE:
            writer.close()


async def _endless_body(writer: asyncio.StreamWriter, *_: object) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
    while True:
        writer.write(_PIECE)
        await writer.drain()


async def _endless_chunks(writer: asyncio.StreamWriter, *_: object) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"%x\r\n%s\r\n" % (len(_PIECE), _PIECE))
        await writer.drain()


async def _endless_head(writer: asyncio.StreamWriter, *_: object) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    for number in count():
        writer.write(b"X-%d: %s\r\n" % (number, b"v" * 1000))
        await writer.drain()


async def _slow_drip(writer: asyncio.StreamWriter, *_: object) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b".")
        await writer.drain()
        await asyncio.sleep(0.1)


async def _redirect_in_a_ring(writer: asyncio.StreamWriter, path: str, *_: object) -> None:
    target = path.removesuffix("/half") if path.endswith("/half") else f"{path}/half"
    writer.write(small_page(target.encode(), "301 Moved", f"Location: {target}"))


async def _redirect_without_end(writer: asyncio.StreamWriter, path: str, *_: object) -> None:
    number = int(path.partition("=")[2] or 0) + 1
    location = f"/redirect-without-end?n={number}"
    writer.write(small_page(location.encode(), "302 Found", f"Location: {location}"))


async def _redirect_with_cookie(writer: asyncio.StreamWriter, path: str, cookie: str, *_: object) -> None:
    if "seen=yes" in cookie:
        writer.write(small_page(b"welcome back"))
    else:
        writer.write(small_page(b"take this", "302 Found", f"Location: {path}", "Set-Cookie: seen=yes; Path=/"))


def _at_first(status: str, *lines: str) -> Behaviour:
    async def behave(writer: asyncio.StreamWriter, path: str, _cookie: str, times: int) -> None:
        body = f"{path}, {times}".encode()
        writer.write(small_page(body, status, *lines) if times == 1 else small_page(body))

    return behave


async def _links_without_number(writer: asyncio.StreamWriter, *_: object) -> None:
    links = "".join(f'<a href="http://elsewhere.example/{number}">{number}</a>\n' for number in range(LINKS))
    writer.write(small_page(links.encode()))


async def _cookies_on_every_page(writer: asyncio.StreamWriter, path: str, *_: object) -> None:
    number = int(path.partition("page/")[2] or 0)
    cookies = [f"Set-Cookie: c{number}x{each}={'v' * 100}" for each in range(50)]
    link = f'<a href="/cookies-on-every-page/{number + 1}">on</a>' if number < 19 else "the end"
    writer.write(small_page(link.encode(), "200 OK", *cookies))


async def _gzip_bomb(writer: asyncio.StreamWriter, *_: object) -> None:
    writer.write(small_page(_packed(b" " * 1_000_000, 100), "200 OK", "Content-Encoding: gzip"))


async def _tags_in_tags(writer: asyncio.StreamWriter, *_: object) -> None:
    packed = _packed(b"<div><span>" * 100_000, 46, b'<!doctype html><a href="/found">found</a>')
    writer.write(small_page(packed, "200 OK", "Content-Encoding: gzip"))


@functools.cache
def _packed(piece: bytes, times: int, start: bytes = b"") -> bytes:
    return gzip.compress(start + piece * times, 6, mtime=0)


BEHAVIOURS: dict[str, Behaviour] = {
    "endless-body": _endless_body,
    "endless-chunks": _endless_chunks,
    "endless-head": _endless_head,
    "slow-drip": _slow_drip,
    "redirect-in-a-ring": _redirect_in_a_ring,
    "redirect-without-end": _redirect_without_end,
    "redirect-with-cookie": _redirect_with_cookie,
    "too-many-requests-once": _at_first("429 Too Many Requests", "Retry-After: 1"),
    "unavailable-once": _at_first("503 Unavailable", "Retry-After: 1"),
    "broken-once": _at_first("500 Broken"),
    "links-without-number": _links_without_number,
    "cookies-on-every-page": _cookies_on_every_page,
    "gzip-bomb": _gzip_bomb,
    "tags-in-tags": _tags_in_tags,
}
"""By the name of the fault."""
