"""Asking servers over one pool of connections: by libcurl, and plainly where libcurl does not take the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import pycurl

from webkeep.fetch.addresses import authority_of, host_of
from webkeep.fetch.guarded_loop import GuardedLoop
from webkeep.fetch.handle import Handle
from webkeep.fetch.handles import HandlePool, Login
from webkeep.fetch.listener import Listener
from webkeep.fetch.loop import Verdict
from webkeep.fetch.pace import Bucket, Paces
from webkeep.fetch.plain import PlainTry, Way
from webkeep.fetch.proxy import Proxy
from webkeep.fetch.report import Reporter, plain_request
from webkeep.fetch.request import Failure, Fetched, Request
from webkeep.fetch.settings import DoorSettings, header_lines
from webkeep.fetch.sink import SpoolSink
from webkeep.fetch.status import status_of
from webkeep.fetch.trust import Handshakes
from webkeep.fetch.ways import Ways
from webkeep.model import Clock

_MOST_CHALLENGES = 3
"""How often one request answers a server that asks for credentials."""


_SAFE = ("GET", "HEAD")
_DIED = "Connection died"
_ADDRESS_SECONDS = 60
"""For how long libcurl remembers a name's address by itself; that there is none, for half as long."""
_MOST_UNRESOLVED = 10_000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all pools of connections have in common."""

    settings: DoorSettings
    proxy: Proxy | None
    share: pycurl.CurlShare
    spool: Path
    clock: Clock
    paces: Paces
    note_cookies: Callable[[int], None]
    """Told how many cookies a response set."""


class Asker:
    """Makes requests over a pool of connections of its own."""

    def __init__(self, around: Surroundings) -> None:
        settings = around.settings
        self._around = around
        self._spool, self._clock = around.spool, around.clock
        self._time = asyncio.get_running_loop().time
        self._loop = GuardedLoop(settings.connections)
        self._pool = HandlePool(settings, around.proxy, around.share, around.clock, self._loop.pause)
        self._reporter = Reporter(around.proxy is not None)
        self._handshakes = Handshakes()
        self._distrusted: dict[str, str] = {}
        self._unresolved: set[str] = set()
        """Hosts without an address, which are looked up anew when they are asked again."""
        self._ways = Ways(settings, around.proxy)
        self._headers = lru_cache(1024)(self._header_lines)

    def close(self) -> None:
        """Let go of all connections."""
        self._loop.close()
        self._pool.close()

    async def ask(self, request: Request, login: Login, listener: Listener | None = None) -> Fetched:
        """Make a request; one that may not be trusted is made again without trust, if that is allowed."""
        authority = authority_of(request.url)
        why = self._distrusted.get(authority, "") if request.url.startswith("https:") else ""
        fetched = await self._transfer(request, authority, login, listener, not why)
        if fetched.failure is Failure.CERTIFICATE and not why and self._around.settings.insecure:
            why = self._distrusted[authority] = fetched.detail
            fetched = await self._transfer(request, authority, login, listener, False)
        if why:
            detail = f"invalid certificate accepted: {why}"
            return replace(fetched, detail=f"{detail}; {fetched.detail}" if fetched.detail else detail)
        return fetched

    async def _transfer(
        self, request: Request, authority: str, login: Login, listener: Listener | None, verified: bool
    ) -> Fetched:
        host = host_of(authority)
        headers = self._headers(host if self._around.settings.headers else "", request.headers)
        buckets = self._around.paces.of(host, request.limits.rate, self._time())
        handle, sink = self._pool.take(login, verified), SpoolSink(self._spool)
        try:
            handle.begin(request, headers, sink, buckets, listener, login is not None)
            verdict = await self._resolved(handle, host, login)
            fetched = self._told(handle, verdict)
            way = self._ways.again(handle, verdict, verified)
        except BaseException:
            handle.curl.close()
            sink.discard()
            raise
        sent = handle.sent
        self._pool.put_back(handle, login, verified, request)
        if way is None:
            sink.discard()
            return fetched
        return await self._plainly(fetched, way, plain_request(sent), buckets, listener)

    async def _resolved(self, handle: Handle, host: str, login: Login) -> Verdict:
        """Run a request; a name that had no address the last time is looked up and not remembered."""
        is_looked_up = host in self._unresolved
        if is_looked_up:
            handle.curl.setopt(pycurl.DNS_CACHE_TIMEOUT, 0)
        verdict = await self._run(handle, login)
        if is_looked_up:
            handle.curl.setopt(pycurl.DNS_CACHE_TIMEOUT, _ADDRESS_SECONDS)
            self._unresolved.discard(host)
        if verdict[0] == pycurl.E_COULDNT_RESOLVE_HOST and len(self._unresolved) < _MOST_UNRESOLVED:
            self._unresolved.add(host)
        return verdict

    async def _run(self, handle: Handle, login: Login) -> Verdict:
        """Have libcurl make a request; where the server asks for credentials, they wait for their turn."""
        request, curl = handle.request, handle.curl
        if login is None:
            verdict = await self._loop.run(handle)
            if _met_closed_connections(handle, verdict):
                curl.setopt(pycurl.FRESH_CONNECT, 1)
                verdict = await self._loop.run(handle)
                curl.setopt(pycurl.FRESH_CONNECT, 0)
            return verdict
        if request.before_more is None or request.body.size:
            curl.setopt(pycurl.MAXREDIRS, _MOST_CHALLENGES)
            return await self._loop.run(handle)
        # To libcurl the answer to a challenge is a redirect: allowed none it stops there, and answers when run again.
        curl.setopt(pycurl.MAXREDIRS, 0)
        verdict = await self._loop.run(handle)
        while verdict[0] == pycurl.E_TOO_MANY_REDIRECTS and len(handle.asked_back_at) < _MOST_CHALLENGES:
            handle.asked_back_at.append(self._clock.now())
            await request.before_more()
            verdict = await self._loop.run(handle)
        return verdict

    def _told(self, handle: Handle, verdict: Verdict) -> Fetched:
        ended = self._clock.now()
        failure, detail = handle.verdict(*verdict)
        if self._around.proxy is not None:
            failure, detail = _blamed_on_proxy(handle, failure, detail)
        tls = ""
        if handle.request.url.startswith("https"):
            connection = handle.curl.getinfo(pycurl.CONN_ID)
            tls = self._handshakes.told(connection, authority_of(handle.request.url), handle.tls)
        if handle.cookies_set:
            self._around.note_cookies(handle.cookies_set)
        return self._reporter.transferred(handle, ended, failure, detail, tls)

    async def _plainly(
        self, first: Fetched, way: Way, sent: bytes, buckets: tuple[Bucket, ...], listener: Listener | None
    ) -> Fetched:
        request = first.request
        if request.before_more is not None:
            await request.before_more()
        sink, at = SpoolSink(self._spool), self._clock.now()
        attempt = PlainTry(request, sink, buckets, listener)
        try:
            answer = await attempt.ask(way, sent)
            return self._reporter.retold(first, sent, at, answer, sink, self._clock.now(), way.address)
        finally:
            sink.discard()

    def _header_lines(self, host: str, own: tuple[tuple[str, str], ...]) -> list[str]:
        headers = self._around.settings.headers
        return header_lines(headers.get("", ()), headers.get(host, ()) if host else (), own)


def _met_closed_connections(handle: Handle, verdict: Verdict) -> bool:
    """Whether every open connection that libcurl tried had been closed by the server: nobody saw the request."""
    if handle.head:
        return False
    is_unsent = verdict[0] == pycurl.E_SEND_ERROR and handle.curl.getinfo(pycurl.NUM_CONNECTS) == 0
    return _DIED in verdict[1] or (is_unsent and handle.request.method in _SAFE)


def _blamed_on_proxy(handle: Handle, failure: Failure | None, detail: str) -> tuple[Failure | None, str]:
    status = handle.curl.getinfo(pycurl.HTTP_CONNECTCODE)
    if failure is not None and not 200 <= status < 300 and status:
        return Failure.PROXY, f"the proxy gives no way through (status {status})"
    if status_of(handle.head) == 407:
        return Failure.PROXY, "the proxy asks for credentials (status 407)"
    return (Failure.PROXY, detail) if failure is Failure.CONNECT else (failure, detail)
