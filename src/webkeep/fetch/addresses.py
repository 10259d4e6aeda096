"""Which addresses a request may go to: a public page must not lead into private networks."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache

_HOST = re.compile(r"\[([^\]]*)\]|([^:/?#]*)")


@lru_cache(4096)
def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None) or getattr(parsed, "sixtofour", None)
    return (mapped or parsed).is_global and not parsed.is_multicast


@lru_cache(4096)
def is_loopback(address: str) -> bool:
    """Whether an IP address is this machine's own."""
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


def authority_of(url: str) -> str:
    """Host and port of a URL without credentials, as they stand there."""
    parts = url.split("/", 3)
    return parts[2] if len(parts) > 2 else ""


@lru_cache(4096)
def host_of(authority: str) -> str:
    """The host name or bare IP address out of an authority."""
    match = _HOST.match(authority)
    return (match[1] or match[2] or "") if match else ""


def names_private(host: str) -> bool:
    """Whether a host is seen to be private without asking for its address, as a proxy will do that."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return not is_public(host)
