"""The frontier: which URL is next, and from when on it may be asked for. Takes in what was found, gives out what is
due, follows redirects, looks for sitemaps, and is paused or cut short here.

It decides and never waits: moments are handed in, and every call answers at once. `HostTurns` says which host is next;
`RobotsUpdates` what robots.txt files change; `UnqueuedRequests` gives turns to what is in no queue. Whether a candidate
is let in is judged when it is found (`LinkAdmission`) and again, by what has been learned since, at its turn
(`dispatch_checks`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from webkeep.errors import UsageError
from webkeep.extract.links import Link
from webkeep.frontier.admission.crawl_totals import CrawlTotals
from webkeep.frontier.admission.dispatch_checks import check_candidate
from webkeep.frontier.admission.link_admission import LinkAdmission, UrlNaming
from webkeep.frontier.admission.policy_state import PolicyState
from webkeep.frontier.admission.shorter_ways import ShorterWays
from webkeep.frontier.host_turns import HostTurns
from webkeep.frontier.hosts.host import Host, host_key_and_origin, host_key_of
from webkeep.frontier.hosts.host_leases import HostLeases
from webkeep.frontier.hosts.robots_state import RobotsFile, RobotsResult
from webkeep.frontier.policy.crawl_policy import CrawlPolicy
from webkeep.frontier.policy.ranking import BreadthFirst, CandidateRanking
from webkeep.frontier.retry_policy import give_up_verdict, judge_outcome
from webkeep.frontier.robots_updates import RobotsUpdates
from webkeep.frontier.traps.trap_detector import TRAP_KEY_PREFIX, Trap, TrapDetector
from webkeep.frontier.unqueued_requests import UnqueuedRequests
from webkeep.frontier.urls.actions import Action, Dispatch, Drained, WaitUntil
from webkeep.frontier.urls.candidate import Candidate, UrlRole
from webkeep.frontier.urls.fetch_outcome import FetchOutcome, FetchVerdict, RetryLater, Settled
from webkeep.frontier.urls.lru_map import LruMap
from webkeep.frontier.urls.url_store import Admission, Settlement, UrlStore
from webkeep.model import Moment, UrlOutcome

_BATCH_LINKS = 2000
"""Links entered into the store with one call: fewer cost more statements, more hold up the loop."""
_MAX_CANDIDATES_PER_CALL = 5000
"""How many candidates are looked at in one call before others get their turn."""
_MAX_REQUEUED_URLS = 5000
"""URLs remembered that were asked for once more with a new cookie: each is only once."""
_TOTALS_KEY = "totals"
"""The name under which the totals are kept in the store."""
_ANSWERED_OUTCOMES = (UrlOutcome.STORED, UrlOutcome.DUPLICATE, UrlOutcome.FAILED)


class Frontier:
    """Decides what a capture asks for next."""

    def __init__(
        self,
        policy: CrawlPolicy,
        url_store: UrlStore,
        ranking: CandidateRanking | None = None,
        naming: UrlNaming | None = None,
        leases: HostLeases | None = None,
    ) -> None:
        """Where there is a naming, URLs are in the URL store under the names that it gives.

        Where there are leases, hosts are shared with other captures.
        """
        self._urls = url_store
        self._totals = CrawlTotals.from_text(url_store.load_text(_TOTALS_KEY))
        self._state = PolicyState(policy, self._totals)
        self.turns = HostTurns(self._state, url_store, leases)
        """Whose turn is next, and how hosts are treated."""
        self._hosts = self.turns.hosts
        self.robots = RobotsUpdates(self._state, url_store, self.turns)
        self.unqueued = UnqueuedRequests(self._state, self.turns, self.robots)
        """Turns for requests that are in no queue."""
        self._traps = TrapDetector()
        self._traps.restore(url_store.load_texts(TRAP_KEY_PREFIX))
        self.shorter_ways = ShorterWays(self._state, url_store)
        """Pages whose links count from a shorter way than the one they were entered by."""
        self._requeued: LruMap[int, bool] = LruMap(_MAX_REQUEUED_URLS)
        serial = sum(url_store.outcome_counts().values())
        self._admission = LinkAdmission(
            self._state, ranking or BreadthFirst(), self._traps, self._hosts, serial, naming
        )
        self._paused = False
        self._unstored: dict[int, FetchOutcome] = {}
        self.turns.schedule_queued()

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
        return self._store_all((each for page, links in found for each in self._admit_links(page, links)), now)

    def _admit_links(self, page: Candidate, links: Iterable[Link]) -> Iterator[Admission]:
        outcome = self._unstored.get(page.id)
        return self._admission.admit_links(page, links, outcome.redirect if outcome else "")

    def _store_all(self, admissions: Iterator[Admission], now: Moment) -> int:
        found = 0
        while batch := list(islice(admissions, _BATCH_LINKS)):
            found += self._store_admissions(batch, now)
        return found

    def _store_admissions(self, admissions: list[Admission], now: Moment | None = None) -> int:
        queued = self._urls.add(admissions)
        self.shorter_ways.note(admissions)
        for key, url in {candidate.host: candidate.url for candidate in queued}.items():
            self.turns.schedule(self.turns.host_of(key, url), now)
        return len(queued)

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
        first = self.turns.next_due()
        if first is not None and self._state.allowance != 0:
            return [WaitUntil(Moment(max(first, now.micros)))]
        return [] if self.turns.in_flight or self._unstored else [Drained()]

    def _dispatches(self, now: Moment, room: int) -> list[Action]:
        actions: list[Action] = []
        examined = 0
        while len(actions) < room and examined < _MAX_CANDIDATES_PER_CALL:
            allowed = self._state.allowance
            host = None if allowed == 0 else self.turns.pop(now)
            if host is None:
                break
            free = min(room - len(actions), self.turns.capacity(host, now))
            taken = self._take_candidates(host, free if allowed is None else min(free, allowed), now)
            examined += len(taken)
            actions += [Dispatch(candidate) for candidate in taken if self._try_dispatch(host, candidate, now)]
            self.turns.schedule(host, now)
        return actions

    def _take_candidates(self, host: Host, count: int, now: Moment) -> list[Candidate]:
        """Up to so many candidates of a host whose turn has come."""
        if count and host.robots.is_due(now):
            count = self.robots.queue_robots(host, count, now)
        return self._urls.take(host.key, count, now)

    def _try_dispatch(self, host: Host, candidate: Candidate, now: Moment) -> bool:
        settled = check_candidate(self._state, self._traps, host, candidate, now)
        if settled is None:
            self._count_dispatched(host, candidate)
        else:
            self._urls.settle([Settlement(candidate.id, settled.outcome, settled.reason)])
        return settled is None

    def _count_dispatched(self, host: Host, candidate: Candidate) -> None:
        """Count a candidate as under way."""
        self.turns.begin_request(host, candidate.id)
        self._hosts.mark_changed(host)
        if candidate.role is UrlRole.ROBOTS:
            host.robots.mark_asked()
        elif candidate.is_counted:
            host.count_dispatched(1, candidate.role is UrlRole.SITEMAP)
            self._totals.count_dispatched(candidate)

    def begin_round(self, revisiting: bool, now: Moment) -> None:
        """Go on after all was done, with candidates that the URL store has held back or has again."""
        self._state.begin_round(revisiting)
        self.turns.schedule_queued(now)

    # ---- learning ----

    def record_outcome(self, candidate: Candidate, outcome: FetchOutcome, now: Moment) -> FetchVerdict:
        """Take note of how a request ended, and say whether that settles its candidate.

        Where something came that goes into the archive, the candidate is settled by `settle`, once that is on disk.
        """
        host = self.turns.host_in_flight(candidate)
        self.turns.end_request(host, candidate.id, outcome, candidate.tries > 0, now)
        self._totals.add_bytes(outcome.size, candidate.role is UrlRole.SITEMAP)
        if self._state.policy.trap_budget is not None and not candidate.revisit:
            self._traps.learn_outcome(candidate, outcome, self._state.policy.trap_budget)
        verdict = self._judge_outcome(host, candidate, outcome)
        match verdict:
            case Settled():
                self._unstored[candidate.id] = outcome
                if not outcome.is_storable:
                    self.settle(candidate, verdict)
            case RetryLater(not_before):
                self._uncount_dispatched(host, candidate)
                self._urls.put_back(candidate._replace(tries=candidate.tries + (not outcome.is_unsent)), not_before)
                self._cut_at_limit()
        self.turns.schedule_group(host, now)
        return verdict

    def settle(self, candidate: Candidate, settled: Settled, digest: str = "", seen: bytes = b"") -> None:
        """Settle a candidate whose answer is on disk, with the digest of its content, and of what is seen of it."""
        outcome = self._unstored.pop(candidate.id, None)
        if outcome is not None and candidate.is_counted:
            host = self.turns.host_of(candidate.host, candidate.url)
            host.count_settled()
            self._hosts.mark_changed(host)
            self._totals.settle(candidate)
        if digest and self._state.policy.trap_budget is not None and not candidate.revisit:
            self._traps.learn_content(candidate, digest, self._state.policy.trap_budget, seen)
        self._urls.settle([Settlement(candidate.id, settled.outcome, settled.reason)])
        if outcome is not None and outcome.redirect and candidate.follows_redirects:
            self._follow_redirect(candidate, outcome)
        self._cut_at_limit()
        if candidate.role is UrlRole.SITEMAP:
            # What it named may have waited for it.
            self.turns.schedule(self.turns.host_of(candidate.host, candidate.url))

    def restore(
        self, url: str, via: str, outcome: FetchOutcome, links: Iterable[Link], now: Moment, is_received: bool = False
    ) -> None:
        """Bring in a URL that is stored, as if it was asked for; its bytes count, unless it `is_received` already."""
        candidate = self._urls.find(url) or self._add_unknown(url, via)
        verdict = judge_outcome(self._state.policy, candidate, outcome)
        if isinstance(verdict, RetryLater):
            return
        is_counted = candidate.is_counted
        self._store_all(self._admission.admit_links(candidate, links, outcome.redirect), now)
        if self._urls.trail(url, 1)[0].outcome not in _ANSWERED_OUTCOMES:
            host = self.turns.host_of(candidate.host, url)
            host.count_unproven(is_counted)
            self._totals.count_settled(candidate)
            self._totals.add_bytes(0 if is_received else outcome.size, candidate.role is UrlRole.SITEMAP)
            self.settle(candidate, verdict)
        if outcome.redirect and candidate.follows_redirects:
            self._follow_redirect(candidate, outcome)

    def _add_unknown(self, url: str, via: str) -> Candidate:
        """The candidate of a URL that the URL store does not know, entered as well as can be told."""
        source = self._urls.find(via) if via else None
        host = self.turns.host_of(host_key_of(url), url)
        is_rules = source.role is UrlRole.ROBOTS if source else not via and url == host.robots_url
        role = UrlRole.ROBOTS if is_rules else UrlRole.NAVIGATE if via else UrlRole.SEED
        place = (source.id, source.depth + (role is UrlRole.NAVIGATE)) if source else (0, 0)
        return self._urls.add([Admission(Candidate(0, url, host.key, role, *place))])[0]

    def is_in_flight(self, candidate: Candidate) -> bool:
        """Whether a candidate was dispatched and not answered yet."""
        host = self._hosts.get(candidate.host)
        return host is not None and candidate.id in host.in_flight

    def _uncount_dispatched(self, host: Host, candidate: Candidate) -> None:
        """Count a candidate as not asked for."""
        self._hosts.mark_changed(host)
        if candidate.is_counted:
            host.count_dispatched(-1, candidate.role is UrlRole.SITEMAP)
            self._totals.uncount_dispatched(candidate)

    def _judge_outcome(self, host: Host, candidate: Candidate, outcome: FetchOutcome) -> FetchVerdict:
        if candidate.role is not UrlRole.ROBOTS and host.closed is None:
            settled = give_up_verdict(self._state.policy, host.failure_streaks, outcome)
            if settled is not None:
                self.turns.give_up(host, settled)
        verdict = judge_outcome(self._state.policy, candidate, outcome)
        return host.closed if host.closed is not None and isinstance(verdict, RetryLater) else verdict

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
            self.turns.schedule(self.turns.host_of(candidate.host, candidate.url))

    # ---- robots and sitemaps ----

    def look_for_sitemaps(self, urls: Iterable[str], now: Moment) -> None:
        """Ask the hosts of these URLs for sitemaps at the place where they usually are."""
        for origin in filter(None, dict.fromkeys(host_key_and_origin(url)[1] for url in urls)):
            host = self.turns.host_of(host_key_of(f"{origin}/"), f"{origin}/")
            self._store_all(self._admission.admit_sitemaps(host, 0, [f"{origin}/sitemap.xml"]), now)

    def update_robots(self, host_key: str, result: RobotsResult, now: Moment) -> None:
        """Take note of what came of asking for a host's robots.txt, after its answer."""
        host = self._hosts.get(host_key)
        if host is None:
            raise UsageError(f"{host_key} was not asked for its robots.txt: update only hosts that were")
        self.robots.apply(host, result, now)
        if isinstance(result, RobotsFile) and self._state.policy.sitemaps:
            rules = self._urls.find(host.robots_url)
            self._store_all(self._admission.admit_sitemaps(host, rules.id if rules else 0, result.robots.sitemaps), now)
        self.robots.obey_crawl_delay(host)
        host.note_delay(now)
        self._hosts.mark_changed(host)
        self.turns.schedule_group(host, now)

    # ---- steering ----

    def pause(self) -> None:
        """Dispatch nothing until `resume`."""
        self._paused = True

    def resume(self) -> None:
        """Go on after `pause`."""
        self._paused = False

    def change_policy(self, policy: CrawlPolicy, now: Moment) -> None:
        """Go by another policy from now on; what was left out of scope or cut is judged anew."""
        self._state.change(policy)
        self._admission.forget_known()
        self._hosts.change_policy(policy)
        for host in self._hosts:
            self.robots.obey_crawl_delay(host)
        for host in self._hosts:
            host.note_delay(now)
            self._hosts.mark_changed(host)
            self.turns.schedule(host, now)
        self._cut_at_limit()
        for outcome in (UrlOutcome.OUT_OF_SCOPE, UrlOutcome.CUT):
            judged_anew = (self._admission.admit(each._replace(id=0)) for each in self._urls.candidates_with(outcome))
            self._store_all((admission for admission in judged_anew if admission.outcome is UrlOutcome.QUEUED), now)

    def cut_short(self, reason: str) -> None:
        """End it: what is left, and what is found from now on, is cut."""
        self._totals.end(reason)
        self._cut_at_limit()

    def end_visits(self, reason: str) -> None:
        """Visit nothing more, so that time is left for the revisits."""
        self._totals.end_visits(reason)
        self._cut_at_limit()

    def _cut_at_limit(self) -> None:
        """Where a limit is reached, cut what is left."""
        limit = self._state.limit_reached
        if limit:
            self._urls.settle_queued(UrlOutcome.CUT, limit)
            self.turns.clear()

    def save(self) -> None:
        """Put into the URL store what must outlast the process."""
        self._urls.save_text(_TOTALS_KEY, self._totals.to_text())
        self._hosts.save()
        self.shorter_ways.save()
        for name, text in self._traps.take_changes():
            self._urls.save_text(name, text)

    # ---- telling ----

    @property
    def policy(self) -> CrawlPolicy:
        """What it goes by now."""
        return self._state.policy

    @property
    def is_paused(self) -> bool:
        """Whether nothing is dispatched."""
        return self._paused

    @property
    def is_at_limit(self) -> bool:
        """Whether nothing more may be asked for, by the limits on all of it."""
        return self._state.limit_reached != ""

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
