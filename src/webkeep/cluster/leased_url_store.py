"""The URL store of a worker: the queues of the hosts that it has leased, as far as they are near, in memory; and what
is to be handed over to the database of the cluster.

Theory of operation. The frontier of a worker is the one that every capture has, and this is its port. What it finds is
never queued here at once, not even for hosts that the worker has: it goes into a batch, and the database says of every
URL whether it is new. So a URL has one entry in all of the cluster, whoever found it. What is queued here was read
from the database; what was taken and settled goes into the batch, together with the links that came of it, so that a
page has its fate exactly when its links are known: in one transaction, which a server that takes over has or has not.
Numbers of candidates are of this process alone; in the database a URL is known by the hash of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from webkeep.cluster.held_queues import HeldQueues, keep_shorter_way
from webkeep.cluster.host_texts import (
    GROUP_PREFIX,
    HOST_PREFIX,
    PRIVATE_GROUP,
    RULES_PREFIX,
    group_of_text,
)
from webkeep.cluster.store.cluster_rows import FateRow, HostCut, LinkRow, QueuedUrl, QueueRow, WorkerBatch
from webkeep.crawl.requests import PRIVATE_PREFIX
from webkeep.fetch import FetchFailure
from webkeep.frontier.urls import (
    MAX_TRAIL_STEPS,
    Admission,
    Candidate,
    LruMap,
    Settlement,
    UrlRole,
    deferred_rank,
    due_micros,
    is_shorter_way,
    may_promote,
)
from webkeep.model import Fate, Moment, UrlOutcome
from webkeep.store.jobs import CODES_BY_OUTCOME, WAY_BITS, hash_url, pack_candidate, unpack_candidate

_MAX_KNOWN_URLS = 200_000
"""URLs remembered that the database knows already, so that they are not told again and again."""
_MAX_NAMED_URLS = 50_000
"""Numbers remembered whose URLs are asked for: the pages that links were found on."""
_NEVER = 1 << 62
"""A claim that queues nothing: any that does is better."""
_UNKEPT_TEXTS = ("totals", "shorter-ways", "written")
"""Names of texts that are of one process alone, or kept otherwise in a cluster."""


class LeasedUrlStore:
    """What a worker has of the queues, in one thread."""

    def __init__(self, group_of: Callable[[str], str]) -> None:
        """`group_of` gives the politeness group of a host."""
        self._group_of = group_of
        self._queues = HeldQueues(group_of)
        self._held = self._queues.held
        self._taken: dict[int, Candidate] = {}
        self._ids: dict[bytes, int] = {}
        self._keys: dict[int, bytes] = {}
        self._last_id = 0
        self._urls: LruMap[int, str] = LruMap(_MAX_NAMED_URLS)
        self._fates: LruMap[bytes, Fate] = LruMap(_MAX_NAMED_URLS)
        self._known: LruMap[bytes, int] = LruMap(_MAX_KNOWN_URLS)
        self._ways: LruMap[bytes, int] = LruMap(_MAX_KNOWN_URLS)
        self._stored: Candidate | None = None
        self._outcomes: dict[UrlOutcome, int] = dict.fromkeys(UrlOutcome, 0)
        self._texts: dict[str, str] = {}
        self._batch = WorkerBatch()
        self._waiting: dict[int, list[LinkRow]] = {}
        """Where pages lead that have no fate yet, by their numbers."""
        self._settled: set[bytes] = set()
        """Keys of what was settled since a batch was taken: the database does not know that yet."""
        self.hosts_by_group = self._queues.hosts_by_group
        """The hosts of each group that is leased, as far as they were met."""

    # ---- what the database told ----

    def lease(self, group: str) -> None:
        """Have the queue of a group from now on."""
        self.hosts_by_group.setdefault(group, set())

    def enqueue(self, row: QueuedUrl) -> Candidate | None:
        """Hold a candidate that was read from the database; None where it is here already, or its group is not ours."""
        if row.key in self._ids:
            self._queues.shorten(self._ids[row.key], unpack_candidate(0, row.url, row.host, row.rank, 0, row.facts))
        if row.key in self._ids or row.key in self._settled or row.host_group not in self.hosts_by_group:
            return None
        via = self._number_of(row.via) if row.via else 0
        candidate = unpack_candidate(self._new_id(row.key, row.url), row.url, row.host, row.rank, via, row.facts)
        self._queues.put(candidate)
        return candidate

    @contextmanager
    def stored_page(self, row: QueuedUrl) -> Iterator[None]:
        """Know a page meanwhile that was stored before, as it counts now, so that its links can be entered again."""
        via = self._number_of(row.via) if row.via else 0
        number = self._number_of(row.url)
        self._stored = unpack_candidate(number, row.url, row.host, row.rank, via, row.facts)
        try:
            yield
        finally:
            self._stored = None

    def note_read_again(self, row: QueuedUrl, is_held: bool) -> None:
        """Hand over that the links of a page were entered again, or that its record is not held here."""
        if is_held:
            self._batch.read_again[row.key] = row.facts
        else:
            self._batch.not_held.append(row.key)

    def load(self, name: str, text: str) -> None:
        """Take what is known of a host or a group."""
        self._texts[name] = text

    def let_go(self, group: str) -> None:
        """Have nothing of a group any more; what is queued of it is in the database."""
        for host in self.hosts_by_group.pop(group, ()):
            self._drop_queue(host)
            for prefix in (HOST_PREFIX, RULES_PREFIX):
                self._texts.pop(prefix + host, None)
        self._texts.pop(GROUP_PREFIX + group, None)

    def take_batch(self) -> WorkerBatch:
        """What is to be handed over now; from here on another batch is gathered."""
        batch, self._batch = self._batch, WorkerBatch()
        self._settled.clear()
        return batch

    # ---- what whoever leases asks ----

    def held_count(self, group: str) -> int:
        """How many candidates of a group are queued here."""
        return self._queues.count_of_group(group)

    def taken_count(self, group: str) -> int:
        """How many candidates of a group were taken and have no fate yet."""
        hosts = self.hosts_by_group.get(group, set())
        return sum(candidate.host in hosts for candidate in self._taken.values())

    def forget_known(self) -> None:
        """What the database was told is told again, as something else may follow from it now."""
        self._known.clear()
        self._ways.clear()

    def busy_groups(self) -> set[str]:
        """The groups of which something was taken and has no fate yet."""
        return {self._group_of(candidate.host) for candidate in self._taken.values()}

    def next_due_of(self, group: str) -> int | None:
        """From when on the first candidate of a group may be asked for, in microseconds; None where none is here."""
        hosts = self.hosts_by_group.get(group, ())
        dues = [due_micros(first.rank) for host in hosts if (first := self._queues.first(host)) is not None]
        return min(dues, default=None)

    # ---- the frontier's port ----

    def add(self, admissions: Sequence[Admission]) -> list[Candidate]:
        """Enter URLs; none is queued before the database has said that it is new."""
        for candidate, outcome, reason in admissions:
            key = hash_url(candidate.url)
            claim = candidate.rank << 1 | (candidate.role is not UrlRole.EMBED)
            claim = claim if outcome is UrlOutcome.QUEUED else _NEVER
            known = self._known.get(key)
            if known is not None and known <= claim:
                continue
            self._known[key] = claim
            self._promote(key, Admission(candidate, outcome, reason))
            via = hash_url(self.url_of(candidate.via)) if candidate.via else b""
            group, code, facts = self._group_of(candidate.host), CODES_BY_OUTCOME[outcome], pack_candidate(candidate)
            row = LinkRow(key, candidate.url, candidate.host, group, candidate.rank, via, facts, code, reason)
            self._add_link(candidate.via, row)
        return []

    def _add_link(self, via: int, row: LinkRow) -> None:
        """What a page leads to waits for the page's fate: a database that forgets the one must not know the other."""
        if via in self._taken:
            self._waiting.setdefault(via, []).append(row)
        else:
            self._batch.add_link(row)

    def _promote(self, key: bytes, admission: Admission) -> None:
        number = self._ids.get(key)
        held = None if number is None else self._held.get(number)
        if number is not None and held is not None and may_promote(held.rank, admission):
            self._queues.remove(number)
            self._queues.put(keep_shorter_way(admission.candidate._replace(id=number, tries=held.tries), held))

    def requeue(self, candidate: Candidate) -> Candidate:
        """Queue a URL again, whatever became of it."""
        key = hash_url(candidate.url)
        number = self._ids.get(key)
        if number is None:
            number = self._new_id(key, candidate.url)
        self._taken.pop(number, None)
        self._settled.discard(key)
        self._queues.remove(number)
        renewed = candidate._replace(id=number)
        if self._group_of(candidate.host) in self.hosts_by_group:
            self._queues.put(renewed)
        if candidate.role is not UrlRole.ROBOTS:
            self._batch.requeues.append(QueueRow(key, renewed.rank, pack_candidate(renewed)))
        return renewed

    def shorten(self, ways: Sequence[Candidate]) -> list[str]:
        """Hand over ways to URLs; the database tells those that were answered on a longer one, to whoever has them."""
        for way in ways:
            key, facts = hash_url(way.url), pack_candidate(way) & WAY_BITS
            self._queues.shorten(self._ids.get(key, 0), way)
            before = self._batch.ways.get(key, self._ways.get(key))
            if before is None or is_shorter_way(way, unpack_candidate(0, way.url, way.host, 0, 0, before)):
                self._batch.ways[key] = self._ways[key] = facts
        return []

    def take(self, host: str, count: int, now: Moment) -> list[Candidate]:
        """Up to so many candidates of a host that may be asked for now."""
        taken: list[Candidate] = []
        while len(taken) < count and (first := self._queues.first(host)) is not None:
            if due_micros(first.rank) > now.micros:
                break
            self._queues.remove(first.id)
            self._taken[first.id] = first
            taken.append(first)
        return taken

    def take_by_id(self, number: int) -> Candidate | None:
        """Take the candidate of this number, if it is queued here."""
        candidate = self._held.get(number)
        if candidate is not None:
            self._queues.remove(number)
            self._taken[number] = candidate
        return candidate

    def next_due(self, host: str) -> Moment | None:
        """From when on the host's next candidate may be asked for."""
        first = self._queues.first(host)
        return None if first is None else Moment(due_micros(first.rank))

    def put_back(self, candidate: Candidate, not_before: Moment | None = None) -> None:
        """Queue a taken candidate again."""
        if self._taken.pop(candidate.id, None) is None:
            return
        if not_before is not None:
            candidate = candidate._replace(rank=deferred_rank(not_before))
        if candidate.role is not UrlRole.ROBOTS:
            self._batch.changes.append(QueueRow(self._keys[candidate.id], candidate.rank, pack_candidate(candidate)))
        self._queues.put(candidate)

    def settle(self, settlements: Iterable[Settlement]) -> None:
        """Hand over what became of candidates."""
        for number, outcome, reason in settlements:
            for row in self._waiting.pop(number, ()):
                self._batch.add_link(row)
            candidate = self._taken.pop(number, None) or self._held.get(number)
            if candidate is None:  # it was given up with its host
                continue
            if reason.startswith(FetchFailure.WITHHELD):  # it was not asked for, and is queued still
                self._taken[number] = candidate
                continue
            self._queues.remove(number)
            key = self._keys.pop(number)
            self._ids.pop(key, None)
            via = self.url_of(candidate.via)
            self._settled.add(key)
            self._outcomes[outcome] += 1
            self._fates[key] = Fate(candidate.url, outcome, reason, via)
            self._batch.fates.append(
                FateRow(
                    key,
                    candidate.url,
                    candidate.host,
                    self._group_of(candidate.host),
                    hash_url(via) if via else b"",
                    pack_candidate(candidate),
                    CODES_BY_OUTCOME[outcome],
                    reason,
                )
            )

    def settle_queued(self, outcome: UrlOutcome, reason: str, host: str = "") -> int:
        """Settle alike everything that is queued of one host; of all, only what is here is let go of.

        What is cut everywhere is cut by whoever looks after the capture, once no worker asks for anything any more.
        """
        if not host:
            return sum(self._drop_queue(each) for each in self._queues.hosts())
        taken = tuple(self._keys[number] for number, each in self._taken.items() if each.host == host)
        self._batch.cuts.append(HostCut(host, self._group_of(host), CODES_BY_OUTCOME[outcome], reason, taken))
        return self._drop_queue(host)

    def queued_hosts(self) -> list[str]:
        """The hosts that have something queued here."""
        return self._queues.hosts()

    def queued_count(self, host: str) -> int:
        """How many candidates of a host are queued here."""
        return self._queues.count(host)

    def outcome_counts(self) -> Mapping[UrlOutcome, int]:
        """How many URLs this worker settled, by outcome."""
        return {**self._outcomes, UrlOutcome.QUEUED: len(self._held) + len(self._taken)}

    def candidates_with(self, outcome: UrlOutcome) -> Iterator[Candidate]:  # noqa: ARG002
        """None: what was settled is in the database alone."""
        return iter(())

    def fates(self) -> Iterator[Fate]:
        """None: fates are in the database alone."""
        return iter(())

    def find(self, url: str) -> Candidate | None:
        """The candidate of a URL that is held or was taken."""
        if self._stored is not None and self._stored.url == url:
            return self._stored
        number = self._ids.get(hash_url(url))
        return None if number is None else self._held.get(number) or self._taken.get(number)

    def trail(self, url: str, most: int = MAX_TRAIL_STEPS) -> list[Fate]:  # noqa: ARG002
        """The fate of a URL that was settled lately."""
        if self._stored is not None and self._stored.url == url:
            return [Fate(url, UrlOutcome.STORED)]
        fate = self._fates.get(hash_url(url))
        return [] if fate is None else [fate]

    def save_text(self, name: str, text: str) -> None:
        """Keep a text under a name."""
        if name in _UNKEPT_TEXTS:
            return
        if name.startswith(PRIVATE_PREFIX):
            self._batch.texts[PRIVATE_GROUP, name] = text
            return
        self._texts[name] = text
        group = group_of_text(name, self._group_of)
        # What is known of a host that was borrowed for one request is beside what its owner knows.
        self._batch.texts[group if group in self.hosts_by_group else "", name] = text

    def forget_group(self, group: str) -> None:
        """Know nothing of a group that others have said more about by now."""
        for name in [name for name in self._texts if group_of_text(name, self._group_of) == group]:
            del self._texts[name]

    def save_group_text(self, group: str, name: str, text: str) -> None:
        """Keep a text of a group under a name."""
        self._texts[name] = text
        self._batch.texts[group, name] = text

    def load_text(self, name: str) -> str:
        """The text kept under a name, or nothing."""
        return self._texts.get(name, "")

    def load_texts(self, prefix: str) -> list[tuple[str, str]]:
        """The names that begin so, and the texts kept under them."""
        return sorted((name, text) for name, text in self._texts.items() if name.startswith(prefix))

    # ---- what the engine asks ----

    def source_of(self, host: str) -> str:
        """The URL that led to one of a host's queued URLs; empty where none did."""
        return self.url_of(self._queues.first_via(host))

    def url_of(self, number: int) -> str:
        """The URL of a candidate by its number; empty for 0."""
        return (self._urls.get(number) or "") if number else ""

    @property
    def is_commit_due(self) -> bool:
        """Never: what is to be handed over goes its own way."""
        return False

    def commit(self, at_once: bool = False) -> None:
        """Nothing: what is to be handed over goes its own way."""

    # ---- within ----

    def _new_id(self, key: bytes, url: str) -> int:
        self._last_id += 1
        self._ids[key] = self._last_id
        self._keys[self._last_id] = key
        self._urls[self._last_id] = url
        return self._last_id

    def _number_of(self, url: str) -> int:
        """A number by which a URL is known that led to others; one that it has, if it has any."""
        key = hash_url(url)
        number = self._ids.get(key)
        if number is None:
            self._last_id += 1
            number = self._last_id
        self._urls[number] = url
        return number

    def _drop_queue(self, host: str) -> int:
        dropped = self._queues.drop_host(host)
        for number in dropped:
            self._waiting.pop(number, None)
            self._ids.pop(self._keys.pop(number), None)
        return len(dropped)
