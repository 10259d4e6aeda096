"""Ways for a second, plain try where libcurl gave up on an answer: to the same address, by what is known of it."""

from __future__ import annotations

from functools import lru_cache

import pycurl

from webkeep.fetch.addresses import authority_of, host_of
from webkeep.fetch.failures import is_unreadable
from webkeep.fetch.handle import Handle
from webkeep.fetch.loop import Verdict
from webkeep.fetch.plain import Way
from webkeep.fetch.proxy import Proxy
from webkeep.fetch.settings import DoorSettings
from webkeep.fetch.trust import tls_context


class Ways:
    """Knows how servers were reached, and by which trust."""

    def __init__(self, settings: DoorSettings, proxy: Proxy | None) -> None:
        self._user_agent = settings.user_agent
        self._proxy = proxy
        self._context = lru_cache(2)(lambda verified: tls_context(settings, verified))

    def again(self, handle: Handle, verdict: Verdict, verified: bool) -> Way | None:
        """How to make the request again for an answer that libcurl gave up on; None where that is not called for."""
        request, proxy = handle.request, self._proxy
        if not is_unreadable(*verdict) or not handle.sent or not handle.is_http or handle.is_passed_on:
            return None
        # What changes something on the server is not done twice, and only a proxy that speaks HTTP is easily asked.
        if request.method not in ("GET", "HEAD") or (proxy is not None and proxy.scheme != "http"):
            return None
        curl, authority = handle.curl, authority_of(request.url)
        address, port = curl.getinfo(pycurl.PRIMARY_IP), curl.getinfo(pycurl.PRIMARY_PORT)
        if not request.url.startswith("https"):
            return Way(address, port)
        target = authority if ":" in authority.rpartition("]")[2] else f"{authority}:443"
        tunnel = proxy.tunnel(target, self._user_agent) if proxy is not None else b""
        return Way(address, port, self._context(verified), host_of(authority), tunnel)
