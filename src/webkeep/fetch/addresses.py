"""Which IP addresses a request may go to: a public page must not lead into private, link-local or loopback networks
(SSRF), not even by an IPv6 address that stands for an IPv4 one.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache

from webkeep.url import normalize_url, split_url

_HOST_IN_AUTHORITY = re.compile(r"\[([^\]]*)\]|([^:/?#]*)")


_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_PROTOCOL_ASSIGNMENTS = ipaddress.IPv4Network("192.0.0.0/24")
"""Of which nothing that pages lie at is on the internet (RFC 6890), though Python takes most of it for public."""
_LOCAL_DOMAINS = ("localhost", "localdomain", "local", "internal", "home.arpa")
"""Names below these are never of the internet (RFC 6761, 6762, 8375; ICANN keeps `internal` free)."""
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


@lru_cache(4096)
def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet; one that leads to an IPv4 address is what that is."""
    parsed = _parse_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        parsed = parsed.ipv4_mapped or parsed.sixtofour or _nat64_target(parsed) or parsed
        # Nothing else is given out for use (RFC 4291, 2.4), though Python takes some of it for public.
        if parsed.version == 6 and parsed not in _GLOBAL_UNICAST:
            return False
    if parsed is None or parsed in _PROTOCOL_ASSIGNMENTS:
        return False
    return parsed.is_global and not parsed.is_multicast


@lru_cache(4096)
def is_loopback(address: str) -> bool:
    """Whether a connection to an IP address ends at this machine."""
    parsed = _parse_address(address)
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    return parsed is not None and (parsed.is_loopback or parsed.is_unspecified)


def is_address(text: str) -> bool:
    """Whether a text is an IP address."""
    return _parse_address(text) is not None


def _parse_address(address: str) -> _Address | None:
    try:
        return ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None


def _nat64_target(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The address behind a translator to IPv4 (RFC 6052, 2.1)."""
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None


def authority_of(url: str) -> str:
    """Host and port of a URL without credentials, as they stand there."""
    parts = url.split("/", 3)
    return parts[2] if len(parts) > 2 else ""


@lru_cache(4096)
def host_of(authority: str) -> str:
    """The host name or bare IP address out of an authority."""
    match = _HOST_IN_AUTHORITY.match(authority)
    return (match[1] or match[2] or "") if match else ""


@lru_cache(4096)
def is_private_name(host: str) -> bool:
    """Whether a host is seen to be private without asking for its address, as a proxy will do that."""
    parsed = _parse_address(host)
    if parsed is None:
        # As a browser reads it, `0x7f.1` is an address too, in one spelling out of many.
        read = normalize_url(f"http://{host}/")
        host = split_url(read).host.strip("[]") if read is not None else host
        parsed = _parse_address(host)
    name = f".{host.rstrip('.').lower()}"
    if name.endswith(tuple(f".{domain}" for domain in _LOCAL_DOMAINS)):
        return True
    return parsed is not None and not is_public(host)
