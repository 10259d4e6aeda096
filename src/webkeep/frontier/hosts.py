"""The hosts of a capture: made when they are met, and kept in the book to outlast the process."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.frontier.book import Book
from webkeep.frontier.host import Host
from webkeep.frontier.policy import Policy


class Hosts:
    """All hosts, by their keys."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._hosts: dict[str, Host] = {}
        self._changed: set[str] = set()

    def known(self, key: str) -> Host | None:
        """The host of a key, if it was met."""
        return self._hosts.get(key)

    def host(self, key: str, origin: str, policy: Policy) -> Host:
        """The host of a key, as it was kept or new."""
        host = self._hosts.get(key)
        if host is None:
            kept = self._book.kept(_name(key))
            host = Host.from_text(key, kept, policy) if kept else Host(key, origin, policy)
            self._hosts[key] = host
        return host

    def change(self, host: Host) -> None:
        """Take note that a host is to be kept anew."""
        self._changed.add(host.key)

    def save(self) -> None:
        """Keep what has changed."""
        for key in self._changed:
            self._book.keep(_name(key), self._hosts[key].to_text())
        self._changed.clear()

    def __iter__(self) -> Iterator[Host]:
        return iter(self._hosts.values())


def _name(key: str) -> str:
    return f"host {key}"
