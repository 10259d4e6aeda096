"""One client's request on its way to a server and back: which tries follow one that failed, and what becomes of it when
the client goes away.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

import pycurl

from webkeep.errors import StorageError
from webkeep.fetch.client.curl_handle import HeaderLines
from webkeep.fetch.client.curl_multi import CurlResult
from webkeep.fetch.client.handle_pool import HostLogin
from webkeep.fetch.client.lenient_request import LenientRequest, ServerRoute
from webkeep.fetch.client.result_builder import PlainTry, lenient_request_from
from webkeep.fetch.client.spool_sink import SpoolSink
from webkeep.fetch.client.tls_trust import note_accepted_certificate
from webkeep.fetch.client.transfer_retry import allow_challenges, is_challenged, is_unsent
from webkeep.fetch.proxy.client_upload import ClientUpload
from webkeep.fetch.proxy.exchange_recorder import ResponseReceiver
from webkeep.fetch.proxy.streaming_handle import StreamingHandle
from webkeep.fetch.proxy.upstream_client import UpstreamClient
from webkeep.fetch.request import BeforeNextRequest, FetchFailure, FetchRequest, FetchResult

CLIENT_GONE = "the client went away"
"""What is said of an exchange that its client broke off."""

_CLIENT_GONE_RESULT: CurlResult = (pycurl.E_RECV_ERROR, CLIENT_GONE)


@dataclass(frozen=True, slots=True)
class TransferResult:
    """How a transfer ended."""

    fetched: FetchResult
    is_recorded: bool
    """Whether what came was gathered."""


OnTransferEnd = Callable[[TransferResult | StorageError], None]
"""Told how a transfer ended, or why nothing of it could be kept."""


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """A client's request as it is sent on."""

    request: FetchRequest
    lines: HeaderLines
    target: bytes = b""
    """What stands in the request's line, where that is not what libcurl would make of the URL."""
    login: HostLogin = None


class UpstreamTransfer:
    """Carries one request out; its end is told once, be it that the client goes away.

    To libcurl's loop it is the promise that is kept when a try has ended. Some are followed by another: without trust
    where that is allowed, over a fresh connection where nobody saw the first, plainly where libcurl gives up on the
    answer.
    """

    __slots__ = (
        "_distrust_reason",
        "_handle",
        "_is_done",
        "_is_fresh",
        "_lines",
        "_login",
        "_on_end",
        "_receiver",
        "_target",
        "_task",
        "_upload",
        "_upstream",
        "request",
    )

    def __init__(
        self,
        upstream: UpstreamClient,
        outgoing: OutgoingRequest,
        receiver: ResponseReceiver,
        upload: ClientUpload,
        ended: OnTransferEnd,
    ) -> None:
        request, target = outgoing.request, outgoing.target
        self._upstream, self.request, self._lines, self._login = upstream, request, outgoing.lines, outgoing.login
        self._receiver, self._upload, self._on_end = receiver, upload, ended
        self._target = upstream.request_target(request.url, target) if target else b""
        self._distrust_reason = upstream.invalid_certificates.reason_for(request.url)
        self._is_done = self._is_fresh = False
        self._task: asyncio.Task[None] | None = None
        self._handle: StreamingHandle | None = None

    def start(self) -> None:
        """Begin."""
        reason = self._upstream.refusal_reason(self.request)
        if not reason:
            self._start_try()
            return
        now = self._upstream.clock.now()
        self._end(
            TransferResult(FetchResult(self.request, now, now, None, FetchFailure.FORBIDDEN_ADDRESS, reason), True)
        )

    def _start_try(self) -> None:
        upstream = self._upstream
        handle = self._handle = upstream.take_handle(self.request, not self._distrust_reason, self._login)
        sinks = SpoolSink(upstream.spool), SpoolSink(upstream.spool)
        asks_back = self._login is not None
        handle.begin_streaming(self.request, self._lines, sinks, self._receiver, self._upload, asks_back)
        if asks_back:
            allow_challenges(handle, one_at_a_time=self._may_wait)
        if self._is_fresh:
            handle.curl.setopt(pycurl.FRESH_CONNECT, 1)
        if self._target:
            handle.curl.setopt(pycurl.REQUEST_TARGET, self._target)
        upstream.multi_for(self.request.private).start(handle.curl, self)

    @property
    def _may_wait(self) -> bool:
        """Whether a server that asks who is there can be told later; a body may be gone by then."""
        return self.request.before_next_request is not None and self._upload.length == 0

    def _answer_challenge(self, handle: StreamingHandle, result: CurlResult) -> bool:
        """Whether a server asked who is there, and is told when it is time to ask it once more."""
        before_more = self.request.before_next_request
        if before_more is None or not self._may_wait or not is_challenged(handle, result):
            return False
        handle.challenged_at.append(self._upstream.clock.now())
        self._task = asyncio.get_running_loop().create_task(_await_turn(before_more))
        self._task.add_done_callback(self._resume_after_wait)
        return True

    def _resume_after_wait(self, waiting: asyncio.Task[None]) -> None:
        self._task = None
        if waiting.cancelled():
            self.set_result(_CLIENT_GONE_RESULT)
        elif self._handle is not None:
            waiting.result()
            self._upstream.multi_for(self.request.private).start(self._handle.curl, self)

    def break_off(self) -> None:
        """The client went away; what came until then is kept."""
        if self._task is not None:
            self._task.cancel()
        elif self._handle is not None:
            self._upstream.multi_for(self.request.private).abandon(self._handle.curl)
            self.set_result(_CLIENT_GONE_RESULT)

    def done(self) -> bool:
        """Whether its end was told."""
        return self._is_done

    def cancel(self) -> None:
        """The way to the web is closed."""
        if not self._is_done:
            self.set_result(_CLIENT_GONE_RESULT)

    def set_result(self, verdict: CurlResult, /) -> None:
        """A try has ended."""
        handle = self._handle
        if handle is None or self._answer_challenge(handle, verdict):
            return
        self._handle = None
        try:
            fetched, way = self._upstream.build_result(handle, verdict, not self._distrust_reason)
        except StorageError as error:
            handle.discard()
            self._end(error)
            return
        sent, is_kept = handle.sent, handle.is_recorded
        can_begin_again = not handle.is_forwarded and verdict is not _CLIENT_GONE_RESULT
        was_unsent = can_begin_again and is_unsent(handle, verdict)
        if verdict is _CLIENT_GONE_RESULT or self._is_fresh or self._target or self._upload.length != 0:
            handle.discard()
        else:
            self._upstream.put_back(handle, not self._distrust_reason, self._login)
        if can_begin_again and self._may_retry(fetched, was_unsent):
            self._start_try()
        elif way is not None:
            self._task = asyncio.get_running_loop().create_task(
                self._fetch_leniently(fetched, way, lenient_request_from(sent))
            )
        else:
            self._end(TransferResult(fetched, is_kept))

    def _may_retry(self, fetched: FetchResult, was_unsent: bool) -> bool:
        if not self._distrust_reason and (reason := self._upstream.invalid_certificates.accept(fetched)):
            self._distrust_reason = reason
            return True
        if was_unsent and not self._is_fresh and self._upload.length == 0:
            self._is_fresh = True
            return True
        return False

    async def _fetch_leniently(self, first: FetchResult, way: ServerRoute, sent: bytes) -> None:
        """Take an answer that libcurl does not take; the client is given it as it comes."""
        upstream = self._upstream
        sink, at = SpoolSink(upstream.spool), upstream.clock.now()
        attempt = LenientRequest(self.request, sink, (), self._receiver, self._receiver.drain)
        result: TransferResult | StorageError
        try:
            try:
                lenient_result = await attempt.send(way, sent)
            except asyncio.CancelledError:
                lenient_result = attempt.break_off(CLIENT_GONE)
            if lenient_result.head or lenient_result.detail != CLIENT_GONE:
                fetched = upstream.build_lenient_result(first, PlainTry(sent, at, sink, way.address), lenient_result)
            else:
                fetched = replace(first, exchange=None, parts=(), detail=CLIENT_GONE)
            result = TransferResult(fetched, not lenient_result.head or self._receiver.is_recorded(lenient_result.head))
        except StorageError as error:
            result = error
        finally:
            sink.discard()
        self._end(result)

    def _end(self, result: TransferResult | StorageError) -> None:
        self._is_done, self._task = True, None
        if self._distrust_reason and isinstance(result, TransferResult):
            result = replace(result, fetched=note_accepted_certificate(result.fetched, self._distrust_reason))
        self._on_end(result)


async def _await_turn(before_more: BeforeNextRequest) -> None:
    await before_more()
