"""The frontier: which URL is next, and from when on it may be asked for.

It decides and never waits: moments are handed in, and every call answers at once. Hosts have their queues in the book;
a timetable says which host is next; a host's pace, gate and capacity say whether it may be asked. What a candidate is
let in for is judged when it is found (`admission`) and again, by what has been learned since, when its turn comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from webkeep.errors import UsageError
from webkeep.extract import Link
from webkeep.extract import Role as LinkRole
from webkeep.frontier.action import Action, Dispatch, Drained, WaitUntil
from webkeep.frontier.admission import admit, decide, is_included, is_web
from webkeep.frontier.answer import Again, Answer, Settled, Verdict
from webkeep.frontier.book import Book, Note, Settlement
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.host import Host, host_and_origin, host_of
from webkeep.frontier.lately import Lately
from webkeep.frontier.limits import Totals
from webkeep.frontier.policy import Policy, RobotsMode
from webkeep.frontier.politeness import backed_off
from webkeep.frontier.recent import Claim, Recent
from webkeep.frontier.retrying import judged
from webkeep.frontier.robots import (
    BELIEVED,
    TRIED_AGAIN,
    GateState,
    NoRobots,
    RobotsFile,
    RobotsNews,
    RobotsUnreachable,
)
from webkeep.frontier.strategy import BreadthFirst, Strategy
from webkeep.frontier.timetable import Timetable
from webkeep.frontier.traps import Trap, Traps
from webkeep.model import Moment, Outcome
from webkeep.url import FETCH_IDENTITY, normal, resolve

_BATCH = 2000
_EXAMINED = 5000
"""How many candidates are looked at in one call before others get their turn."""
_RENEWED = 5000
_MOST_SITEMAPS = 10_000
_TOTALS = "totals"
_END_OF_TIME = Moment(1 << 62)
_ANSWERED = (Outcome.STORED, Outcome.DUPLICATE, Outcome.FAILED)


class Frontier:
    """Decides what a capture asks for next."""

    def __init__(self, policy: Policy, book: Book, strategy: Strategy | None = None) -> None:
        self._policy = policy
        self._book = book
        self._strategy = strategy or BreadthFirst()
        self._hosts: dict[str, Host] = {}
        self._changed: set[str] = set()
        self._timetable = Timetable()
        self._traps = Traps()
        self._recent = Recent()
        self._claims: dict[Claim, Claim] = {}
        self._renewed: Lately[str, bool] = Lately(_RENEWED)
        self._totals = Totals.from_text(book.kept(_TOTALS))
        self._serial = sum(book.counts().values())
        self._paused = False
        self._rejudges = False
        self._in_flight = 0
        self._unstored: set[int] = set()
        for key in book.hosts():
            self._schedule(self._host(key, self._origin_of(key)))

    def _origin_of(self, key: str) -> str:
        """Where the URLs of a host lie that has some queued."""
        for candidate in self._book.take(key, 1, _END_OF_TIME):
            self._book.put_back(candidate)
            return host_and_origin(candidate.url)[1]
        return ""

    @property
    def policy(self) -> Policy:
        """What it goes by now."""
        return self._policy

    @property
    def in_flight(self) -> int:
        """How many candidates are under way."""
        return self._in_flight

    # ---- finding ----

    def seed(self, urls: Iterable[str], now: Moment) -> int:
        """Take in what a person named; the answer is how many are new."""
        found = 0
        for batch in _batches(self._seeded(urls)):
            found += self._enter(batch, now)
        return found

    def _seeded(self, urls: Iterable[str]) -> Iterator[Note]:
        for text in urls:
            href = normal(text)
            if href is None or "://" not in href:
                raise UsageError(f"seed {text[:200]!r} is no web address: write it as https://example.org/")
            url = FETCH_IDENTITY(href)
            yield self._admitted(Candidate(0, url, host_of(url), Role.SEED))

    def discover(self, page: Candidate, links: Iterable[Link], now: Moment) -> int:
        """Take in the links of a page that was answered; the answer is how many are to be asked for."""
        found = 0
        for batch in _batches(self._discovered(page, links)):
            found += self._enter(batch, now)
        return found

    def _discovered(self, page: Candidate, links: Iterable[Link]) -> Iterator[Note]:
        claims = {(role, guess): self._claim(page, role, guess) for role in LinkRole for guess in (False, True)}
        is_news = self._recent.is_news
        for link in links:
            url = link.url.partition("#")[0]
            claim = claims[link.role, link.guess]
            if is_news(url, claim) and "://" in url[:12]:
                yield self._linked(page, url, link)

    def _claim(self, page: Candidate, role: LinkRole, guess: bool) -> Claim:
        step = role is LinkRole.NAVIGATE
        # Where no depth is set none is better than another.
        depth = 0 if self._policy.depth is None else page.depth + step
        claim = Claim(depth, page.outside + step, 0 if step else page.requisite + 1, guess, step)
        return self._claims.setdefault(claim, claim)

    def _linked(self, page: Candidate, url: str, link: Link) -> Note:
        if link.role is LinkRole.EMBED:
            candidate = Candidate(
                0, url, host_of(url), Role.EMBED, page.id, page.depth, page.outside, page.requisite + 1, link.guess
            )
        else:
            host = host_of(url)
            nested = page.role is Role.SITEMAP and link.source == "sitemap index" and host == page.host
            role, step = (Role.SITEMAP, 0) if nested else (Role.NAVIGATE, 1)
            candidate = Candidate(0, url, host, role, page.id, page.depth + step, page.outside + step, 0, link.guess)
        if not is_web(url) and host_of(page.url).partition(":")[0] != candidate.host.partition(":")[0]:
            return Note(candidate, Outcome.OUT_OF_SCOPE, "a page may not lead to another scheme than the web's")
        return self._admitted(candidate)

    def _admitted(self, candidate: Candidate) -> Note:
        note = admit(self._policy, self._traps, candidate)
        if note.outcome is not Outcome.QUEUED:
            return note
        host = self._hosts.get(candidate.host)
        if host is not None and host.closed is not None:
            return Note(note.candidate, host.closed.outcome, host.closed.reason)
        limit = self._totals.limit_reached(self._policy) or (self._quota_reached(host) if host else "")
        if limit:
            return Note(note.candidate, Outcome.CUT, limit)
        self._serial += 1
        return Note(note.candidate._replace(rank=self._strategy.rank(note.candidate, self._serial)))

    def _enter(self, notes: list[Note], now: Moment) -> int:
        queued = self._book.add(notes)
        for key, url in {candidate.host: candidate.url for candidate in queued}.items():
            self._schedule(self._host(key, host_and_origin(url)[1]), now)
        return len(queued)

    def _host(self, key: str, origin: str) -> Host:
        host = self._hosts.get(key)
        if host is None:
            kept = self._book.kept(_kept_name(key))
            host = Host.from_text(key, kept, self._policy) if kept else Host(key, origin, self._policy)
            self._hosts[key] = host
        return host

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
        first = self._timetable.first()
        if first is not None and self._totals.allowance(self._policy) != 0:
            return [WaitUntil(Moment(max(first, now.micros)))]
        return [] if self._in_flight or self._unstored else [Drained()]

    def _dispatches(self, now: Moment, room: int) -> list[Action]:
        actions: list[Action] = []
        examined = 0
        while len(actions) < room and examined < _EXAMINED:
            key = self._timetable.pop(now.micros)
            if key is None:
                break
            host = self._hosts[key]
            allowed = self._totals.allowance(self._policy)
            free = min(room - len(actions), host.capacity(self._policy))
            wanted = free if allowed is None else min(free, allowed)
            for candidate in self._from_host(host, wanted, now):
                examined += 1
                if candidate is not None:
                    actions.append(Dispatch(candidate))
                if examined >= _EXAMINED:
                    break
            if allowed != 0:
                self._schedule(host, now)
        return actions

    def _from_host(self, host: Host, count: int, now: Moment) -> Iterator[Candidate | None]:
        """What may be asked of a host now, with a None for each candidate that may not."""
        if count and host.gate.is_wanting(now.micros):
            if self._policy.needs_robots(host.key) or self._policy.record_robots:
                self._book.renew(Candidate(0, host.robots_url, host.key, Role.ROBOTS))
                count = count if host.gate.is_open() else 1
            else:
                host.gate.know(host.gate.rules, _micros_after(now, BELIEVED))
        while count > 0 and (taken := self._book.take(host.key, 1, now)):
            fate = self._fate_at_turn(host, taken[0], now)
            if fate is None:
                count -= 1
                yield self._dispatched(host, taken[0])
            else:
                self._book.settle([Settlement(taken[0].id, fate.outcome, fate.reason)])
                yield None

    def _dispatched(self, host: Host, candidate: Candidate) -> Candidate:
        host.in_flight[candidate.id] = host.pace.delay
        self._in_flight += 1
        self._changed.add(host.key)
        if candidate.role is Role.ROBOTS:
            host.gate.state = GateState.ASKED
        else:
            host.asked += 1
            self._totals.under_way += 1
        return candidate

    def _fate_at_turn(self, host: Host, candidate: Candidate, now: Moment) -> Settled | None:
        """What becomes of a candidate instead of being asked for, now that its turn has come."""
        if candidate.role is Role.ROBOTS:
            return None
        policy = self._policy
        if self._rejudges:
            decision = decide(policy, candidate)
            if not decision.allowed:
                return Settled(Outcome.OUT_OF_SCOPE, decision.reason)
        quota = self._quota_reached(host)
        if quota:
            return Settled(Outcome.CUT, quota)
        return self._refused(host, candidate) or self._trapped(candidate, now)

    def _quota_reached(self, host: Host) -> str:
        quota = self._policy.quota_for(host.key)
        return f"max-urls-per-host: {quota}" if quota is not None and host.asked >= quota else ""

    def _refused(self, host: Host, candidate: Candidate) -> Settled | None:
        policy = self._policy
        if candidate.role is Role.EMBED and policy.requisites_exempt:
            return None
        rule = host.gate.refusal(candidate.url[len(host.origin) :]) if host.gate.rules.rules else None
        if rule is None or policy.robots_for(candidate.url, host.key) is RobotsMode.IGNORE:
            return None
        host.ledger.refused(str(rule))
        return Settled(Outcome.REFUSED, f"robots.txt: {rule}")

    def _trapped(self, candidate: Candidate, now: Moment) -> Settled | None:
        budget = self._policy.trap_budget
        if budget is None or candidate.tries:
            return None
        suspicion = self._traps.due(candidate, budget, self._policy.guess_budget, now)
        if suspicion is None or is_included(decide(self._policy, candidate), suspicion):
            return None
        return Settled(Outcome.TRAPPED, self._traps.leave_out(suspicion))

    def _schedule(self, host: Host, now: Moment | None = None) -> None:
        """Enter a host into the timetable, or take it out, as it is now."""
        held = host.gate.state is GateState.ASKED and not host.gate.is_open()
        due = None if host.closed or held or not host.capacity(self._policy) else self._book.due(host.key)
        if due is None:
            self._timetable.drop(host.key)
        else:
            # Moments gone by are all one, so that hosts take turns.
            self._timetable.put(host.key, max(host.pace.free_at, due.micros, now.micros if now else 0))

    # ---- learning ----

    def answered(self, candidate: Candidate, answer: Answer, now: Moment) -> Verdict:
        """Take note of how a request ended, and say whether that settles its candidate.

        Where something came that goes into the archive, the candidate is settled by `stored`, once that is on disk.
        """
        host = self._left(candidate)
        delay = host.in_flight.pop(candidate.id)
        host.ledger.asked(answer.started, answer.ended, delay)
        host.pace.take(answer, candidate.tries > 0)
        host.note_delay(now)
        self._totals.bytes += answer.size
        if self._policy.trap_budget is not None:
            self._traps.learn_answer(candidate, answer, self._policy.trap_budget)
        verdict = self._verdict(host, candidate, answer)
        match verdict:
            case Settled():
                self._unstored.add(candidate.id)
                if not answer.is_kept:
                    self.stored(candidate, verdict)
                elif answer.redirect and candidate.role is not Role.ROBOTS:
                    self._follow(candidate, answer, now)
            case Again(not_before):
                self._unasked(host, candidate)
                self._book.put_back(candidate._replace(tries=candidate.tries + 1), not_before)
        self._schedule(host, now)
        return verdict

    def stored(self, candidate: Candidate, fate: Settled, digest: str = "") -> None:
        """Settle a candidate whose answer is on disk, with the digest of its content where that is known."""
        if candidate.id in self._unstored:
            self._unstored.remove(candidate.id)
            self._totals.under_way -= candidate.role is not Role.ROBOTS
            self._totals.urls += candidate.role is not Role.ROBOTS
        if digest and self._policy.trap_budget is not None:
            self._traps.learn_content(candidate, digest, self._policy.trap_budget)
        self._book.settle([Settlement(candidate.id, fate.outcome, fate.reason)])
        self._cut()

    def give_back(self, candidate: Candidate, now: Moment) -> None:
        """Take back a candidate that was not asked for after all."""
        host = self._left(candidate)
        del host.in_flight[candidate.id]
        if candidate.role is Role.ROBOTS:
            host.gate.state = GateState.KNOWN if host.gate.is_open() else GateState.UNKNOWN
        self._unasked(host, candidate)
        self._book.put_back(candidate)
        self._schedule(host, now)

    def _left(self, candidate: Candidate) -> Host:
        host = self._hosts.get(candidate.host)
        if host is None or candidate.id not in host.in_flight:
            raise UsageError(f"{candidate.url[:200]} is not under way: give answers once, for what was dispatched")
        self._in_flight -= 1
        self._changed.add(host.key)
        return host

    def _unasked(self, host: Host, candidate: Candidate) -> None:
        """Count a candidate as not asked for."""
        if candidate.role is not Role.ROBOTS:
            host.asked -= 1
            self._totals.under_way -= 1

    def cut_short(self, reason: str) -> None:
        """End it: what is left, and what is found from now on, is cut."""
        self._totals.ended = reason
        self._cut()

    def _cut(self) -> None:
        """Where a limit is reached, cut what is left."""
        limit = self._totals.limit_reached(self._policy)
        if limit:
            self._book.settle_queued(Outcome.CUT, limit)
            self._timetable = Timetable()

    def _verdict(self, host: Host, candidate: Candidate, answer: Answer) -> Verdict:
        if candidate.role is not Role.ROBOTS and host.closed is None:
            self._give_up_where_hopeless(host, answer)
        verdict = judged(self._policy, candidate, answer)
        return host.closed if host.closed is not None and isinstance(verdict, Again) else verdict

    def _give_up_where_hopeless(self, host: Host, answer: Answer) -> None:
        policy, pace = self._policy, host.pace
        if answer.retry_after is not None and answer.retry_after > policy.max_wait and pace.rejections:
            waited = f"{answer.retry_after:.0f} s, longer than {policy.max_wait:.0f} s"
            self._close(host, Settled(Outcome.FAILED, f"host asked to wait {waited}"))
        elif pace.rejections > policy.host_failures:
            times = f"{pace.rejections} times in a row"
            self._close(host, Settled(Outcome.FAILED, f"host turned requests away {times} (status {answer.status})"))
        elif pace.failures > policy.host_failures:
            self._close(host, Settled(Outcome.FAILED, f"host not reached {pace.failures} times: {answer.failure}"))

    def _close(self, host: Host, fate: Settled) -> None:
        """Give a host up: everything of it has this fate from now on."""
        host.closed = fate
        self._changed.add(host.key)
        self._book.settle_queued(fate.outcome, fate.reason, host.key)
        self._timetable.drop(host.key)

    def _follow(self, source: Candidate, answer: Answer, now: Moment) -> None:
        href = normal(answer.redirect)
        if href is None or "://" not in href[:12]:
            return
        url = FETCH_IDENTITY(href)
        target = source._replace(
            id=0,
            url=url,
            host=host_of(url),
            via=source.id,
            # A redirect is no step, but one that leaves the scope is outside.
            outside=max(1, source.outside) if source.role is not Role.EMBED else source.outside,
            requisite=max(1, source.requisite) if source.role is Role.EMBED else 0,
            tries=0,
            redirects=source.redirects + 1,
        )
        if not is_web(url) and source.host.partition(":")[0] != target.host.partition(":")[0]:
            self._enter(
                [Note(target, Outcome.OUT_OF_SCOPE, "a page may not lead to another scheme than the web's")], now
            )
            return
        note = self._admitted(target)
        if not self._enter([note], now) and note.outcome is Outcome.QUEUED and answer.set_cookie:
            self._ask_once_more(note.candidate, now)

    def _ask_once_more(self, candidate: Candidate, now: Moment) -> None:
        """With a new cookie, a URL that was answered may have another answer."""
        fate = self._book.trail(candidate.url, 1)
        answered = bool(fate) and fate[0].outcome in (Outcome.STORED, Outcome.DUPLICATE)
        if answered and self._renewed.get(candidate.url) is None:
            self._renewed[candidate.url] = True
            self._book.renew(candidate)
            self._schedule(self._host(candidate.host, host_and_origin(candidate.url)[1]), now)

    # ---- robots ----

    def robots_came(self, host_key: str, news: RobotsNews, now: Moment) -> None:
        """Take note of what came of asking for a host's robots.txt, after its answer."""
        host = self._hosts.get(host_key)
        if host is None:
            raise UsageError(f"{host_key} was not asked for its robots.txt")
        self._changed.add(host_key)
        gate = host.gate
        match news:
            case RobotsFile(robots):
                gate.know(robots.rules_for(self._policy.agent), _micros_after(now, BELIEVED))
                self._obey_delay(host)
                self._enter_sitemaps(host, robots.sitemaps, now)
            case NoRobots():
                gate.know(type(gate.rules)(), _micros_after(now, BELIEVED))
                host.pace.crawl_delay = 0.0
            case RobotsUnreachable():
                self._robots_missing(host, news, now)
        host.note_delay(now)
        self._schedule(host, now)

    def _obey_delay(self, host: Host) -> None:
        asked = host.gate.rules.delay or 0.0
        obeys = self._policy.robots_for(f"{host.origin}/", host.key) is RobotsMode.OBEY
        host.pace.crawl_delay = min(asked, self._policy.max_delay) if obeys else 0.0

    def _enter_sitemaps(self, host: Host, sitemaps: Iterable[str], now: Moment) -> None:
        notes: list[Note] = []
        for text in islice(sitemaps, _MOST_SITEMAPS):
            href = resolve(host.robots_url, text)
            if href is not None and is_web(href):
                url = FETCH_IDENTITY(href)
                # Steps from a seed do not lead over a sitemap: where they are counted, it is at the end of them.
                depth = self._policy.depth or 0
                role = Role.SITEMAP if host_of(url) == host.key else Role.NAVIGATE
                notes.append(self._admitted(Candidate(0, url, host_of(url), role, 0, depth)))
        self._enter(notes, now)

    def _robots_missing(self, host: Host, news: RobotsUnreachable, now: Moment) -> None:
        gate = host.gate
        if gate.is_open():
            gate.state, gate.until = GateState.KNOWN, _micros_after(now, TRIED_AGAIN)
            return
        if not self._policy.needs_robots(host.key):
            gate.know(gate.rules, _micros_after(now, BELIEVED))
            return
        gate.state = GateState.UNKNOWN
        gate.failures += 1
        if news.temporary and gate.failures <= self._policy.retries:
            host.pace.wait(now.micros, backed_off(gate.failures))
        elif news.answered:
            self._close(host, Settled(Outcome.REFUSED, f"robots.txt unreachable: {news.reason}"))
        else:
            self._close(host, Settled(Outcome.FAILED, f"{news.reason}, asking for robots.txt"))

    # ---- steering ----

    def pause(self) -> None:
        """Dispatch nothing until `resume`."""
        self._paused = True

    def resume(self) -> None:
        """Go on after `pause`."""
        self._paused = False

    @property
    def is_paused(self) -> bool:
        """Whether nothing is dispatched."""
        return self._paused

    def change(self, policy: Policy, now: Moment) -> None:
        """Go by another policy from now on; what was left out of scope or cut is judged anew."""
        self._rejudges = self._rejudges or policy.scope is not self._policy.scope
        self._policy = policy
        self._recent.clear()
        self._claims.clear()
        for host in self._hosts.values():
            host.pace.follow(host.key, policy)
            self._obey_delay(host)
            host.note_delay(now)
            self._changed.add(host.key)
            self._schedule(host, now)
        self._cut()
        for outcome in (Outcome.OUT_OF_SCOPE, Outcome.CUT):
            left_aside = (self._admitted(each._replace(id=0)) for each in self._book.candidates(outcome))
            for batch in _batches(note for note in left_aside if note.outcome is Outcome.QUEUED):
                self._enter(batch, now)

    def save(self) -> None:
        """Put into the book what must outlast the process."""
        self._book.keep(_TOTALS, self._totals.to_text())
        for key in self._changed:
            self._book.keep(_kept_name(key), self._hosts[key].to_text())
        self._changed.clear()

    # ---- telling ----

    def traps(self) -> list[Trap]:
        """The kinds of URL of which some were left out, and how to have them."""
        return list(self._traps.report())

    def ledger(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """How each host was treated, as plain values."""
        for key, host in self._hosts.items():
            yield key, host.ledger.to_json()

    def hosts(self) -> Iterator[Host]:
        """What is known of each host."""
        return iter(self._hosts.values())

    def remember(self, url: str, via: str, answer: Answer, links: Iterable[Link], now: Moment) -> None:
        """Bring in a URL that is known to be stored, with its links, as if it had been asked for."""
        candidate = self._book.find(url) or self._entered(url, via)
        verdict = judged(self._policy, candidate, answer)
        if isinstance(verdict, Again):
            return
        self.discover(candidate, links, now)
        if answer.redirect and candidate.role is not Role.ROBOTS:
            self._follow(candidate, answer, now)
        if self._book.trail(url, 1)[0].outcome not in _ANSWERED:
            is_counted = candidate.role is not Role.ROBOTS
            self._host(candidate.host, host_and_origin(url)[1]).asked += is_counted
            self._totals.urls += is_counted
            self.stored(candidate, verdict)

    def _entered(self, url: str, via: str) -> Candidate:
        """The candidate of a URL that the book does not know, entered as well as can be told."""
        source = self._book.find(via) if via else None
        role, step = (Role.NAVIGATE, 1) if via else (Role.SEED, 0)
        place = (source.id, source.depth + step) if source else (0, 0)
        return self._book.add([Note(Candidate(0, url, host_of(url), role, *place))])[0]

    @property
    def totals(self) -> Totals:
        """What was asked for so far."""
        return self._totals


def _kept_name(key: str) -> str:
    return f"host {key}"


def _micros_after(now: Moment, seconds: float) -> int:
    return now.plus(seconds).micros


def _batches(notes: Iterator[Note]) -> Iterator[list[Note]]:
    while batch := list(islice(notes, _BATCH)):
        yield batch
