"""One client's connection: reads its requests one after the other, and has each of them carried out.

Theory of operation. Bytes go through the `Wire`, which undoes TLS inside a tunnel, and then to whatever is under way:
the head of the next request, the body of the present one, or a relay. Each request is a task; what the client sends
ahead waits. When the client goes away the task is cancelled, and what came until then is recorded as truncated.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, cast

from webkeep.errors import RemoteError, StorageError
from webkeep.fetch.recording.answers import WELCOME, document, failure_page, page
from webkeep.fetch.recording.client_chunks import ClientChunks
from webkeep.fetch.recording.client_head import (
    HEAD_LIMIT,
    Authority,
    ClientHead,
    Refusal,
    parse_authority,
    parse_head,
    target_url,
)
from webkeep.fetch.recording.handshaking import shaken
from webkeep.fetch.recording.outward import header_lines
from webkeep.fetch.recording.passage import Answer, Asked, Refuse, Send
from webkeep.fetch.recording.relay import FrameTap, Relay, unseen
from webkeep.fetch.recording.returning import Returning
from webkeep.fetch.recording.surroundings import Surroundings, TunnelRule
from webkeep.fetch.recording.upload import Upload
from webkeep.fetch.recording.wire import PlainWire, TlsWire, Wire
from webkeep.fetch.request import Limits, Request

_LIMITS = Limits(seconds=7 * 86400, slowest_rate=0)
"""How long an answer may take is for the client to say: event streams stay open for hours."""

_HELD = 256 * 1024
_TLS_RECORD = 0x16
_PARTING_SECONDS = 2.0
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


class ClientConnection(asyncio.Protocol):
    """Serves one client until it, or what it said, ends the connection."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._held = bytearray()
        self._searched = 0
        self._tunnel: Authority | None = None
        self._is_new_tunnel = False
        self._within = ""
        self._task: asyncio.Task[None] | None = None
        self._upload: Upload | None = None
        self._chunks: ClientChunks | None = None
        self._left = 0
        self._relay: Relay | None = None
        self._is_gone = False
        self._is_parting = False
        self.is_slow = False
        self.awaits_continue = False
        self._passing: Upload | None = None
        self.since = 0.0
        """Since when the connection has waited for a whole head; 0 while a request is under way."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        self._transport = cast("asyncio.Transport", transport)
        self._wire: Wire = PlainWire(self._transport)
        self._loop = asyncio.get_running_loop()
        self.since = self._loop.time()
        self._around.connections.add(self)

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - gone is gone
        """The client went away."""
        self._is_gone = True
        self._around.connections.discard(self)
        if self._upload is not None:
            self._upload.break_off()
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        """The client is slower than what comes for it."""
        self.is_slow = True
        if self._relay is not None:
            self._relay.slow(True)

    def resume_writing(self) -> None:
        """The client has taken what was there for it."""
        self.is_slow = False
        if self._relay is not None:
            self._relay.slow(False)
        if self._passing is not None:
            self._passing.wake()

    def expire(self, begun_by: float, idle_by: float) -> None:
        """Let go of the client if its next head has been coming since, or it has said nothing since."""
        if self.since and self.since < (begun_by if self._held or self._is_new_tunnel else idle_by):
            self._transport.abort()

    def end(self) -> asyncio.Task[None] | None:
        """Break off what is under way and let go of the client; what there was to wait for."""
        self._transport.abort()
        return self._task

    def write(self, data: bytes) -> None:
        """Send to the client."""
        if not self._is_gone and not self._is_parting:
            self._wire.write(data)

    def soon(self, act: Callable[[], None]) -> None:
        """Do something once what is at hand is done."""
        self._loop.call_soon(act)

    def data_received(self, data: bytes) -> None:
        """More came from the client."""
        if self._is_new_tunnel:
            data = self._begin_tunnel(data)
        try:
            plain = self._wire.take(data)
        except ssl.SSLError as error:
            place = self._tunnel.host if self._tunnel else "a client"
            self._around.recorder.noted(f"TLS with a client for {place} failed ({error.reason}); see --trust")
            self._transport.abort()
            return
        if plain and not self._is_parting:
            self._take(plain)

    def _take(self, data: bytes) -> None:
        if self._relay is not None:
            self._carry(self._relay, data)
        elif self._upload is not None:
            self._take_body(self._upload, data)
        else:
            self._held += data
            if self._task is None:
                self._next()
            elif len(self._held) > _HELD:
                self._transport.pause_reading()

    def _carry(self, relay: Relay, data: bytes) -> None:
        relay.from_client(data)
        if relay.is_full:
            self._transport.pause_reading()
            waiting = self._loop.create_task(relay.drained())
            waiting.add_done_callback(self._drained)

    def _drained(self, waiting: asyncio.Task[None]) -> None:
        if waiting.cancelled() or waiting.exception() is not None:
            self._transport.abort()
        elif not self._is_gone:
            self._transport.resume_reading()

    # Heads

    def _next(self) -> None:
        """Begin with the next request, if its head is there."""
        held = self._held
        while held[:2] == b"\r\n":
            del held[:2]
        start = max(self._searched - 3, 0)
        end = held.find(b"\r\n\r\n", start, HEAD_LIMIT)
        self._searched = len(held) if end < 0 else 0
        if end < 0:
            if len(held) >= HEAD_LIMIT:
                self._refuse(431, "the request's head is too long")
            elif held.find(b"\n\n", start) >= 0 or (held and held[0] < 0x21):
                self._refuse(400, "the request's head is not as HTTP/1.1 has it")
            return
        head = parse_head(bytes(held[: end + 4]))
        del held[: end + 4]
        if isinstance(head, Refusal):
            self._refuse(head.status, head.reason)
        else:
            self._begin(head)

    def _begin(self, head: ClientHead) -> None:
        if head.method == "CONNECT":
            self._open_tunnel(head)
            return
        if not self._within and head.target.startswith("/"):
            self._introduce(head)
            return
        url = target_url(head, self._within)
        if isinstance(url, Refusal):
            self._refuse(url.status, url.reason)
            return
        self.since = 0.0
        if head.get("upgrade").lower() == "websocket" and "upgrade" in head.options():
            if head.length != 0:
                self._refuse(400, "a WebSocket's handshake has no body")
                return
            self._run(self._serve(head, url, None))
            return
        upload = Upload(head.length)
        self._await_body(head, upload)
        self._run(self._serve(head, url, upload))

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        self._task = self._loop.create_task(work)
        self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._task = self._passing = None
        if not task.cancelled() and (error := task.exception()) is not None:
            if not isinstance(error, OSError):  # that is one connection's trouble
                self._around.failed(error)
            self._transport.abort()
            return
        if self._is_gone or self._is_parting or self._transport.is_closing():
            return
        if self._upload is not None:  # the server answered before it had all of the body; the rest means nothing now
            self._upload = None
            self._part(b"")
            return
        self.since = self._loop.time()
        self._transport.resume_reading()
        if self._held:
            self._next()

    def _refuse(self, status: int, reason: str) -> None:
        self._part(page(status, reason))

    def _part(self, answer: bytes) -> None:
        """Say a last thing, and wait a little for it to be taken: closing at once would discard it (RFC 9112, 9.6)."""
        if self._is_parting:
            return
        self.write(answer)
        self._is_parting = True
        self.since = 0.0
        if not self._is_gone:
            with suppress(OSError):  # the client was quicker
                self._wire.finish()
            self._loop.call_later(_PARTING_SECONDS, self._transport.abort)

    def _introduce(self, head: ClientHead) -> None:
        """Answer someone who speaks to the proxy itself."""
        if head.target == "/webkeep-authority.pem":
            self.write(document(200, "application/x-x509-ca-cert", self._around.authority.pem))
        elif head.target == "/":
            self.write(document(200, "text/html; charset=utf-8", WELCOME))
        else:
            self.write(page(404, "this is a proxy; it has no such page of its own"))
        self._wire.close()

    # Bodies

    def _await_body(self, head: ClientHead, upload: Upload) -> None:
        if head.length == 0:
            upload.end()
            return
        self._upload = upload
        self._left = head.length or 0
        self._chunks = ClientChunks() if head.length is None else None
        self.awaits_continue = head.get("expect").lower() == "100-continue" and not self._held
        upload.wanted = self._want_body
        if self._held:
            held = bytes(self._held)
            self._held.clear()
            self._take_body(upload, held)

    def _want_body(self) -> None:
        """The server takes the body: it said so, or has said nothing against it for a while."""
        if self.awaits_continue:
            self.awaits_continue = False
            self.write(_CONTINUE)
        if not self._is_gone:
            self._transport.resume_reading()

    def _take_body(self, upload: Upload, data: bytes) -> None:
        if self._chunks is not None:
            upload.feed(self._chunks.take(data))
            if self._chunks.is_broken:
                upload.break_off()
                self._upload = None
                self._refuse(400, "the request's chunks are broken")
                return
            if self._chunks.is_done:
                self._end_body(upload, self._chunks.rest)
        else:
            upload.feed(data[: self._left])
            rest = data[self._left :]
            self._left -= len(data) - len(rest)
            if not self._left:
                self._end_body(upload, rest)
        if upload.is_enough and self._upload is not None:
            self._transport.pause_reading()

    def _end_body(self, upload: Upload, rest: bytes) -> None:
        self._upload = self._chunks = None
        self._held += rest
        upload.end()

    # Exchanges

    async def _serve(self, head: ClientHead, url: str, upload: Upload | None) -> None:
        """Carry a request out as is chosen; what has no body to upload is the handshake of a WebSocket."""
        recorder = self._around.recorder
        try:
            choice = await recorder.choose(Asked(url, head))
        except StorageError as error:
            self._refuse(503, f"nothing can be recorded: {error}")
            return
        if isinstance(choice, Refuse):
            recorder.left_out(url, choice.reason)
            self._refuse(choice.status, choice.reason)
        elif isinstance(choice, Answer):
            await self._answer(head, choice)
        elif upload is None:
            await self._converse(head, url, choice)
        else:
            await self._send(head, url, upload, choice)

    async def _send(self, head: ClientHead, url: str, upload: Upload, choice: Send) -> None:
        recorder = self._around.recorder
        request = Request(url, head.method, via=head.get("referer"), private=choice.private, limits=_LIMITS)
        returning = Returning(head, self, lambda answer: choice.keep and recorder.keeps(url, answer))
        self._passing = upload
        try:
            passed = await self._around.upstream.pass_on(request, header_lines(head), returning, upload)
        except StorageError as error:
            recorder.noted(str(error))
            if returning.is_begun:
                self._transport.abort()
            else:
                self._refuse(503, f"nothing can be recorded: {error}")
            return
        returning.flush()
        fetched = passed.fetched
        recorder.passed(fetched, choice.keep and passed.is_kept)
        if fetched.failure is not None and not returning.is_begun:
            self._part(failure_page(fetched.failure, fetched.detail))
        elif fetched.failure is not None:
            self._transport.abort()
        elif not returning.stays:
            self._wire.close()

    async def _answer(self, head: ClientHead, choice: Answer) -> None:
        returning = Returning(head, self, lambda _: False)
        returning.head(choice.head)
        if head.method != "HEAD":
            for chunk in choice.body.chunks():
                returning.data(chunk)
                while self.is_slow and not self._is_gone:
                    await asyncio.sleep(0.01)
        returning.flush()
        if not returning.stays:
            self._wire.close()

    # Tunnels and WebSockets

    def _open_tunnel(self, head: ClientHead) -> None:
        where = parse_authority(head.target)
        if where is None or self._within or head.length != 0:
            self._refuse(400, "a tunnel leads to HOST:PORT, and has no other inside")
            return
        self._tunnel, self._is_new_tunnel = where, True
        self.write(_ESTABLISHED)
        if self._held:
            data = bytes(self._held)
            self._held.clear()
            self.data_received(data)

    def _begin_tunnel(self, data: bytes) -> bytes:
        """See by the first byte what is spoken inside."""
        self._is_new_tunnel = False
        where = cast("Authority", self._tunnel)
        if data[0] == _TLS_RECORD:
            self._wire = TlsWire(self._transport, self._around.authority.context(where.host))
            self._within = where.origin("https")
        elif data[:1].isupper():
            self._within = where.origin("http")
        elif self._around.tunnels is TunnelRule.PASS:
            self._around.recorder.left_out(
                f"tunnel:{where.host}:{where.port}", "passed on unseen: neither TLS nor HTTP"
            )
            self.since = 0.0
            self._run(self._tunnel_through(where, data))
            return b""
        else:
            self._around.recorder.left_out(f"tunnel:{where.host}:{where.port}", "neither TLS nor HTTP in a tunnel")
            self._transport.abort()
            return b""
        return data

    async def _tunnel_through(self, where: Authority, first: bytes) -> None:
        private = self._around.is_private_open(where.host, where.port)
        try:
            server, _ = await self._around.dialer.dial(where, encrypted=False, private=private)
        except RemoteError as error:
            self._around.recorder.noted(str(error))
            self._transport.abort()
            return
        relay = self._relay = Relay(server, self.write, unseen)
        relay.from_client(first + bytes(self._held))
        await relay.run()
        self._wire.close()

    async def _converse(self, head: ClientHead, url: str, choice: Send) -> None:
        """Carry a WebSocket, frame by frame; an answer that does not open one is passed on as it comes."""
        around = self._around
        try:
            server, talk, is_open = await shaken(around.dialer, around.clock, head, url, choice.private)
        except RemoteError as error:
            around.recorder.left_out(url, str(error))
            self._refuse(502, str(error))
            return
        self.write(talk.handshake.response)
        relay = self._relay = Relay(server, self.write, FrameTap(talk, around.clock).note if is_open else unseen)
        if self._held:
            relay.from_client(bytes(self._held))
        try:
            await relay.run()
        finally:
            if choice.keep:
                around.recorder.conversed(talk)
            if not self._is_gone:
                self._wire.close()
