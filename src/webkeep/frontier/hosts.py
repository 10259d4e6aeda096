"""The hosts of a capture: made when they are met, and kept in the book to outlast the process.

Where there are very many, those that have nothing to do are in the book alone. One that is met again is asked for its
robots.txt anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from webkeep.frontier.book import Book
from webkeep.frontier.host import Host
from webkeep.frontier.policy import Policy

_MOST = 20_000


class Hosts:
    """All hosts, by their keys."""

    def __init__(self, book: Book, most: int = _MOST) -> None:
        self._book = book
        self._most = most
        """When there are more, those with nothing to do are let go of."""
        self._hosts: dict[str, Host] = {}
        self._changed: set[str] = set()

    def known(self, key: str) -> Host | None:
        """The host of a key, if it was met."""
        return self._hosts.get(key)

    def host(self, key: str, origin: str, policy: Policy) -> Host:
        """The host of a key, as it was kept or new."""
        host = self._hosts.get(key)
        if host is None:
            if len(self._hosts) >= self._most:
                self._let_go()
            kept = self._book.kept(_name(key))
            host = Host.from_text(key, kept, policy) if kept else Host(key, origin, policy)
            self._hosts[key] = host
        return host

    def _let_go(self) -> None:
        self.save()
        idle = [host.key for host in self if host.is_idle and not self._book.queued(host.key)]
        for key in idle:
            del self._hosts[key]
        # Looking through them all must stay rare, even where few are idle.
        self._most = max(self._most, 2 * len(self._hosts))

    def change(self, host: Host) -> None:
        """Take note that a host is to be kept anew."""
        self._changed.add(host.key)

    def save(self) -> None:
        """Keep what has changed."""
        for key in self._changed:
            self._book.keep(_name(key), self._hosts[key].to_text())
        self._changed.clear()

    def ledgers(self, policy: Policy) -> Iterator[tuple[str, dict[str, Any]]]:
        """How each host was treated, as plain values, those included that are in the book alone."""
        for host in list(self):
            yield host.key, host.ledger.to_json()
        for name, text in self._book.kept_beginning(_name("")):
            key = name.removeprefix(_name(""))
            if key not in self._hosts:
                yield key, Host.from_text(key, text, policy).ledger.to_json()

    def __iter__(self) -> Iterator[Host]:
        return iter(self._hosts.values())


def _name(key: str) -> str:
    return f"host {key}"
