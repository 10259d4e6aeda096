"""Asking servers over one pool of connections: by libcurl, and plainly where libcurl does not take the answer. Decides
when an unresolved name is looked up anew, and what is the proxy's fault.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import pycurl

from webkeep.fetch.addresses import authority_of, host_of
from webkeep.fetch.client.bandwidth_limit import BandwidthLimits, TokenBucket
from webkeep.fetch.client.cookie_jar import CookieJar
from webkeep.fetch.client.curl_handle import CurlHandle
from webkeep.fetch.client.curl_multi import CurlResult
from webkeep.fetch.client.guarded_multi import GuardedCurlMulti
from webkeep.fetch.client.handle_pool import HandlePool, HostLogin
from webkeep.fetch.client.lenient_request import LenientRequest, ServerRoute
from webkeep.fetch.client.plain_transfers import PlainTransfers
from webkeep.fetch.client.result_builder import FetchResultBuilder, PlainTry, lenient_request_from
from webkeep.fetch.client.spool_sink import SpoolSink
from webkeep.fetch.client.tls_trust import InvalidCertificates, TlsHandshakes, note_accepted_certificate
from webkeep.fetch.client.transfer_retry import ServerRoutes, allow_challenges, is_challenged, is_unsent
from webkeep.fetch.request import FetchFailure, FetchRequest, FetchResult, ResponseListener
from webkeep.fetch.settings import FetchSettings, curl_header_lines
from webkeep.fetch.upstream_proxy import UpstreamProxy
from webkeep.formats.status import PROXY_AUTHENTICATION_REQUIRED, is_successful, status_of
from webkeep.model import Clock

_DNS_CACHE_SECONDS = 60
"""For how long libcurl remembers a name's address by itself; that there is none, for half as long."""
_MAX_UNRESOLVED_HOSTS = 10_000
"""Hosts without an address that are remembered; with more, libcurl's own memory has to do."""


@dataclass(frozen=True, slots=True)
class TransferSettings:
    """What all pools of connections have in common."""

    settings: FetchSettings
    proxy: UpstreamProxy | None
    share: pycurl.CurlShare
    spool: Path
    clock: Clock
    bandwidth: BandwidthLimits
    jar: CookieJar
    """Whose cookies are in the share."""


class TransferPool:
    """Makes requests over a pool of connections of its own."""

    def __init__(self, around: TransferSettings) -> None:
        settings = around.settings
        self._settings = around
        self._spool, self._clock = around.spool, around.clock
        self._time = asyncio.get_running_loop().time
        self._loop = GuardedCurlMulti(settings.connections)
        self._pool = HandlePool(settings, around.proxy, around.share, around.clock, self._loop.pause)
        self._reporter = FetchResultBuilder(around.proxy is not None)
        self._handshakes = TlsHandshakes()
        self._invalid_certificates = InvalidCertificates(settings.insecure)
        self._unresolved: set[str] = set()
        """Hosts without an address, which are looked up anew when they are asked again."""
        self._routes = ServerRoutes(settings, around.proxy)
        self._headers = lru_cache(1024)(self._header_lines)
        self._plain = PlainTransfers(settings, around.spool, around.clock, self._reporter, around.jar.may_hold_for)
        """For requests that need no libcurl."""

    def close(self) -> None:
        """Let go of all connections."""
        self._plain.close()
        self._loop.close()
        self._pool.close()

    async def fetch(
        self, request: FetchRequest, login: HostLogin, listener: ResponseListener | None = None
    ) -> FetchResult:
        """Make a request; one that may not be trusted is made again without trust, if that is allowed."""
        authority = authority_of(request.url)
        reason = self._invalid_certificates.reason_for(request.url)
        fetched = await self._transfer(request, authority, login, listener, not reason)
        if not reason and (reason := self._invalid_certificates.accept(fetched)):
            fetched = await self._transfer(request, authority, login, listener, False)
        return note_accepted_certificate(fetched, reason) if reason else fetched

    async def _transfer(
        self, request: FetchRequest, authority: str, login: HostLogin, listener: ResponseListener | None, verified: bool
    ) -> FetchResult:
        host = host_of(authority)
        headers = self._headers(host if self._settings.settings.headers else "", request.headers)
        buckets = self._settings.bandwidth.buckets_for(host, request.limits.rate, self._time())
        is_ordinary = login is None and listener is None and not buckets and self._plain.may_take(request)
        seen = await self._plain.fetch(request, authority, headers) if is_ordinary else None
        if isinstance(seen, FetchResult):
            return seen
        if seen is not None and request.before_next_request is not None:
            await request.before_next_request()
        handle, sink = self._pool.take(login, verified, request.url), SpoolSink(self._spool)
        try:
            handle.begin(request, headers, sink, buckets, listener, login is not None)
            verdict = await self._run_resolving(handle, host, login)
            fetched = self._build_result(handle, verdict, host)
            if seen is not None:
                fetched = replace(fetched, spans=(seen, *fetched.spans))
            elif is_ordinary:
                self._plain.learn(handle, fetched.failure, authority, headers)
            way = self._routes.retry_route(handle, verdict, verified)
        except BaseException:
            handle.curl.close()
            sink.discard()
            raise
        sent = handle.sent
        self._pool.put_back(handle, login, verified, request)
        if way is None:
            sink.discard()
            return fetched
        return await self._fetch_leniently(fetched, way, lenient_request_from(sent), buckets, listener)

    async def _run_resolving(self, handle: CurlHandle, host: str, login: HostLogin) -> CurlResult:
        """Run a request; a name that had no address the last time is looked up and not remembered."""
        is_looked_up = host in self._unresolved
        if is_looked_up:
            handle.curl.setopt(pycurl.DNS_CACHE_TIMEOUT, 0)
        verdict = await self._run(handle, login)
        if is_looked_up:
            handle.curl.setopt(pycurl.DNS_CACHE_TIMEOUT, _DNS_CACHE_SECONDS)
            self._unresolved.discard(host)
        if verdict[0] == pycurl.E_COULDNT_RESOLVE_HOST and len(self._unresolved) < _MAX_UNRESOLVED_HOSTS:
            self._unresolved.add(host)
        return verdict

    async def _run(self, handle: CurlHandle, login: HostLogin) -> CurlResult:
        """Have libcurl make a request; where the server asks for credentials, they wait for their turn."""
        request, curl = handle.request, handle.curl
        if login is None:
            verdict = await self._loop.run(handle)
            if is_unsent(handle, verdict):
                curl.setopt(pycurl.FRESH_CONNECT, 1)
                verdict = await self._loop.run(handle)
                curl.setopt(pycurl.FRESH_CONNECT, 0)
            return verdict
        if request.before_next_request is None or request.body.size:
            allow_challenges(handle, one_at_a_time=False)
            return await self._loop.run(handle)
        allow_challenges(handle, one_at_a_time=True)
        verdict = await self._loop.run(handle)
        while is_challenged(handle, verdict):
            handle.challenged_at.append(self._clock.now())
            await request.before_next_request()
            verdict = await self._loop.run(handle)
        return verdict

    def _build_result(self, handle: CurlHandle, result: CurlResult, host: str) -> FetchResult:
        ended = self._clock.now()
        failure, detail = handle.judge(*result)
        if self._settings.proxy is not None and handle.local_server is None:
            failure, detail = _blame_proxy(handle, failure, detail)
        if handle.cookies_set:
            self._settings.jar.note_set(handle.cookies_set, host)
        return self._reporter.from_transfer(handle, ended, failure, detail, self._handshakes.tls_of(handle))

    async def _fetch_leniently(
        self,
        first: FetchResult,
        way: ServerRoute,
        sent: bytes,
        buckets: tuple[TokenBucket, ...],
        listener: ResponseListener | None,
    ) -> FetchResult:
        request = first.request
        if request.before_next_request is not None:
            await request.before_next_request()
        sink, at = SpoolSink(self._spool), self._clock.now()
        attempt = LenientRequest(request, sink, buckets, listener)
        try:
            result = await attempt.send(way, sent)
            return self._reporter.from_lenient(first, PlainTry(sent, at, sink, way.address), result, self._clock.now())
        finally:
            sink.discard()

    def _header_lines(self, host: str, own: tuple[tuple[str, str], ...]) -> list[str]:
        headers = self._settings.settings.headers
        return curl_header_lines(headers.get("", ()), headers.get(host, ()) if host else (), own)


def _blame_proxy(handle: CurlHandle, failure: FetchFailure | None, detail: str) -> tuple[FetchFailure | None, str]:
    status = handle.curl.getinfo(pycurl.HTTP_CONNECTCODE)
    if failure is not None and not is_successful(status) and status:
        return FetchFailure.PROXY, f"the proxy gives no way through (status {status})"
    if status_of(handle.head) == PROXY_AUTHENTICATION_REQUIRED:
        return FetchFailure.PROXY, "the proxy asks for credentials (status 407)"
    return (FetchFailure.PROXY, detail) if failure is FetchFailure.CONNECT else (failure, detail)
