"""The engine: carries out what the frontier decides, until nothing is left to do.

Theory of operation. One thread runs it all on asyncio. The frontier says what may be asked for; each request is a
task. What comes back is handed to the archive's writer, with an analysis of it that finds its links. When the record is
on disk the writer says so from its own thread; the engine then enters the links into the URL store and settles the
candidate, in the order in which the records were written. The URL store is committed after that, never before, so that
whatever it says was stored is on disk. What a crash leaves stored and not settled is found in the archive by
`crash_resume`.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from webkeep.crawl.links.exchange_analysis import analyse_exchange, analyse_with_head
from webkeep.crawl.links.extracted_links import NOTHING_EXTRACTED, ExtractedLinks, ExtractionContext, links_from_found
from webkeep.crawl.links.import_maps import BareImports
from webkeep.crawl.links.reassembly import extract_apart, is_extracted_apart
from webkeep.crawl.requests.outcome_builder import add_remarks, outcome_from_result, response_head_of
from webkeep.crawl.requests.request_builder import RequestBuilder
from webkeep.crawl.requests.response_filter import ResponseFilter
from webkeep.crawl.requests.robots_response import MAX_ROBOTS_REDIRECTS, robots_from_result
from webkeep.crawl.requests.secret_urls import SECRET_LOST
from webkeep.crawl.run.capture_observer import CaptureObserver, CaptureProgress, HostProgress, describe_host
from webkeep.crawl.run.crash_resume import MARKER_KEY, marker_text
from webkeep.crawl.run.prior_capture import PriorCapture, may_have_links
from webkeep.crawl.run.receipts import Receipt, Receipts
from webkeep.errors import StorageError
from webkeep.extract.links import Link
from webkeep.fetch import FetchRequest, FetchResult, FileResource
from webkeep.fetch.client import Fetcher
from webkeep.frontier import Frontier, judge_outcome
from webkeep.frontier.hosts import RobotsUnreachable, host_key_of
from webkeep.frontier.urls import Admission, Candidate, Dispatch, Drained, FetchOutcome, Settled, UrlRole, WaitUntil
from webkeep.model import Clock, Exchange, Moment, Observation, RecordType, UrlOutcome
from webkeep.store.archive import OpenCapture
from webkeep.store.jobs import SqliteUrlStore
from webkeep.store.writing import ExchangeAnalysis, WrittenRecord

if TYPE_CHECKING:
    from webkeep.crawl.browsing.lazy_explorer import LazyExplorer
    from webkeep.crawl.coherent.coherence_planner import CoherencePlanner
    from webkeep.crawl.plan.saved_login import SavedLogin
    from webkeep.crawl.requests.secret_urls import SecretUrls
    from webkeep.redaction import Redactor

_MAX_WAIT_SECONDS = 0.5
"""So often it is looked what may be done, whatever was told."""
_MAX_HOSTS_SHOWN = 10
"""Hosts that a snapshot shows, the busiest first."""
_MAX_ROBOTS_TARGETS = 10_000
"""Places that robots.txt files moved to that are remembered until the end."""
_LINK_BATCH = 2000
"""Links entered before others get their turn on the loop."""


class Engine:
    """Runs one capture; `run` returns when it is drained or was told to stop."""

    def __init__(
        self,
        capture: OpenCapture,
        frontier: Frontier,
        url_store: SqliteUrlStore,
        fetcher: Fetcher,
        requests: RequestBuilder,
        clock: Clock,
        connections: int,
        observer: CaptureObserver,
        planner: CoherencePlanner | None = None,
        prior: PriorCapture | None = None,
    ) -> None:
        self._capture = capture
        self._frontier = frontier
        self._url_store = url_store
        self._fetcher = fetcher
        self._requests = requests
        self._clock = clock
        self._connections = connections
        self._observer = observer
        self._planner = planner
        self._prior = prior
        self._import_maps = BareImports()
        self._response_filter = ResponseFilter(lambda: frontier.policy)
        self._extractions: dict[ExtractionContext, ExchangeAnalysis] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._walks: set[asyncio.Task[None]] = set()
        """Pages that are run in a browser."""
        self.explorer: LazyExplorer | None = None
        """Takes pages to a browser, where one is wanted."""
        self.login: SavedLogin | None = None
        """Whose eyes it sees with, where that is not everybody's."""
        self.redactor: Redactor | None = None
        """What leaves credentials out of records, where any are given."""
        self.urls: SecretUrls | None = None
        """The URLs that have secrets in them."""
        self._changed = asyncio.Event()
        self._receipts = Receipts(self._changed)
        self._robots_targets: dict[str, Admission] = {}
        self._last_written: WrittenRecord | None = None
        self._failure: BaseException | None = None
        self._stopping = False
        self.is_drained = False
        """Whether nothing is left to ask for."""
        self.is_settled = False
        """Whether it ended, and the URL store has all that was stored."""

    async def run(self) -> None:
        """Carry out what the frontier decides."""
        try:
            while not self.is_drained and not (self._stopping and self._is_idle):
                until = self._decide()
                if not self.is_drained:
                    await self._wait(until)
                await self._settle_acknowledged()
                if self._failure is not None:
                    raise self._failure
        finally:
            under_way = [*self._tasks, *self._walks]
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
            await self._settle_acknowledged()
            self.save(at_once=True)
            self.is_settled = self._is_idle and (self.explorer is None or self.explorer.is_settled)

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
        return not self._tasks and not self._walks and not self._receipts.awaited_count

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
                    self.is_drained = self._is_idle and not self._begin_round()
        if self._walks:
            self._explore()
        return None

    def _explore(self) -> None:
        """Take pages to the browser, where nothing else is left to do but what such pages ask for."""
        if self.explorer is None or self._tasks or self._receipts.awaited_count:
            return
        if self._frontier.is_paused or self._frontier.is_cut_short:
            return
        while (work := self.explorer.next_work(seeds_alone=self._frontier.is_at_limit)) is not None:
            task = asyncio.get_running_loop().create_task(work)
            self._walks.add(task)
            task.add_done_callback(self._on_task_done)

    def _begin_round(self) -> bool:
        """Whether there is more to do after all was done."""
        if self._planner is None or not self._planner.begin_next_round():
            return False
        self.save(at_once=True)
        self._changed.set()
        return True

    def _dispatch(self, candidate: Candidate) -> None:
        task = asyncio.get_running_loop().create_task(self._fetch_guarded(candidate))
        self._tasks.add(task)
        task.add_done_callback(self._on_task_done)

    def _on_task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._walks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failure = error
        self._changed.set()

    async def _wait(self, until: Moment | None) -> None:
        seconds = _MAX_WAIT_SECONDS if until is None else (until.micros - self._clock.now().micros) / 1e6
        timer = asyncio.get_running_loop().call_later(min(max(seconds, 0.0), _MAX_WAIT_SECONDS), self._changed.set)
        await self._changed.wait()
        timer.cancel()
        self._changed.clear()

    async def _fetch_guarded(self, candidate: Candidate) -> None:
        try:
            await self._fetch(candidate)
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever one URL brings about, the others are not to suffer from it
            self._fail_candidate(candidate, error)

    def _fail_candidate(self, candidate: Candidate, error: Exception) -> None:
        """Settle a candidate that webkeep itself could not cope with."""
        now = self._clock.now()
        trouble = f"an error of webkeep ({type(error).__name__}: {error})"
        self._observer.on_note(f"{candidate.url}: {trouble}; please report this")
        if self._frontier.is_in_flight(candidate):
            self._frontier.record_outcome(candidate, FetchOutcome(now, now, failure=trouble), now)
        else:
            self._frontier.settle(candidate, Settled(UrlOutcome.FAILED, trouble))
        if candidate.role is UrlRole.ROBOTS:
            self._frontier.update_robots(candidate.host, RobotsUnreachable(trouble, temporary=False), now)

    async def _fetch(self, candidate: Candidate) -> None:
        if self.urls is not None and self.urls.is_lost(candidate.url):
            self._settle_lost(candidate)
            return
        turning = self._response_filter.head_filter_for(candidate) if not candidate.revisit else None
        led_by = self._url_store.source_of(candidate.host) if candidate.role is UrlRole.ROBOTS else ""
        via = self._url_store.url_of(candidate.via)
        knowing = self._planner if candidate.revisit else self._prior
        conditions = () if knowing is None else knowing.condition_headers(candidate)
        request = self._requests.build(
            candidate, via, turning, led_by, partial(self._await_delay, candidate), conditions
        )
        fetched = await self._fetcher.fetch(request)
        outcome = outcome_from_result(fetched)
        if self.login is not None and self.login.has_ended(candidate.url, outcome):
            self._stop_at_logout(candidate, self.login)
            return
        if turning is not None and fetched.is_whole:
            size = sum(part.body.size for part in fetched.parts)
            outcome = replace(
                outcome, excluded=self._response_filter.exclusion_reason(candidate, response_head_of(fetched), size)
            )
        self._requests.learn_address(candidate, outcome.address, request.private)
        if self._planner is not None:
            self._planner.record_response(candidate, fetched)
        if candidate.role is UrlRole.ROBOTS:
            await self._take_robots(candidate, fetched, outcome)
        elif candidate.revisit:
            # Links that came up after the visits belong to another time.
            self._take_result(candidate, fetched, outcome, NOTHING_EXTRACTED)
        elif (
            self._prior is not None and (held := self._prior.confirmed_response(candidate, outcome.status)) is not None
        ):
            await self._take_not_modified(candidate, fetched, outcome, self._prior, held)
        elif is_extracted_apart(fetched) and outcome.is_storable:
            study = partial(extract_apart, self._extraction_context(candidate), fetched)
            self._take_result(
                candidate, fetched, outcome, await asyncio.to_thread(self._extract_guarded, candidate, study)
            )
        else:
            self._take_result(candidate, fetched, outcome)

    def _settle_lost(self, candidate: Candidate) -> None:
        """Settle what cannot be asked for any more."""
        now = self._clock.now()
        verdict = self._frontier.record_outcome(candidate, FetchOutcome(now, now, failure=SECRET_LOST), now)
        if isinstance(verdict, Settled):
            self._observer.on_settled(candidate, verdict.outcome, verdict.reason, 0)

    async def _take_not_modified(
        self, candidate: Candidate, fetched: FetchResult, outcome: FetchOutcome, prior: PriorCapture, held: Observation
    ) -> None:
        """Keep that a page is what it was; its links are read from where it is stored."""
        context = self._extraction_context(candidate)
        if not may_have_links(held):
            self._take_result(candidate, fetched, outcome, NOTHING_EXTRACTED)
        elif (study := prior.extraction_of(held, context)) is not None:
            self._take_result(candidate, fetched, outcome, analysis=study)
        else:
            reading = partial(prior.extract_held, held, context)
            self._take_result(
                candidate, fetched, outcome, await asyncio.to_thread(self._extract_guarded, candidate, reading)
            )

    def _stop_at_logout(self, candidate: Candidate, login: SavedLogin) -> None:
        """Stop, as what is asked for now is not what the person who logged in would see."""
        now = self._clock.now()
        reason = f"the login at {login.url} has ended"
        self._frontier.record_outcome(candidate, FetchOutcome(now, now, failure=reason, temporary=True), now)
        if not self._stopping:
            again = f"webkeep login {login.url} --browser-profile {login.folder}"
            self._observer.on_note(
                f"{reason}, so the capture pauses; log in again with {again}, then run the same command"
            )
        self.stop()

    async def _await_delay(self, candidate: Candidate) -> None:
        """Leave a host in peace before one candidate costs it another request."""
        await asyncio.sleep(self._frontier.delay_of(candidate.host) or 0.0)

    def _take_result(
        self,
        candidate: Candidate,
        fetched: FetchResult,
        outcome: FetchOutcome,
        extracted: ExtractedLinks | None = None,
        analysis: ExchangeAnalysis | None = None,
    ) -> None:
        """Tell the frontier how a request ended, and keep what came; `analysis` is how it is read, if not as usual."""
        verdict = self._frontier.record_outcome(candidate, outcome, self._clock.now())
        receipt = Receipt(candidate, outcome, verdict, studied=extracted)
        if not outcome.excluded:
            for part in fetched.parts[:-1]:
                self._submit(part, receipt._replace(is_last=False, studied=NOTHING_EXTRACTED))
            for part in fetched.parts[-1:]:
                self._submit(part, receipt, analysis)
        if fetched.resource is not None:
            self._submit_file(fetched.resource, fetched.request, receipt)
        if isinstance(verdict, Settled) and not outcome.is_storable:
            self._observer.on_settled(candidate, verdict.outcome, verdict.reason, outcome.status)

    def _submit(self, part: Exchange, receipt: Receipt, analysis: ExchangeAnalysis | None = None) -> None:
        came = part.response
        if self.redactor is not None:
            part = self.redactor.redact(part).exchange
        if receipt.studied is None and analysis is None:
            analysis = self._extraction_for(receipt.candidate)
            if part.response is not came:
                analysis = partial(analyse_with_head, self._extraction_context(receipt.candidate), came)
        lean = self._prior is not None and not receipt.candidate.revisit
        acknowledgement = self._capture.submit(part, analysis, lean)
        self._receipts.add(receipt, acknowledgement, part.body.size + len(part.response))

    def _submit_file(self, resource: FileResource, request: FetchRequest, receipt: Receipt) -> None:
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
        self._receipts.add(
            receipt._replace(studied=receipt.studied or NOTHING_EXTRACTED), acknowledgement, resource.body.size
        )

    def _extraction_for(self, candidate: Candidate) -> ExchangeAnalysis:
        """How a response is studied; one object for all that stand alike, as it passes between processes."""
        context = self._extraction_context(candidate)
        known = self._extractions.get(context)
        if known is None:
            known = self._extractions[context] = partial(analyse_exchange, context)
        return known

    def _extraction_context(self, candidate: Candidate) -> ExtractionContext:
        depth = candidate.depth if self._frontier.policy.depth is not None else 0
        sitemap_of = candidate.host if candidate.role is UrlRole.SITEMAP else ""
        hinting = self._planner is not None
        running = self.explorer is not None
        return ExtractionContext(
            self._capture.run_id, depth, candidate.outside, candidate.requisite, sitemap_of, hinting, running
        )

    async def _take_robots(self, candidate: Candidate, fetched: FetchResult, outcome: FetchOutcome) -> None:
        """Keep a robots.txt, follow its redirects, and tell the frontier what it says."""
        # Where it moved to is asked for at once, below, and not as a link that it has.
        self._take_result(candidate, fetched, outcome, NOTHING_EXTRACTED if outcome.redirect else None)
        for _ in range(MAX_ROBOTS_REDIRECTS):
            if not outcome.redirect.startswith(("http:", "https:")):
                break
            url = outcome.redirect if self.urls is None else self.urls.redact(outcome.redirect)
            onward = Candidate(0, url, host_key_of(url), UrlRole.ROBOTS, candidate.id)
            await self._await_turn(onward.url)
            fetched = await self._fetcher.fetch(self._requests.build(onward, candidate.url))
            outcome = outcome_from_result(fetched)
            self._frontier.record_unqueued_outcome(onward.url, outcome, self._clock.now())
            self._take_robots_target(onward, fetched, outcome)
        result = robots_from_result(fetched)
        self._frontier.update_robots(candidate.host, result, self._clock.now())

    async def _await_turn(self, url: str) -> None:
        """Wait until something may be asked for that is in no queue."""
        now = self._clock.now()
        while (moment := self._frontier.reserve_unqueued(url, now)) > now:
            await asyncio.sleep(moment.seconds_since(now))
            now = self._clock.now()

    def _take_robots_target(self, onward: Candidate, fetched: FetchResult, outcome: FetchOutcome) -> None:
        """Keep what a robots.txt redirected to: it may well be a page, and then is asked for again as such."""
        verdict = judge_outcome(self._frontier.policy, onward, outcome)
        if isinstance(verdict, Settled) and len(self._robots_targets) < _MAX_ROBOTS_TARGETS:
            self._robots_targets[onward.url] = Admission(onward, verdict.outcome, verdict.reason)
        for part in fetched.parts[-1:]:
            self._submit(part, Receipt(onward, outcome, verdict, studied=NOTHING_EXTRACTED))

    def store_robots_targets(self) -> None:
        """Enter where robots.txt files had moved to, unless these were found otherwise too."""
        for url, admission in self._robots_targets.items():
            if self._url_store.find(url) is None:
                self._url_store.add([admission])

    async def _settle_acknowledged(self) -> None:
        """Take what the writer acknowledged: the links, then what became of their pages."""
        taken = list(self._receipts.take_acknowledged())
        studies = [
            self._import_maps.add_module_links(
                receipt.studied or self._extract_guarded(receipt.candidate, promise.analysis)
            )
            for receipt, promise in taken
        ]
        if self._planner is not None:
            for (receipt, _), extracted in zip(taken, studies, strict=True):
                self._planner.record_hints(receipt.candidate, extracted)
        await self._add_links(
            (receipt.candidate, extracted_links) for (receipt, _), extracted_links in zip(taken, studies, strict=True)
        )
        for (receipt, promise), extracted in zip(taken, studies, strict=True):
            written = promise.written
            self._last_written = written or self._last_written
            if receipt.is_last and receipt.answer.is_storable and isinstance(receipt.verdict, Settled):
                verdict = add_remarks(receipt.verdict, extracted)
                self._settle_stored(receipt.candidate, verdict, receipt.answer.status, written)
                if self.explorer is not None and written is not None:
                    url, facts = receipt.candidate.url, written[1]
                    self.explorer.note_stored(url, written[0], facts.media_type, extracted.programs)
        self.save()

    async def _add_links(self, pages: Iterable[tuple[Candidate, ExtractedLinks]]) -> None:
        """Enter the links of pages, so many at a time that others get their turn in between."""
        batch: list[tuple[Candidate, Iterator[Link]]] = []
        size = 0
        for page, extracted in pages:
            for start in range(0, len(extracted.links), _LINK_BATCH):
                part = extracted.links[start : start + _LINK_BATCH]
                batch.append((page, links_from_found(part)))
                size += len(part)
                if size >= _LINK_BATCH:
                    self._frontier.discover_all(batch, self._clock.now())
                    batch, size = [], 0
                    await asyncio.sleep(0)
        if batch:
            self._frontier.discover_all(batch, self._clock.now())

    def _extract_guarded(self, candidate: Candidate, study: Callable[[], object]) -> ExtractedLinks:
        """What was read out of a response; one that could not be read is told, and the crawl goes on."""
        try:
            return cast("ExtractedLinks", study())
        except Exception as error:  # noqa: BLE001 - whatever a page does to a parser, it is that page's fate alone
            trouble = f"its links could not be read ({type(error).__name__}: {error})"
            self._observer.on_note(f"{candidate.url}: {trouble}; please report this")
            return ExtractedLinks([], error=trouble)

    def save(self, at_once: bool = False) -> None:
        """Put the URL store on disk, with how far it reaches, where enough has changed or some time has passed."""
        if at_once or self._url_store.is_commit_due:
            if self._last_written is not None:
                self._url_store.save_text(MARKER_KEY, marker_text(self._last_written[0]))
            self._frontier.save()
            self._url_store.commit(at_once=True)

    def _settle_stored(
        self, candidate: Candidate, verdict: Settled, status: int, written: WrittenRecord | None
    ) -> None:
        digest, outcome = "", verdict.outcome
        if candidate.revisit and self._planner is not None:
            self._planner.record_revisit(candidate, None if written is None else written[1])
        elif written is not None:
            facts = written[1]
            digest = facts.content_digest or facts.payload_digest
            # What was asked for again may refer to its own first answer.
            if facts.record_type == RecordType.REVISIT and outcome is UrlOutcome.STORED and not candidate.tries:
                outcome = UrlOutcome.DUPLICATE
        if candidate.id:
            self._frontier.settle(candidate, Settled(outcome, verdict.reason), digest)
        self._observer.on_settled(candidate, outcome, verdict.reason, status)

    def read_progress(self) -> CaptureProgress:
        """How it is doing."""
        return CaptureProgress(
            self._clock.now(),
            dict(self._url_store.outcome_counts()),
            self._frontier.totals.bytes,
            len(self._tasks),
            self._frontier.is_paused,
            self._host_views(),
            0 if self._planner is None else self._planner.revisits_left,
            None if self.explorer is None else self.explorer.report.pages,
        )

    def _host_views(self) -> list[HostProgress]:
        now = self._clock.now().micros
        views = (
            HostProgress(
                host.key,
                host.asked,
                self._url_store.queued_count(host.key),
                len(host.in_flight),
                describe_host(host, now),
            )
            for host in self._frontier.hosts()
        )
        return heapq.nlargest(_MAX_HOSTS_SHOWN, views, key=lambda view: (view.in_flight, view.queued, view.asked))
