"""A server on loopback whose answers are endless, huge, deep or slow, as a thing of `bench.hostile` says."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress

Answer = AsyncIterator[bytes] | bytes
"""What is sent: some bytes, or more and more."""
Answers = Callable[[str, str], Answer]
"""Says what is sent for a path; the second word is the server's address."""


def told(
    body: bytes, kind: str = "text/html", *fields: str, status: str = "200 OK", length: int | None = None
) -> bytes:
    """A whole answer; `length` is another one than it has."""
    size = len(body) if length is None else length
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {size}", *fields, "", ""]
    return "\r\n".join(lines).encode() + body


GONE = told(b"not here", "text/plain", status="404 Not Found")


async def going_on(
    begin: bytes, piece: bytes, pause: float = 0.0, end: bytes = b"", times: int = 1 << 60
) -> AsyncIterator[bytes]:
    """A beginning, then the same piece again and again, with a pause before each."""
    yield begin
    for _ in range(times):
        if pause:
            await asyncio.sleep(pause)
        yield piece
    yield end


class HostileServer:
    """Listens on a port of its own while the loop runs."""

    def __init__(self, answers: Answers, loop: asyncio.AbstractEventLoop) -> None:
        self._answers = answers
        self._loop = loop
        self.requests = 0
        self._server: asyncio.Server | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}/"

    def __enter__(self) -> HostileServer:
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result(30)
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._loop.call_soon_threadsafe(self._server.close)

    async def _open(self) -> None:
        self._server = await asyncio.start_server(self._talk, "127.0.0.1", 0, backlog=2048)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(
            OSError,
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
            asyncio.CancelledError,
            ValueError,
            IndexError,
        ):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.requests += 1
                answer = self._answers(head.split(b" ", 2)[1].decode("latin-1"), self.url)
                if isinstance(answer, bytes):
                    writer.write(answer)
                    await writer.drain()
                    continue
                async for piece in answer:
                    writer.write(piece)
                    await writer.drain()
                break
        with suppress(OSError):
            writer.close()


@contextmanager
def running_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop in a thread of its own, for all servers."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        asyncio.run_coroutine_threadsafe(_let_go(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


async def _let_go() -> None:
    """End all talks that are still going on."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
