"""The pages of `tests/sites/states` served on loopback by a process of their own, as slowly as is wished.

Their folders are described in `tests/sites/states/README.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import mimetypes
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.request import urlopen

from bench.mirror_pictures import PICTURE

FOLDER = Path(__file__).parent.parent / "tests" / "sites" / "states"
_COUNT = "/-/count"


def page_names() -> list[str]:
    """Pages with a truth, by name."""
    return sorted(path.parent.name for path in FOLDER.glob("*/truth.json"))


class StatesSite:
    """Serves while the `with` block lasts."""

    def __init__(self, latency: float = 0.0) -> None:
        self._latency = latency

    def __enter__(self) -> Self:
        words = [sys.executable, "-m", "bench.states_site", "--latency", str(self._latency)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def url(self, name: str) -> str:
        """Where a page is."""
        return f"http://127.0.0.1:{self.port}/{name}/"

    def counts(self) -> Counter[str]:
        """How often each path was asked for since this was last asked."""
        with urlopen(f"http://127.0.0.1:{self.port}{_COUNT}", timeout=10) as answer:
            return Counter(json.load(answer))


class _Server:
    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._rules: dict[str, list[dict[str, Any]]] = {}
        self._turns: Counter[tuple[str, str]] = Counter()
        self._counts: Counter[str] = Counter()
        self._visitors = itertools.count(1)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                line, _, rest = head.decode("latin-1").partition("\r\n")
                length = re.search(r"(?i)content-length: *([0-9]+)", rest)
                if length:
                    await reader.readexactly(int(length[1]))
                method, path, _ = line.split(" ")
                visitor = re.search(r"(?i)visitor=([0-9]+)", rest)
                answer = await self._answer(method, path, visitor[1] if visitor else "")
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, method: str, path: str, visitor: str) -> bytes:
        if path == _COUNT:
            counts, self._counts = self._counts, Counter()
            return _message(200, "application/json", json.dumps(counts).encode())
        self._counts[path] += 1
        await asyncio.sleep(self._latency)
        place, _, query = path.lstrip("/").partition("?")
        name, _, inner = place.partition("/")
        if method == "GET" and (said := self._said(name, f"{inner}?{query}" if query else inner, visitor)) is not None:
            return _message(200, _type_of(said), said.encode())
        file = FOLDER / name / (inner or "index.html")
        cookie = f"Set-Cookie: visitor={next(self._visitors)}; Path=/\r\n" if not inner else ""
        if method == "GET" and ".." not in path and file.is_file():
            kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            return _message(200, kind, file.read_bytes(), cookie)
        if method == "GET" and place.endswith(".png"):
            return _message(200, "image/png", PICTURE)
        return _message(404, "text/plain", b"nothing here")

    def _said(self, name: str, inner: str, visitor: str) -> str | None:
        if name not in self._rules:
            file = FOLDER / name / "server.json"
            self._rules[name] = json.loads(file.read_text()) if file.is_file() else []
        for rule in self._rules[name]:
            found = re.fullmatch(rule["path"], inner)
            if found and "turns" in rule:
                turn, self._turns[visitor, inner] = self._turns[visitor, inner], self._turns[visitor, inner] + 1
                return str(rule["turns"][min(turn, len(rule["turns"]) - 1)])
            if found:
                return found.expand(rule["says"])
        return None


def _type_of(text: str) -> str:
    return "application/json" if text[:1] in "{[" else "text/html; charset=utf-8"


def _message(status: int, kind: str, body: bytes, more: str = "") -> bytes:
    return f"HTTP/1.1 {status} -\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode() + body


async def _serve(latency: float) -> None:
    server = await asyncio.start_server(_Server(latency).talk, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    asyncio.run(_serve(parser.parse_args().latency))
