"""The proxy's way to the web: the door's libcurl, without its cookies, passing answers on as they come."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pycurl

from webkeep.fetch.addresses import authority_of, host_of, names_private
from webkeep.fetch.handles import HandlePool, Login
from webkeep.fetch.loop import CurlLoop, Verdict
from webkeep.fetch.proxy import Proxy
from webkeep.fetch.recording.passage import Passage
from webkeep.fetch.recording.passing_handle import Ours, PassingHandle
from webkeep.fetch.recording.upload import Upload
from webkeep.fetch.report import Reporter
from webkeep.fetch.request import Failure, Fetched, Request
from webkeep.fetch.settings import DoorSettings
from webkeep.fetch.sink import SpoolSink
from webkeep.fetch.trust import Handshakes
from webkeep.model import Clock

CLIENT_GONE = "the client went away"
"""What is said of an exchange that its client broke off."""

_GONE = (pycurl.E_RECV_ERROR, CLIENT_GONE)


@dataclass(frozen=True, slots=True)
class Passed:
    """How a passage ended."""

    fetched: Fetched
    is_kept: bool
    """Whether what came was gathered."""


class _PassingPool(HandlePool):
    is_ours: Ours
    goes_on: bool

    def _made(self, login: Login, verified: bool) -> PassingHandle:
        curl = super()._made(login, verified).curl
        handle = PassingHandle(curl, self._clock, self._pause, self._proxy is None)
        handle.is_ours, handle.goes_on = self.is_ours, self.goes_on
        return handle


class Upstream:
    """Makes requests for clients; public and private addresses have connections of their own."""

    def __init__(
        self, settings: DoorSettings, proxy: Proxy | None, spool: Path, clock: Clock, is_ours: Ours, goes_on: bool
    ) -> None:
        self._settings, self._proxy, self._spool, self._clock = settings, proxy, spool, clock
        self._reporter = Reporter(False, proxy is not None)
        self._handshakes = Handshakes()
        self._distrusted: dict[str, str] = {}
        self._closing = ExitStack()
        share = pycurl.CurlShare()
        share.setopt(pycurl.SH_SHARE, pycurl.LOCK_DATA_SSL_SESSION)
        self._closing.callback(share.close)
        self._ways = {private: self._way(share, is_ours, goes_on) for private in (False, True)}

    def _way(self, share: pycurl.CurlShare, is_ours: Ours, goes_on: bool) -> tuple[CurlLoop, _PassingPool]:
        loop = _ResumingLoop(self._settings.connections)
        pool = _PassingPool(self._settings, self._proxy, share, self._clock, loop.pause)
        pool.is_ours, pool.goes_on = is_ours, goes_on
        self._closing.callback(pool.close)
        self._closing.callback(loop.close)
        return loop, pool

    def close(self) -> None:
        """Let go of all connections."""
        self._closing.close()

    async def pass_on(self, request: Request, lines: list[str], passage: Passage, upload: Upload) -> Passed:
        """Make a request and pass on what comes; being cancelled ends it, and what came until then is kept."""
        host = host_of(authority_of(request.url))
        if not request.private and self._proxy is not None and names_private(host):
            now = self._clock.now()
            reason = f"{host} is not public"
            return Passed(Fetched(request, now, now, None, Failure.FORBIDDEN_ADDRESS, reason), True)
        authority = authority_of(request.url)
        why = self._distrusted.get(authority, "")
        passed = await self._transfer(request, lines, passage, upload, not why)
        if passed.fetched.failure is Failure.CERTIFICATE and self._settings.insecure and not why:
            why = self._distrusted[authority] = passed.fetched.detail
            passed = await self._transfer(request, lines, passage, upload, False)
        if why:
            detail = f"invalid certificate accepted: {why}"
            return replace(passed, fetched=replace(passed.fetched, detail=detail))
        return passed

    async def _transfer(
        self, request: Request, lines: list[str], passage: Passage, upload: Upload, verified: bool
    ) -> Passed:
        loop, pool = self._ways[request.private]
        handle = cast("PassingHandle", pool.take(None, verified))
        asked = SpoolSink(self._spool)
        try:
            handle.begin_passing(request, lines, (SpoolSink(self._spool), asked), passage, upload)
            verdict = await _run(loop, handle)
            fetched = self._told(handle, verdict)
        except BaseException:
            handle.curl.close()
            handle.sink.discard()
            asked.discard()
            raise
        if verdict is _GONE or upload.length != 0:
            handle.curl.close()
        else:
            pool.put_back(handle, None, verified, request)
        return Passed(fetched, handle.is_kept)

    def _told(self, handle: PassingHandle, verdict: Verdict) -> Fetched:
        failure, detail = handle.verdict(*verdict)
        tls = ""
        if handle.request.url.startswith("https"):
            connection = handle.curl.getinfo(pycurl.CONN_ID)
            tls = self._handshakes.told(connection, authority_of(handle.request.url), handle.tls)
        fetched = self._reporter.transferred(handle, self._clock.now(), failure, detail, tls)
        if handle.gap is not None:
            return replace(fetched, exchange=None, parts=(), detail=str(handle.gap))
        if fetched.exchange is not None and handle.asked.size:
            exchange = replace(fetched.exchange, request_body=handle.asked.body())
            fetched = replace(fetched, exchange=exchange, parts=(exchange,))
        return fetched


class _ResumingLoop(CurlLoop):
    """Tells handles that they go on."""

    def __init__(self, connections: int) -> None:
        super().__init__(connections)
        self._paused: dict[pycurl.Curl, PassingHandle] = {}

    def pause(self, handle: object, seconds: float) -> None:
        """Have a transfer that paused itself go on after a while."""
        passing = cast("PassingHandle", handle)
        if passing.curl in self._running:
            self._paused[passing.curl] = passing
            super().pause(passing, seconds)

    def _resume(self, curl: pycurl.Curl) -> None:
        self._paused.pop(curl).resumed()
        super()._resume(curl)

    def _release(self, curl: pycurl.Curl) -> None:
        self._paused.pop(curl, None)
        super()._release(curl)


async def _run(loop: CurlLoop, handle: PassingHandle) -> Verdict:
    try:
        return await loop.run(handle)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()
        return _GONE
