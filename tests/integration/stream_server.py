"""A server on loopback whose answers take their time: streams, interim answers, ranges, uploads, WebSockets."""

import asyncio
import base64
import hashlib
import ssl
import threading
from contextlib import suppress
from types import TracebackType

_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
FILE = bytes(range(256)) * 1024
PAGE = b"<!doctype html><title>Streams</title><p>a page"


def answer(body: bytes, *lines: bytes, status: bytes = b"200 OK") -> bytes:
    return b"\r\n".join([b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *lines, b"", b""]) + body


class StreamServer:
    """Runs in a thread of its own; `tick` lets its event streams say one thing more."""

    def __init__(self, tls: ssl.SSLContext | None = None, pages: dict[str, tuple[bytes, bytes]] | None = None) -> None:
        self._tls = tls
        self._pages = pages or {}
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.port = 0
        self.asked: list[bytes] = []
        self.uploaded: list[bytes] = []
        self.first_of_upload = threading.Event()
        self.reached = threading.Event()
        self.vanished = threading.Event()
        self.finished = threading.Event()
        """Set when a page says that it has done all it wanted."""
        self.sent = 0
        """How many bytes of a flood were sent."""

    def __enter__(self) -> "StreamServer":
        self._thread.start()
        assert self._started.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join(10)

    def url(self, path: str = "", host: str = "127.0.0.1") -> str:
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}/{path}"

    def tick(self) -> None:
        self._loop.call_soon_threadsafe(self._ticks.release)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._ticks, self._ending = asyncio.Semaphore(0), asyncio.Event()
        self._talks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._talk, "127.0.0.1", 0, ssl=self._tls)
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        await self._ending.wait()
        server.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.reached.set()
        self._talks.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                while True:
                    head = await reader.readuntil(b"\r\n\r\n")
                    self.asked.append(head)
                    path = head.split(b" ", 2)[1].decode().lstrip("/").partition("?")[0]
                    page = self._pages.get(path)
                    if path == "finished":
                        self.finished.set()
                    if page is not None:
                        writer.write(answer(page[1], b"Content-Type: " + page[0]))
                    else:
                        await getattr(self, f"_{path or 'page'}", self._missing)(head, reader, writer)
                    await writer.drain()
        finally:
            self._talks.discard(task)
            writer.transport.abort()

    async def _missing(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(b"nothing here", status=b"404 Not Found"))

    async def _page(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(b"" if head.startswith(b"HEAD ") else PAGE, b"Content-Type: text/html"))

    async def _events(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        for number in range(1000):
            writer.write(b"data: %d\n\n" % number)
            await writer.drain()
            waiting = asyncio.ensure_future(self._ticks.acquire())
            gone = asyncio.ensure_future(reader.read(1))
            done, _ = await asyncio.wait({waiting, gone}, return_when=asyncio.FIRST_COMPLETED)
            if gone in done:
                waiting.cancel()
                self.vanished.set()
                raise ConnectionResetError
            gone.cancel()
            with suppress(asyncio.CancelledError):
                await gone

    async def _early(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n")
        writer.write(answer(b"late"))

    async def _file(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wanted = next((line for line in head.split(b"\r\n") if line.lower().startswith(b"range:")), b"")
        if not wanted:
            writer.write(answer(FILE, b"Accept-Ranges: bytes"))
            return
        start, _, end = wanted.partition(b"=")[2].partition(b"-")
        part = FILE[int(start) : int(end) + 1]
        where = b"Content-Range: bytes %s-%s/%d" % (start, end, len(FILE))
        writer.write(answer(part, where, status=b"206 Partial Content"))

    async def _upload(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lowered = head.lower()
        if b"expect: 100-continue" in lowered:
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = bytearray()
        if b"transfer-encoding: chunked" in lowered:
            while size := int(await reader.readline(), 16):
                body += (await reader.readexactly(size + 2))[:-2]
                self.first_of_upload.set()
            await reader.readline()
        else:
            length = int(lowered.partition(b"content-length:")[2].split(b"\r\n")[0])
            while len(body) < length:
                body += await reader.read(min(65536, length - len(body)))
                self.first_of_upload.set()
        self.uploaded.append(bytes(body))
        writer.write(answer(hashlib.sha256(body).hexdigest().encode()))

    async def _flood(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Two gigabytes, as fast as they are taken."""
        piece = b"f" * 65536
        count = 32_768
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (len(piece) * count))
        try:
            for _ in range(count):
                writer.write(piece)
                self.sent += len(piece)
                await writer.drain()
        finally:
            self.vanished.set()

    async def _broken(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nten bytes.")
        await writer.drain()
        raise ConnectionResetError

    async def _socket(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Says every message back, in capitals; `?late` opens and answers after a while."""
        late = 0.4 if b"?late" in head.split(b"\r\n")[0] else 0.0
        await asyncio.sleep(late)
        lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
        key = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key")).split()[-1]
        assert lines[b"upgrade"] == b"websocket"
        accept = base64.b64encode(hashlib.sha1(key + _MAGIC).digest())
        writer.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
        )
        while True:
            first, second = await reader.readexactly(2)
            size = second & 127
            assert size < 126
            mask = await reader.readexactly(4)
            text = bytes(byte ^ mask[at % 4] for at, byte in enumerate(await reader.readexactly(size)))
            if first & 15 == 8:
                writer.write(bytes([0x88, len(text)]) + text)
                await writer.drain()
                raise ConnectionResetError
            await asyncio.sleep(late)
            writer.write(bytes([0x81, size]) + text.upper())
            await writer.drain()
