"""The proxy's way to the web: libcurl as the fetcher has it, without its cookies, passing answers on as they come;
public and private addresses have connections of their own.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import cast

import pycurl

from webkeep.fetch.addresses import authority_of, host_of, is_private_name
from webkeep.fetch.client.curl_handle import PauseTransfer
from webkeep.fetch.client.curl_multi import CurlMulti, CurlResult
from webkeep.fetch.client.guarded_multi import GuardedCurlMulti
from webkeep.fetch.client.handle_pool import HandlePool, HostLogin
from webkeep.fetch.client.lenient_request import LenientResult, ServerRoute
from webkeep.fetch.client.result_builder import FetchResultBuilder, PlainTry
from webkeep.fetch.client.tls_trust import InvalidCertificates, TlsHandshakes
from webkeep.fetch.client.transfer_retry import ServerRoutes
from webkeep.fetch.local_site import LocalServer
from webkeep.fetch.proxy.exchange_recorder import ResponseReceiver
from webkeep.fetch.proxy.streaming_handle import IsOwnAddress, StreamingHandle, StreamingHooks
from webkeep.fetch.request import FetchRequest, FetchResult
from webkeep.fetch.settings import FetchSettings
from webkeep.fetch.upstream_proxy import UpstreamProxy
from webkeep.model import Clock

# libcurl's loop for passing on: transfers wait for their clients.


class StreamingCurlMulti(GuardedCurlMulti):
    """Runs the transfers of a proxy."""

    def __init__(self, connections: int) -> None:
        super().__init__(connections)
        self._paused: dict[pycurl.Curl, StreamingHandle] = {}
        self._to_flush: list[ResponseReceiver] = []

    def flush_later(self, receiver: ResponseReceiver) -> None:
        """Pass a head on that is held back, once libcurl has given all that is at hand."""
        self._to_flush.append(receiver)

    def _handle_finished(self) -> None:
        super()._handle_finished()
        while self._to_flush:
            self._to_flush.pop().flush()

    def pause(self, handle: object, seconds: float) -> None:
        """Have a transfer that paused itself go on after a while."""
        passing = cast("StreamingHandle", handle)
        if passing.curl in self._running:
            self._paused[passing.curl] = passing
            super().pause(passing, seconds)

    def _resume(self, curl: pycurl.Curl) -> None:
        self._paused.pop(curl).mark_resumed()
        super()._resume(curl)

    def _release(self, curl: pycurl.Curl) -> None:
        self._paused.pop(curl, None)
        super()._release(curl)


class UpstreamClient:
    """Makes requests for clients; public and private addresses have connections of their own."""

    def __init__(
        self,
        settings: FetchSettings,
        proxy: UpstreamProxy | None,
        spool: Path,
        clock: Clock,
        is_ours: IsOwnAddress,
        goes_on: bool,
    ) -> None:
        self._settings, self._proxy = settings, proxy
        self.spool, self.clock = spool, clock
        self.invalid_certificates = InvalidCertificates(settings.insecure)
        self._results = FetchResultBuilder(proxy is not None)
        self._handshakes = TlsHandshakes()
        self._routes = ServerRoutes(settings, proxy)
        self._closing = ExitStack()
        share = pycurl.CurlShare()
        share.setopt(pycurl.SH_SHARE, pycurl.LOCK_DATA_SSL_SESSION)
        self._closing.callback(share.close)
        self._pools = {private: self._open_pool(share, is_ours, goes_on) for private in (False, True)}

    def _open_pool(
        self, share: pycurl.CurlShare, is_ours: IsOwnAddress, goes_on: bool
    ) -> tuple[CurlMulti, _StreamingPool]:
        loop = StreamingCurlMulti(self._settings.connections)
        hooks = StreamingHooks(is_ours, loop.flush_later, goes_on)
        pool = _StreamingPool(self._settings, self._proxy, share, self.clock, loop.pause, hooks)
        self._closing.callback(pool.close)
        self._closing.callback(loop.close)
        return loop, pool

    def close(self) -> None:
        """Let go of all connections."""
        self._closing.close()

    def refusal_reason(self, request: FetchRequest) -> str:
        """Why a request may not be made; without a proxy it is the address connected to that counts."""
        if request.private or self._proxy is None or self._settings.local.server_of(request.url) is not None:
            return ""
        host = host_of(authority_of(request.url))
        return f"{host} is not public" if is_private_name(host) else ""

    def request_target(self, url: str, target: bytes) -> bytes:
        """A target as it stands in the request's line: a proxy that is asked for it must be told of the server too."""
        proxy = self._proxy if self._settings.local.server_of(url) is None else None
        if proxy is None or not proxy.speaks_http or url.startswith("https"):
            return target
        return f"http://{authority_of(url)}".encode() + target.removeprefix(b"*")

    def multi_for(self, private: bool) -> CurlMulti:
        """What transfers run on."""
        return self._pools[private][0]

    def take_handle(self, request: FetchRequest, verified: bool, login: HostLogin = None) -> StreamingHandle:
        """A handle for one try."""
        return cast("StreamingHandle", self._pools[request.private][1].take(login, verified, request.url))

    def put_back(self, handle: StreamingHandle, verified: bool, login: HostLogin = None) -> None:
        """Take a handle back whose try has ended."""
        self._pools[handle.request.private][1].put_back(handle, login, verified, handle.request)

    def build_result(
        self, handle: StreamingHandle, result: CurlResult, verified: bool
    ) -> tuple[FetchResult, ServerRoute | None]:
        """How a try ended, and the way for a plain one where that is called for."""
        failure, detail = handle.judge(*result)
        tls = self._handshakes.tls_of(handle)
        fetched = self._results.from_transfer(handle, self.clock.now(), failure, detail, tls)
        if handle.storage_gap is not None:
            fetched = replace(fetched, exchange=None, parts=(), detail=str(handle.storage_gap))
        elif fetched.exchange is not None and handle.request_sink.size:
            exchange = replace(fetched.exchange, request_body=handle.request_sink.take_body())
            fetched = replace(fetched, exchange=exchange, parts=(exchange,))
        return fetched, self._routes.retry_route(handle, result, verified) if failure is not None else None

    def build_lenient_result(self, first: FetchResult, plain: PlainTry, result: LenientResult) -> FetchResult:
        """How a plain try ended."""
        return self._results.from_lenient(first, plain, result, self.clock.now())


class _StreamingPool(HandlePool):
    keeps_cookies = False  # they are the client's affair

    def __init__(
        self,
        settings: FetchSettings,
        proxy: UpstreamProxy | None,
        share: pycurl.CurlShare,
        clock: Clock,
        pause: PauseTransfer,
        hooks: StreamingHooks,
    ) -> None:
        super().__init__(settings, proxy, share, clock, pause)
        self._hooks = hooks

    def _create(self, login: HostLogin, verified: bool, server: LocalServer | None) -> StreamingHandle:
        curl = super()._create(login, verified, server).curl
        checks = self._proxy is None and server is None
        return StreamingHandle(curl, self._clock, self._pause, checks, self._hooks, server)
