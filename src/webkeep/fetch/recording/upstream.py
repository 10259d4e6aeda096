"""The proxy's way to the web: the door's libcurl, without its cookies, passing answers on as they come."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import cast

import pycurl

from webkeep.fetch.addresses import authority_of, host_of, names_private
from webkeep.fetch.handles import HandlePool, Login
from webkeep.fetch.loop import CurlLoop, Verdict
from webkeep.fetch.plain import PlainAnswer, Way
from webkeep.fetch.proxy import Proxy
from webkeep.fetch.recording.passing_handle import Begun, Ours, PassingHandle
from webkeep.fetch.recording.passing_loop import PassingLoop
from webkeep.fetch.report import Reporter
from webkeep.fetch.request import Fetched, Request
from webkeep.fetch.settings import DoorSettings
from webkeep.fetch.sink import SpoolSink
from webkeep.fetch.trust import Handshakes
from webkeep.fetch.ways import Ways
from webkeep.model import Clock, Moment


class Upstream:
    """Makes requests for clients; public and private addresses have connections of their own."""

    def __init__(
        self, settings: DoorSettings, proxy: Proxy | None, spool: Path, clock: Clock, is_ours: Ours, goes_on: bool
    ) -> None:
        self._settings, self._proxy = settings, proxy
        self.spool, self.clock = spool, clock
        self.distrusted: dict[str, str] = {}
        """Why the certificates of these authorities are invalid, and passed all the same."""
        self._reporter = Reporter(proxy is not None)
        self._handshakes = Handshakes()
        self._ways = Ways(settings, proxy)
        self._closing = ExitStack()
        share = pycurl.CurlShare()
        share.setopt(pycurl.SH_SHARE, pycurl.LOCK_DATA_SSL_SESSION)
        self._closing.callback(share.close)
        self._pools = {private: self._pool(share, is_ours, goes_on) for private in (False, True)}

    def _pool(self, share: pycurl.CurlShare, is_ours: Ours, goes_on: bool) -> tuple[CurlLoop, _PassingPool]:
        loop = PassingLoop(self._settings.connections)
        pool = _PassingPool(self._settings, self._proxy, share, self.clock, loop.pause)
        pool.is_ours, pool.begun, pool.goes_on = is_ours, loop.begun, goes_on
        self._closing.callback(pool.close)
        self._closing.callback(loop.close)
        return loop, pool

    def close(self) -> None:
        """Let go of all connections."""
        self._closing.close()

    @property
    def is_lax(self) -> bool:
        """Whether servers with invalid certificates are passed."""
        return self._settings.insecure

    def reason_to_refuse(self, request: Request) -> str:
        """Why a request may not be made; without a proxy it is the address connected to that counts."""
        if request.private or self._proxy is None:
            return ""
        host = host_of(authority_of(request.url))
        return f"{host} is not public" if names_private(host) else ""

    def target(self, url: str, target: bytes) -> bytes:
        """A target as it stands in the request's line: a proxy that is asked for it must be told of the server too."""
        if self._proxy is None or not self._proxy.speaks_http or url.startswith("https"):
            return target
        return f"http://{authority_of(url)}".encode() + target.removeprefix(b"*")

    def loop(self, private: bool) -> CurlLoop:
        """What transfers run on."""
        return self._pools[private][0]

    def handle(self, private: bool, verified: bool, login: Login = None) -> PassingHandle:
        """A handle for one try."""
        return cast("PassingHandle", self._pools[private][1].take(login, verified))

    def put_back(self, handle: PassingHandle, verified: bool, login: Login = None) -> None:
        """Take a handle back whose try has ended."""
        self._pools[handle.request.private][1].put_back(handle, login, verified, handle.request)

    def told(self, handle: PassingHandle, verdict: Verdict, verified: bool) -> tuple[Fetched, Way | None]:
        """How a try ended, and the way for a plain one where that is called for."""
        failure, detail = handle.verdict(*verdict)
        tls = ""
        if handle.request.url.startswith("https"):
            connection = handle.curl.getinfo(pycurl.CONN_ID)
            tls = self._handshakes.told(connection, authority_of(handle.request.url), handle.tls)
        fetched = self._reporter.transferred(handle, self.clock.now(), failure, detail, tls)
        if handle.gap is not None:
            fetched = replace(fetched, exchange=None, parts=(), detail=str(handle.gap))
        elif fetched.exchange is not None and handle.asked.size:
            exchange = replace(fetched.exchange, request_body=handle.asked.body())
            fetched = replace(fetched, exchange=exchange, parts=(exchange,))
        return fetched, self._ways.again(handle, verdict, verified) if failure is not None else None

    def retold(
        self, first: Fetched, sent: bytes, at: Moment, answer: PlainAnswer, sink: SpoolSink, way: Way
    ) -> Fetched:
        """How a plain try ended."""
        return self._reporter.retold(first, sent, at, answer, sink, self.clock.now(), way.address)


class _PassingPool(HandlePool):
    keeps_cookies = False  # they are the client's affair
    is_ours: Ours
    begun: Begun
    goes_on: bool

    def _made(self, login: Login, verified: bool) -> PassingHandle:
        curl = super()._made(login, verified).curl
        handle = PassingHandle(curl, self._clock, self._pause, self._proxy is None)
        handle.is_ours, handle.begun, handle.goes_on = self.is_ours, self.begun, self.goes_on
        return handle
