"""A web of many small hosts on the addresses of this machine, each page after a latency; a process of its own.

.venv/bin/python -m bench.cluster_web PORT PAGES LATENCY_SECONDS

Each host has a page at its root that leads to all its pages. Every answer is written down; at the end, which is the
end of its input, it prints how many there were, by whom too soon after the one before, and how often each URL was
asked for.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter


class HostWeb:
    """Answers, and remembers."""

    def __init__(self, pages: int, latency: float) -> None:
        self._latency = latency
        links = "".join(f"<a href='/page-{page}'>{page}</a>" for page in range(pages))
        self._root = f"<title>root</title>{links}".encode()
        self._ends: dict[str, float] = {}
        self.asked: Counter[str] = Counter()
        self.smallest_gap = float("inf")
        self.overlapping = 0
        self._under_way: Counter[str] = Counter()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer on one connection until it is closed."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].decode()
                host = head.lower().partition(b"host: ")[2].split(b":")[0].decode()
                self._begin(host, path)
                await asyncio.sleep(self._latency)
                self._ends[host] = time.monotonic()
                self._under_way[host] -= 1
                writer.write(self._answer(host, path))
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    def _begin(self, host: str, path: str) -> None:
        self.asked[f"{host}{path}"] += 1
        self.overlapping += self._under_way[host] > 0
        self._under_way[host] += 1
        if host in self._ends:
            self.smallest_gap = min(self.smallest_gap, time.monotonic() - self._ends[host])

    def _answer(self, host: str, path: str) -> bytes:
        if path == "/robots.txt":
            return b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"
        text = self._root if path == "/" else f"<title>{host}{path}</title><p>{host}{path} </p>".encode() * 40
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(text)}\r\n\r\n"
        return head.encode() + text


async def _serve(port: int, pages: int, latency: float) -> None:
    web = HostWeb(pages, latency)
    server = await asyncio.start_server(web.serve, "0.0.0.0", port, backlog=2048)
    async with server:
        print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            if line.strip() == "count":
                print(json.dumps({"answers": sum(web.asked.values())}), flush=True)
    facts = {
        "answers": sum(web.asked.values()),
        "urls": len(web.asked),
        "again": sum(count - 1 for count in web.asked.values()),
        "smallest_gap": round(web.smallest_gap, 4),
        "overlapping": web.overlapping,
    }
    print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
