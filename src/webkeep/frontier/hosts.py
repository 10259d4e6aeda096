"""The hosts of a capture: made when they are met, and kept in the book to outlast the process.

Where there are very many, those that have nothing to do are in the book alone. One that is met again is asked for its
robots.txt anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from webkeep.errors import StorageError, UsageError
from webkeep.frontier.book import Book
from webkeep.frontier.host import Host
from webkeep.frontier.ledger import HostLedger
from webkeep.frontier.name import Name
from webkeep.frontier.policy import Policy

_MOST = 20_000
_HOST, _NAME = "host ", "name "
"""How the names begin under which hosts and their names are kept."""


class Hosts:
    """All hosts, by their keys."""

    def __init__(self, book: Book, most: int = _MOST) -> None:
        self._book = book
        self._most = most
        """When there are more, those with nothing to do are let go of."""
        self._hosts: dict[str, Host] = {}
        self._names: dict[str, Name] = {}
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
            kept, name = self._book.kept(_HOST + key), self._name_of(key, policy)
            host = Host.from_text(key, kept, name) if kept else Host(key, origin, name)
            self._hosts[key] = host
            self._join(host)
        return host

    def _name_of(self, key: str, policy: Policy) -> Name:
        shared = policy.pace_key(key)
        name = self._names.get(shared)
        if name is None:
            kept = self._book.kept(_NAME + shared)
            name = self._names[shared] = Name.from_text(shared, kept, key, policy)
        return name

    def _join(self, host: Host) -> None:
        """Count a host among those of its name, whose ledger begins when they are two."""
        name = host.name
        if name.ledger is None and name.first not in ("", host.key):
            name.ledger = self._ledger_so_far(name.first)
        name.first = name.first or host.key
        name.turns[host.key] = None
        name.under_way += len(host.in_flight)

    def _leave(self, host: Host) -> None:
        name = host.name
        name.under_way -= len(host.in_flight)
        name.pace.obey(host.key, 0.0)
        del name.turns[host.key]
        if not name.turns:
            self._book.keep(_NAME + name.key, name.to_text())
            del self._names[name.key]

    def _ledger_so_far(self, key: str) -> HostLedger:
        host, kept = self._hosts.get(key), self._book.kept(_HOST + key)
        if host is not None:
            return deepcopy(host.ledger)
        return (_kept_ledger(key, kept) if kept else None) or HostLedger()

    def follow(self, policy: Policy) -> None:
        """Go by another policy, by which hosts may share their pace with others than before."""
        for host in self:
            if policy.pace_key(host.key) != host.name.key:
                before = host.name
                self._leave(host)
                host.name = self._name_of(host.key, policy)
                host.name.merge(before.pace)
                self._join(host)
            host.pace.follow(host.key, policy)

    def _let_go(self) -> None:
        self.save()
        idle = [host for host in self if host.is_idle and not self._book.queued(host.key)]
        for host in idle:
            self._leave(host)
            del self._hosts[host.key]
        # Looking through them all must stay rare, even where few are idle.
        self._most = max(self._most, 2 * len(self._hosts))

    def change(self, host: Host) -> None:
        """Take note that a host is to be kept anew."""
        self._changed.add(host.key)

    def save(self) -> None:
        """Keep what has changed."""
        for key in self._changed:
            self._book.keep(_HOST + key, self._hosts[key].to_text())
        for name in {self._hosts[key].name for key in self._changed}:
            self._book.keep(_NAME + name.key, name.to_text())
        self._changed.clear()

    def ledgers(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """How each host was treated, and each name of several hosts, as plain values.

        Those are included that are in the book alone.
        """
        for host in list(self):
            yield host.key, host.ledger.to_json()
        for name in list(self._names.values()):
            if name.ledger is not None:
                yield name.key, name.ledger.to_json()
        for kind, here in ((_HOST, self._hosts), (_NAME, self._names)):
            for kept, text in self._book.kept_beginning(kind):
                key = kept.removeprefix(kind)
                if key not in here and (ledger := _kept_ledger(key, text)) is not None:
                    yield key, ledger.to_json()

    def __iter__(self) -> Iterator[Host]:
        return iter(self._hosts.values())


def _kept_ledger(key: str, text: str) -> HostLedger | None:
    """The ledger in the text that was kept of a host or a name, if it has one."""
    try:
        values = json.loads(text)["ledger"]
        return None if values is None else HostLedger.from_json(values)
    except (ValueError, KeyError, TypeError, IndexError, UsageError) as error:
        raise StorageError(f"what the job kept of {key} cannot be read; begin the capture anew") from error
