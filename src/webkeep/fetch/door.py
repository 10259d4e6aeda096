"""The door: every request to the web goes through here, and every byte that comes back is kept as it came."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

import pycurl

from webkeep.clock import SystemClock
from webkeep.fetch.addresses import authority_of, host_of, names_private
from webkeep.fetch.asking import Asker, Surroundings
from webkeep.fetch.continuing import continued
from webkeep.fetch.cookies import CookieJar
from webkeep.fetch.credentials import login_for, split_credentials
from webkeep.fetch.files import FileReading
from webkeep.fetch.gate import Gate
from webkeep.fetch.handles import Login
from webkeep.fetch.listener import Listener
from webkeep.fetch.pace import Paces
from webkeep.fetch.proxy import parse_proxy
from webkeep.fetch.request import Failure, Fetched, Request
from webkeep.fetch.settings import DoorSettings
from webkeep.model import Clock

_SCHEMES = ("http://", "https://", "ftp://", "ftps://", "file:")


class Door:
    """Makes requests; use it as an asynchronous context manager on the loop it shall run on."""

    def __init__(self, settings: DoorSettings, spool: Path, clock: Clock | None = None) -> None:
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
            paces = Paces(settings.rate, settings.rate_per_host)
            around = Surroundings(settings, self._proxy, share, self._spool, self._clock, paces, self._jar.note_set)
            # Connections to private addresses are kept apart: no public page's request may go over an open one.
            self._askers = {private: Asker(around) for private in (False, True)}
            for asker in self._askers.values():
                opening.callback(asker.close)
            self._gate = Gate(settings.connections, settings.connections_per_host)
            self._closing = opening.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._closing:
            if self._settings.save_cookies:
                self._jar.save(self._settings.save_cookies)

    async def fetch(self, request: Request, listener: Listener | None = None) -> Fetched:
        """Make a request and take the response, whatever becomes of it."""
        if not request.url.startswith(_SCHEMES) or "\0" in request.url:
            return self._ended_at_once(request, Failure.SCHEME, "not a URL that can be asked for")
        authority, own = authority_of(request.url), None
        if "@" in authority:
            url, own = split_credentials(request.url)
            request, authority = replace(request, url=url), authority_of(url)
        host = host_of(authority)
        if not request.private and (reason := self._reason_to_refuse(request, host)):
            return self._ended_at_once(request, Failure.FORBIDDEN_ADDRESS, reason)
        if request.url.startswith("file:"):
            return await self._read(request)
        known = own or login_for(self._settings.credentials, request.url)
        if not self._gate.enter(authority):
            await self._gate.wait(authority)
        try:
            return await self._asked(request, (host, known) if known is not None else None, listener)
        finally:
            self._gate.leave(authority)

    async def _asked(self, request: Request, login: Login, listener: Listener | None) -> Fetched:
        asker = self._askers[request.private]
        fetched = await asker.ask(request, login, listener)
        if fetched.failure is Failure.DISCONNECTED and listener is None:
            return await continued(fetched, lambda more: asker.ask(more, login))
        return fetched

    def _reason_to_refuse(self, request: Request, host: str) -> str:
        if request.url.startswith("file:"):
            return "a file of this machine"
        # Without a proxy it is the address connected to that counts, whatever the name.
        return f"{host} is not public" if self._proxy is not None and names_private(host) else ""

    async def _read(self, request: Request) -> Fetched:
        started = self._clock.now()
        reading = FileReading(request, self._spool, self._clock)
        resource, failure, detail = await asyncio.to_thread(reading.read)
        ended = self._clock.now()
        return Fetched(request, started, ended, None, failure, detail, resource=resource)

    def _ended_at_once(self, request: Request, failure: Failure, detail: str) -> Fetched:
        now = self._clock.now()
        return Fetched(request, now, now, None, failure, detail)
