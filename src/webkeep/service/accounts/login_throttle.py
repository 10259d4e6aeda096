"""How long a login waits after others failed: nothing at first, then twice as long each time.

An account is held up for minutes at most, since anybody could hold up another's; an address for an hour, since it is
its own fault. What an account's owner and a stranger try is counted alike for names that nobody has.
"""

from __future__ import annotations

import hashlib
import ipaddress
from dataclasses import dataclass

from webkeep.model import Moment

FORGOTTEN_SECONDS = 24 * 3600
"""After so long without another failure all is forgotten."""
_IPV6_NETWORK_BITS = 64
"""One customer has all addresses of such a network."""
_MAX_DOUBLINGS = 30
"""Beyond which every limit is reached."""


@dataclass(frozen=True, slots=True)
class ThrottleRule:
    """How failures hold up."""

    free_failures: int
    """So many cost nothing: people mistype."""
    max_seconds: int


ACCOUNT_RULE = ThrottleRule(4, 5 * 60)
ADDRESS_RULE = ThrottleRule(20, 3600)
"""Of an address, behind which a whole house may be."""


@dataclass(frozen=True, slots=True)
class LoginFailures:
    """What failed of late."""

    count: int
    last: Moment


def wait_seconds(failures: LoginFailures | None, rule: ThrottleRule, now: Moment) -> float:
    """How long the next attempt has to wait; 0 where it may be made now.

    Where the clock was set back, nobody waits longer than the rule says.
    """
    if failures is None or failures.count <= rule.free_failures:
        return 0.0
    passed = now.seconds_since(failures.last)
    if passed >= FORGOTTEN_SECONDS:
        return 0.0
    doublings = min(failures.count - rule.free_failures - 1, _MAX_DOUBLINGS)
    delay = min(2**doublings, rule.max_seconds)
    return float(min(max(delay - passed, 0.0), delay))


def count_failure(failures: LoginFailures | None, now: Moment) -> LoginFailures:
    """One more."""
    if failures is None or now.seconds_since(failures.last) >= FORGOTTEN_SECONDS:
        return LoginFailures(1, now)
    return LoginFailures(failures.count + 1, now)


def account_key(name: str) -> str:
    """What failures at an account are counted by: names that somebody tried are not kept, they may be passwords."""
    return "account:" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def address_key(address: str) -> str:
    """What failures from an address are counted by."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "address:unknown"
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return f"address:{parsed.ipv4_mapped}"
        return f"address:{ipaddress.ip_network((int(parsed), _IPV6_NETWORK_BITS), strict=False).network_address}"
    return f"address:{parsed}"
