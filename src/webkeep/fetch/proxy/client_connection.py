"""One client's connection to the recording proxy: reads its requests one after the other, opens tunnels and WebSockets,
and has each request carried out; what is sent ahead waits.

Theory of operation. Bytes go through the `ClientWire`, which undoes TLS inside a tunnel, and then to whatever is under
way: the head of the next request, the body of the present one, or a relay. Each request is a `ProxiedRequest`; what
the client
sends ahead waits. When the client goes away the request is broken off, and what came of it is recorded as truncated.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Coroutine
from typing import Any

from webkeep.fetch.proxy.client_transport import ClientTransport
from webkeep.fetch.proxy.client_upload import ClientUpload, UploadReader
from webkeep.fetch.proxy.client_wire import TlsWire
from webkeep.fetch.proxy.forwarded_request import forwards_left
from webkeep.fetch.proxy.proxied_request import ProxiedRequest
from webkeep.fetch.proxy.proxy_context import ProxyContext
from webkeep.fetch.proxy.proxy_pages import error_page, response_document, welcome_page
from webkeep.fetch.proxy.relay import Relay
from webkeep.fetch.proxy.request_head import (
    MAX_HEAD_BYTES,
    ClientHead,
    HeadRefusal,
    parse_head,
    parse_host_port,
    target_url,
)
from webkeep.fetch.proxy.tunnel import Tunnel, TunnelProtocol

_MAX_PIPELINED_BYTES = 256 * 1024
"""Of a client that sends more ahead no more is read for now."""
_HALF_CLOSED_SECONDS = 60.0
"""For so long the answer may keep a client waiting that has said all."""
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


class ClientConnection(ClientTransport):
    """Serves one client until it, or what it said, ends the connection."""

    __slots__ = (
        "_context",
        "_held",
        "_is_half_closed",
        "_relay",
        "_request",
        "_searched",
        "_task",
        "_tunnel",
        "_tunnel_origin",
        "_upload_reader",
        "awaits_continue",
    )

    def __init__(self, around: ProxyContext) -> None:
        super().__init__()
        self._context = around
        self._held = bytearray()
        self._searched = 0
        self._tunnel: Tunnel | None = None
        """Where it leads, until it is known what is spoken inside."""
        self._tunnel_origin = ""
        self._request: ProxiedRequest | None = None
        self._task: asyncio.Task[None] | None = None
        self._upload_reader: UploadReader | None = None
        self._relay: Relay | None = None
        self._is_half_closed = False
        self.awaits_continue = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        super().connection_made(transport)
        self._context.connections.add(self)

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - gone is gone
        """The client went away."""
        self._context.connections.discard(self)
        self._break_off()

    def _break_off(self) -> None:
        self.is_gone = True
        self._wake()
        if self._request is not None:
            self._request.break_off()
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        """The client is slower than what comes for it."""
        super().pause_writing()
        if self._relay is not None:
            self._relay.set_client_slow(True)

    def resume_writing(self) -> None:
        """The client has taken what was there for it."""
        super().resume_writing()
        if self._relay is not None:
            self._relay.set_client_slow(False)
        if self._request is not None:
            self._request.wake()

    def expire(self, begun_by: float, idle_by: float) -> None:
        """Let go of the client if its next head has been coming since, or it has said nothing since."""
        if self.waiting_since and self.waiting_since < (
            begun_by if self._held or self._tunnel is not None else idle_by
        ):
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
        proxied = self._request
        if proxied is None or not proxied.is_unanswered or self._upload_reader is not None:
            return False
        self._is_half_closed = True
        self._loop.call_later(_HALF_CLOSED_SECONDS, self._abort_unanswered, proxied)
        return True

    def _abort_unanswered(self, proxied: ProxiedRequest) -> None:
        if self._request is proxied and proxied.is_unanswered:
            self._transport.abort()

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - it is large enough for all
        """Where to put what comes."""
        return self._context.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """More came from the client."""
        self._on_bytes(bytes(self._context.buffer[:nbytes]))

    def _on_bytes(self, data: bytes) -> None:
        if self._tunnel is not None:
            data = self._begin_tunnel(self._tunnel, data)
        try:
            plain = self._wire.decode(data)
        except ssl.SSLError as error:
            place = self._tunnel_origin or "a client"
            self._context.recorder.note_warning(f"TLS with a client for {place} failed ({error.reason}); see --trust")
            self._transport.abort()
            return
        if plain and not self._is_closing:
            self._on_plain_bytes(plain)

    def _on_plain_bytes(self, data: bytes) -> None:
        if self._relay is not None:
            self._relay_bytes(self._relay, data)
        elif self._upload_reader is not None:
            self._read_body(self._upload_reader, data)
        else:
            self._held += data
            if self._request is None and self._task is None:
                self._read_next_head()
            elif len(self._held) > _MAX_PIPELINED_BYTES:
                self._transport.pause_reading()

    # Requests

    def _read_next_head(self) -> None:
        """Begin with the next request, if its head is there."""
        held = self._held
        while held[:2] == b"\r\n":
            del held[:2]
        start = max(self._searched - 3, 0)
        end = held.find(b"\r\n\r\n", start, MAX_HEAD_BYTES)
        self._searched = len(held) if end < 0 else 0
        if end < 0:
            if len(held) >= MAX_HEAD_BYTES:
                self.refuse(431, "the request's head is too long")
            elif held.find(b"\n\n", start) >= 0 or (held and held[0] < 0x21):
                self.refuse(400, "the request's head is not as HTTP/1.1 has it")
            return
        head = parse_head(bytes(held[: end + 4]))
        del held[: end + 4]
        if isinstance(head, HeadRefusal):
            self.refuse(head.status, head.reason)
        else:
            self._begin_request(head)

    def _begin_request(self, head: ClientHead) -> None:
        if head.method == "CONNECT":
            self._open_tunnel(head)
            return
        if not self._tunnel_origin and head.target.startswith("/"):
            self._answer_own_page(head)
            return
        url = target_url(head, self._tunnel_origin)
        if isinstance(url, HeadRefusal):
            self.refuse(url.status, url.reason)
            return
        if forwards_left(head) == 0:
            self.refuse(501, "Max-Forwards leaves the answer to this proxy, which has none of its own")
            return
        upload: ClientUpload | None = ClientUpload(head.length)
        if head.get("upgrade").lower() == "websocket" and "upgrade" in head.known.connection_options:
            if head.length != 0:
                self.refuse(400, "a WebSocket's handshake has no body")
                return
            upload = None
        self.waiting_since = 0.0
        proxied = self._request = ProxiedRequest(self, self._context, head, url, upload)
        if upload is not None:
            self._await_body(head, upload)
        proxied.begin()

    def run_task(self, work: Coroutine[Any, Any, None]) -> None:
        """Have something done that takes its time; what is under way is done with it, unless it goes on by itself."""
        self._task = self._loop.create_task(work)
        self._task.add_done_callback(self._on_task_done)

    def _on_task_done(self, task: asyncio.Task[None]) -> None:
        if self._task is not task:
            return  # it was called off
        self._task = None
        if not task.cancelled() and (error := task.exception()) is not None:
            if not isinstance(error, OSError):  # that is one connection's trouble
                self._context.note_error(error)
            self._transport.abort()
        if self._request is None or not self._request.has_transfer:
            self.finish_request()

    def finish_request(self) -> None:
        """What was under way is done; go on with what the client sent ahead."""
        self._request = None
        if self.is_gone or self._is_closing or self._transport.is_closing():
            return
        if (
            self._upload_reader is not None
        ):  # the server answered before it had all of the body; the rest means nothing now
            self._upload_reader = None
            self.send_last(b"")
            return
        self.waiting_since = self._loop.time()
        self._transport.resume_reading()
        if self._held:
            self._read_next_head()
        if self._is_half_closed and self._request is None and self._task is None and not self._is_closing:
            self.close()

    def _answer_own_page(self, head: ClientHead) -> None:
        """Answer someone who speaks to the proxy itself."""
        if head.target == "/webkeep-authority.pem":
            self.write(response_document(200, "application/x-x509-ca-cert", self._context.authority.pem))
        elif head.target == "/":
            self.write(response_document(200, "text/html; charset=utf-8", welcome_page()))
        else:
            self.write(error_page(404, "this is a proxy; it has no such page of its own"))
        self._wire.close()

    # Bodies

    def _await_body(self, head: ClientHead, upload: ClientUpload) -> None:
        if head.length == 0:
            upload.end()
            return
        self._upload_reader = UploadReader(upload)
        self.awaits_continue = head.known.expects_continue and not self._held
        upload.ask_through(self._request_body)
        if self._held:
            self._read_body(self._upload_reader, self._take_held())

    def _take_held(self) -> bytes:
        held = bytes(self._held)
        self._held.clear()
        return held

    def _request_body(self) -> None:
        """The server takes the body: it said so, or has said nothing against it for a while."""
        if self.awaits_continue:
            self.awaits_continue = False
            self.write(_CONTINUE)
        if not self.is_gone:
            self._transport.resume_reading()

    def _read_body(self, upload: UploadReader, data: bytes) -> None:
        rest = upload.feed(data)
        if rest is not None:
            self._upload_reader = None
            self._held += rest
        elif upload.is_broken:
            self._upload_reader = None
            upload.upload.break_off()
            self.refuse(400, "the request's chunks are broken")
        elif upload.upload.is_full:
            self._transport.pause_reading()

    # Tunnels

    def _open_tunnel(self, head: ClientHead) -> None:
        where = parse_host_port(head.target)
        if where is None or self._tunnel_origin or head.length != 0:
            self.refuse(400, "a tunnel leads to HOST:PORT, and has no other inside")
            return
        tunnel = self._tunnel = Tunnel(self, self._context, where)
        self.write(_ESTABLISHED)
        if self._held:
            self._on_bytes(self._take_held())
        elif tunnel.may_pass:
            self.run_task(tunnel.relay_if_server_speaks())

    def _begin_tunnel(self, tunnel: Tunnel, data: bytes) -> bytes:
        """See by the first byte what is spoken inside; gives what is to be read then."""
        self._tunnel = None
        if self._task is not None:
            self._task.cancel()
            self._task = None
        where = tunnel.where
        match tunnel.detect_protocol(data):
            case TunnelProtocol.TLS:
                self._wire = TlsWire(self._transport, self._context.authority.context_for(where.host))
                self._tunnel_origin = where.origin("https")
                return data
            case TunnelProtocol.HTTP:
                self._tunnel_origin = where.origin("http")
                return data
        if tunnel.may_pass:
            self._held += data
            self.waiting_since = 0.0
            self.run_task(tunnel.relay())
        else:
            tunnel.note_refused()
            self._transport.abort()
        return b""

    def attach_relay(self, relay: Relay) -> None:
        """From now on, all that comes goes that way."""
        self._relay, self._tunnel = relay, None
        self.waiting_since = 0.0
        if self._held:
            self._relay_bytes(relay, self._take_held())

    def _relay_bytes(self, relay: Relay, data: bytes) -> None:
        relay.send_to_server(data)
        if relay.is_full:
            self._transport.pause_reading()
            waiting = self._loop.create_task(relay.drain())
            waiting.add_done_callback(self._on_relay_drained)

    def _on_relay_drained(self, waiting: asyncio.Task[None]) -> None:
        if waiting.cancelled() or waiting.exception() is not None:
            self._transport.abort()
        elif not self.is_gone:
            self._transport.resume_reading()
