"""The password at a server's door (HTTP Basic), how often an address may be wrong about it, and how long it waits."""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from dataclasses import dataclass

from webkeep.model import Clock, Moment
from webkeep.replay.choice.access_rules import ServerPassword
from webkeep.replay.server.message import Response, text_response

MAX_GUESSES = 10
"""How often an address may be wrong one time after the other before it has to wait."""

SECONDS_PER_GUESS = 6.0
"""How long it takes until one more wrong password is forgotten."""

_MAX_ADDRESSES = 10_000
"""Addresses that wrong guesses are remembered of; the one heard of longest ago is forgotten."""
_IPV6_PREFIX_BITS = 64
"""As many bits of an IPv6 address as one customer of a network has in common."""


@dataclass(frozen=True, slots=True)
class _GuessCount:
    """How many wrong passwords are held against an address, as of a moment."""

    count: float
    seen: Moment

    def count_at(self, now: Moment) -> float:
        return max(self.count - now.seconds_since(self.seen) / SECONDS_PER_GUESS, 0.0)


class PasswordCheck:
    """Lets in who knows the password; whoever guesses is slowed down to ten guesses a minute."""

    def __init__(self, password: ServerPassword, clock: Clock) -> None:
        self._password = password
        self._clock = clock
        self._wrong_guesses: OrderedDict[str, _GuessCount] = OrderedDict()

    def refusal(self, client: str, given: str, is_proxy: bool = False) -> Response | None:
        """The answer to one who is not let in, by what came as Authorization; None to one who is."""
        if not given:
            return _challenge(is_proxy)
        now, address = self._clock.now(), _client_key(client)
        known = self._wrong_guesses.get(address)
        held = known.count_at(now) if known else 0.0
        if held > MAX_GUESSES - 1:  # not even the right one is looked at, or guessing would go on
            wait = int((held - MAX_GUESSES + 1) * SECONDS_PER_GUESS) + 1
            return text_response(429, f"too many wrong passwords; wait {wait} s", [("Retry-After", str(wait))])
        if self._password.matches(given):
            return None
        self._remember_guesses(address, _GuessCount(held + 1, now))
        return _challenge(is_proxy)

    def _remember_guesses(self, address: str, guesses: _GuessCount) -> None:
        self._wrong_guesses[address] = guesses
        self._wrong_guesses.move_to_end(address)
        if len(self._wrong_guesses) > _MAX_ADDRESSES:
            self._wrong_guesses.popitem(last=False)


def _challenge(is_proxy: bool) -> Response:
    if is_proxy:
        return text_response(407, "this archive has a password", [("Proxy-Authenticate", 'Basic realm="webkeep"')])
    fields = [("WWW-Authenticate", 'Basic realm="webkeep", charset="UTF-8"')]
    return text_response(401, "this archive has a password", fields)


def _client_key(client: str) -> str:
    """What stands for a client: of an IPv6 address the part that whoever has it cannot change."""
    try:
        address = ipaddress.ip_address(client.partition("%")[0])
    except ValueError:
        return client
    if address.version == 4 or address.ipv4_mapped:
        return client
    return str(ipaddress.ip_network((int(address), _IPV6_PREFIX_BITS), strict=False))
