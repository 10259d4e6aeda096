"""The engine: carries out what the frontier decides, until nothing is left to do.

Theory of operation. One thread runs it all on asyncio. The frontier says what may be asked for; each request is a
task. What comes back is handed to the archive's writer, with a study of it that finds its links. When the record is on
disk the writer says so from its own thread; the engine then enters the links into the book and settles the candidate,
in the order in which the records were written. The book is committed after that, never before, so that whatever it
says was stored is on disk. What a crash leaves stored and not settled is found in the archive by `resuming`.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from webkeep.crawl.answering import answer_of, head_of, with_remarks
from webkeep.crawl.assembly import is_apart, studied_apart
from webkeep.crawl.memory import Memory, has_links
from webkeep.crawl.modules import Modules
from webkeep.crawl.receipts import Receipt, Receipts
from webkeep.crawl.requests import Requests
from webkeep.crawl.resuming import MARKER, marker_text
from webkeep.crawl.secret_urls import LOST
from webkeep.crawl.sieve import Sieve
from webkeep.crawl.studied import NOTHING, Situation, Studied, as_links
from webkeep.crawl.study import study, study_as_it_came
from webkeep.crawl.watching import Glance, HostView, Watcher, host_state
from webkeep.errors import StorageError
from webkeep.extract import Link
from webkeep.fetch.door import Door
from webkeep.fetch.request import Fetched, Request, Resource
from webkeep.formats.codings import decoded
from webkeep.frontier.action import Dispatch, Drained, WaitUntil
from webkeep.frontier.answer import Answer, Settled
from webkeep.frontier.book import Note
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.frontier import Frontier
from webkeep.frontier.host import host_of
from webkeep.frontier.retrying import judged
from webkeep.frontier.robots import RobotsUnreachable, robots_news
from webkeep.model import Clock, Exchange, Moment, Observation, Outcome
from webkeep.store.committing import Written
from webkeep.store.job import JobBook
from webkeep.store.preparing import Study
from webkeep.store.writable import OpenCapture

if TYPE_CHECKING:
    from webkeep.crawl.browsing.standby import Standby
    from webkeep.crawl.login import Login
    from webkeep.crawl.planning import Planning
    from webkeep.crawl.secret_urls import SecretUrls
    from webkeep.redaction import Redactor

_ROBOTS_SIZE = 512 * 1024
_ROBOTS_REDIRECTS = 5
_IDLE = 0.5
_HOSTS_VIEWED = 10
_MOST_ONWARD = 10_000
_LINKS_AT_ONCE = 2000


class Engine:
    """Runs one capture; `run` returns when it is drained or was told to stop."""

    def __init__(
        self,
        capture: OpenCapture,
        frontier: Frontier,
        book: JobBook,
        door: Door,
        requests: Requests,
        clock: Clock,
        connections: int,
        watcher: Watcher,
        planning: Planning | None = None,
        memory: Memory | None = None,
    ) -> None:
        self._capture = capture
        self._frontier = frontier
        self._book = book
        self._door = door
        self._requests = requests
        self._clock = clock
        self._connections = connections
        self._watcher = watcher
        self._planning = planning
        self._memory = memory
        self._modules = Modules()
        self._sieve = Sieve(lambda: frontier.policy)
        self._studies: dict[Situation, Study] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._walks: set[asyncio.Task[None]] = set()
        """Pages that are run in a browser."""
        self.explorer: Standby | None = None
        """Takes pages to a browser, where one is wanted."""
        self.login: Login | None = None
        """Whose eyes it sees with, where that is not everybody's."""
        self.redactor: Redactor | None = None
        """What leaves credentials out of records, where any are given."""
        self.urls: SecretUrls | None = None
        """The URLs that have secrets in them."""
        self._changed = asyncio.Event()
        self._receipts = Receipts(self._changed)
        self._onward: dict[str, Note] = {}
        self._latest: Written | None = None
        self._failure: BaseException | None = None
        self._stopping = False
        self.drained = False
        """Whether nothing is left to ask for."""
        self.is_settled = False
        """Whether it ended, and the book has all that was stored."""

    async def run(self) -> None:
        """Carry out what the frontier decides."""
        try:
            while not self.drained and not (self._stopping and self._is_idle):
                until = self._decide()
                if not self.drained:
                    await self._wait(until)
                await self._settle()
                if self._failure is not None:
                    raise self._failure
        finally:
            under_way = [*self._tasks, *self._walks]
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
            await self._settle()
            self.save(at_once=True)
            self.is_settled = self._is_idle and (self.explorer is None or self.explorer.is_entered)

    def stop(self) -> None:
        """Ask for nothing more; what is under way is finished."""
        self._stopping = True
        self._changed.set()

    def abandon(self) -> None:
        """Let go of what is under way; it will be asked for again when the capture goes on."""
        self._stopping = True
        for task in (*self._tasks, *self._walks):
            task.cancel()

    def fail(self, error: BaseException) -> None:
        """End with an error; what is stored stays stored."""
        self._failure = error
        self._changed.set()

    def wake(self) -> None:
        """Look again at what may be done, because something was changed."""
        self._changed.set()

    @property
    def in_flight(self) -> int:
        """How many requests are under way."""
        return len(self._tasks)

    @property
    def _is_idle(self) -> bool:
        return not self._tasks and not self._walks and not self._receipts.awaited

    def _decide(self) -> Moment | None:
        """Carry out what may be done now; the answer is until when nothing more can be, if that is known."""
        room = 0 if self._stopping or self._receipts.is_full else self._connections - len(self._tasks)
        if room <= 0:
            return None
        for action in self._frontier.next_actions(self._clock.now(), room):
            match action:
                case Dispatch(candidate):
                    self._dispatch(candidate)
                case WaitUntil(moment):
                    return moment
                case Drained():
                    self._explore()
                    self.drained = self._is_idle and not self._begin_round()
        if self._walks:
            self._explore()
        return None

    def _explore(self) -> None:
        """Take pages to the browser, where nothing else is left to do but what such pages ask for."""
        if self.explorer is None or self._tasks or self._receipts.awaited:
            return
        if self._frontier.is_paused or self._frontier.is_cut_short:
            return
        while (work := self.explorer.next(seeds_alone=self._frontier.is_at_limit)) is not None:
            task = asyncio.get_running_loop().create_task(work)
            self._walks.add(task)
            task.add_done_callback(self._ended)

    def _begin_round(self) -> bool:
        """Whether there is more to do after all was done."""
        if self._planning is None or not self._planning.next_round():
            return False
        self.save(at_once=True)
        self._changed.set()
        return True

    def _dispatch(self, candidate: Candidate) -> None:
        task = asyncio.get_running_loop().create_task(self._ask_for(candidate))
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._walks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failure = error
        self._changed.set()

    async def _wait(self, until: Moment | None) -> None:
        seconds = _IDLE if until is None else (until.micros - self._clock.now().micros) / 1e6
        timer = asyncio.get_running_loop().call_later(min(max(seconds, 0.0), _IDLE), self._changed.set)
        await self._changed.wait()
        timer.cancel()
        self._changed.clear()

    async def _ask_for(self, candidate: Candidate) -> None:
        try:
            await self._ask(candidate)
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever one URL brings about, the others are not to suffer from it
            self._give_up(candidate, error)

    def _give_up(self, candidate: Candidate, error: Exception) -> None:
        """Settle a candidate that webkeep itself could not cope with."""
        now = self._clock.now()
        trouble = f"an error of webkeep ({type(error).__name__}: {error})"
        self._watcher.noted(f"{candidate.url}: {trouble}; please report this")
        if self._frontier.is_under_way(candidate):
            self._frontier.answered(candidate, Answer(now, now, failure=trouble), now)
        else:
            self._frontier.stored(candidate, Settled(Outcome.FAILED, trouble))
        if candidate.role is Role.ROBOTS:
            self._frontier.robots_came(candidate.host, RobotsUnreachable(trouble, temporary=False), now)

    async def _ask(self, candidate: Candidate) -> None:
        if self.urls is not None and self.urls.is_lost(candidate.url):
            self._take_lost(candidate)
            return
        turning = self._sieve.turning(candidate) if not candidate.revisit else None
        led_by = self._book.source_of(candidate.host) if candidate.role is Role.ROBOTS else ""
        via = self._book.url_of(candidate.via)
        knowing = self._planning if candidate.revisit else self._memory
        conditions = () if knowing is None else knowing.conditions(candidate)
        request = self._requests.made(candidate, via, turning, led_by, partial(self._pause, candidate), conditions)
        fetched = await self._door.fetch(request)
        answer = answer_of(fetched)
        if self.login is not None and self.login.has_ended(candidate.url, answer):
            self._log_out(candidate, self.login)
            return
        if turning is not None and fetched.is_whole:
            size = sum(part.body.size for part in fetched.parts)
            answer = replace(answer, excluded=self._sieve.reason(candidate, head_of(fetched), size))
        self._requests.learned(candidate, answer.address, request.private)
        if self._planning is not None:
            self._planning.answered(candidate, fetched)
        if candidate.role is Role.ROBOTS:
            await self._take_rules(candidate, fetched, answer)
        elif candidate.revisit:
            # Links that came up after the visits belong to another time.
            self._take(candidate, fetched, answer, NOTHING)
        elif self._memory is not None and (held := self._memory.confirmed(candidate, answer.status)) is not None:
            await self._take_confirmed(candidate, fetched, answer, self._memory, held)
        elif is_apart(fetched) and answer.is_kept:
            study = partial(studied_apart, self._situation_of(candidate), fetched)
            self._take(candidate, fetched, answer, await asyncio.to_thread(self._guarded, candidate, study))
        else:
            self._take(candidate, fetched, answer)

    def _take_lost(self, candidate: Candidate) -> None:
        """Settle what cannot be asked for any more."""
        now = self._clock.now()
        verdict = self._frontier.answered(candidate, Answer(now, now, failure=LOST), now)
        if isinstance(verdict, Settled):
            self._watcher.settled(candidate, verdict.outcome, verdict.reason, 0)

    async def _take_confirmed(
        self, candidate: Candidate, fetched: Fetched, answer: Answer, memory: Memory, held: Observation
    ) -> None:
        """Keep that a page is what it was; its links are read from where it is stored."""
        situation = self._situation_of(candidate)
        if not has_links(held):
            self._take(candidate, fetched, answer, NOTHING)
        elif (study := memory.study_of(held, situation)) is not None:
            self._take(candidate, fetched, answer, study=study)
        else:
            reading = partial(memory.studied, held, situation)
            self._take(candidate, fetched, answer, await asyncio.to_thread(self._guarded, candidate, reading))

    def _log_out(self, candidate: Candidate, login: Login) -> None:
        """Stop, as what is asked for now is not what the person who logged in would see."""
        now = self._clock.now()
        reason = f"the login at {login.url} has ended"
        self._frontier.answered(candidate, Answer(now, now, failure=reason, temporary=True), now)
        if not self._stopping:
            again = f"webkeep login {login.url} --browser-profile {login.folder}"
            self._watcher.noted(
                f"{reason}, so the capture pauses; log in again with {again}, then run the same command"
            )
        self.stop()

    async def _pause(self, candidate: Candidate) -> None:
        """Leave a host in peace before one candidate costs it another request."""
        await asyncio.sleep(self._frontier.delay_of(candidate.host) or 0.0)

    def _take(
        self,
        candidate: Candidate,
        fetched: Fetched,
        answer: Answer,
        studied: Studied | None = None,
        study: Study | None = None,
    ) -> None:
        """Tell the frontier how a request ended, and keep what came; `study` is how it is read, if not as usual."""
        verdict = self._frontier.answered(candidate, answer, self._clock.now())
        receipt = Receipt(candidate, answer, verdict, studied=studied)
        if not answer.excluded:
            for part in fetched.parts[:-1]:
                self._hand_over(part, receipt._replace(is_last=False, studied=NOTHING))
            for part in fetched.parts[-1:]:
                self._hand_over(part, receipt, study)
        if fetched.resource is not None:
            self._hand_over_file(fetched.resource, fetched.request, receipt)
        if isinstance(verdict, Settled) and not answer.is_kept:
            self._watcher.settled(candidate, verdict.outcome, verdict.reason, answer.status)

    def _hand_over(self, part: Exchange, receipt: Receipt, study: Study | None = None) -> None:
        came = part.response
        if self.redactor is not None:
            part = self.redactor.redact(part).exchange
        if receipt.studied is None and study is None:
            study = self._study_of(receipt.candidate)
            if part.response is not came:
                study = partial(study_as_it_came, self._situation_of(receipt.candidate), came)
        lean = self._memory is not None and not receipt.candidate.revisit
        acknowledgement = self._capture.submit(part, study, lean)
        self._receipts.await_one(receipt, acknowledgement, part.body.size + len(part.response))

    def _hand_over_file(self, resource: Resource, request: Request, receipt: Receipt) -> None:
        """Keep a file under the URL it was asked for by."""
        acknowledgement = self._capture.submit_resource(
            request.url if self.urls is None else self.urls.redact(request.url),
            resource.moment,
            resource.media_type,
            resource.body,
            resource.last_modified,
            request.via,
            resource.truncated,
        )
        self._receipts.await_one(
            receipt._replace(studied=receipt.studied or NOTHING), acknowledgement, resource.body.size
        )

    def _study_of(self, candidate: Candidate) -> Study:
        """How a response is studied; one object for all that stand alike, as it passes between processes."""
        situation = self._situation_of(candidate)
        known = self._studies.get(situation)
        if known is None:
            known = self._studies[situation] = partial(study, situation)
        return known

    def _situation_of(self, candidate: Candidate) -> Situation:
        depth = candidate.depth if self._frontier.policy.depth is not None else 0
        sitemap_of = candidate.host if candidate.role is Role.SITEMAP else ""
        hinting = self._planning is not None
        running = self.explorer is not None
        return Situation(
            self._capture.run_id, depth, candidate.outside, candidate.requisite, sitemap_of, hinting, running
        )

    async def _take_rules(self, candidate: Candidate, fetched: Fetched, answer: Answer) -> None:
        """Keep a robots.txt, follow its redirects, and tell the frontier what it says."""
        # Where it moved to is asked for at once, below, and not as a link that it has.
        self._take(candidate, fetched, answer, NOTHING if answer.redirect else None)
        for _ in range(_ROBOTS_REDIRECTS):
            if not answer.redirect.startswith(("http:", "https:")):
                break
            url = answer.redirect if self.urls is None else self.urls.redact(answer.redirect)
            onward = Candidate(0, url, host_of(url), Role.ROBOTS, candidate.id)
            await self._turn_of(onward.url)
            fetched = await self._door.fetch(self._requests.made(onward, candidate.url))
            answer = answer_of(fetched)
            self._frontier.answered_beside(onward.url, answer, self._clock.now())
            self._take_onward(onward, fetched, answer)
        news = robots_news(answer.status, _content(fetched), answer.failure, answer.temporary)
        self._frontier.robots_came(candidate.host, news, self._clock.now())

    async def _turn_of(self, url: str) -> None:
        """Wait until something may be asked for that is in no queue."""
        now = self._clock.now()
        while (moment := self._frontier.ask_beside(url, now)) > now:
            await asyncio.sleep(moment.seconds_since(now))
            now = self._clock.now()

    def _take_onward(self, onward: Candidate, fetched: Fetched, answer: Answer) -> None:
        """Keep what a robots.txt redirected to: it may well be a page, and then is asked for again as such."""
        verdict = judged(self._frontier.policy, onward, answer)
        if isinstance(verdict, Settled) and len(self._onward) < _MOST_ONWARD:
            self._onward[onward.url] = Note(onward, verdict.outcome, verdict.reason)
        for part in fetched.parts[-1:]:
            self._hand_over(part, Receipt(onward, answer, verdict, studied=NOTHING))

    def enter_onward(self) -> None:
        """Enter where robots.txt files had moved to, unless these were found otherwise too."""
        for url, note in self._onward.items():
            if self._book.find(url) is None:
                self._book.add([note])

    async def _settle(self) -> None:
        """Take what the writer acknowledged: the links, then what became of their pages."""
        taken = list(self._receipts.taken())
        studies = [
            self._modules.with_links(receipt.studied or self._guarded(receipt.candidate, promise.studied))
            for receipt, promise in taken
        ]
        if self._planning is not None:
            for (receipt, _), studied in zip(taken, studies, strict=True):
                self._planning.studied(receipt.candidate, studied)
        await self._discover((receipt.candidate, studied) for (receipt, _), studied in zip(taken, studies, strict=True))
        for (receipt, promise), studied in zip(taken, studies, strict=True):
            written = promise.written
            self._latest = written or self._latest
            if receipt.is_last and receipt.answer.is_kept and isinstance(receipt.verdict, Settled):
                verdict = with_remarks(receipt.verdict, studied)
                self._stored(receipt.candidate, verdict, receipt.answer.status, written)
                if self.explorer is not None and written is not None:
                    url, sight = receipt.candidate.url, written[1]
                    self.explorer.stored(url, written[0], sight.media_type, studied.programs)
        self.save()

    async def _discover(self, pages: Iterable[tuple[Candidate, Studied]]) -> None:
        """Enter the links of pages, so many at a time that others get their turn in between."""
        batch: list[tuple[Candidate, Iterator[Link]]] = []
        size = 0
        for page, studied in pages:
            for start in range(0, len(studied.links), _LINKS_AT_ONCE):
                part = studied.links[start : start + _LINKS_AT_ONCE]
                batch.append((page, as_links(part)))
                size += len(part)
                if size >= _LINKS_AT_ONCE:
                    self._frontier.discover_all(batch, self._clock.now())
                    batch, size = [], 0
                    await asyncio.sleep(0)
        if batch:
            self._frontier.discover_all(batch, self._clock.now())

    def _guarded(self, candidate: Candidate, study: Callable[[], object]) -> Studied:
        """What was read out of a response; one that could not be read is told, and the crawl goes on."""
        try:
            return cast("Studied", study())
        except Exception as error:  # noqa: BLE001 - whatever a page does to a parser, it is that page's fate alone
            trouble = f"its links could not be read ({type(error).__name__}: {error})"
            self._watcher.noted(f"{candidate.url}: {trouble}; please report this")
            return Studied([], trouble=trouble)

    def save(self, at_once: bool = False) -> None:
        """Put the book on disk, with how far it reaches, where enough has changed or some time has passed."""
        if at_once or self._book.is_due:
            if self._latest is not None:
                self._book.keep(MARKER, marker_text(self._latest[0]))
            self._frontier.save()
            self._book.commit(at_once=True)

    def _stored(self, candidate: Candidate, verdict: Settled, status: int, written: Written | None) -> None:
        digest, outcome = "", verdict.outcome
        if candidate.revisit and self._planning is not None:
            self._planning.seen_again(candidate, None if written is None else written[1])
        elif written is not None:
            sight = written[1]
            digest = sight.content_digest or sight.payload_digest
            # What was asked for again may refer to its own first answer.
            if sight.record_type == "revisit" and outcome is Outcome.STORED and not candidate.tries:
                outcome = Outcome.DUPLICATE
        if candidate.id:
            self._frontier.stored(candidate, Settled(outcome, verdict.reason), digest)
        self._watcher.settled(candidate, outcome, verdict.reason, status)

    def glance(self) -> Glance:
        """How it is doing."""
        return Glance(
            self._clock.now(),
            dict(self._book.counts()),
            self._frontier.totals.bytes,
            len(self._tasks),
            self._frontier.is_paused,
            self._host_views(),
            0 if self._planning is None else self._planning.revisits_left,
            None if self.explorer is None else self.explorer.browsed.pages,
        )

    def _host_views(self) -> list[HostView]:
        now = self._clock.now().micros
        views = (
            HostView(host.key, host.asked, self._book.queued(host.key), len(host.in_flight), host_state(host, now))
            for host in self._frontier.hosts()
        )
        return heapq.nlargest(_HOSTS_VIEWED, views, key=lambda view: (view.in_flight, view.queued, view.asked))


def _content(fetched: Fetched) -> bytes:
    exchange = fetched.exchange
    if exchange is None:
        return b""
    return b"".join(decoded(head_of(fetched).headers, exchange.body.chunks(), _ROBOTS_SIZE))
