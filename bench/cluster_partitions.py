"""Workers without a network, against one real database or several: what a URL costs the database, and whether hosts can
be partitioned by their hash.

.venv/bin/python -m bench.cluster_partitions NUMBER HOSTS PAGES ADDRESS…

Run as a program it is one worker. It answers every page itself, by a web that follows from the names of its pages, and
says all that `webkeep worker` says to its database, as fast as that allows. Where there are several databases, each has
the hosts whose hash leads to it, and each worker belongs to one of them. Links to hosts of others are entered there
*before* the page that has them gets its fate at home: what a lost worker had told of is known, and what it had not is
found again with its page. All is over when no database has anything queued, looked at twice in a row, since links
travel only as long as a page is queued somewhere.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator

from webkeep.cluster.store.capture_joining import join_capture
from webkeep.cluster.store.cluster_database import ClusterDatabase
from webkeep.cluster.store.cluster_rows import FateRow, GroupRelease, LinkRow, QueuedUrl, WorkerBatch
from webkeep.cluster.store.cluster_state import ClusterCapture
from webkeep.cluster.store.worker_exchange import URLS_PER_READ, WorkerExchange
from webkeep.model import UrlOutcome
from webkeep.store.jobs import CODES_BY_OUTCOME, hash_url

_STORED = CODES_BY_OUTCOME[UrlOutcome.STORED]
_PAGES_PER_BATCH = 25
"""As many as a worker of 50 hosts answers in half a second."""
_MAX_GROUPS = 50
_FAN_OUT = 2
"""Pages of its host that each page leads to; each leads to one other host, too."""


def host_name(number: int) -> str:
    """The name of a host."""
    return f"h{number}.example"


def partition_of(group: str, count: int) -> int:
    """The database that has a host."""
    return int.from_bytes(hashlib.blake2b(group.encode(), digest_size=4).digest(), "big") % count


def page_link(host: int, page: int, via: bytes = b"") -> LinkRow:
    """A page, as it is found."""
    group = host_name(host)
    url = f"http://{group}/{page}"
    return LinkRow(hash_url(url), url, f"{group}:80", group, page, via, 0, 0, "")


class SyntheticWorker:
    """One worker of one database, that knows the others."""

    def __init__(self, number: int, hosts: int, pages: int, addresses: list[str]) -> None:
        self._hosts, self._pages = hosts, pages
        self._home = number % len(addresses)
        self._databases = [ClusterDatabase(address) for address in addresses]
        home = self._databases[self._home]
        self._exchange = WorkerExchange(home, join_capture(home, f"worker-{number}").worker, None)
        self._held: dict[str, dict[bytes, QueuedUrl]] = {}
        self._settled: set[bytes] = set()
        self._full: set[str] = set()
        self.fates = 0

    def run(self) -> None:
        """Work until nothing is queued anywhere."""
        batch, empty_looks = WorkerBatch(room=16), 0
        while empty_looks < 2:
            news = self._exchange.hand_over(batch)
            for row in news.pulled:
                if row.key not in self._settled:
                    self._held.setdefault(row.host_group, {})[row.key] = row
            for group in (each.host_group for each in news.claimed):
                self._held.setdefault(group, {})
            self._full = (self._full - news.refreshed) | set(news.full)
            batch = self._answer_some()
            empty_looks = 0 if batch.fates or self._is_anything_queued() else empty_looks + 1

    def _answer_some(self) -> WorkerBatch:
        """Answer some pages, and give back hosts that have nothing left."""
        taken = list(self._take_some())
        batch = WorkerBatch()
        foreign: dict[int, WorkerBatch] = {}
        for row in taken:
            for link in self._links_of(row):
                part = partition_of(link.host_group, len(self._databases))
                (batch if part == self._home else foreign.setdefault(part, WorkerBatch())).add_link(link)
            batch.fates.append(FateRow(row.key, row.url, row.host, row.host_group, b"", row.facts, _STORED, ""))
        for part, links in foreign.items():
            ClusterCapture(self._databases[part]).enter(links)
        self.fates += len(taken)
        idle = [group for group, rows in self._held.items() if not rows and group not in self._full]
        for group in idle:
            del self._held[group]
        batch.releases = [GroupRelease(group, 0.0) for group in idle]
        batch.room = max(0, min(16, _MAX_GROUPS - len(self._held)))
        short = (group for group in self._full if len(self._held.get(group, ())) < URLS_PER_READ // 2)
        batch.short = tuple((group, len(self._held[group]) + URLS_PER_READ) for group in short)
        return batch

    def _take_some(self) -> Iterator[QueuedUrl]:
        left = _PAGES_PER_BATCH
        for rows in self._held.values():
            while rows and left:
                key, row = rows.popitem()
                self._settled.add(key)
                left -= 1
                yield row

    def _links_of(self, row: QueuedUrl) -> Iterator[LinkRow]:
        host, page = int(row.host_group[1:].partition(".")[0]), int(row.url.rpartition("/")[2])
        for each in range(_FAN_OUT * page + 1, _FAN_OUT * page + 1 + _FAN_OUT):
            if each < self._pages:
                yield page_link(host, each, row.key)
        yield page_link((host * self._pages + page * 7 + 1) % self._hosts, 0, row.key)

    def _is_anything_queued(self) -> bool:
        sql = "SELECT EXISTS (SELECT 1 FROM url WHERE outcome = 0)"
        return any(each.transact(lambda within: within.rows(sql))[0][0] for each in self._databases)

    @property
    def statements(self) -> int:
        """How many it asked, of all databases."""
        return sum(each.statements for each in self._databases)


def main() -> None:
    """Be one worker, and print what it did."""
    number, hosts, pages, *addresses = sys.argv[1:]
    worker = SyntheticWorker(int(number), int(hosts), int(pages), addresses)
    worker.run()
    print(json.dumps({"fates": worker.fates, "statements": worker.statements}), flush=True)
    sys.stdin.read()  # what a server's processes have used is known for as long as they are there


if __name__ == "__main__":
    main()
