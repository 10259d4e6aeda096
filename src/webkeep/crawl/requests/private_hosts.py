"""Hosts that lie in private networks and may lead to others there, and those that are public for good; kept where a
capture goes on from, and told to other workers of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

PRIVATE_PREFIX, PUBLIC_PREFIX = "private ", "public "
"""How the names begin under which it is kept that a host leads into private networks, which is for all to know, and
that it is public, which matters to who asks it.
"""
_IS_SO, _NO_MORE = "yes", "no more"


def _keep_nowhere(name: str, text: str) -> None:
    """Where nothing goes on from it."""


class PrivateHosts:
    """Which hosts were allowed to be private and are, by what their addresses were."""

    def __init__(self, kept: Iterable[tuple[str, str]] = (), keep: Callable[[str, str], None] = _keep_nowhere) -> None:
        """With what was kept before; `keep` is told of what changes."""
        self._private: set[str] = set()
        self._public: set[str] = set()
        self._keep = keep
        self.restore(kept)

    def __bool__(self) -> bool:
        """Whether there are any that lead on."""
        return bool(self._private)

    def leads_on(self, host: str) -> bool:
        """Whether a host lies in a private network, and may lead to others there."""
        return host in self._private

    def is_public(self, host: str) -> bool:
        """Whether a host is public for good."""
        return host in self._public

    def note_private(self, host: str) -> None:
        """A host that was allowed to be private is."""
        if host not in self._private:
            self._private.add(host)
            self._keep(PRIVATE_PREFIX + host, _IS_SO)

    def note_public(self, host: str) -> None:
        """A host answered from a public address."""
        if host not in self._public:
            self._public.add(host)
            self._keep(PUBLIC_PREFIX + host, _IS_SO)
        if host in self._private:
            self._private.discard(host)
            self._keep(PRIVATE_PREFIX + host, _NO_MORE)

    def restore(self, kept: Iterable[tuple[str, str]]) -> None:
        """Know what was kept, here or by others; what is public stays so."""
        for name, text in kept:
            host = name.partition(" ")[2]
            if name.startswith(PUBLIC_PREFIX) or text != _IS_SO:
                self._public.add(host)
                self._private.discard(host)
            elif host not in self._public:
                self._private.add(host)

    def keep_again(self) -> None:
        """Keep all of it once more, where what was kept may be lost."""
        for host in sorted(self._private):
            self._keep(PRIVATE_PREFIX + host, _IS_SO)
