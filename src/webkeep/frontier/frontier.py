"""The frontier: which URL is next, and from when on it may be asked for.

It decides and never waits: moments are handed in, and every call answers at once. Hosts have their queues in the URL
store; a host schedule says which host is next; a host's pace, robots state and capacity say whether it may be asked.
Whether a candidate is let in is judged when it is found (`link_admission`) and again, by what has been learned since,
at its turn (`dispatch_checks`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from webkeep.errors import UsageError
from webkeep.extract.links import Link
from webkeep.formats.site import RobotsRules
from webkeep.frontier.admission.crawl_totals import CrawlTotals
from webkeep.frontier.admission.dispatch_checks import check_dispatch, check_robots, check_sitemap_limits
from webkeep.frontier.admission.link_admission import LinkAdmission, UrlNaming
from webkeep.frontier.admission.scope_check import exclusion_outcome, judge_scope
from webkeep.frontier.hosts.backoff import backoff_seconds
from webkeep.frontier.hosts.host import Host, host_key_and_origin, host_key_of
from webkeep.frontier.hosts.host_registry import HostRegistry
from webkeep.frontier.hosts.host_schedule import HostSchedule
from webkeep.frontier.hosts.robots_state import (
    UNKNOWN_RULES_SUFFIX,
    NoRobots,
    RobotsFile,
    RobotsResult,
    RobotsStage,
    RobotsUnreachable,
)
from webkeep.frontier.policy.crawl_policy import CrawlPolicy, RobotsMode
from webkeep.frontier.policy.ranking import BreadthFirst, CandidateRanking
from webkeep.frontier.retry_policy import give_up_verdict, judge_outcome
from webkeep.frontier.traps.trap_detector import TRAP_KEY_PREFIX, Trap, TrapDetector
from webkeep.frontier.urls.actions import Action, Dispatch, Drained, WaitUntil
from webkeep.frontier.urls.candidate import Candidate, UrlRole
from webkeep.frontier.urls.fetch_outcome import FetchOutcome, FetchVerdict, RetryLater, Settled
from webkeep.frontier.urls.lru_map import LruMap
from webkeep.frontier.urls.url_store import Admission, Settlement, UrlStore
from webkeep.model import Moment, UrlOutcome

_ADMISSION_BATCH = 2000
"""Links entered into the store with one call."""
_MAX_EXAMINED_PER_CALL = 5000
"""How many candidates are looked at in one call before others get their turn."""
_MAX_REQUEUED_REMEMBERED = 5000
"""URLs remembered that were asked for once more with a new cookie: each is only once."""
_TOTALS_KEY = "totals"
"""The name under which the totals are kept in the store."""
_UNQUEUED_ID = 0
"""Stands for what is under way and has no number."""
_BUSY_SECONDS = 0.05
"""After how many seconds to ask again for a turn that no one can foretell."""
_RESERVED_SECONDS = 0.25
"""For how many seconds a turn that someone waits for is kept free."""
_END_OF_TIME = Moment(1 << 62)
_ANSWERED_OUTCOMES = (UrlOutcome.STORED, UrlOutcome.DUPLICATE, UrlOutcome.FAILED)


class Frontier:
    """Decides what a capture asks for next."""

    def __init__(
        self,
        policy: CrawlPolicy,
        url_store: UrlStore,
        strategy: CandidateRanking | None = None,
        naming: UrlNaming | None = None,
    ) -> None:
        """Where there is a naming, URLs are in the URL store under the names that it gives."""
        self._policy = policy
        self._urls = url_store
        self._hosts = HostRegistry(url_store)
        self._host_schedule = HostSchedule()
        self._traps = TrapDetector()
        self._traps.restore(url_store.load_texts(TRAP_KEY_PREFIX))
        self._requeued: LruMap[int, bool] = LruMap(_MAX_REQUEUED_REMEMBERED)
        self._totals = CrawlTotals.from_text(url_store.load_text(_TOTALS_KEY))
        serial = sum(url_store.outcome_counts().values())
        self._admission = LinkAdmission(
            policy, strategy or BreadthFirst(), self._traps, self._hosts, self._totals, serial, naming
        )
        self._paused = False
        self._rejudges = False
        self._revisiting = False
        self._in_flight = 0
        self._unstored: dict[int, FetchOutcome] = {}
        for key in url_store.queued_hosts():
            self._schedule(self._hosts.get_or_create(key, self._origin_of(key), policy))

    def _origin_of(self, key: str) -> str:
        """Where the URLs of a host lie that has some queued."""
        for candidate in self._urls.take(key, 1, _END_OF_TIME):
            self._urls.put_back(candidate)
            return host_key_and_origin(candidate.url)[1]
        return ""

    # ---- finding ----

    def seed(self, urls: Iterable[str], now: Moment) -> int:
        """Take in what a person named; the answer is how many are new."""
        return self._store_all(self._admission.admit_seeds(urls), now)

    def suggest(self, urls: Iterable[str], now: Moment) -> int:
        """Take in pages that were known before; the answer is how many are to be asked for."""
        return self._store_all(self._admission.admit_suggestions(urls), now)

    def discover(self, page: Candidate, links: Iterable[Link], now: Moment) -> int:
        """Take in the links of a page that was answered; the answer is how many are to be asked for."""
        return self.discover_all([(page, links)], now)

    def discover_all(self, found: Iterable[tuple[Candidate, Iterable[Link]]], now: Moment) -> int:
        """Take in links of several pages that were answered; a page with many may come in parts, until it is stored."""
        return self._store_all(
            (admission for page, links in found for admission in self._admit_links(page, links)), now
        )

    def _admit_links(self, page: Candidate, links: Iterable[Link]) -> Iterator[Admission]:
        outcome = self._unstored.get(page.id)
        return self._admission.admit_links(page, links, outcome.redirect if outcome else "")

    def _store_all(self, admissions: Iterator[Admission], now: Moment) -> int:
        found = 0
        while batch := list(islice(admissions, _ADMISSION_BATCH)):
            found += self._store_admissions(batch, now)
        return found

    def _store_admissions(self, admissions: list[Admission], now: Moment | None = None) -> int:
        queued = self._urls.add(admissions)
        for key, url in {candidate.host: candidate.url for candidate in queued}.items():
            self._schedule(self._host_of(key, url), now)
        return len(queued)

    def _host_of(self, key: str, url: str) -> Host:
        return self._hosts.get_or_create(key, host_key_and_origin(url)[1], self._policy)

    # ---- choosing ----

    def next_actions(self, now: Moment, room: int) -> list[Action]:
        """What to do now: up to `room` dispatches; or, where none is possible, what to wait for.

        Nothing at all means that only an answer, or someone's resuming, can bring more.
        """
        if self._paused or room <= 0:
            return []
        dispatches = self._dispatches(now, room)
        if dispatches:
            return dispatches
        first = self._host_schedule.next_due()
        if first is not None and self._allowance != 0:
            return [WaitUntil(Moment(max(first, now.micros)))]
        return [] if self._in_flight or self._unstored else [Drained()]

    def _dispatches(self, now: Moment, room: int) -> list[Action]:
        actions: list[Action] = []
        examined = 0
        while len(actions) < room and examined < _MAX_EXAMINED_PER_CALL:
            allowed = self._allowance
            key = None if allowed == 0 else self._host_schedule.pop(now.micros)
            host = None if key is None else self._hosts.get(key)
            if host is None:
                break
            free = min(room - len(actions), self._capacity(host, now))
            taken = self._take_candidates(host, free if allowed is None else min(free, allowed), now)
            examined += len(taken)
            actions += [Dispatch(candidate) for candidate in taken if self._try_dispatch(host, candidate, now)]
            self._schedule(host, now)
        return actions

    @property
    def _allowance(self) -> int | None:
        """How many more candidates may be asked for now by the limits on all of them; None for any number."""
        return self._totals.allowance(self._policy, self._revisiting)

    def _capacity(self, host: Host, now: Moment) -> int:
        """How many candidates of a host may be asked for now, as far as it goes by the host."""
        return host.capacity(self._policy) if self._free_at(host) <= now.micros else 0

    @staticmethod
    def _free_at(host: Host) -> int:
        """From when on candidates of a host may be asked for, in microseconds."""
        return max(host.free_at, host.group.reserved_until)

    def _take_candidates(self, host: Host, count: int, now: Moment) -> list[Candidate]:
        """Up to so many candidates of a host whose turn has come."""
        if count and host.robots.is_due(now):
            count = self._queue_robots(host, count, now)
        return self._urls.take(host.key, count, now)

    def _try_dispatch(self, host: Host, candidate: Candidate, now: Moment) -> bool:
        settled = self._check_dispatch(host, candidate, now)
        if settled is None:
            self._count_dispatched(host, candidate)
        else:
            self._urls.settle([Settlement(candidate.id, settled.outcome, settled.reason)])
        return settled is None

    def _queue_robots(self, host: Host, count: int, now: Moment) -> int:
        """Put a host's robots.txt before everything else, and say how many may be asked for with it."""
        if self._policy.needs_robots(host.key) or self._policy.record_robots:
            self._urls.requeue(Candidate(0, host.robots_url, host.key, UrlRole.ROBOTS))
            return count if host.robots.is_usable else 1
        host.robots.set_rules(RobotsRules(), now)
        return count

    def _check_dispatch(self, host: Host, candidate: Candidate, now: Moment) -> Settled | None:
        if candidate.role is UrlRole.ROBOTS:
            return None
        if candidate.url in self._policy.taken_down:  # since it was queued
            return Settled(UrlOutcome.TAKEN_DOWN, self._policy.taken_down[candidate.url])
        if self._rejudges and not candidate.revisit:
            decision = judge_scope(self._policy, candidate)
            if not decision.is_allowed:
                return Settled(exclusion_outcome(decision), decision.reason)
        return check_sitemap_limits(self._policy, self._traps, self._totals, candidate) or check_dispatch(
            self._policy, self._traps, host, candidate, now
        )

    def _count_dispatched(self, host: Host, candidate: Candidate) -> None:
        """Count a candidate as under way."""
        host.begin_request(candidate.id)
        self._in_flight += 1
        self._hosts.mark_changed(host)
        if candidate.role is UrlRole.ROBOTS:
            host.robots.stage = RobotsStage.ASKED
        elif candidate.is_counted:
            host.asked += 1
            host.unsettled += 1
            host.sitemaps += candidate.role is UrlRole.SITEMAP
            self._totals.count_dispatched(candidate)

    def _schedule(self, host: Host, now: Moment | None = None) -> None:
        """Enter a host into the host schedule, or take it out, as it is now."""
        if host.closed is not None and self._urls.queued_count(host.key):
            self._give_up_host(host, host.closed)
        is_busy = host.closed is not None or host.robots.is_blocking or not host.capacity(self._policy)
        due = None if is_busy else self._urls.next_due(host.key)
        if due is None:
            self._host_schedule.drop(host.key)
        else:
            # Moments gone by are all one, so that hosts take turns.
            self._host_schedule.put(host.key, max(self._free_at(host), due.micros, now.micros if now else 0))

    def _schedule_group(self, host: Host, now: Moment) -> None:
        """Enter a host anew after something was learned of it, and all others of its name that this concerns."""
        if not host.group.has_changed_pace():
            self._schedule(host, now)
            return
        for key in list(host.group.host_turns):
            neighbour = self._hosts.get(key)
            if neighbour is not None:
                neighbour.note_delay(now)
                self._schedule(neighbour, now)

    def begin_round(self, revisiting: bool, now: Moment) -> None:
        """Go on after all was done, with candidates that the URL store has held back or has again."""
        self._revisiting = revisiting
        for key in self._urls.queued_hosts():
            known = self._hosts.get(key)
            self._schedule(known or self._hosts.get_or_create(key, self._origin_of(key), self._policy), now)

    # ---- learning ----

    def record_outcome(self, candidate: Candidate, outcome: FetchOutcome, now: Moment) -> FetchVerdict:
        """Take note of how a request ended, and say whether that settles its candidate.

        Where something came that goes into the archive, the candidate is settled by `settle`, once that is on disk.
        """
        host = self._host_in_flight(candidate)
        self._update_host(host, candidate.id, outcome, candidate.tries > 0, now)
        self._totals.add_bytes(outcome.size, candidate.role is UrlRole.SITEMAP)
        if self._policy.trap_budget is not None and not candidate.revisit:
            self._traps.learn_outcome(candidate, outcome, self._policy.trap_budget)
        verdict = self._judge_outcome(host, candidate, outcome)
        match verdict:
            case Settled():
                self._unstored[candidate.id] = outcome
                if not outcome.is_storable:
                    self.settle(candidate, verdict)
            case RetryLater(not_before):
                self._uncount_dispatched(host, candidate)
                self._urls.put_back(candidate._replace(tries=candidate.tries + 1), not_before)
                self._cut_at_limit()
        self._schedule_group(host, now)
        return verdict

    def settle(self, candidate: Candidate, settled: Settled, digest: str = "") -> None:
        """Settle a candidate whose answer is on disk, with the digest of its content where that is known."""
        outcome = self._unstored.pop(candidate.id, None)
        if outcome is not None and candidate.is_counted:
            host = self._host_of(candidate.host, candidate.url)
            host.unsettled -= 1
            self._hosts.mark_changed(host)
            self._totals.settle(candidate)
        if digest and self._policy.trap_budget is not None and not candidate.revisit:
            self._traps.learn_content(candidate, digest, self._policy.trap_budget)
        self._urls.settle([Settlement(candidate.id, settled.outcome, settled.reason)])
        if outcome is not None and outcome.redirect and candidate.follows_redirects:
            self._follow_redirect(candidate, outcome)
        self._cut_at_limit()
        if candidate.role is UrlRole.SITEMAP:
            # What it named may have waited for it.
            self._schedule(self._host_of(candidate.host, candidate.url))

    def restore(
        self, url: str, via: str, outcome: FetchOutcome, links: Iterable[Link], now: Moment, is_received: bool = False
    ) -> None:
        """Bring in a URL that is known to be stored, with its links, as if it had been asked for.

        Its bytes are counted, unless they were when it `is_received`.
        """
        candidate = self._urls.find(url) or self._add_unknown(url, via)
        verdict = judge_outcome(self._policy, candidate, outcome)
        if isinstance(verdict, RetryLater):
            return
        is_counted = candidate.is_counted
        self._store_all(self._admission.admit_links(candidate, links, outcome.redirect), now)
        if self._urls.trail(url, 1)[0].outcome not in _ANSWERED_OUTCOMES:
            host = self._host_of(candidate.host, url)
            host.asked += is_counted
            for ledger in host.ledgers:
                ledger.add_unproven()
            self._totals.count_settled(candidate)
            self._totals.add_bytes(0 if is_received else outcome.size, candidate.role is UrlRole.SITEMAP)
            self.settle(candidate, verdict)
        if outcome.redirect and candidate.follows_redirects:
            self._follow_redirect(candidate, outcome)

    def _add_unknown(self, url: str, via: str) -> Candidate:
        """The candidate of a URL that the URL store does not know, entered as well as can be told."""
        source = self._urls.find(via) if via else None
        host = self._host_of(host_key_of(url), url)
        is_rules = source.role is UrlRole.ROBOTS if source else not via and url == host.robots_url
        role = UrlRole.ROBOTS if is_rules else UrlRole.NAVIGATE if via else UrlRole.SEED
        place = (source.id, source.depth + (role is UrlRole.NAVIGATE)) if source else (0, 0)
        return self._urls.add([Admission(Candidate(0, url, host.key, role, *place))])[0]

    def delay_of(self, host_key: str) -> float | None:
        """How many seconds a host is to be left in peace between two requests; None where it was not met yet."""
        host = self._hosts.get(host_key)
        return None if host is None else host.pace.delay

    def rest_seconds_of(self, host_key: str, now: Moment) -> float:
        """For how many seconds a host that was met before is left in peace, as it asked for that or did not answer."""
        host = self._hosts.get(host_key)
        return 0.0 if host is None or host.closed is not None else max(0.0, (host.free_at - now.micros) / 1e6)

    def request_interval_of(self, host_key: str) -> float | None:
        """The usual seconds from one request to a host to the next; None where it was not met yet."""
        host = self._hosts.get(host_key)
        return None if host is None else host.pace.request_interval

    def is_in_flight(self, candidate: Candidate) -> bool:
        """Whether a candidate was dispatched and not answered yet."""
        host = self._hosts.get(candidate.host)
        return host is not None and candidate.id in host.in_flight

    def _host_in_flight(self, candidate: Candidate) -> Host:
        host = self._hosts.get(candidate.host)
        if host is None or candidate.id not in host.in_flight:
            raise UsageError(f"{candidate.url[:200]} is not under way: record outcomes of what was dispatched, once")
        return host

    def _update_host(self, host: Host, number: int, outcome: FetchOutcome, is_known_refuser: bool, now: Moment) -> None:
        """Take note of what the answer to a request that was under way says of its host."""
        self._in_flight -= 1
        host.update_from(outcome, host.end_request(number), is_known_refuser)
        host.note_delay(now)
        self._hosts.mark_changed(host)

    def _uncount_dispatched(self, host: Host, candidate: Candidate) -> None:
        """Count a candidate as not asked for."""
        self._hosts.mark_changed(host)
        if candidate.is_counted:
            host.asked -= 1
            host.unsettled -= 1
            host.sitemaps -= candidate.role is UrlRole.SITEMAP
            self._totals.uncount_dispatched(candidate)

    def _judge_outcome(self, host: Host, candidate: Candidate, outcome: FetchOutcome) -> FetchVerdict:
        if candidate.role is not UrlRole.ROBOTS and host.closed is None:
            settled = give_up_verdict(self._policy, host.failure_streaks, outcome)
            if settled is not None:
                self._give_up_host(host, settled)
        verdict = judge_outcome(self._policy, candidate, outcome)
        return host.closed if host.closed is not None and isinstance(verdict, RetryLater) else verdict

    def _give_up_host(self, host: Host, settled: Settled) -> None:
        """Give a host up: everything of it has this fate from now on."""
        host.closed = settled
        self._hosts.mark_changed(host)
        self._urls.settle_queued(settled.outcome, settled.reason, host.key)
        self._host_schedule.drop(host.key)

    def _follow_redirect(self, source: Candidate, outcome: FetchOutcome) -> None:
        admission = self._admission.admit_redirect(source, outcome.redirect)
        if admission is None or self._store_admissions([admission]):
            return
        if admission.outcome is UrlOutcome.QUEUED and outcome.set_cookie:
            self._requeue_for_cookie(admission.candidate)

    def _requeue_for_cookie(self, candidate: Candidate) -> None:
        """With a new cookie, a URL that was answered may have another answer."""
        fate = self._urls.trail(candidate.url, 1)
        if fate and fate[0].outcome in _ANSWERED_OUTCOMES and self._requeued.get(hash(candidate.url)) is None:
            self._requeued[hash(candidate.url)] = True
            self._urls.requeue(candidate)
            self._schedule(self._host_of(candidate.host, candidate.url))

    # ---- robots and sitemaps ----

    def look_for_sitemaps(self, urls: Iterable[str], now: Moment) -> None:
        """Ask the hosts of these URLs for sitemaps at the place where they usually are."""
        for origin in filter(None, dict.fromkeys(host_key_and_origin(url)[1] for url in urls)):
            host = self._host_of(host_key_of(f"{origin}/"), f"{origin}/")
            self._store_all(self._admission.admit_sitemaps(host, 0, [f"{origin}/sitemap.xml"]), now)

    def update_robots(self, host_key: str, result: RobotsResult, now: Moment) -> None:
        """Take note of what came of asking for a host's robots.txt, after its answer."""
        host = self._hosts.get(host_key)
        if host is None:
            raise UsageError(f"{host_key} was not asked for its robots.txt: update only hosts that were")
        match result:
            case RobotsFile(robots):
                host.robots.set_rules(robots.rules_for(self._policy.agent), now)
                rules = self._urls.find(host.robots_url)
                sitemaps = robots.sitemaps if self._policy.sitemaps else ()
                self._store_all(self._admission.admit_sitemaps(host, rules.id if rules else 0, sitemaps), now)
            case NoRobots():
                host.robots.set_rules(RobotsRules(), now)
            case RobotsUnreachable():
                self._handle_missing_robots(host, result, now)
        self._obey_crawl_delay(host)
        host.note_delay(now)
        self._hosts.mark_changed(host)
        self._schedule_group(host, now)

    def _obey_crawl_delay(self, host: Host) -> None:
        obeys = self._policy.robots_for(f"{host.origin}/", host.key) is RobotsMode.OBEY
        host.pace.set_crawl_delay(host.key, (host.robots.rules.delay or 0.0) if obeys else 0.0)

    def _handle_missing_robots(self, host: Host, result: RobotsUnreachable, now: Moment) -> None:
        robots = host.robots
        robots.record_failure(now)
        if robots.is_usable:
            return
        if not self._policy.needs_robots(host.key):
            robots.set_rules(RobotsRules(), now)
        elif result.temporary and robots.failures <= self._policy.retries and not host.failure_streaks.is_unresolvable:
            host.rest(
                now.micros,
                host.failure_streaks.rest_seconds
                if host.failure_streaks.unresolved
                else backoff_seconds(robots.failures),
            )
        elif result.answered:
            self._give_up_host(host, Settled(UrlOutcome.REFUSED, f"robots.txt unreachable: {result.reason}"))
        else:
            self._give_up_host(host, Settled(UrlOutcome.FAILED, f"{result.reason}{UNKNOWN_RULES_SUFFIX}"))

    def reserve_for_page(self, candidate: Candidate, number: int, now: Moment) -> Settled | Moment:
        """Whether and from when on a page that is being run may ask for something, of which it is the candidate.

        If that is now, it counts as under way until `record_unqueued_outcome`, by a number below zero that nothing else
        has, and against the limit on URLs until `settle_page_request`.
        """
        decision = judge_scope(self._policy, candidate)
        if not decision.is_allowed:
            return Settled(exclusion_outcome(decision), decision.reason)
        host = self._host_of(candidate.host, candidate.url)
        if (limit := self._totals.limit_reached(self._policy, self._revisiting)) != "":
            return Settled(UrlOutcome.CUT, limit)
        if self._allowance == 0:  # what is under way may turn out not to count
            return now.plus(_BUSY_SECONDS)
        if host.closed is None and host.robots.is_due(now):
            self._queue_robots(host, 1, now)
            self._schedule(host, now)
        if host.closed is None and not host.robots.is_usable:
            return now.plus(_BUSY_SECONDS)
        refusal = host.closed or check_robots(self._policy, host, candidate)
        if refusal is not None:
            return refusal
        turn = self.reserve_unqueued(candidate.url, now, number)
        self._totals.by_pages += turn == now
        return turn

    def settle_page_request(self) -> None:
        """Take note that a request which `reserve_for_page` allowed was entered, or never will be."""
        self._totals.by_pages -= 1

    def reserve_unqueued(self, url: str, now: Moment, number: int = _UNQUEUED_ID) -> Moment:
        """From when on something may be asked for that is in no queue, as where a robots.txt moved to.

        If that is now, it counts as under way until `record_unqueued_outcome`; if not, ask again then.
        """
        host = self._host_of(host_key_of(url), url)
        turn = Moment(max(host.free_at, now.micros))
        if not host.capacity(self._policy) or number in host.in_flight:
            turn = max(turn, now.plus(_BUSY_SECONDS))
        if turn == now:
            host.group.reserved_until = 0
            host.begin_request(number)
            self._in_flight += 1
        elif not host.pace.is_parallel:
            # Else the queues of its name could be quicker every time.
            host.group.reserved_until = turn.plus(_RESERVED_SECONDS).micros
        self._schedule(host, now)
        return turn

    def record_unqueued_outcome(self, url: str, outcome: FetchOutcome, now: Moment, number: int = _UNQUEUED_ID) -> None:
        """Take note of how a request ended that was allowed by `reserve_unqueued` or `reserve_for_page`."""
        host = self._host_of(host_key_of(url), url)
        if number not in host.in_flight:
            raise UsageError(f"{url[:200]} is not under way: ask for its turn first")
        self._update_host(host, number, outcome, False, now)
        self._totals.add_bytes(outcome.size)
        self._schedule_group(host, now)

    # ---- steering ----

    def pause(self) -> None:
        """Dispatch nothing until `resume`."""
        self._paused = True

    def resume(self) -> None:
        """Go on after `pause`."""
        self._paused = False

    def change_policy(self, policy: CrawlPolicy, now: Moment) -> None:
        """Go by another policy from now on; what was left out of scope or cut is judged anew."""
        self._rejudges = self._rejudges or policy.scope is not self._policy.scope
        self._policy = policy
        self._admission.change_policy(policy)
        self._hosts.change_policy(policy)
        for host in self._hosts:
            self._obey_crawl_delay(host)
        for host in self._hosts:
            host.note_delay(now)
            self._hosts.mark_changed(host)
            self._schedule(host, now)
        self._cut_at_limit()
        for outcome in (UrlOutcome.OUT_OF_SCOPE, UrlOutcome.CUT):
            judged_anew = (self._admission.admit(each._replace(id=0)) for each in self._urls.candidates_with(outcome))
            self._store_all((admission for admission in judged_anew if admission.outcome is UrlOutcome.QUEUED), now)

    def cut_short(self, reason: str) -> None:
        """End it: what is left, and what is found from now on, is cut."""
        self._totals.ended = reason
        self._cut_at_limit()

    def end_visits(self, reason: str) -> None:
        """Visit nothing more, so that time is left for the revisits."""
        self._totals.visits_ended = reason
        self._cut_at_limit()

    def _cut_at_limit(self) -> None:
        """Where a limit is reached, cut what is left."""
        limit = self._totals.limit_reached(self._policy, self._revisiting)
        if limit:
            self._urls.settle_queued(UrlOutcome.CUT, limit)
            self._host_schedule = HostSchedule()

    def save(self) -> None:
        """Put into the URL store what must outlast the process."""
        self._urls.save_text(_TOTALS_KEY, self._totals.to_text())
        self._hosts.save()
        for name, text in self._traps.take_changes():
            self._urls.save_text(name, text)

    # ---- telling ----

    @property
    def policy(self) -> CrawlPolicy:
        """What it goes by now."""
        return self._policy

    @property
    def in_flight(self) -> int:
        """How many candidates are under way."""
        return self._in_flight

    @property
    def is_paused(self) -> bool:
        """Whether nothing is dispatched."""
        return self._paused

    @property
    def is_at_limit(self) -> bool:
        """Whether nothing more may be asked for, by the limits on all of it."""
        return self._totals.limit_reached(self._policy, self._revisiting) != ""

    @property
    def is_cut_short(self) -> bool:
        """Whether someone ended it before its limits did."""
        return bool(self._totals.ended)

    @property
    def totals(self) -> CrawlTotals:
        """What was asked for so far."""
        return self._totals

    def trap_report(self) -> list[Trap]:
        """The kinds of URL of which some were left out, and how to have them."""
        return list(self._traps.report())

    def hosts(self) -> Iterator[Host]:
        """What is known of each host."""
        return iter(self._hosts)

    def host_ledgers(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """How each host was treated, and each name that several have, as plain values."""
        return self._hosts.ledgers()
