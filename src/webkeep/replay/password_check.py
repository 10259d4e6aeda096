"""The password at a server's door, and how often somebody may be wrong about it."""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from dataclasses import dataclass

from webkeep.model import Clock, Moment
from webkeep.replay.access import Password
from webkeep.replay.message import Answer, text_answer

GUESSES = 10
"""How often an address may be wrong one time after the other before it has to wait."""

SECONDS_A_GUESS = 6.0
"""How long it takes until one more wrong password is forgotten."""

_MOST_ADDRESSES = 10_000
_NEIGHBOURS = 64
"""As many bits of an IPv6 address as one customer of a network has in common."""


@dataclass(frozen=True, slots=True)
class _Guesses:
    """How many wrong passwords are held against an address, as of a moment."""

    count: float
    seen: Moment

    def at(self, now: Moment) -> float:
        return max(self.count - now.seconds_since(self.seen) / SECONDS_A_GUESS, 0.0)


class PasswordCheck:
    """Lets in who knows the password; whoever guesses is slowed down to ten guesses a minute."""

    def __init__(self, password: Password, clock: Clock) -> None:
        self._password = password
        self._clock = clock
        self._wrong: OrderedDict[str, _Guesses] = OrderedDict()

    def refusal(self, client: str, given: str, is_proxy: bool = False) -> Answer | None:
        """The answer to one who is not let in, by what came as Authorization; None to one who is."""
        if not given:
            return _asking(is_proxy)
        now, address = self._clock.now(), _address(client)
        known = self._wrong.get(address)
        held = known.at(now) if known else 0.0
        if held > GUESSES - 1:  # not even the right one is looked at, or guessing would go on
            wait = int((held - GUESSES + 1) * SECONDS_A_GUESS) + 1
            return text_answer(429, f"too many wrong passwords; wait {wait} s", [("Retry-After", str(wait))])
        if self._password.is_in(given):
            return None
        self._hold(address, _Guesses(held + 1, now))
        return _asking(is_proxy)

    def _hold(self, address: str, guesses: _Guesses) -> None:
        self._wrong[address] = guesses
        self._wrong.move_to_end(address)
        if len(self._wrong) > _MOST_ADDRESSES:
            self._wrong.popitem(last=False)


def _asking(is_proxy: bool) -> Answer:
    if is_proxy:
        return text_answer(407, "this archive has a password", [("Proxy-Authenticate", 'Basic realm="webkeep"')])
    fields = [("WWW-Authenticate", 'Basic realm="webkeep", charset="UTF-8"')]
    return text_answer(401, "this archive has a password", fields)


def _address(client: str) -> str:
    """What stands for a client: of an IPv6 address the part that whoever has it cannot change."""
    try:
        address = ipaddress.ip_address(client.partition("%")[0])
    except ValueError:
        return client
    if address.version == 4 or address.ipv4_mapped:
        return client
    return str(ipaddress.ip_network((int(address), _NEIGHBOURS), strict=False))
