"""The fetcher: every request of a crawl goes through here, and every byte that comes back is kept as it came. Decides
which schemes are asked for, and keeps connections to private addresses apart.
"""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

import pycurl

from webkeep.clock import SystemClock
from webkeep.fetch.addresses import authority_of, host_of, is_private_name
from webkeep.fetch.client.bandwidth_limit import BandwidthLimits
from webkeep.fetch.client.continuation import fetch_rest
from webkeep.fetch.client.cookie_jar import CookieJar
from webkeep.fetch.client.file_reader import FileReader
from webkeep.fetch.client.handle_pool import HostLogin
from webkeep.fetch.client.request_slots import RequestSlots
from webkeep.fetch.client.transfer_pool import TransferPool, TransferSettings
from webkeep.fetch.credentials import credentials_for, split_credentials
from webkeep.fetch.request import FetchFailure, FetchRequest, FetchResult, ResponseListener
from webkeep.fetch.settings import FetchSettings
from webkeep.fetch.upstream_proxy import parse_proxy
from webkeep.model import Clock

_FETCHED_PREFIXES = ("http://", "https://", "ftp://", "ftps://", "file:")


class Fetcher:
    """Makes requests; use it as an asynchronous context manager on the loop it shall run on."""

    def __init__(self, settings: FetchSettings, spool: Path, clock: Clock | None = None) -> None:
        self._settings = settings
        self._spool = spool
        self._clock = clock or SystemClock()
        self._proxy = parse_proxy(settings.proxy) if settings.proxy else None
        self._closing = ExitStack()

    async def __aenter__(self) -> Self:
        settings = self._settings
        with ExitStack() as opening:
            share = pycurl.CurlShare()
            opening.callback(share.close)
            share.setopt(pycurl.SH_SHARE, pycurl.LOCK_DATA_COOKIE)
            share.setopt(pycurl.SH_SHARE, pycurl.LOCK_DATA_SSL_SESSION)
            self._jar = CookieJar(share)
            opening.callback(self._jar.close)
            if settings.cookies:
                self._jar.load(settings.cookies)
            bandwidth = BandwidthLimits(settings.rate, settings.rate_per_host)
            around = TransferSettings(settings, self._proxy, share, self._spool, self._clock, bandwidth, self._jar)
            # Connections to private addresses are kept apart: no public page's request may go over an open one.
            self._pools = {private: TransferPool(around) for private in (False, True)}
            for pool in self._pools.values():
                opening.callback(pool.close)
            self._slots = RequestSlots(settings.connections, settings.connections_per_host)
            self._closing = opening.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._closing:
            if self._settings.save_cookies:
                self._jar.save(self._settings.save_cookies)

    async def fetch(self, request: FetchRequest, listener: ResponseListener | None = None) -> FetchResult:
        """Make a request and take the response, whatever becomes of it."""
        if not request.url.startswith(_FETCHED_PREFIXES) or "\0" in request.url:
            return self._fail_at_once(request, FetchFailure.SCHEME, "not a URL that can be asked for")
        authority, own = authority_of(request.url), None
        if "@" in authority:
            url, own = split_credentials(request.url)
            request, authority = replace(request, url=url), authority_of(url)
        host = host_of(authority)
        if (path := self._settings.local.file_of(request.url)) is not None and request.method == "GET":
            return await self._read_file(request, path)
        is_local = self._settings.local.server_of(request.url) is not None
        if not request.private and not is_local and (reason := self._refusal_reason(request, host)):
            return self._fail_at_once(request, FetchFailure.FORBIDDEN_ADDRESS, reason)
        if request.url.startswith("file:"):
            return await self._read_file(request)
        known = own or credentials_for(self._settings.credentials, request.url)
        if not self._slots.try_acquire(authority):
            await self._slots.acquire(authority)
        try:
            return await self._fetch_web(request, (host, known) if known is not None else None, listener)
        finally:
            self._slots.release(authority)

    async def _fetch_web(
        self, request: FetchRequest, login: HostLogin, listener: ResponseListener | None
    ) -> FetchResult:
        pool = self._pools[request.private]
        fetched = await pool.fetch(request, login, listener)
        if fetched.failure is FetchFailure.DISCONNECTED and listener is None:
            return await fetch_rest(fetched, lambda more: pool.fetch(more, login))
        return fetched

    def _refusal_reason(self, request: FetchRequest, host: str) -> str:
        if request.url.startswith("file:"):
            return "a file of this machine"
        # Without a proxy it is the address connected to that counts, whatever the name.
        return f"{host} is not public" if self._proxy is not None and is_private_name(host) else ""

    async def _read_file(self, request: FetchRequest, path: Path | None = None) -> FetchResult:
        started = self._clock.now()
        reading = FileReader(request, self._spool, self._clock)
        resource, failure, detail = await asyncio.to_thread(reading.read, path)
        ended = self._clock.now()
        return FetchResult(request, started, ended, None, failure, detail, resource=resource, is_local=True)

    def _fail_at_once(self, request: FetchRequest, failure: FetchFailure, detail: str) -> FetchResult:
        now = self._clock.now()
        return FetchResult(request, now, now, None, failure, detail)
