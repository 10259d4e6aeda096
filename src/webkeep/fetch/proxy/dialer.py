"""Connections that libcurl is not made for, WebSockets and tunnels, under the same rules as its own: `--resolve`, the
proxy to go through, and no way to private addresses or to this proxy itself.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from functools import cache

from webkeep.errors import RemoteError
from webkeep.fetch.addresses import is_private_name, is_public
from webkeep.fetch.client.tls_trust import tls_context
from webkeep.fetch.proxy.request_head import HostPort
from webkeep.fetch.proxy.streaming_handle import IsOwnAddress
from webkeep.fetch.request import FetchLimits
from webkeep.fetch.settings import FetchSettings
from webkeep.fetch.upstream_proxy import UpstreamProxy, read_tunnel_response

_CONNECT_SECONDS = FetchLimits().connect_seconds
"""So long a server may take to be connected to, its proxy and TLS included."""
ServerStreams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Dialer:
    """Connects to hosts by name, `--resolve` and proxy included, and keeps out of forbidden addresses."""

    def __init__(self, settings: FetchSettings, proxy: UpstreamProxy | None, is_ours: IsOwnAddress) -> None:
        self._settings, self._proxy, self._is_own_address = settings, proxy, is_ours
        self._context = cache(lambda: tls_context(settings, not settings.insecure))
        self._resolve = {
            (host.lower(), int(port)): address.split(",")
            for host, port, address in (each.split(":", 2) for each in settings.resolve)
        }

    async def dial(self, where: HostPort, encrypted: bool, private: bool) -> tuple[ServerStreams, str]:
        """A connection, and the address it leads to, or a `RemoteError` that says why there is none."""
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                return await self._connect(where, encrypted, private)
        except TimeoutError as error:
            raise RemoteError(f"{where.host} does not answer") from error
        except ssl.SSLError as error:
            raise RemoteError(f"{where.host}: {error.reason or 'TLS failed'}") from error
        except OSError as error:
            raise RemoteError(f"cannot connect to {where.host}:{where.port} ({error.strerror or error})") from error

    async def _connect(self, where: HostPort, encrypted: bool, private: bool) -> tuple[ServerStreams, str]:
        scheme, usual_port = ("https", 443) if encrypted else ("http", 80)
        authority = where.host if where.port == usual_port else f"{where.host}:{where.port}"
        local = self._settings.local.server_of(f"{scheme}://{authority}")
        if local is not None and local.socket:
            return await asyncio.open_unix_connection(local.socket), ""
        if local is not None:
            return await asyncio.open_connection(local.address, local.port), local.address
        if self._proxy is not None:
            if not private and is_private_name(where.host.strip("[]")):
                raise RemoteError(f"{where.host} is not public; --private lets clients go there")
            return await self._connect_by_proxy(self._proxy, where, encrypted), ""
        address = await self._choose_address(where, private)
        name = where.host.strip("[]") if encrypted else None
        tls = self._context() if encrypted else None
        return await asyncio.open_connection(address, where.port, ssl=tls, server_hostname=name), address

    async def _choose_address(self, where: HostPort, private: bool) -> str:
        host = where.host.strip("[]")
        known = self._resolve.get((host, where.port))
        if known is None:
            loop = asyncio.get_running_loop()
            found = await loop.getaddrinfo(host, where.port, type=socket.SOCK_STREAM)
            known = [str(each[4][0]) for each in found]
        allowed = [each.strip("[]") for each in known if private or is_public(each.strip("[]"))]
        reachable = [each for each in allowed if not self._is_own_address(each, where.port)]
        if not reachable:
            closed = f"{host} is at an address that is closed to clients ({', '.join(known)})"
            raise RemoteError(f"{closed}; --private opens those that are private")
        return reachable[0]

    async def _connect_by_proxy(self, proxy: UpstreamProxy, where: HostPort, encrypted: bool) -> ServerStreams:
        if proxy.scheme != "http":
            raise RemoteError(f"WebSockets and tunnels do not go through a proxy of the kind {proxy.scheme}")
        if self._is_own_address(proxy.host, proxy.port):
            raise RemoteError("the proxy to go through is this one")
        reader, writer = await asyncio.open_connection(proxy.host, proxy.port)
        try:
            writer.write(proxy.connect_request(f"{where.host}:{where.port}", self._settings.user_agent))
            await read_tunnel_response(reader)
            if encrypted:
                await writer.start_tls(self._context(), server_hostname=where.host.strip("[]"))
        except BaseException:
            writer.transport.abort()
            raise
        return reader, writer
