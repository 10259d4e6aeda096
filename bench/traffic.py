"""Generated traffic: the request and response pairs that the benches store, the same in every process."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

_BASES = 200
_WORDS = 4000


@dataclass(frozen=True, slots=True)
class Pair:
    """One request and its response."""

    url: str
    request: bytes
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def head(self) -> bytes:
        """The response's head as bytes."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in self.headers)
        return f"HTTP/1.1 200 OK\r\n{lines}\r\n".encode()


def pairs(count: int, seed: int = 1) -> Iterator[Pair]:
    """One page of 15 to 30 KB for every two pictures, as on the reference site; no two bodies are the same."""
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 10))) for _ in range(_WORDS)]
    pages = [_page(chance, words) for _ in range(_BASES)]
    pictures = [chance.randbytes(chance.randint(13_000, 30_000)) for _ in range(_BASES)]
    for number in range(count):
        is_page = number % 3 == 0
        body = (pages if is_page else pictures)[number // 3 % _BASES] + b"<!-- %d -->" % number
        path = f"/articles/{number % 40}/{number}.{'html' if is_page else 'jpg'}"
        request = (
            f"GET {path} HTTP/1.1\r\nHost: reference.example\r\nUser-Agent: webkeep/0.1 (+https://example.org/bot)\r\n"
            "Accept: */*\r\nAccept-Encoding: gzip, br\r\nConnection: keep-alive\r\n\r\n"
        ).encode()
        headers = (
            ("Server", "nginx/1.22.1"),
            ("Date", "Sun, 15 Nov 2026 10:00:00 GMT"),
            ("Content-Type", "text/html; charset=utf-8" if is_page else "image/jpeg"),
            ("Content-Length", str(len(body))),
            ("Last-Modified", "Sat, 14 Nov 2026 09:00:00 GMT"),
            ("Connection", "keep-alive"),
            ("ETag", f'"{number:x}-{len(body):x}"'),
            ("Accept-Ranges", "bytes"),
        )
        yield Pair(f"http://reference.example{path}", request, headers, body)


def _page(chance: random.Random, words: list[str]) -> bytes:
    parts = ["<!doctype html><html lang=en><head><title>Page</title><link rel=stylesheet href=/site.css></head><body>"]
    size, wanted = 0, chance.randint(15_000, 30_000)
    while size < wanted:
        text = " ".join(chance.choices(words, k=60))
        link = f"/articles/{chance.randint(0, 39)}/{chance.randint(0, 15_000)}.html"
        parts.append(f'<p class="c{chance.randint(0, 9)}">{text} <a href="{link}">{chance.choice(words)}</a></p>\n')
        size += len(parts[-1])
    return "".join(parts).encode()
