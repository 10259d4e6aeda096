"""The hosts of a capture: made when they are met, and kept in the URL store to outlast the process; where there are
very many, the idle ones leave memory.

Where there are very many, those that have nothing to do are in the URL store alone. One that is met again is asked for
its robots.txt anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from webkeep.errors import StorageError, UsageError
from webkeep.frontier.hosts.host import Host
from webkeep.frontier.hosts.host_ledger import HostLedger
from webkeep.frontier.hosts.politeness_group import PolitenessGroup
from webkeep.frontier.policy.crawl_policy import CrawlPolicy
from webkeep.frontier.urls.url_store import UrlStore

_MAX_HOSTS_IN_MEMORY = 20_000
"""More hosts than that are in memory only while something is queued, under way or awaited of them."""
_HOST_PREFIX, _GROUP_PREFIX = "host ", "name "
"""How the names begin under which hosts and their names are kept."""


class HostRegistry:
    """All hosts, by their keys."""

    def __init__(self, url_store: UrlStore, most: int = _MAX_HOSTS_IN_MEMORY) -> None:
        self._url_store = url_store
        self._most = most
        """When there are more, those with nothing to do are let go of."""
        self._hosts: dict[str, Host] = {}
        self._groups: dict[str, PolitenessGroup] = {}
        self._changed: set[str] = set()

    def get(self, key: str) -> Host | None:
        """The host of a key, if it was met."""
        return self._hosts.get(key)

    def get_or_create(self, key: str, origin: str, policy: CrawlPolicy) -> Host:
        """The host of a key, as it was kept or new."""
        host = self._hosts.get(key)
        if host is None:
            if len(self._hosts) >= self._most:
                self._evict_idle()
            kept, name = self._url_store.load_text(_HOST_PREFIX + key), self._group_of(key, policy)
            host = Host.from_text(key, kept, name) if kept else Host(key, origin, name)
            self._hosts[key] = host
            self._join_group(host)
        return host

    def _group_of(self, key: str, policy: CrawlPolicy) -> PolitenessGroup:
        shared = policy.pace_key(key)
        name = self._groups.get(shared)
        if name is None:
            kept = self._url_store.load_text(_GROUP_PREFIX + shared)
            name = self._groups[shared] = PolitenessGroup.from_text(shared, kept, key, policy)
        return name

    def _join_group(self, host: Host) -> None:
        """Count a host among those of its name, whose ledger begins when they are two."""
        name = host.group
        if name.ledger is None and name.first_host not in ("", host.key):
            name.begin_ledger(self._ledger_so_far(name.first_host))
        name.add_host(host.key, len(host.in_flight))

    def _leave_group(self, host: Host) -> None:
        name = host.group
        name.remove_host(host.key, len(host.in_flight))
        if not name.host_turns:
            self._url_store.save_text(_GROUP_PREFIX + name.key, name.to_text())
            del self._groups[name.key]

    def _ledger_so_far(self, key: str) -> HostLedger:
        host, kept = self._hosts.get(key), self._url_store.load_text(_HOST_PREFIX + key)
        if host is not None:
            return deepcopy(host.ledger)
        return (_read_ledger(key, kept) if kept else None) or HostLedger()

    def change_policy(self, policy: CrawlPolicy) -> None:
        """Go by another policy, by which hosts may share their pace with others than before."""
        for host in self:
            if policy.pace_key(host.key) != host.group.key:
                self._leave_group(host)
                host.join(self._group_of(host.key, policy))
                self._join_group(host)
            host.pace.change_policy(host.key, policy)

    def _evict_idle(self) -> None:
        self.save()
        idle = [host for host in self if host.is_idle and not self._url_store.queued_count(host.key)]
        for host in idle:
            self._leave_group(host)
            del self._hosts[host.key]
        # Looking through them all must stay rare, even where few are idle.
        self._most = max(self._most, 2 * len(self._hosts))

    def is_idle(self, group: str) -> bool:
        """Whether nothing is under way to a name."""
        known = self._groups.get(group)
        return known is None or not known.in_flight

    def let_go(self, group: str) -> list[str]:
        """Save the hosts of a name and forget them, as somebody else has their turn; gives their keys."""
        self.save()
        hosts = [host for host in self if host.group.key == group]
        for host in hosts:
            self._leave_group(host)
            del self._hosts[host.key]
        return [host.key for host in hosts]

    def mark_changed(self, host: Host) -> None:
        """Take note that a host is to be kept anew."""
        self._changed.add(host.key)

    def save(self) -> None:
        """Keep what has changed."""
        for key in self._changed:
            self._url_store.save_text(_HOST_PREFIX + key, self._hosts[key].to_text())
        for name in {self._hosts[key].group for key in self._changed}:
            self._url_store.save_text(_GROUP_PREFIX + name.key, name.to_text())
        self._changed.clear()

    def ledgers(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """How each host was treated, and each name of several hosts, as plain values.

        Those are included that are in the URL store alone.
        """
        for host in list(self):
            yield host.key, host.ledger.to_json()
        for name in list(self._groups.values()):
            if name.ledger is not None:
                yield name.key, name.ledger.to_json()
        for kind, here in ((_HOST_PREFIX, self._hosts), (_GROUP_PREFIX, self._groups)):
            for kept, text in self._url_store.load_texts(kind):
                key = kept.removeprefix(kind)
                if key not in here and (ledger := _read_ledger(key, text)) is not None:
                    yield key, ledger.to_json()

    def __iter__(self) -> Iterator[Host]:
        return iter(self._hosts.values())


def _read_ledger(key: str, text: str) -> HostLedger | None:
    """The ledger in the text that was kept of a host or a name, if it has one."""
    try:
        values = json.loads(text)["ledger"]
        return None if values is None else HostLedger.from_json(values)
    except (ValueError, KeyError, TypeError, IndexError, UsageError) as error:
        raise StorageError(f"what the job kept of {key} cannot be read; begin the capture anew") from error
