"""A web of many small hosts on the addresses of this machine whose every request is written down; a process of its own.

.venv/bin/python -m bench.cluster_fault_web HOSTS PAGES LATENCY_SECONDS LOG

Pages lead to more pages of their host, to other hosts, to what robots.txt forbids, to what is not there and to what
has moved, and to pictures that are the same on all hosts; some robots.txt files have moved to other hosts, in circles.
What there is never changes, so that every capture of it comes to the same fates. Each request is a line of the log:
host, path, and when it began and ended.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from pathlib import Path
from typing import TextIO

FORBIDDEN_PATH = "/secret"
"""What the robots.txt of every host forbids, and every page leads to."""
_MOVED_RULES = 6
"""Of so many hosts the robots.txt has moved to the next one of them."""
_FIRST_PAGES = 6
"""So many pages a root leads to; each leads to two more."""
_PICTURES = [random.Random(number).randbytes(20_000) for number in range(4)]
"""That every host has: large enough for a worker to refer to what another one holds."""


HOSTS_RULE = "host:127.2.*"
"""What takes in all hosts, whichever of them are named."""


def host_name(number: int) -> str:
    """The address of a host."""
    return f"127.2.{number // 250}.{number % 250 + 1}"


class FaultWeb:
    """Answers by what is asked for alone, and writes down what it was asked."""

    def __init__(self, hosts: int, pages: int, latency: float, log: TextIO) -> None:
        self._hosts, self._pages, self._latency, self._log = hosts, pages, latency, log
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer on one connection until it is closed."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                began = time.time()
                path = head.split(b" ", 2)[1].decode()
                host = head.lower().partition(b"host: ")[2].split(b":")[0].decode()
                await asyncio.sleep(self._latency)
                self._log.write(f"{json.dumps([host, path, began, time.time()])}\n")
                self._log.flush()
                writer.write(self._answer(host, path))
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    def _answer(self, host: str, path: str) -> bytes:
        _, _, high, low = host.split(".")
        number = int(high) * 250 + int(low) - 1
        if path == "/robots.txt" and number < _MOVED_RULES:
            return _message(301, "text/plain", b"", self._url((number + 1) % _MOVED_RULES, "/rules"))
        if path in ("/robots.txt", "/rules"):
            return _message(200, "text/plain", f"User-agent: *\nDisallow: {FORBIDDEN_PATH}\n".encode())
        if path == "/":
            return _message(200, "text/html", _page(f"root of {host}", self._first_links()))
        name, _, page = path.strip("/").partition("-")
        if name == "page" and int(page) < self._pages:
            return _message(200, "text/html", _page(f"{host} {page}", self._links(number, int(page))))
        if name == "picture":
            return _message(200, "image/png", _PICTURES[int(page)])
        if name == "moved":
            return _message(302, "text/html", b"", self._url((number + 1) % self._hosts, f"/page-{page}"))
        return _message(404, "text/html", _page(f"nothing at {host}{path}", []))

    def _url(self, number: int, path: str) -> str:
        return f"http://{host_name(number)}:{self.port}{path}"

    def _first_links(self) -> list[str]:
        return [f"/page-{page}" for page in range(min(_FIRST_PAGES, self._pages))]

    def _links(self, number: int, page: int) -> list[str]:
        more = (2 * page + _FIRST_PAGES, 2 * page + _FIRST_PAGES + 1)
        links = [f"/page-{each}" for each in more if each < self._pages]
        links.append(self._url((number * self._pages + page + 1) % self._hosts, "/"))
        links.append(FORBIDDEN_PATH)
        if page % 5 == number % 5:
            links.append(f"/picture-{page % len(_PICTURES)}")
        if page % 7 == 0:
            links += [f"/gone-{page}", f"/moved-{page}"]
        return links


def _page(title: str, links: list[str]) -> bytes:
    body = "".join(f'<a href="{link}">{link}</a>' for link in links)
    return f"<!doctype html><title>{title}</title><p>{title}</p>{body}".encode()


def _message(status: int, media_type: str, content: bytes, location: str = "") -> bytes:
    more = f"Location: {location}\r\n" if location else ""
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {media_type}\r\n{more}Content-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


async def _serve(hosts: int, pages: int, latency: float, log: Path) -> None:
    with log.open("a", encoding="utf-8") as kept:
        web = FaultWeb(hosts, pages, latency, kept)
        server = await asyncio.start_server(web.serve, "0.0.0.0", 0, backlog=2048)
        async with server:
            web.port = server.sockets[0].getsockname()[1]
            print(web.port, flush=True)
            await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4])))
