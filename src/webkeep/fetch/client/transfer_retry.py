"""When a transfer is made once more at once, for the crawler and for clients of the recording proxy alike: nobody saw
the request, the server asked for credentials, or libcurl gave up on the answer.

Nobody saw the request: it goes out over a fresh connection. The server asked who is there: it is told. libcurl gave up
on the answer: the request is made plainly, to the same address, by what is known of it. What is asked for again later,
because a server said so or failed, is no affair of a transfer: see `frontier/retry_policy.py`.
"""

from __future__ import annotations

from functools import lru_cache

import pycurl

from webkeep.fetch.addresses import authority_of, host_of
from webkeep.fetch.client.curl_errors import is_unreadable_response
from webkeep.fetch.client.curl_handle import CurlHandle
from webkeep.fetch.client.curl_multi import CurlResult
from webkeep.fetch.client.lenient_request import ServerRoute
from webkeep.fetch.client.tls_trust import tls_context
from webkeep.fetch.settings import FetchSettings
from webkeep.fetch.upstream_proxy import UpstreamProxy

_MAX_CHALLENGES = 3
"""How often one request answers a server that asks who is there: once is usual, twice where it forgets."""
_SAFE_METHODS = ("GET", "HEAD")
"""What changes something on the server is not done twice."""
_CONNECTION_DIED = "Connection died"
"""What libcurl says of open connections that the server had closed."""


def is_unsent(handle: CurlHandle, result: CurlResult) -> bool:
    """Whether every open connection that libcurl tried had been closed by the server: nobody saw the request."""
    if handle.head:
        return False
    could_not_send = result[0] == pycurl.E_SEND_ERROR and handle.curl.getinfo(pycurl.NUM_CONNECTS) == 0
    return _CONNECTION_DIED in result[1] or (could_not_send and handle.request.method in _SAFE_METHODS)


def allow_challenges(handle: CurlHandle, one_at_a_time: bool) -> None:
    """Have libcurl answer a server that asks who is there: by itself, or each time when it is run again.

    To libcurl the answer to a challenge is a redirect: allowed none it stops there.
    """
    handle.curl.setopt(pycurl.MAXREDIRS, 0 if one_at_a_time else _MAX_CHALLENGES)


def is_challenged(handle: CurlHandle, result: CurlResult) -> bool:
    """Whether libcurl stopped at a challenge, and is to answer it when it is run again."""
    return result[0] == pycurl.E_TOO_MANY_REDIRECTS and len(handle.challenged_at) < _MAX_CHALLENGES


class ServerRoutes:
    """Knows how servers were reached, and by which trust."""

    def __init__(self, settings: FetchSettings, proxy: UpstreamProxy | None) -> None:
        self._user_agent = settings.user_agent
        self._proxy = proxy
        self._context = lru_cache(2)(lambda verified: tls_context(settings, verified))

    def retry_route(self, handle: CurlHandle, result: CurlResult, verified: bool) -> ServerRoute | None:
        """How to make the request again for an answer that libcurl gave up on; None where that is not called for."""
        request, local = handle.request, handle.local_server
        proxy = self._proxy if local is None else None
        if not is_unreadable_response(*result) or not handle.sent or not handle.is_http or handle.is_forwarded:
            return None
        # Only a proxy that speaks HTTP is easily asked.
        if request.method not in _SAFE_METHODS or (proxy is not None and proxy.scheme != "http"):
            return None
        if local is not None:
            return ServerRoute("" if local.socket else local.address, local.port, socket=local.socket)
        curl, authority = handle.curl, authority_of(request.url)
        address, port = curl.getinfo(pycurl.PRIMARY_IP), curl.getinfo(pycurl.PRIMARY_PORT)
        if not request.url.startswith("https"):
            return ServerRoute(address, port)
        target = authority if ":" in authority.rpartition("]")[2] else f"{authority}:443"
        tunnel = proxy.connect_request(target, self._user_agent) if proxy is not None else b""
        return ServerRoute(address, port, self._context(verified), host_of(authority), tunnel)
