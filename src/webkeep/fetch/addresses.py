"""Which addresses a request may go to: a public page must not lead into private networks."""

from __future__ import annotations

import ipaddress
from functools import lru_cache


@lru_cache(4096)
def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None) or getattr(parsed, "sixtofour", None)
    return (mapped or parsed).is_global and not parsed.is_multicast


def is_loopback(address: str) -> bool:
    """Whether an IP address is this machine's own."""
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False
