"""Turns: which host may be asked next, what every answer changes about that, and what happens to a host that is given
up.

Hosts have their queues in the URL store; a host schedule says which host is next; a host's pace, robots state and
capacity say whether it may be asked.
"""

from __future__ import annotations

from webkeep.errors import UsageError
from webkeep.frontier.admission.policy_state import PolicyState
from webkeep.frontier.hosts.host import Host, host_key_and_origin
from webkeep.frontier.hosts.host_leases import HostLeases, NoLeases
from webkeep.frontier.hosts.host_registry import HostRegistry
from webkeep.frontier.hosts.host_schedule import HostSchedule
from webkeep.frontier.urls.candidate import Candidate
from webkeep.frontier.urls.fetch_outcome import FetchOutcome, Settled
from webkeep.frontier.urls.url_store import UrlStore
from webkeep.model import Moment

_END_OF_TIME = Moment(1 << 62)


class HostTurns:
    """The hosts of a capture, and whose turn it is."""

    def __init__(self, state: PolicyState, urls: UrlStore, leases: HostLeases | None = None) -> None:
        self._state = state
        self._urls = urls
        self._leases = leases or NoLeases()
        self._leased: set[str] = set()
        """The names that are lent to this capture."""
        self.hosts = HostRegistry(urls)
        self._timetable = HostSchedule()
        self.in_flight = 0
        """How many requests are under way."""

    def schedule_queued(self, now: Moment | None = None) -> None:
        """Enter every host that has something queued."""
        for key in self._urls.queued_hosts():
            host = self.hosts.get(key)
            self.schedule(host or self.hosts.get_or_create(key, self._origin_of(key), self._state.policy), now)

    def _origin_of(self, key: str) -> str:
        """Where the URLs of a host lie that has some queued."""
        for candidate in self._urls.take(key, 1, _END_OF_TIME):
            self._urls.put_back(candidate)
            return host_key_and_origin(candidate.url)[1]
        return ""

    def host_of(self, key: str, url: str) -> Host:
        """The host of a URL, by its key."""
        return self.hosts.get_or_create(key, host_key_and_origin(url)[1], self._state.policy)

    def host_in_flight(self, candidate: Candidate) -> Host:
        """The host of a candidate that was dispatched and not answered yet."""
        host = self.hosts.get(candidate.host)
        if host is None or candidate.id not in host.in_flight:
            raise UsageError(
                f"{candidate.url[:200]} is not under way: record each outcome once, for what was dispatched"
            )
        return host

    def delay_of(self, host_key: str) -> float | None:
        """How many seconds a host is to be left in peace between two requests; None where it was not met yet."""
        host = self.hosts.get(host_key)
        return None if host is None else host.pace.delay

    def request_interval_of(self, host_key: str) -> float | None:
        """The usual seconds from one request to a host to the next; None where it was not met yet."""
        host = self.hosts.get(host_key)
        return None if host is None else host.pace.request_interval

    def next_due(self) -> int | None:
        """The earliest moment at which a host may be asked, in microseconds; None where none may be at any."""
        return self._timetable.next_due()

    def pop(self, now: Moment) -> Host | None:
        """The host whose turn it is, out of the host schedule; None where it is nobody's."""
        key = self._timetable.pop(now.micros)
        return None if key is None else self.hosts.get(key)

    def capacity(self, host: Host, now: Moment) -> int:
        """How many candidates of a host may be asked for now, as far as it goes by the host."""
        count = host.capacity(self._state.policy) if host.queue_free_at <= now.micros else 0
        return count if count and self.lease(host, now) == now else 0

    def lease(self, host: Host, now: Moment) -> Moment:
        """From when on a host may be asked, as far as it goes by other captures; if that is now, by no other."""
        free_at = self._leases.acquire(host.group.key, host.pace.delay, now)
        if free_at <= now:
            self._leased.add(host.group.key)
            return now
        host.pace.leave_alone(now.micros, free_at.seconds_since(now))
        return free_at

    def _give_back(self, host: Host, now: Moment) -> None:
        """Let other captures have a host's name, where nothing is under way to it."""
        if host.group.key in self._leased and not host.group.in_flight:
            self._leased.discard(host.group.key)
            self._leases.release(host.group.key, Moment(host.pace.free_at), now)

    def schedule(self, host: Host, now: Moment | None = None) -> None:
        """Enter a host into the host schedule, or take it out, as it is now."""
        if self._leased and now is not None:
            self._give_back(host, now)
        if host.closed is not None and self._urls.queued_count(host.key):
            self.give_up(host, host.closed)
        is_busy = host.closed is not None or host.robots.is_blocking or not host.capacity(self._state.policy)
        due = None if is_busy else self._urls.next_due(host.key)
        if due is None:
            self._timetable.drop(host.key)
        else:
            # Moments gone by are all one, so that hosts take turns.
            self._timetable.put(host.key, max(host.queue_free_at, due.micros, now.micros if now else 0))

    def schedule_group(self, host: Host, now: Moment) -> None:
        """Enter a host anew after news of it, and all others of its name that this concerns."""
        if not host.group.has_changed_pace():
            self.schedule(host, now)
            return
        for key in list(host.group.host_turns):
            neighbour = self.hosts.get(key)
            if neighbour is not None:
                neighbour.note_delay(now)
                self.schedule(neighbour, now)

    def begin_request(self, host: Host, number: int) -> None:
        """Count something as under way."""
        host.begin_request(number)
        self.in_flight += 1

    def end_request(self, host: Host, number: int, outcome: FetchOutcome, is_known_refuser: bool, now: Moment) -> None:
        """Take note of what the answer to a request that was under way says of its host."""
        self.in_flight -= 1
        host.update_from(outcome, host.end_request(number), is_known_refuser)
        host.note_delay(now)
        self.hosts.mark_changed(host)

    def give_up(self, host: Host, settled: Settled) -> None:
        """Give a host up: everything of it has this fate from now on."""
        host.close(settled)
        self.hosts.mark_changed(host)
        self._urls.settle_queued(settled.outcome, settled.reason, host.key)
        self._timetable.drop(host.key)

    def let_go(self, group: str) -> None:
        """Forget the hosts of a name that somebody else asks from now on; what is known of them is saved."""
        self._leased.discard(group)
        for key in self.hosts.let_go(group):
            self._timetable.drop(key)

    def clear(self) -> None:
        """Take every host out of the host schedule, as nothing is queued any more."""
        self._timetable = HostSchedule()
