"""One request of a proxy's client, carried out as is decided: sent to the server, answered locally, refused, or made a
WebSocket; and what the client gets where nothing can be recorded.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Protocol

from webkeep.errors import StorageError
from webkeep.fetch.proxy.client_upload import ClientUpload
from webkeep.fetch.proxy.exchange_recorder import (
    InterceptedRequest,
    LocalResponse,
    ProxyDecision,
    RefuseRequest,
    SendUpstream,
)
from webkeep.fetch.proxy.forwarded_request import exact_target, forwarded_header_lines
from webkeep.fetch.proxy.proxy_context import ProxyContext
from webkeep.fetch.proxy.proxy_pages import failure_page
from webkeep.fetch.proxy.request_head import ClientHead
from webkeep.fetch.proxy.response_writer import ResponseChannel, ResponseWriter
from webkeep.fetch.proxy.upstream_transfer import OutgoingRequest, TransferResult, UpstreamTransfer
from webkeep.fetch.proxy.websocket import RelayClient, relay_websocket
from webkeep.fetch.request import FetchLimits, FetchRequest
from webkeep.model import BytesBody

_LIMITS = FetchLimits(seconds=7 * 86400, min_rate=0)
"""How long an answer may take is for the client to say: event streams stay open for hours."""

_NO_BODY = BytesBody()
"""What a client sends is no part of the request: it is passed on as it comes."""

_CONTINUE_SECONDS = 1.0
"""After so long a server that has said nothing is given the body all the same."""


class ProxyClient(ResponseChannel, RelayClient, Protocol):
    """What carrying out a request needs of the one who made it."""

    def send_last(self, answer: bytes) -> None:
        """Say a last thing, and end the connection."""

    def abort(self) -> None:
        """End the connection at once."""

    def call_later(self, seconds: float, act: Callable[[], None]) -> None:
        """Do something after a while."""

    def run_task(self, work: Coroutine[Any, Any, None]) -> None:
        """Have something done that takes its time; the request is done with it."""

    def finish_request(self) -> None:
        """The request is carried out."""


class ProxiedRequest:
    """A request, and how far it has got; one without an upload is the handshake of a WebSocket."""

    __slots__ = ("_choice", "_client", "_context", "_head", "_transfer", "_upload", "_url", "_writer")

    def __init__(
        self, client: ProxyClient, around: ProxyContext, head: ClientHead, url: str, upload: ClientUpload | None
    ) -> None:
        self._client, self._context = client, around
        self._head, self._url, self._upload = head, url, upload
        self._transfer: UpstreamTransfer | None = None

    def begin(self) -> None:
        """Do what is chosen, at once where the choice is clear."""
        try:
            choice = self._context.recorder.decide(InterceptedRequest(self._url, self._head, self._upload))
        except StorageError as error:
            self._fail(error)
            return
        if isinstance(choice, SendUpstream) and self._upload is not None:
            self._send_upstream(self._upload, choice)
        elif isinstance(choice, SendUpstream | LocalResponse | RefuseRequest):
            self._client.run_task(self._carry_out_decision(choice))
        else:
            self._client.run_task(self._await_decision(choice))

    def break_off(self) -> None:
        """The client went away."""
        if self._upload is not None:
            self._upload.break_off()
        if self._transfer is not None:
            self._transfer.break_off()

    def wake(self) -> None:
        """The client has taken what was there for it."""
        if self._upload is not None:
            self._upload.resume_transfer()

    @property
    def has_transfer(self) -> bool:
        """Whether it goes on by itself, with no task to wait for."""
        return self._transfer is not None

    @property
    def is_unanswered(self) -> bool:
        """Whether the server has been asked and has not begun to answer."""
        return self._transfer is not None and not self._writer.is_begun

    def _fail(self, error: StorageError) -> None:
        self._client.refuse(503, f"nothing can be recorded: {error}")
        self._client.finish_request()

    async def _await_decision(self, waiting: Awaitable[ProxyDecision]) -> None:
        try:
            choice = await waiting
        except StorageError as error:
            self._client.refuse(503, f"nothing can be recorded: {error}")
        else:
            await self._carry_out_decision(choice)

    async def _carry_out_decision(self, choice: ProxyDecision) -> None:
        if isinstance(choice, RefuseRequest):
            self._context.recorder.note_left_out(self._url, choice.reason)
            self._client.refuse(choice.status, choice.reason)
        elif isinstance(choice, LocalResponse):
            await self._send_local_response(choice)
        elif self._upload is not None:
            self._send_upstream(self._upload, choice)
        else:
            await relay_websocket(self._client, self._context, self._head, self._url, choice)

    def _send_upstream(self, upload: ClientUpload, choice: SendUpstream) -> None:
        head, around, url = self._head, self._context, self._url
        self._choice = choice
        via = head.get("referer")
        request = FetchRequest(
            url, head.method, body=_NO_BODY, via=via, private=choice.private, limits=choice.limits or _LIMITS,
            before_next_request=choice.before_next_request,
        )  # fmt: skip
        keeps = partial(around.recorder.is_recorded, url) if choice.is_recorded else _records_nothing
        self._writer = ResponseWriter(head, self._client, keeps)
        if head.known.expects_continue:
            upload.hold()
            self._client.call_later(_CONTINUE_SECONDS, upload.release)
        lines = forwarded_header_lines(head, choice.headers)
        outgoing = OutgoingRequest(request, lines, exact_target(head), choice.login)
        self._transfer = UpstreamTransfer(around.upstream, outgoing, self._writer, upload, self._on_transfer_end)
        self._transfer.start()

    def _on_transfer_end(self, result: TransferResult | StorageError) -> None:
        self._transfer = None
        try:
            self._record_result(result)
        except Exception as error:  # noqa: BLE001 - one client's request must not end the loop that carries them all
            self._context.note_error(error)
            self._client.abort()
        self._client.finish_request()

    def _record_result(self, result: TransferResult | StorageError) -> None:
        recorder, returning, client = self._context.recorder, self._writer, self._client
        if isinstance(result, StorageError):
            recorder.note_warning(str(result))
            if returning.is_begun:
                client.abort()
            else:
                client.refuse(503, f"nothing can be recorded: {result}")
            return
        fetched = result.fetched
        if fetched.failure is None:
            returning.end()
        else:
            returning.flush()
        recorder.record_exchange(fetched, self._choice.is_recorded and result.is_recorded)
        if fetched.failure is not None:
            if returning.is_begun:
                client.abort()
            else:
                client.send_last(failure_page(fetched.failure, fetched.detail))
        elif not returning.keeps_alive or fetched.is_lenient:
            client.close()

    async def _send_local_response(self, choice: LocalResponse) -> None:
        returning = ResponseWriter(self._head, self._client)
        returning.on_head(choice.head)
        if self._head.method != "HEAD":
            for chunk in choice.body.chunks():
                returning.on_data(chunk)
                await returning.drain()
        returning.end()
        if not returning.keeps_alive:
            self._client.close()


def _records_nothing(_head: bytes) -> bool:
    return False
