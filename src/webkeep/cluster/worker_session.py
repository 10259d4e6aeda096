"""One session of a worker: the engine that every capture has, over queues that are leased; what is gathered and handed
over again and again, what is done about the news, and how it ends.

Theory of operation. The engine and its frontier run on the loop; the database is asked in a thread, so that no slow
answer holds up a transfer. What is handed over together was true at one moment of the loop: the fates of pages that
are on disk, all their links, and what is known of their hosts. A batch that could not be handed over is handed over
again until it is there, or until the lease is lost, with which all of it is void. Where the lease ends here before it
could be prolonged, nothing is asked for any more, and what is under way is let go of: others may have the hosts by
now.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from webkeep.cluster.database_clock import steady_micros
from webkeep.cluster.group_leases import GroupLeases, handover_seconds
from webkeep.cluster.leased_url_store import LeasedUrlStore
from webkeep.cluster.robots_rules import RobotsRulesTexts
from webkeep.cluster.store.cluster_database import ClusterGoneError, LeaseLostError
from webkeep.cluster.store.cluster_rows import CaptureState, GroupRelease, WorkerBatch, WorkerNews
from webkeep.cluster.store.held_payloads import large_payloads
from webkeep.cluster.store.worker_exchange import URLS_PER_READ, WorkerExchange
from webkeep.crawl.plan import policy_from_plan
from webkeep.crawl.run import CaptureContext, Engine, enter_links_again, restore_changes
from webkeep.model import Moment
from webkeep.process import RunLoop

if TYPE_CHECKING:
    from webkeep.cluster.session_terms import SessionTerms
    from webkeep.crawl.plan import CapturePlan

_HANDOVER_SECONDS = 0.5
"""So often a worker hands over; what came since then is asked for once more where it is killed."""
_HURRY_SECONDS = 0.05
"""It does so sooner where a queue runs short of which more is there."""
_GUARD_SECONDS = 0.2
"""So often it is looked whether the lease has ended here: a tenth of the time until others have the hosts."""
_LINGER_SECONDS = 1.5
"""A group with nothing queued is kept so long, in case that its last pages lead on."""
_FAR_SECONDS = 20.0
"""A group that may be asked again only after so long is given back until then."""
_FIRST_GROUPS = 16
"""So many groups a worker that has few takes at a time."""
_LATE_SECONDS = 1.0
"""What came while a batch took longer than that to be handed over goes at once."""
_RETRY_SECONDS = 0.5
"""After so long a database is tried again that was gone."""
_HOPE_SECONDS = 60.0
"""So long who leaves waits for a database that is gone."""


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """How a session ended."""

    state: CaptureState
    """What was going on with the capture."""
    is_lost: bool = False
    """Whether its lease was lost, with what had not been handed over."""


class WorkerSession:
    """Runs one session from joining to leaving."""

    def __init__(
        self,
        context: CaptureContext,
        store: LeasedUrlStore,
        leases: GroupLeases,
        exchange: WorkerExchange,
        terms: SessionTerms,
    ) -> None:
        self._context, self._store, self._leases, self._exchange = context, store, leases, exchange
        self._frontier, self._observer, self._clock = context.frontier, context.observer, context.clock
        self._terms, self._changes = terms, terms.changes
        self._plan: CapturePlan = context.plan
        self._state = CaptureState.RUNNING
        self._idle_since: dict[str, int] = {}
        self._full: set[str] = set()
        self._asked_most: dict[str, int] = {}
        self._rules = RobotsRulesTexts(store, context)
        self._unsent: WorkerBatch | None = None
        self._is_lost = False
        self._is_told_gone = False
        self._woken = asyncio.Event()
        self._is_stopping = False
        self.was_let_go = False
        """Whether it ended for a reason of its own, and not because somebody told this worker to stop."""

    @property
    def awaits_more(self) -> bool:
        """Whether others may still hand something over."""
        return self._state in (CaptureState.RUNNING, CaptureState.PAUSED, CaptureState.ENDING)

    async def run(self, engine: Engine, loop: RunLoop) -> SessionEnd:
        """Run the engine, and hand over all the while; leaves in good order unless the lease is lost."""
        talk = asyncio.get_running_loop().create_task(self._keep_handing_over(engine, loop))
        guard = asyncio.get_running_loop().create_task(self._guard_lease(engine, loop))
        try:
            await engine.run()
        except LeaseLostError as error:
            self._is_lost = True
            self._observer.on_note(f"{error}; taking part anew")
        finally:
            self._is_stopping = True
            self._woken.set()
            guard.cancel()
            # A batch that is on its way must have come to its end before the next is made.
            await asyncio.gather(talk, guard, return_exceptions=True)
        if not self._is_lost:
            await self._leave()
        return SessionEnd(self._state, self._is_lost)

    # ---- handing over ----

    async def _keep_handing_over(self, engine: Engine, loop: RunLoop) -> None:
        try:
            while not self._is_stopping:
                began = steady_micros()
                news = await self._hand_over(engine.read_progress().in_flight)
                if news is not None:
                    self._apply(news, engine, loop)
                await self._pause(self._pause_seconds(news, (steady_micros() - began) / 1e6))
        except Exception as error:  # noqa: BLE001 - told by the loop, which would go on for ever
            loop.fail(error)

    def _pause_seconds(self, news: WorkerNews | None, taken_seconds: float) -> float:
        """After how long to hand over next, where it took so long this time."""
        if news is None:
            return _RETRY_SECONDS
        is_waited_for = news.read_again and not self._store.queued_hosts()
        is_hurried = is_waited_for or taken_seconds > _LATE_SECONDS or self._short_groups()
        return _HURRY_SECONDS if is_hurried else _HANDOVER_SECONDS

    async def _pause(self, seconds: float) -> None:
        """Wait, though not for longer than the session lasts."""
        timer = asyncio.get_running_loop().call_later(seconds, self._woken.set)
        await self._woken.wait()
        timer.cancel()
        if not self._is_stopping:
            self._woken.clear()

    async def _hand_over(self, in_flight: int) -> WorkerNews | None:
        """Hand over what is there; None where the database is gone for now."""
        if self._unsent is None:
            self._unsent = self._gather(in_flight)
        else:
            self._gather_more(self._unsent, in_flight)
        asked_at = steady_micros()
        try:
            news = await asyncio.to_thread(self._exchange.hand_over, self._unsent)
        except ClusterGoneError as error:
            if not self._is_told_gone:
                self._observer.on_note(f"{error}; what came meanwhile is handed over when it is back")
                self._is_told_gone = True
            self._doubt()
            return None
        self._is_told_gone = False
        for back in self._unsent.releases:
            self._leases.end_release(back.host_group)
        self._unsent = None
        self._leases.prolong(asked_at)
        return news

    def _doubt(self) -> None:
        """The database may have done what it was asked, or come back without all that it knew: compare both."""
        assert self._unsent is not None
        self._unsent = replace(self._unsent, held=self._leases.held_groups())
        self._leases.forget_loans()
        self._store.forget_known()
        self._terms.private_hosts.keep_again()
        # By the same policy, and with no link that was met lately taken for known.
        self._frontier.change_policy(self._frontier.policy, self._clock.now())
        self._context.capture.renew_run()

    async def _leave(self) -> None:
        """Hand the last over, and all hosts with it."""
        last = self._gather_last()
        try:
            if self._unsent is not None:
                await self._insist(self._exchange.hand_over, self._unsent)
            if self._state is CaptureState.OVER:
                # Nothing is under way any more that would have to wait.
                self._exchange.tell_payloads(large_payloads(self._context.archive))
            await self._insist(self._exchange.leave, last)
        except (LeaseLostError, ClusterGoneError) as error:
            self._is_lost = True
            unsent = last.fate_count + (0 if self._unsent is None else self._unsent.fate_count)
            self._observer.on_note(f"{error}; {unsent:,} URLs are asked for once more by others")

    async def _insist(self, work: Callable[[WorkerBatch], object], batch: WorkerBatch) -> None:
        """Hand over for as long as there is hope that the database comes back."""
        until = steady_micros() + round(_HOPE_SECONDS * 1e6)
        while True:
            try:
                await asyncio.to_thread(work, batch)
            except ClusterGoneError:
                if steady_micros() > until:
                    raise
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                return

    async def _guard_lease(self, engine: Engine, loop: RunLoop) -> None:
        """Let go of what is under way once the lease has ended for us."""
        while True:
            await asyncio.sleep(_GUARD_SECONDS)
            is_late = not self._leases.is_valid and self._leases.count and engine.read_progress().in_flight
            if is_late or self._leases.has_withheld:
                self._observer.on_note("the database was not reached for too long; what is under way is let go of")
                self.was_let_go = True
                loop.abandon()
                return

    # ---- what is handed over ----

    def _gather(self, in_flight: int) -> WorkerBatch:
        releases = self._release_idle()
        self._rules.keep(self._leases.groups())
        self._frontier.save()
        can_take = self._state is CaptureState.RUNNING and not self._frontier.is_at_limit
        room = max(0, self._terms.max_groups - self._leases.count) if can_take else 0
        return replace(
            self._take_counted_batch(in_flight),
            releases=releases,
            wanted=self._leases.take_wanted(),
            loans=[GroupRelease(group, self._rest_seconds(group)) for group in self._lend()],
            returns=self._leases.take_returns(),
            lent=self._leases.lent,
            # Not all at once, so that workers who join together get alike.
            room=min(room, max(_FIRST_GROUPS, self._leases.count)),
            short=tuple(self._short_groups()),
        )

    def _gather_more(self, unsent: WorkerBatch, in_flight: int) -> None:
        """What came since a batch was made that did not get there goes with it, lest a kill right after costs it."""
        self._rules.keep(self._leases.groups())
        self._frontier.save()
        self._unsent = unsent.with_more(self._take_counted_batch(in_flight))

    def _lend(self) -> list[str]:
        return self._leases.begin_loans(self._frontier.turns.hosts.is_idle)

    def _gather_last(self) -> WorkerBatch:
        self._rules.keep(self._leases.groups())
        self._frontier.save()
        return replace(
            self._take_counted_batch(0),
            releases=[GroupRelease(group, self._rest_seconds(group)) for group in self._leases.groups()],
            returns=self._leases.take_returns(),
        )

    def _take_counted_batch(self, in_flight: int) -> WorkerBatch:
        totals = self._frontier.totals
        return replace(
            self._store.take_batch(),
            urls=totals.urls,
            bytes=totals.bytes,
            in_flight=in_flight,
            under_way=totals.under_way,
            is_hungry=bool(self._store.queued_hosts()),
            payloads=self._terms.take_stored_payloads(),
        )

    def _short_groups(self) -> list[tuple[str, int]]:
        """The groups whose queues run short here while more is there, and how many of each are to be read."""
        short: list[tuple[str, int]] = []
        for group in self._full:
            held, most = self._store.held_count(group), self._asked_most.get(group, URLS_PER_READ)
            if held < most // 2:
                short.append((group, held + self._store.taken_count(group) + most))
        return short

    def _release_idle(self) -> list[GroupRelease]:
        busy, now = self._store.busy_groups(), self._clock.now()
        releases = []
        for group in self._leases.groups():
            rest = None if group in busy or self._rules.are_under_way(group) else self._idle_rest(group, now)
            if rest is not None:
                seconds = max(rest, self._rest_seconds(group))
                self._rules.keep(self._leases.groups())
                self._frontier.turns.let_go(group)
                self._store.let_go(group)
                self._leases.begin_release(group)
                self._idle_since.pop(group, None)
                self._full.discard(group)
                self._asked_most.pop(group, None)
                releases.append(GroupRelease(group, seconds))
        return releases

    def _idle_rest(self, group: str, now: Moment) -> float | None:
        """After how many seconds a group may be asked again that is to be given back; None where it is kept."""
        due = self._store.next_due_of(group)
        if due is not None:
            self._idle_since.pop(group, None)
            far = (due - now.micros) / 1e6
            return far if far > _FAR_SECONDS else None
        since = self._idle_since.setdefault(group, steady_micros())
        linger = _LINGER_SECONDS if self._state is CaptureState.RUNNING else 0.0
        return 0.0 if steady_micros() - since >= linger * 1e6 and group not in self._full else None

    def _rest_seconds(self, group: str) -> float:
        """For how long a group is to be left in peace by whoever gets it next."""
        now = self._clock.now().micros
        free_at = max((host.free_at for host in self._rules.hosts_of(group)), default=0)
        return handover_seconds((free_at - now) / 1e6)

    # ---- what is done about news ----

    def _apply(self, news: WorkerNews, engine: Engine, loop: RunLoop) -> None:
        self._terms.learn_hosts(news)
        for claimed in news.claimed:
            # Something may have been wanted of them before: what others know of them counts, not that.
            if self._frontier.turns.hosts.is_idle(claimed.host_group):
                self._frontier.turns.let_go(claimed.host_group)
                self._store.forget_group(claimed.host_group)
        for _, name, text in news.texts:
            self._store.load(name, text)
        for group in news.asked_for:
            self._leases.note_asked_for(group)
        for returned in news.returned:
            self._leases.end_loan(returned)
        for borrowed in news.borrowed:
            self._leases.borrow(borrowed)
        for claimed in news.claimed:
            self._leases.grant(claimed)
            self._store.lease(claimed.host_group)
        if news.fenced:
            self._observer.on_note(f"{news.fenced:,} fates were of hosts that others have by now, and do not count")
        self._frontier.totals.share_limits(news.granted_urls, news.bytes_elsewhere)
        self._follow(news, loop)
        self._take_in(news)
        self._read_again(news)
        engine.wake()

    def _take_in(self, news: WorkerNews) -> None:
        """Queue what was read, and give its hosts their turn."""
        self._full = (self._full - news.refreshed) | set(news.full)
        counts: dict[str, int] = {}
        hosts: dict[str, str] = {}
        for row in news.pulled:
            candidate = self._store.enqueue(row)
            if candidate is not None:
                counts[row.host_group] = counts.get(row.host_group, 0) + 1
                hosts[candidate.host] = candidate.url
        for group in self._full:
            # A queue that empties from one time to the next is read in larger parts.
            if counts.get(group):
                self._asked_most[group] = min(2 * self._asked_most.get(group, URLS_PER_READ), 20 * URLS_PER_READ)
        now = self._clock.now()
        for key, url in hosts.items():
            host = self._frontier.turns.host_of(key, url)
            self._rules.restore(host, now)
            self._frontier.turns.schedule(host, now)

    def _read_again(self, news: WorkerNews) -> None:
        """Enter the links of pages once more to which a shorter way was found, out of this worker's archive."""
        context = self._context
        for row in news.read_again:
            with self._store.stored_page(row):
                is_held = enter_links_again(context.archive, context.capture.id, row.url, self._frontier)
            self._store.note_read_again(row, is_held)

    def _follow(self, news: WorkerNews, loop: RunLoop) -> None:
        """Do what was said about the capture as a whole."""
        if news.changes != self._changes:
            self._changes = news.changes
            self._plan = restore_changes(self._context.plan, json.loads(news.changes or "{}"))
            policy = policy_from_plan(self._plan, self._frontier.policy.taken_down)
            self._frontier.change_policy(policy, self._clock.now())
            self._store.forget_known()
        before, self._state = self._state, news.state
        if news.state is CaptureState.PAUSED:
            self._frontier.pause()
        elif before is CaptureState.PAUSED:
            self._frontier.resume()
        if news.state is CaptureState.ENDING and not self._frontier.is_cut_short:
            self._frontier.cut_short(news.reason)
        if news.state is CaptureState.STOPPED:
            self.was_let_go = True
            loop.stop()
