"""One client's connection: reads its requests one after the other, and has each of them carried out.

Theory of operation. Bytes go through the `Wire`, which undoes TLS inside a tunnel, and then to whatever is under way:
the head of the next request, the body of the present one, or a relay. Each request is an `Errand`; what the client
sends ahead waits. When the client goes away the errand is broken off, and what came of it is recorded as truncated.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Coroutine
from typing import Any

from webkeep.fetch.recording.answers import WELCOME, document, page
from webkeep.fetch.recording.client_head import HEAD_LIMIT, ClientHead, Refusal, parse_authority, parse_head, target_url
from webkeep.fetch.recording.client_line import ClientLine
from webkeep.fetch.recording.errand import Errand
from webkeep.fetch.recording.intake import Intake
from webkeep.fetch.recording.outward import forwards_left
from webkeep.fetch.recording.relay import Relay
from webkeep.fetch.recording.surroundings import Surroundings
from webkeep.fetch.recording.tunnel import Spoken, Tunnel
from webkeep.fetch.recording.upload import Upload
from webkeep.fetch.recording.wire import TlsWire

_HELD = 256 * 1024
_LAST_SECONDS = 60.0
"""For so long the answer may keep a client waiting that has said all."""
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


class ClientConnection(ClientLine):
    """Serves one client until it, or what it said, ends the connection."""

    __slots__ = (
        "_around",
        "_errand",
        "_has_said_all",
        "_held",
        "_intake",
        "_relay",
        "_searched",
        "_task",
        "_tunnel",
        "_within",
        "awaits_continue",
    )

    def __init__(self, around: Surroundings) -> None:
        super().__init__()
        self._around = around
        self._held = bytearray()
        self._searched = 0
        self._tunnel: Tunnel | None = None
        """Where it leads, until it is known what is spoken inside."""
        self._within = ""
        self._errand: Errand | None = None
        self._task: asyncio.Task[None] | None = None
        self._intake: Intake | None = None
        self._relay: Relay | None = None
        self._has_said_all = False
        self.awaits_continue = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        super().connection_made(transport)
        self._around.connections.add(self)

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - gone is gone
        """The client went away."""
        self._around.connections.discard(self)
        self._break_off()

    def _break_off(self) -> None:
        self.is_gone = True
        self._wake()
        if self._errand is not None:
            self._errand.break_off()
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        """The client is slower than what comes for it."""
        super().pause_writing()
        if self._relay is not None:
            self._relay.slow(True)

    def resume_writing(self) -> None:
        """The client has taken what was there for it."""
        super().resume_writing()
        if self._relay is not None:
            self._relay.slow(False)
        if self._errand is not None:
            self._errand.wake()

    def expire(self, begun_by: float, idle_by: float) -> None:
        """Let go of the client if its next head has been coming since, or it has said nothing since."""
        if self.since and self.since < (begun_by if self._held or self._tunnel is not None else idle_by):
            self._transport.abort()

    def end(self) -> asyncio.Task[None] | None:
        """Break off what is under way and let go of the client; what there is to wait for."""
        task = self._task
        self._break_off()
        self._transport.abort()
        return task

    def eof_received(self) -> bool:
        """The client has said all, or is gone; that cannot be told apart before something is sent to it.

        Until its answer begins it counts as there, for a while; whether anyone takes the answer is seen then.
        """
        errand = self._errand
        if errand is None or not errand.is_unanswered or self._intake is not None:
            return False
        self._has_said_all = True
        self._loop.call_later(_LAST_SECONDS, self._give_up, errand)
        return True

    def _give_up(self, errand: Errand) -> None:
        if self._errand is errand and errand.is_unanswered:
            self._transport.abort()

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - it is large enough for all
        """Where to put what comes."""
        return self._around.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """More came from the client."""
        self._received(bytes(self._around.buffer[:nbytes]))

    def _received(self, data: bytes) -> None:
        if self._tunnel is not None:
            data = self._begin_tunnel(self._tunnel, data)
        try:
            plain = self._wire.take(data)
        except ssl.SSLError as error:
            place = self._within or "a client"
            self._around.recorder.noted(f"TLS with a client for {place} failed ({error.reason}); see --trust")
            self._transport.abort()
            return
        if plain and not self._is_parting:
            self._take(plain)

    def _take(self, data: bytes) -> None:
        if self._relay is not None:
            self._carry(self._relay, data)
        elif self._intake is not None:
            self._take_body(self._intake, data)
        else:
            self._held += data
            if self._errand is None and self._task is None:
                self._next()
            elif len(self._held) > _HELD:
                self._transport.pause_reading()

    # Requests

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
                self.refuse(431, "the request's head is too long")
            elif held.find(b"\n\n", start) >= 0 or (held and held[0] < 0x21):
                self.refuse(400, "the request's head is not as HTTP/1.1 has it")
            return
        head = parse_head(bytes(held[: end + 4]))
        del held[: end + 4]
        if isinstance(head, Refusal):
            self.refuse(head.status, head.reason)
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
            self.refuse(url.status, url.reason)
            return
        if forwards_left(head) == 0:
            self.refuse(501, "Max-Forwards leaves the answer to this proxy, which has none of its own")
            return
        upload: Upload | None = Upload(head.length)
        if head.get("upgrade").lower() == "websocket" and "upgrade" in head.known.options:
            if head.length != 0:
                self.refuse(400, "a WebSocket's handshake has no body")
                return
            upload = None
        self.since = 0.0
        errand = self._errand = Errand(self, self._around, head, url, upload)
        if upload is not None:
            self._await_body(head, upload)
        errand.begin()

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Have something done that takes its time; what is under way is done with it, unless it goes on by itself."""
        self._task = self._loop.create_task(work)
        self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if self._task is not task:
            return  # it was called off
        self._task = None
        if not task.cancelled() and (error := task.exception()) is not None:
            if not isinstance(error, OSError):  # that is one connection's trouble
                self._around.failed(error)
            self._transport.abort()
        if self._errand is None or not self._errand.is_passing:
            self.done()

    def done(self) -> None:
        """What was under way is done; go on with what the client sent ahead."""
        self._errand = None
        if self.is_gone or self._is_parting or self._transport.is_closing():
            return
        if self._intake is not None:  # the server answered before it had all of the body; the rest means nothing now
            self._intake = None
            self.part(b"")
            return
        self.since = self._loop.time()
        self._transport.resume_reading()
        if self._held:
            self._next()
        if self._has_said_all and self._errand is None and self._task is None and not self._is_parting:
            self.close()

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
        self._intake = Intake(upload)
        self.awaits_continue = head.known.expects and not self._held
        upload.wanted = self._want_body
        if self._held:
            self._take_body(self._intake, self._all_held())

    def _all_held(self) -> bytes:
        held = bytes(self._held)
        self._held.clear()
        return held

    def _want_body(self) -> None:
        """The server takes the body: it said so, or has said nothing against it for a while."""
        if self.awaits_continue:
            self.awaits_continue = False
            self.write(_CONTINUE)
        if not self.is_gone:
            self._transport.resume_reading()

    def _take_body(self, intake: Intake, data: bytes) -> None:
        rest = intake.take(data)
        if rest is not None:
            self._intake = None
            self._held += rest
        elif intake.is_broken:
            self._intake = None
            intake.upload.break_off()
            self.refuse(400, "the request's chunks are broken")
        elif intake.upload.is_enough:
            self._transport.pause_reading()

    # Tunnels

    def _open_tunnel(self, head: ClientHead) -> None:
        where = parse_authority(head.target)
        if where is None or self._within or head.length != 0:
            self.refuse(400, "a tunnel leads to HOST:PORT, and has no other inside")
            return
        tunnel = self._tunnel = Tunnel(self, self._around, where)
        self.write(_ESTABLISHED)
        if self._held:
            self._received(self._all_held())
        elif tunnel.may_pass:
            self.run(tunnel.listen())

    def _begin_tunnel(self, tunnel: Tunnel, data: bytes) -> bytes:
        """See by the first byte what is spoken inside; gives what is to be read then."""
        self._tunnel = None
        if self._task is not None:
            self._task.cancel()
            self._task = None
        where = tunnel.where
        match tunnel.spoken(data):
            case Spoken.TLS:
                self._wire = TlsWire(self._transport, self._around.authority.context(where.host))
                self._within = where.origin("https")
                return data
            case Spoken.HTTP:
                self._within = where.origin("http")
                return data
        if tunnel.may_pass:
            self._held += data
            self.since = 0.0
            self.run(tunnel.carry())
        else:
            tunnel.refuse()
            self._transport.abort()
        return b""

    def join(self, relay: Relay) -> None:
        """From now on, all that comes goes that way."""
        self._relay, self._tunnel = relay, None
        self.since = 0.0
        if self._held:
            self._carry(relay, self._all_held())

    def _carry(self, relay: Relay, data: bytes) -> None:
        relay.from_client(data)
        if relay.is_full:
            self._transport.pause_reading()
            waiting = self._loop.create_task(relay.drained())
            waiting.add_done_callback(self._drained)

    def _drained(self, waiting: asyncio.Task[None]) -> None:
        if waiting.cancelled() or waiting.exception() is not None:
            self._transport.abort()
        elif not self.is_gone:
            self._transport.resume_reading()
