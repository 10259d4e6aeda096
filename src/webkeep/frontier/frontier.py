"""The frontier: which URL is next, and from when on it may be asked for.

It decides and never waits: moments are handed in, and every call answers at once. Hosts have their queues in the book;
a timetable says which host is next; a host's pace, gate and capacity say whether it may be asked. Whether a candidate
is let in is judged when it is found (`intake`) and again, by what has been learned since, at its turn (`turn`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from webkeep.errors import UsageError
from webkeep.extract import Link
from webkeep.formats.robots import RobotsRules
from webkeep.frontier.action import Action, Dispatch, Drained, WaitUntil
from webkeep.frontier.admission import decide, left_out
from webkeep.frontier.answer import Again, Answer, Settled, Verdict
from webkeep.frontier.book import Book, Note, Settlement
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.host import Host, host_and_origin, host_of
from webkeep.frontier.hosts import Hosts
from webkeep.frontier.intake import Intake, Naming
from webkeep.frontier.lately import Lately
from webkeep.frontier.limits import Totals
from webkeep.frontier.policy import Policy, RobotsMode
from webkeep.frontier.reception import backed_off
from webkeep.frontier.retrying import hopelessness, judged
from webkeep.frontier.robots import UNKNOWN_RULES, GateState, NoRobots, RobotsFile, RobotsNews, RobotsUnreachable
from webkeep.frontier.strategy import BreadthFirst, Strategy
from webkeep.frontier.timetable import Timetable
from webkeep.frontier.traps import KEPT, Trap, Traps
from webkeep.frontier.turn import fate_at_turn, refused, sitemap_fate
from webkeep.model import Moment, Outcome

_BATCH = 2000
_EXAMINED = 5000
"""How many candidates are looked at in one call before others get their turn."""
_RENEWED = 5000
_TOTALS = "totals"
_BESIDE = 0
"""Stands for what is under way and has no number."""
_BUSY = 0.05
"""After how many seconds to ask again for a turn that no one can foretell."""
_RESERVED = 0.25
"""For how many seconds a turn that someone waits for is kept free."""
_END_OF_TIME = Moment(1 << 62)
_ANSWERED = (Outcome.STORED, Outcome.DUPLICATE, Outcome.FAILED)


class Frontier:
    """Decides what a capture asks for next."""

    def __init__(
        self, policy: Policy, book: Book, strategy: Strategy | None = None, naming: Naming | None = None
    ) -> None:
        """Where there is a naming, URLs are in the book under the names that it gives."""
        self._policy = policy
        self._book = book
        self._hosts = Hosts(book)
        self._timetable = Timetable()
        self._traps = Traps()
        self._traps.recall(book.kept_beginning(KEPT))
        self._renewed: Lately[int, bool] = Lately(_RENEWED)
        self._totals = Totals.from_text(book.kept(_TOTALS))
        serial = sum(book.counts().values())
        self._intake = Intake(
            policy, strategy or BreadthFirst(), self._traps, self._hosts, self._totals, serial, naming
        )
        self._paused = False
        self._rejudges = False
        self._revisiting = False
        self._in_flight = 0
        self._unstored: dict[int, Answer] = {}
        for key in book.hosts():
            self._schedule(self._hosts.host(key, self._origin_of(key), policy))

    def _origin_of(self, key: str) -> str:
        """Where the URLs of a host lie that has some queued."""
        for candidate in self._book.take(key, 1, _END_OF_TIME):
            self._book.put_back(candidate)
            return host_and_origin(candidate.url)[1]
        return ""

    # ---- finding ----

    def seed(self, urls: Iterable[str], now: Moment) -> int:
        """Take in what a person named; the answer is how many are new."""
        return self._enter_all(self._intake.seeds(urls), now)

    def suggest(self, urls: Iterable[str], now: Moment) -> int:
        """Take in pages that were known before; the answer is how many are to be asked for."""
        return self._enter_all(self._intake.suggestions(urls), now)

    def discover(self, page: Candidate, links: Iterable[Link], now: Moment) -> int:
        """Take in the links of a page that was answered; the answer is how many are to be asked for."""
        return self.discover_all([(page, links)], now)

    def discover_all(self, found: Iterable[tuple[Candidate, Iterable[Link]]], now: Moment) -> int:
        """Take in links of several pages that were answered; a page with many may come in parts, until it is stored."""
        return self._enter_all((note for page, links in found for note in self._notes(page, links)), now)

    def _notes(self, page: Candidate, links: Iterable[Link]) -> Iterator[Note]:
        answer = self._unstored.get(page.id)
        return self._intake.links(page, links, answer.redirect if answer else "")

    def _enter_all(self, notes: Iterator[Note], now: Moment) -> int:
        found = 0
        while batch := list(islice(notes, _BATCH)):
            found += self._enter(batch, now)
        return found

    def _enter(self, notes: list[Note], now: Moment | None = None) -> int:
        queued = self._book.add(notes)
        for key, url in {candidate.host: candidate.url for candidate in queued}.items():
            self._schedule(self._host_of(key, url), now)
        return len(queued)

    def _host_of(self, key: str, url: str) -> Host:
        return self._hosts.host(key, host_and_origin(url)[1], self._policy)

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
        if first is not None and self._allowance != 0:
            return [WaitUntil(Moment(max(first, now.micros)))]
        return [] if self._in_flight or self._unstored else [Drained()]

    def _dispatches(self, now: Moment, room: int) -> list[Action]:
        actions: list[Action] = []
        examined = 0
        while len(actions) < room and examined < _EXAMINED:
            allowed = self._allowance
            key = None if allowed == 0 else self._timetable.pop(now.micros)
            host = None if key is None else self._hosts.known(key)
            if host is None:
                break
            free = min(room - len(actions), self._capacity(host, now))
            taken = self._taken(host, free if allowed is None else min(free, allowed), now)
            examined += len(taken)
            actions += [Dispatch(candidate) for candidate in taken if self._is_dispatched(host, candidate, now)]
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
        return max(host.free_at, host.name.reserved_until)

    def _taken(self, host: Host, count: int, now: Moment) -> list[Candidate]:
        """Up to so many candidates of a host whose turn has come."""
        if count and host.gate.is_wanting(now):
            count = self._asking_for_rules(host, count, now)
        return self._book.take(host.key, count, now)

    def _is_dispatched(self, host: Host, candidate: Candidate, now: Moment) -> bool:
        fate = self._fate_at_turn(host, candidate, now)
        if fate is None:
            self._count(host, candidate)
        else:
            self._book.settle([Settlement(candidate.id, fate.outcome, fate.reason)])
        return fate is None

    def _asking_for_rules(self, host: Host, count: int, now: Moment) -> int:
        """Put a host's robots.txt before everything else, and say how many may be asked for with it."""
        if self._policy.needs_robots(host.key) or self._policy.record_robots:
            self._book.renew(Candidate(0, host.robots_url, host.key, Role.ROBOTS))
            return count if host.gate.read else 1
        host.gate.know(RobotsRules(), now)
        return count

    def _fate_at_turn(self, host: Host, candidate: Candidate, now: Moment) -> Settled | None:
        if candidate.role is Role.ROBOTS:
            return None
        if candidate.url in self._policy.taken_down:  # since it was queued
            return Settled(Outcome.TAKEN_DOWN, self._policy.taken_down[candidate.url])
        if self._rejudges and not candidate.revisit:
            decision = decide(self._policy, candidate)
            if not decision.allowed:
                return Settled(left_out(decision), decision.reason)
        return sitemap_fate(self._policy, self._traps, self._totals, candidate) or fate_at_turn(
            self._policy, self._traps, host, candidate, now
        )

    def _count(self, host: Host, candidate: Candidate) -> None:
        """Count a candidate as under way."""
        host.begin(candidate.id)
        self._in_flight += 1
        self._hosts.change(host)
        if candidate.role is Role.ROBOTS:
            host.gate.state = GateState.ASKED
        elif candidate.is_counted:
            host.asked += 1
            host.unsettled += 1
            host.sitemaps += candidate.role is Role.SITEMAP
            self._totals.begin(candidate)

    def _schedule(self, host: Host, now: Moment | None = None) -> None:
        """Enter a host into the timetable, or take it out, as it is now."""
        if host.closed is not None and self._book.queued(host.key):
            self._close(host, host.closed)
        is_busy = host.closed is not None or host.gate.is_held or not host.capacity(self._policy)
        due = None if is_busy else self._book.due(host.key)
        if due is None:
            self._timetable.drop(host.key)
        else:
            # Moments gone by are all one, so that hosts take turns.
            self._timetable.put(host.key, max(self._free_at(host), due.micros, now.micros if now else 0))

    def _schedule_after(self, host: Host, now: Moment) -> None:
        """Enter a host anew after news of it, and all others of its name that this concerns."""
        if not host.name.has_moved():
            self._schedule(host, now)
            return
        for key in list(host.name.turns):
            neighbour = self._hosts.known(key)
            if neighbour is not None:
                neighbour.note_delay(now)
                self._schedule(neighbour, now)

    def begin_round(self, revisiting: bool, now: Moment) -> None:
        """Go on after all was done, with candidates that the book has held back or has again."""
        self._revisiting = revisiting
        for key in self._book.hosts():
            known = self._hosts.known(key)
            self._schedule(known or self._hosts.host(key, self._origin_of(key), self._policy), now)

    # ---- learning ----

    def answered(self, candidate: Candidate, answer: Answer, now: Moment) -> Verdict:
        """Take note of how a request ended, and say whether that settles its candidate.

        Where something came that goes into the archive, the candidate is settled by `stored`, once that is on disk.
        """
        host = self._host_under_way(candidate)
        self._learn(host, candidate.id, answer, candidate.tries > 0, now)
        self._totals.receive(answer.size, candidate.role is Role.SITEMAP)
        if self._policy.trap_budget is not None and not candidate.revisit:
            self._traps.learn_answer(candidate, answer, self._policy.trap_budget)
        verdict = self._verdict(host, candidate, answer)
        match verdict:
            case Settled():
                self._unstored[candidate.id] = answer
                if not answer.is_kept:
                    self.stored(candidate, verdict)
            case Again(not_before):
                self._uncount(host, candidate)
                self._book.put_back(candidate._replace(tries=candidate.tries + 1), not_before)
                self._cut()
        self._schedule_after(host, now)
        return verdict

    def stored(self, candidate: Candidate, fate: Settled, digest: str = "") -> None:
        """Settle a candidate whose answer is on disk, with the digest of its content where that is known."""
        answer = self._unstored.pop(candidate.id, None)
        if answer is not None and candidate.is_counted:
            host = self._host_of(candidate.host, candidate.url)
            host.unsettled -= 1
            self._hosts.change(host)
            self._totals.settle(candidate)
        if digest and self._policy.trap_budget is not None and not candidate.revisit:
            self._traps.learn_content(candidate, digest, self._policy.trap_budget)
        self._book.settle([Settlement(candidate.id, fate.outcome, fate.reason)])
        if answer is not None and answer.redirect and candidate.leads_on:
            self._follow(candidate, answer)
        self._cut()
        if candidate.role is Role.SITEMAP:
            # What it named may have waited for it.
            self._schedule(self._host_of(candidate.host, candidate.url))

    def remember(
        self, url: str, via: str, answer: Answer, links: Iterable[Link], now: Moment, is_received: bool = False
    ) -> None:
        """Bring in a URL that is known to be stored, with its links, as if it had been asked for.

        Its bytes are counted, unless they were when it `is_received`.
        """
        candidate = self._book.find(url) or self._entered(url, via)
        verdict = judged(self._policy, candidate, answer)
        if isinstance(verdict, Again):
            return
        is_counted = candidate.is_counted
        self._enter_all(self._intake.links(candidate, links, answer.redirect), now)
        if self._book.trail(url, 1)[0].outcome not in _ANSWERED:
            host = self._host_of(candidate.host, url)
            host.asked += is_counted
            for ledger in host.ledgers:
                ledger.recovered()
            self._totals.remember(candidate)
            self._totals.receive(0 if is_received else answer.size, candidate.role is Role.SITEMAP)
            self.stored(candidate, verdict)
        if answer.redirect and candidate.leads_on:
            self._follow(candidate, answer)

    def _entered(self, url: str, via: str) -> Candidate:
        """The candidate of a URL that the book does not know, entered as well as can be told."""
        source = self._book.find(via) if via else None
        host = self._host_of(host_of(url), url)
        is_rules = source.role is Role.ROBOTS if source else not via and url == host.robots_url
        role = Role.ROBOTS if is_rules else Role.NAVIGATE if via else Role.SEED
        place = (source.id, source.depth + (role is Role.NAVIGATE)) if source else (0, 0)
        return self._book.add([Note(Candidate(0, url, host.key, role, *place))])[0]

    def delay_of(self, host_key: str) -> float | None:
        """How many seconds a host is to be left in peace between two requests; None where it was not met yet."""
        host = self._hosts.known(host_key)
        return None if host is None else host.pace.delay

    def rest_of(self, host_key: str, now: Moment) -> float:
        """For how many seconds a host that was met before is left in peace, as it asked for that or did not answer."""
        host = self._hosts.known(host_key)
        return 0.0 if host is None or host.closed is not None else max(0.0, (host.free_at - now.micros) / 1e6)

    def step_of(self, host_key: str) -> float | None:
        """The usual seconds from one request to a host to the next; None where it was not met yet."""
        host = self._hosts.known(host_key)
        return None if host is None else host.pace.step

    def is_under_way(self, candidate: Candidate) -> bool:
        """Whether a candidate was dispatched and not answered yet."""
        host = self._hosts.known(candidate.host)
        return host is not None and candidate.id in host.in_flight

    def _host_under_way(self, candidate: Candidate) -> Host:
        host = self._hosts.known(candidate.host)
        if host is None or candidate.id not in host.in_flight:
            raise UsageError(f"{candidate.url[:200]} is not under way: give answers once, for what was dispatched")
        return host

    def _learn(self, host: Host, number: int, answer: Answer, is_known_refuser: bool, now: Moment) -> None:
        """Take note of what the answer to a request that was under way says of its host."""
        self._in_flight -= 1
        host.learn(answer, host.end(number), is_known_refuser)
        host.note_delay(now)
        self._hosts.change(host)

    def _uncount(self, host: Host, candidate: Candidate) -> None:
        """Count a candidate as not asked for."""
        self._hosts.change(host)
        if candidate.is_counted:
            host.asked -= 1
            host.unsettled -= 1
            host.sitemaps -= candidate.role is Role.SITEMAP
            self._totals.take_back(candidate)

    def _verdict(self, host: Host, candidate: Candidate, answer: Answer) -> Verdict:
        if candidate.role is not Role.ROBOTS and host.closed is None:
            fate = hopelessness(self._policy, host.setbacks, answer)
            if fate is not None:
                self._close(host, fate)
        verdict = judged(self._policy, candidate, answer)
        return host.closed if host.closed is not None and isinstance(verdict, Again) else verdict

    def _close(self, host: Host, fate: Settled) -> None:
        """Give a host up: everything of it has this fate from now on."""
        host.closed = fate
        self._hosts.change(host)
        self._book.settle_queued(fate.outcome, fate.reason, host.key)
        self._timetable.drop(host.key)

    def _follow(self, source: Candidate, answer: Answer) -> None:
        note = self._intake.redirect(source, answer.redirect)
        if note is None or self._enter([note]):
            return
        if note.outcome is Outcome.QUEUED and answer.set_cookie:
            self._ask_once_more(note.candidate)

    def _ask_once_more(self, candidate: Candidate) -> None:
        """With a new cookie, a URL that was answered may have another answer."""
        fate = self._book.trail(candidate.url, 1)
        if fate and fate[0].outcome in _ANSWERED and self._renewed.get(hash(candidate.url)) is None:
            self._renewed[hash(candidate.url)] = True
            self._book.renew(candidate)
            self._schedule(self._host_of(candidate.host, candidate.url))

    # ---- robots and sitemaps ----

    def look_for_sitemaps(self, urls: Iterable[str], now: Moment) -> None:
        """Ask the hosts of these URLs for sitemaps at the place where they usually are."""
        for origin in filter(None, dict.fromkeys(host_and_origin(url)[1] for url in urls)):
            host = self._host_of(host_of(f"{origin}/"), f"{origin}/")
            self._enter_all(self._intake.sitemaps(host, 0, [f"{origin}/sitemap.xml"]), now)

    def robots_came(self, host_key: str, news: RobotsNews, now: Moment) -> None:
        """Take note of what came of asking for a host's robots.txt, after its answer."""
        host = self._hosts.known(host_key)
        if host is None:
            raise UsageError(f"{host_key} was not asked for its robots.txt: give news of hosts that were")
        match news:
            case RobotsFile(robots):
                host.gate.know(robots.rules_for(self._policy.agent), now)
                rules = self._book.find(host.robots_url)
                sitemaps = robots.sitemaps if self._policy.sitemaps else ()
                self._enter_all(self._intake.sitemaps(host, rules.id if rules else 0, sitemaps), now)
            case NoRobots():
                host.gate.know(RobotsRules(), now)
            case RobotsUnreachable():
                self._miss_rules(host, news, now)
        self._obey_delay(host)
        host.note_delay(now)
        self._hosts.change(host)
        self._schedule_after(host, now)

    def _obey_delay(self, host: Host) -> None:
        obeys = self._policy.robots_for(f"{host.origin}/", host.key) is RobotsMode.OBEY
        host.pace.obey(host.key, min(host.gate.rules.delay or 0.0, self._policy.max_delay) if obeys else 0.0)

    def _miss_rules(self, host: Host, news: RobotsUnreachable, now: Moment) -> None:
        gate = host.gate
        gate.miss(now)
        if gate.read:
            return
        if not self._policy.needs_robots(host.key):
            gate.know(RobotsRules(), now)
        elif news.temporary and gate.failures <= self._policy.retries and not host.setbacks.is_nowhere:
            host.rest(now.micros, host.setbacks.rest if host.setbacks.unresolved else backed_off(gate.failures))
        elif news.answered:
            self._close(host, Settled(Outcome.REFUSED, f"robots.txt unreachable: {news.reason}"))
        else:
            self._close(host, Settled(Outcome.FAILED, f"{news.reason}{UNKNOWN_RULES}"))

    def ask_for_page(self, candidate: Candidate, number: int, now: Moment) -> Settled | Moment:
        """Whether and from when on a page that is being run may ask for something, of which it is the candidate.

        If that is now, it counts as under way until `answered_beside`, by a number below zero that nothing else has,
        and against the limit on URLs until `settle_page_request`.
        """
        decision = decide(self._policy, candidate)
        if not decision.allowed:
            return Settled(left_out(decision), decision.reason)
        host = self._host_of(candidate.host, candidate.url)
        if (limit := self._totals.limit_reached(self._policy, self._revisiting)) != "":
            return Settled(Outcome.CUT, limit)
        if self._allowance == 0:  # what is under way may turn out not to count
            return now.plus(_BUSY)
        if host.closed is None and host.gate.is_wanting(now):
            self._asking_for_rules(host, 1, now)
            self._schedule(host, now)
        if host.closed is None and not host.gate.read:
            return now.plus(_BUSY)
        refusal = host.closed or refused(self._policy, host, candidate)
        if refusal is not None:
            return refusal
        turn = self.ask_beside(candidate.url, now, number)
        self._totals.by_pages += turn == now
        return turn

    def settle_page_request(self) -> None:
        """Take note that a request which `ask_for_page` allowed was entered, or never will be."""
        self._totals.by_pages -= 1

    def ask_beside(self, url: str, now: Moment, number: int = _BESIDE) -> Moment:
        """From when on something may be asked for that is in no queue, as where a robots.txt moved to.

        If that is now, it counts as under way until `answered_beside`; if not, ask again then.
        """
        host = self._host_of(host_of(url), url)
        turn = Moment(max(host.free_at, now.micros))
        if not host.capacity(self._policy) or number in host.in_flight:
            turn = max(turn, now.plus(_BUSY))
        if turn == now:
            host.name.reserved_until = 0
            host.begin(number)
            self._in_flight += 1
        elif not host.pace.is_parallel:
            # Else the queues of its name could be quicker every time.
            host.name.reserved_until = turn.plus(_RESERVED).micros
        self._schedule(host, now)
        return turn

    def answered_beside(self, url: str, answer: Answer, now: Moment, number: int = _BESIDE) -> None:
        """Take note of how a request ended that was allowed by `ask_beside` or `ask_for_page`."""
        host = self._host_of(host_of(url), url)
        if number not in host.in_flight:
            raise UsageError(f"{url[:200]} is not under way: ask for its turn first")
        self._learn(host, number, answer, False, now)
        self._totals.receive(answer.size)
        self._schedule_after(host, now)

    # ---- steering ----

    def pause(self) -> None:
        """Dispatch nothing until `resume`."""
        self._paused = True

    def resume(self) -> None:
        """Go on after `pause`."""
        self._paused = False

    def change(self, policy: Policy, now: Moment) -> None:
        """Go by another policy from now on; what was left out of scope or cut is judged anew."""
        self._rejudges = self._rejudges or policy.scope is not self._policy.scope
        self._policy = policy
        self._intake.follow(policy)
        self._hosts.follow(policy)
        for host in self._hosts:
            self._obey_delay(host)
        for host in self._hosts:
            host.note_delay(now)
            self._hosts.change(host)
            self._schedule(host, now)
        self._cut()
        for outcome in (Outcome.OUT_OF_SCOPE, Outcome.CUT):
            judged_anew = (self._intake.note(each._replace(id=0)) for each in self._book.candidates(outcome))
            self._enter_all((note for note in judged_anew if note.outcome is Outcome.QUEUED), now)

    def cut_short(self, reason: str) -> None:
        """End it: what is left, and what is found from now on, is cut."""
        self._totals.ended = reason
        self._cut()

    def end_visits(self, reason: str) -> None:
        """Visit nothing more, so that time is left for the revisits."""
        self._totals.visits_ended = reason
        self._cut()

    def _cut(self) -> None:
        """Where a limit is reached, cut what is left."""
        limit = self._totals.limit_reached(self._policy, self._revisiting)
        if limit:
            self._book.settle_queued(Outcome.CUT, limit)
            self._timetable = Timetable()

    def save(self) -> None:
        """Put into the book what must outlast the process."""
        self._book.keep(_TOTALS, self._totals.to_text())
        self._hosts.save()
        for name, text in self._traps.changes():
            self._book.keep(name, text)

    # ---- telling ----

    @property
    def policy(self) -> Policy:
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
    def totals(self) -> Totals:
        """What was asked for so far."""
        return self._totals

    def traps(self) -> list[Trap]:
        """The kinds of URL of which some were left out, and how to have them."""
        return list(self._traps.report())

    def hosts(self) -> Iterator[Host]:
        """What is known of each host."""
        return iter(self._hosts)

    def ledger(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """How each host was treated, and each name that several have, as plain values."""
        return self._hosts.ledgers()
