"""The door: every request to the web goes through here, and every byte that comes back is kept as it came."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import certifi
import pycurl

from webkeep.clock import SystemClock
from webkeep.fetch.loop import CurlLoop
from webkeep.fetch.request import Fetched, Request
from webkeep.fetch.settings import DoorSettings
from webkeep.fetch.sink import SpoolSink
from webkeep.fetch.transfer import Listener, Transfer
from webkeep.model import Clock

_SCHEMES = pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS | pycurl.PROTO_FTP | pycurl.PROTO_FTPS | pycurl.PROTO_FILE


class Door:
    """Makes requests; use it as an asynchronous context manager on the loop it shall run on."""

    def __init__(self, settings: DoorSettings, spool: Path, clock: Clock | None = None) -> None:
        self._settings = settings
        self._spool = spool
        self._clock = clock or SystemClock()
        self._idle: list[pycurl.Curl] = []
        self._share = pycurl.CurlShare()
        self._share.setopt(pycurl.SH_SHARE, pycurl.LOCK_DATA_COOKIE)
        self._share.setopt(pycurl.SH_SHARE, pycurl.LOCK_DATA_SSL_SESSION)
        self._loops: dict[bool, CurlLoop] = {}

    async def __aenter__(self) -> Self:
        # Connections to private addresses are kept apart: no public page's request may go over one that is open.
        for private in (False, True):
            self._loops[private] = CurlLoop(self._settings.connections, self._settings.connections_per_host)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._settings.save_cookies:
            self._save_cookies()
        for loop in self._loops.values():
            loop.close()
        self._loops.clear()
        for handle in self._idle:
            handle.close()
        self._idle.clear()
        self._share.close()

    async def fetch(self, request: Request, listener: Listener | None = None) -> Fetched:
        """Make a request and take the response, whatever becomes of it."""
        loop = self._loops[request.private]
        handle = self._idle.pop() if self._idle else self._new_handle()
        transfer = Transfer(handle, request, SpoolSink(self._spool), self._clock, listener)
        transfer.prepare()
        self._prepare_host(handle, request)
        try:
            return await loop.run(transfer)
        finally:
            self._put_back(handle, request)

    def _new_handle(self) -> pycurl.Curl:
        settings = self._settings
        handle = pycurl.Curl()
        handle.setopt(pycurl.NOSIGNAL, 1)
        handle.setopt(pycurl.VERBOSE, 1)
        handle.setopt(pycurl.SHARE, self._share)
        handle.setopt(pycurl.HTTP_TRANSFER_DECODING, 0)
        handle.setopt(pycurl.HTTP_CONTENT_DECODING, 0)
        handle.setopt(pycurl.FOLLOWLOCATION, 0)
        handle.setopt(pycurl.PROTOCOLS, _SCHEMES)
        handle.setopt(pycurl.USERAGENT, settings.user_agent)
        handle.setopt(pycurl.PATH_AS_IS, 1)
        handle.setopt(pycurl.CAINFO, settings.certificate_authorities or certifi.where())
        handle.setopt(pycurl.COOKIEFILE, settings.cookies)
        handle.setopt(
            pycurl.HTTP_VERSION,
            pycurl.CURL_HTTP_VERSION_2TLS if settings.http2 else pycurl.CURL_HTTP_VERSION_1_1,
        )
        if settings.resolve:
            handle.setopt(pycurl.RESOLVE, list(settings.resolve))
        if settings.proxy:
            handle.setopt(pycurl.PROXY, settings.proxy)
        else:
            handle.setopt(pycurl.PROXY, "")  # the environment's proxies are not ours to follow unasked
        if settings.insecure:
            handle.setopt(pycurl.SSL_VERIFYPEER, 0)
            handle.setopt(pycurl.SSL_VERIFYHOST, 0)
        if settings.client_certificate:
            handle.setopt(pycurl.SSLCERT, settings.client_certificate)
            handle.setopt(pycurl.SSLKEY, settings.client_key or settings.client_certificate)
        if not settings.ipv6:
            handle.setopt(pycurl.IPRESOLVE, pycurl.IPRESOLVE_V4)
        return handle

    def _prepare_host(self, handle: pycurl.Curl, request: Request) -> None:
        credentials = self._settings.credentials
        if credentials:
            known = credentials.get(urlsplit(request.url).hostname or "")
            handle.setopt(pycurl.HTTPAUTH, pycurl.HTTPAUTH_BASIC | pycurl.HTTPAUTH_DIGEST if known else 0)
            if known:
                handle.setopt(pycurl.USERNAME, known.user)
                handle.setopt(pycurl.PASSWORD, known.password)

    def _put_back(self, handle: pycurl.Curl, request: Request) -> None:
        if request.method != "GET" or request.body.size or self._settings.credentials:
            handle.close()
        else:
            self._idle.append(handle)

    def _save_cookies(self) -> None:
        handle = self._idle[-1] if self._idle else self._new_handle()
        handle.setopt(pycurl.COOKIEJAR, self._settings.save_cookies)
        handle.setopt(pycurl.COOKIELIST, "FLUSH")
