"""The proxy on the way to the web, over HTTP or SOCKS, as its URL describes it; and how it is asked for a way through
to a host (CONNECT).
"""

from __future__ import annotations

import asyncio
import base64
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from webkeep.errors import UsageError
from webkeep.fetch.credentials import Credentials
from webkeep.formats.status import is_successful, status_of

_DEFAULT_PORTS = {"http": 3128, "https": 443, "socks4": 1080, "socks4a": 1080, "socks5": 1080, "socks5h": 1080}


@dataclass(frozen=True, slots=True)
class UpstreamProxy:
    """Where a proxy is, how it is talked to, and as whom."""

    scheme: str
    host: str
    port: int
    credentials: Credentials | None = None

    @property
    def url(self) -> str:
        """The proxy without its credentials."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def speaks_http(self) -> bool:
        """Whether requests are addressed to the proxy itself."""
        return self.scheme in ("http", "https")

    def connect_request(self, authority: str, user_agent: str) -> bytes:
        """The request that asks for a way through to a host and port."""
        fields = [f"CONNECT {authority} HTTP/1.1", f"Host: {authority}", f"User-Agent: {user_agent}"]
        if self.credentials is not None:
            pair = f"{self.credentials.user}:{self.credentials.password}".encode()
            fields.append(f"Proxy-Authorization: Basic {base64.b64encode(pair).decode()}")
        return "\r\n".join([*fields, "", ""]).encode()


def parse_proxy(text: str) -> UpstreamProxy:
    """Read a proxy's URL; a bare `HOST:PORT` is one that speaks HTTP."""
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
    except ValueError:
        parts, port = urlsplit(""), 0
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or not port:
        # The text is not shown: it may hold a password.
        raise UsageError("not a proxy's URL; write it as http://USER:PASSWORD@HOST:PORT or socks5h://HOST:PORT")
    known = Credentials(unquote(parts.username or ""), unquote(parts.password or "")) if parts.username else None
    return UpstreamProxy(parts.scheme, parts.hostname, port, known)


async def read_tunnel_response(reader: asyncio.StreamReader) -> None:
    """What a proxy says to a request for a way through; an `OSError` where it gives none."""
    try:
        answer = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise ConnectionResetError(0, "the proxy's response cannot be read") from error
    if not is_successful(status_of(answer)):
        raise ConnectionRefusedError(0, "the proxy gives no way through")
