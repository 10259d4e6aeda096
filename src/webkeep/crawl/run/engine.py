"""The engine: carries out what the frontier decides, until nothing is left to do; when pages go to the browser, when
the next round of visits begins, and when it stops because a login has ended.

Theory of operation. One thread runs it all on asyncio, in a `RunLoop`. The frontier says what may be asked for; each
request is a task. What comes back goes to the `ResultWriter`, which stores it, enters its links and settles its
candidate once it is on disk. Where nothing is left to ask for, pages go to the browser, and then the next round of
visits begins.
"""

from __future__ import annotations

import asyncio
from functools import partial

from webkeep.crawl.browsing.lazy_explorer import LazyExplorer
from webkeep.crawl.links.extracted_links import NOTHING_EXTRACTED
from webkeep.crawl.links.reassembly import extract_apart, is_extracted_apart
from webkeep.crawl.plan.saved_login import SavedLogin
from webkeep.crawl.requests.outcome_builder import outcome_from_result, response_head_of
from webkeep.crawl.requests.request_builder import RequestBuilder
from webkeep.crawl.requests.response_filter import ResponseFilter
from webkeep.crawl.requests.secret_urls import SECRET_LOST
from webkeep.crawl.run.capture_context import CaptureContext
from webkeep.crawl.run.capture_observer import CaptureProgress, busiest_hosts
from webkeep.crawl.run.crash_resume import enter_links_again
from webkeep.crawl.run.prior_capture import PriorCapture, may_have_links
from webkeep.crawl.run.result_writer import ResultWriter
from webkeep.crawl.run.robots_fetch import RobotsFetch
from webkeep.errors import StorageError
from webkeep.fetch import FetchRequest, FetchResult, HeadFilter
from webkeep.fetch.client import Fetcher
from webkeep.frontier.hosts import RobotsUnreachable
from webkeep.frontier.urls import Candidate, Dispatch, Drained, FetchOutcome, Settled, UrlRole, WaitUntil
from webkeep.model import Observation, UrlOutcome
from webkeep.process import MAX_WAIT_SECONDS, RunLoop

_PAGES_READ_AGAIN = 50
"""Pages read from the archive before others get their turn on the loop."""


class Engine:
    """Runs one capture; `run` returns when it is drained or was told to stop."""

    def __init__(
        self,
        context: CaptureContext,
        fetcher: Fetcher,
        requests: RequestBuilder,
        loop: RunLoop,
        explorer: LazyExplorer | None = None,
    ) -> None:
        """`explorer` takes pages to a browser, where one is wanted."""
        self._context, self._fetcher, self._requests = context, fetcher, requests
        self._loop, self._explorer = loop, explorer
        self._frontier, self._url_store, self._observer = context.frontier, context.url_store, context.observer
        self._clock, self._planner, self._prior = context.clock, context.planner, context.prior
        self._response_filter = ResponseFilter(lambda: context.frontier.policy)
        self._fetches = loop.open_task_set()
        self._walks = loop.open_task_set()
        """Pages that are run in a browser."""
        self._writer = ResultWriter(context, explorer, loop.wake)
        self._robots = RobotsFetch(context, fetcher, requests, self._writer)
        self.is_drained = False
        """Whether nothing is left to ask for."""
        self.login_ended = ""
        """Where a login was made that is known to have ended, for which it stopped; empty where none is."""
        self.is_settled = False
        """Whether it ended, and the URL store has all that was stored."""

    async def run(self) -> None:
        """Carry out what the frontier decides."""
        await self._loop.run(self)

    def stop(self) -> None:
        """Ask for nothing more; what is under way is finished."""
        self._loop.stop()

    def wake(self) -> None:
        """Look again at what may be done, because something was changed."""
        self._loop.wake()

    def save(self) -> None:
        """Put the URL store on disk, where that is due."""
        self._writer.save()

    def store_robots_targets(self) -> None:
        """Enter where robots.txt files had moved to, unless these were found otherwise too."""
        self._robots.store_targets()

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do, or nothing more is to be done."""
        return self.is_drained or (self._loop.is_stopping and self._is_idle)

    @property
    def _is_idle(self) -> bool:
        return not self._fetches and not self._walks and self._writer.is_idle

    async def settle(self) -> None:
        """Settle what is on disk by now."""
        await self._writer.settle_acknowledged()

    async def finish(self) -> None:
        """Settle and save what there is."""
        await self._writer.settle_acknowledged()
        self._writer.save(at_once=True)
        self.is_settled = self._is_idle and (self._explorer is None or self._explorer.is_settled)

    def begin_tasks(self) -> float:
        """Carry out what may be done now; gives the seconds until more can be."""
        is_closed = self._loop.is_stopping or self._writer.is_full
        room = 0 if is_closed else self._context.plan.connections - len(self._fetches)
        if room <= 0:
            return MAX_WAIT_SECONDS
        for action in self._frontier.next_actions(self._clock.now(), room):
            match action:
                case Dispatch(candidate):
                    self._fetches.begin(self._fetch_guarded(candidate))
                case WaitUntil(moment):
                    return moment.seconds_since(self._clock.now())
                case Drained() if self._enter_links_of_shorter_ways():
                    self._loop.wake()
                case Drained():
                    self._explore()
                    self.is_drained = self._is_idle and not self._begin_round()
        if self._walks:
            self._explore()
        return MAX_WAIT_SECONDS

    def _enter_links_of_shorter_ways(self) -> bool:
        """Enter the links of pages once more to which a shorter way was found since; gives whether there were any."""
        if self._fetches or not self._writer.is_idle:
            return False
        pages = self._frontier.shorter_ways.take(_PAGES_READ_AGAIN)
        for url in pages:
            enter_links_again(self._context.archive, self._context.capture.id, url, self._frontier)
        return bool(pages)

    def _explore(self) -> None:
        """Take pages to the browser, where nothing else is left to do but what such pages ask for."""
        if self._explorer is None or self._fetches or not self._writer.is_idle:
            return
        if self._frontier.is_paused or self._frontier.is_cut_short:
            return
        while (work := self._explorer.next_work(seeds_alone=self._frontier.is_at_limit)) is not None:
            self._walks.begin(work)

    def _begin_round(self) -> bool:
        """Whether there is more to do after all was done."""
        if self._context.awaits_more():
            return True
        if self._planner is None or not self._planner.begin_next_round():
            return False
        self._writer.save(at_once=True)
        self._loop.wake()
        return True

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
        """Ask for a candidate, and take what comes."""
        secrets, login = self._context.secret_urls, self._context.login
        if secrets is not None and secrets.is_lost(candidate.url):
            self._settle_lost(candidate)
            return
        head_filter = self._response_filter.head_filter_for(candidate) if not candidate.revisit else None
        request = self._build_request(candidate, head_filter)
        fetched = await self._fetcher.fetch(request)
        outcome = outcome_from_result(fetched)
        if login is not None and login.has_ended(candidate.url, outcome):
            self._stop_at_logout(candidate, login)
            return
        if head_filter is not None and fetched.is_whole:
            size = sum(part.body.size for part in fetched.parts)
            reason = self._response_filter.exclusion_reason(candidate, response_head_of(fetched), size)
            outcome = outcome._replace(excluded=reason)
        self._requests.learn_address(candidate, outcome.address, request.private)
        if self._planner is not None:
            self._planner.record_response(candidate, fetched)
        await self._take_result(candidate, fetched, outcome)

    def _build_request(self, candidate: Candidate, head_filter: HeadFilter | None) -> FetchRequest:
        led_by = self._url_store.source_of(candidate.host) if candidate.role is UrlRole.ROBOTS else ""
        knowing = self._planner if candidate.revisit else self._prior
        conditions = () if knowing is None else knowing.condition_headers(candidate)
        waiting = partial(self._await_delay, candidate)
        return self._requests.build(
            candidate, self._url_store.url_of(candidate.via), head_filter, led_by, waiting, conditions
        )

    async def _await_delay(self, candidate: Candidate) -> None:
        """Leave a host in peace before one candidate costs it another request."""
        await asyncio.sleep(self._frontier.turns.delay_of(candidate.host) or 0.0)

    async def _take_result(self, candidate: Candidate, fetched: FetchResult, outcome: FetchOutcome) -> None:
        """Have a result stored, and its links read as its kind wants it."""
        prior = self._prior
        if candidate.role is UrlRole.ROBOTS:
            await self._robots.take(candidate, fetched, outcome)
        elif candidate.revisit:
            # Links that came up after the visits belong to another time.
            self._writer.take_result(candidate, fetched, outcome, NOTHING_EXTRACTED)
        elif prior is not None and (held := prior.confirmed_response(candidate, outcome.status)) is not None:
            await self._take_not_modified(candidate, fetched, outcome, prior, held)
        elif is_extracted_apart(fetched) and outcome.is_storable:
            analysis = partial(extract_apart, self._writer.extraction_context(candidate), fetched)
            extracted = await asyncio.to_thread(self._writer.extract_guarded, candidate, analysis)
            self._writer.take_result(candidate, fetched, outcome, extracted)
        else:
            self._writer.take_result(candidate, fetched, outcome)

    async def _take_not_modified(
        self, candidate: Candidate, fetched: FetchResult, outcome: FetchOutcome, prior: PriorCapture, held: Observation
    ) -> None:
        """Keep that a page is what it was; its links are read from where it is stored."""
        context = self._writer.extraction_context(candidate)
        if not may_have_links(held):
            self._writer.take_result(candidate, fetched, outcome, NOTHING_EXTRACTED)
        elif (study := prior.extraction_of(held, context)) is not None:
            self._writer.take_result(candidate, fetched, outcome, analysis=study)
        else:
            reading = partial(prior.extract_held, held, context)
            extracted = await asyncio.to_thread(self._writer.extract_guarded, candidate, reading)
            self._writer.take_result(candidate, fetched, outcome, extracted)

    def _settle_lost(self, candidate: Candidate) -> None:
        """Settle what cannot be asked for any more."""
        now = self._clock.now()
        verdict = self._frontier.record_outcome(candidate, FetchOutcome(now, now, failure=SECRET_LOST), now)
        if isinstance(verdict, Settled):
            self._observer.on_settled(candidate, verdict.outcome, verdict.reason, 0)

    def _stop_at_logout(self, candidate: Candidate, login: SavedLogin) -> None:
        """Stop, as what is asked for now is not what the person who logged in would see."""
        now = self._clock.now()
        reason = f"the login at {login.url} has ended"
        self._frontier.record_outcome(candidate, FetchOutcome(now, now, failure=reason, temporary=True), now)
        if not self._loop.is_stopping:
            again = f"webkeep login {login.url} --browser-profile {login.folder}"
            self._observer.on_note(
                f"{reason}, so the capture pauses; log in again with {again}, then run the same command"
            )
        self.login_ended = login.url
        self._loop.stop()

    def read_progress(self) -> CaptureProgress:
        """How it is doing."""
        now = self._clock.now()
        return CaptureProgress(
            now,
            dict(self._url_store.outcome_counts()),
            self._frontier.totals.bytes,
            len(self._fetches),
            self._frontier.is_paused,
            busiest_hosts(self._frontier.hosts(), self._url_store.queued_count, now),
            0 if self._planner is None else self._planner.revisits_left,
            None if self._explorer is None else self._explorer.report.pages,
        )
