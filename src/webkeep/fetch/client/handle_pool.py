"""libcurl handles made once for the settings of a crawl (protocols, HTTP/2, IPv6, proxy, `--resolve`, how credentials
are sent), and used again for request after request.
"""

from __future__ import annotations

from collections import defaultdict

import pycurl

from webkeep.fetch.client.curl_handle import CurlHandle, PauseTransfer
from webkeep.fetch.client.tls_trust import set_curl_trust
from webkeep.fetch.credentials import Credentials
from webkeep.fetch.local_site import LocalServer
from webkeep.fetch.request import FetchRequest
from webkeep.fetch.settings import FetchSettings
from webkeep.fetch.upstream_proxy import UpstreamProxy
from webkeep.model import Clock

HostLogin = tuple[str, Credentials] | None
"""A host and what it is told if it asks."""
_HandleKind = tuple[HostLogin, bool, LocalServer | None]

_CURL_PROTOCOLS = pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS | pycurl.PROTO_FTP | pycurl.PROTO_FTPS
"""What libcurl may speak; files of this machine are read without it."""
_BUFFER_BYTES = 128 * 1024
"""What libcurl reads at a time, for large bodies to come in few pieces."""
_AUTH_SCHEMES = pycurl.HTTPAUTH_BASIC | pycurl.HTTPAUTH_DIGEST


class HandlePool:
    """Idle handles; those with credentials are kept for their host, as they remember what it asked for."""

    keeps_cookies = True

    def __init__(
        self,
        settings: FetchSettings,
        proxy: UpstreamProxy | None,
        share: pycurl.CurlShare,
        clock: Clock,
        pause: PauseTransfer,
    ) -> None:
        self._settings = settings
        self._proxy = proxy
        self._share = share
        self._clock = clock
        self._pause = pause
        self._idle: defaultdict[_HandleKind, list[CurlHandle]] = defaultdict(list)

    def take(self, login: HostLogin, verified: bool, url: str) -> CurlHandle:
        """A handle for a request of a URL."""
        server = self._settings.local.server_of(url)
        idle = self._idle[login, verified, server]
        return idle.pop() if idle else self._create(login, verified, server)

    def put_back(self, handle: CurlHandle, login: HostLogin, verified: bool, request: FetchRequest) -> None:
        """Take a handle back whose request has ended."""
        # One that sent something else than a plain GET would have to unlearn that.
        if request.method == "GET" and not request.body.size:
            self._idle[login, verified, handle.local_server].append(handle)
        else:
            handle.curl.close()

    def close(self) -> None:
        """Let go of all idle handles."""
        for idle in self._idle.values():
            for handle in idle:
                handle.curl.close()
        self._idle.clear()

    def _create(self, login: HostLogin, verified: bool, server: LocalServer | None) -> CurlHandle:
        curl = pycurl.Curl()
        _set_protocol(curl, self._settings)
        set_curl_trust(curl, self._settings, verified)
        proxy = self._proxy if server is None else None
        set_curl_route(curl, self._settings, proxy, server)
        curl.setopt(pycurl.SHARE, self._share)
        if self.keeps_cookies:
            curl.setopt(pycurl.COOKIEFILE, "")
        if login is not None:
            curl.setopt(pycurl.HTTPAUTH, _AUTH_SCHEMES)
            curl.setopt(pycurl.USERNAME, login[1].user)
            curl.setopt(pycurl.PASSWORD, login[1].password)
        checks = proxy is None and server is None
        speaks_http = proxy is not None and proxy.speaks_http
        return CurlHandle(curl, self._clock, self._pause, checks, speaks_http, server)


def _set_protocol(curl: pycurl.Curl, settings: FetchSettings) -> None:
    curl.setopt(pycurl.NOSIGNAL, 1)
    curl.setopt(pycurl.VERBOSE, 1)
    curl.setopt(pycurl.BUFFERSIZE, _BUFFER_BYTES)
    curl.setopt(pycurl.HTTP_TRANSFER_DECODING, 0)
    curl.setopt(pycurl.HTTP_CONTENT_DECODING, 0)
    curl.setopt(pycurl.FOLLOWLOCATION, 0)
    curl.setopt(pycurl.PROTOCOLS, _CURL_PROTOCOLS)
    curl.setopt(pycurl.PATH_AS_IS, 1)
    curl.setopt(pycurl.OPT_FILETIME, 1)
    if (may_send := settings.may_send) is not None:
        curl.setopt(pycurl.PREREQFUNCTION, lambda *_: pycurl.PREREQFUNC_OK if may_send() else pycurl.PREREQFUNC_ABORT)
    curl.setopt(pycurl.USERAGENT, settings.user_agent)
    version = pycurl.CURL_HTTP_VERSION_2TLS if settings.http2 else pycurl.CURL_HTTP_VERSION_1_1
    curl.setopt(pycurl.HTTP_VERSION, version)


def set_curl_route(
    curl: pycurl.Curl, settings: FetchSettings, proxy: UpstreamProxy | None, server: LocalServer | None = None
) -> None:
    """Tell libcurl by which way a server is reached."""
    if server is not None and server.socket:
        curl.setopt(pycurl.UNIX_SOCKET_PATH, server.socket)
    elif server is not None:
        curl.setopt(pycurl.CONNECT_TO, [server.connect_to])
    if settings.resolve:
        curl.setopt(pycurl.RESOLVE, list(settings.resolve))
    if not settings.ipv6:
        curl.setopt(pycurl.IPRESOLVE, pycurl.IPRESOLVE_V4)
    # The proxies of the environment are not ours to follow unasked.
    curl.setopt(pycurl.PROXY, proxy.url if proxy is not None else "")
    if proxy is not None and proxy.credentials is not None:
        curl.setopt(pycurl.PROXYUSERNAME, proxy.credentials.user)
        curl.setopt(pycurl.PROXYPASSWORD, proxy.credentials.password)
        if proxy.speaks_http:
            curl.setopt(pycurl.PROXYAUTH, _AUTH_SCHEMES)
