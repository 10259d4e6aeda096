"""How the fetcher is set up: who we are (User-Agent, credentials, headers, certificates), which way we go (proxy,
`--resolve`, HTTP/2, IPv6, servers of this machine), and how much at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from webkeep.errors import UsageError
from webkeep.fetch.addresses import is_address
from webkeep.fetch.credentials import Credentials
from webkeep.fetch.local_site import LocalSite
from webkeep.version import __version__

USER_AGENT = f"webkeep/{__version__} (web archiving)"

_FIELD_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LINE_ENDS = re.compile(r"[\0\r\n]")


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSettings:
    """Everything that holds for all requests of a crawl; how many go out at a time is for the plan to say."""

    connections: int
    connections_per_host: int
    user_agent: str = USER_AGENT
    rate: int = 0
    """Bytes per second of all responses together; 0 for no limit."""
    rate_per_host: int = 0
    """Bytes per second of one host's responses together; 0 for no limit."""
    resolve: tuple[str, ...] = ()
    """As curl has it: `HOST:PORT:ADDRESS`."""
    proxy: str = field(default="", repr=False)
    """As `http://USER:PASSWORD@HOST:PORT`; also https, socks4, socks4a, socks5, and socks5h, which resolves names."""
    cookies: str = ""
    """A Netscape cookie file to begin with."""
    save_cookies: str = ""
    """A Netscape cookie file to end with."""
    credentials: Mapping[str, Credentials] = field(default_factory=dict)
    """By host name, or by host and port."""
    headers: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict, repr=False)
    """Further headers by host name; "" for all hosts."""
    insecure: bool = False
    """Whether servers with invalid certificates are talked to; the fact is recorded."""
    certificate_authorities: str = ""
    client_certificate: str = ""
    client_key: str = ""
    http2: bool = True
    ipv6: bool = True
    local: LocalSite = field(default_factory=LocalSite)
    """What is asked of this machine in place of the network."""
    plain_after: int = 16
    """So many answers of a server are read by libcurl, before ordinary requests go without it: small sites are all its
    own, and cookies are mostly set by then."""
    may_send: Callable[[], bool] | None = None
    """Asked when a connection stands and a request is about to go out: whether it still may."""


def parse_resolve(text: str) -> str:
    """A `--resolve` argument, made sure of."""
    host, _, rest = text.partition(":")
    port, _, address = rest.partition(":")
    is_port = port.isdecimal() and len(port) <= 5 and 0 < int(port) < 65536
    if not host or not is_port or not all(is_address(each.strip("[]")) for each in address.split(",")):
        raise UsageError(f"not HOST:PORT:ADDRESS: {text!r}; write it as example.org:80:127.0.0.1")
    return text


def parse_header(text: str) -> tuple[str, str]:
    """A header as `Name: value`, made sure of."""
    name, colon, value = text.partition(":")
    if not colon or not _FIELD_NAME.fullmatch(name.strip()) or _LINE_ENDS.search(value):
        raise UsageError(f"not a header: {name.strip()!r}; write it as 'Name: value'")
    return name.strip(), value.strip()


def curl_header_lines(*groups: tuple[tuple[str, str], ...]) -> list[str]:
    """Headers as libcurl takes them; one of a later group stands in for those of its name in earlier ones."""
    names: set[str] = set()
    kept: list[tuple[str, str]] = []
    for group in reversed(groups):
        kept[:0] = [each for each in group if each[0].lower() not in names]
        names |= {name.lower() for name, _ in group}
    return [_header_line(name, value) for name, value in kept]


def _header_line(name: str, value: str) -> str:
    if not _FIELD_NAME.fullmatch(name) or _LINE_ENDS.search(value):
        raise UsageError(f"not a header: {name!r}; give a name and a value of one line")
    return f"{name}: {value}"
