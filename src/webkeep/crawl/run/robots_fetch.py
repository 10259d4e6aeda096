"""Fetching robots.txt in a capture: redirects are followed at once, everything on the way is stored, the frontier is
told; where it moved to is entered at the end.

Where a robots.txt moved to may well be a page. It is stored as it came, and entered at the end of the capture unless
something else led there too.
"""

from __future__ import annotations

import asyncio

from webkeep.crawl.links.extracted_links import NOTHING_EXTRACTED
from webkeep.crawl.requests.outcome_builder import outcome_from_result
from webkeep.crawl.requests.request_builder import RequestBuilder
from webkeep.crawl.requests.robots_response import MAX_ROBOTS_REDIRECTS, robots_from_result
from webkeep.crawl.run.capture_context import CaptureContext
from webkeep.crawl.run.result_writer import ResultWriter, SubmittedResult
from webkeep.fetch import FetchResult
from webkeep.fetch.client import Fetcher
from webkeep.frontier import judge_outcome
from webkeep.frontier.hosts import host_key_of
from webkeep.frontier.urls import Admission, Candidate, FetchOutcome, Settled, UrlRole

_MAX_ROBOTS_TARGETS = 10_000
"""Places that robots.txt files moved to that are remembered until the end."""


class RobotsFetch:
    """Takes the robots.txt files of one capture."""

    def __init__(
        self, context: CaptureContext, fetcher: Fetcher, requests: RequestBuilder, writer: ResultWriter
    ) -> None:
        self._context = context
        self._frontier, self._clock = context.frontier, context.clock
        self._fetcher, self._requests, self._writer = fetcher, requests, writer
        self._targets: dict[str, Admission] = {}

    async def take(self, candidate: Candidate, fetched: FetchResult, outcome: FetchOutcome) -> None:
        """Keep a robots.txt that came, follow its redirects, and tell the frontier what it says."""
        # Where it moved to is asked for at once, below, and not as a link that it has.
        self._writer.take_result(candidate, fetched, outcome, NOTHING_EXTRACTED if outcome.redirect else None)
        for _ in range(MAX_ROBOTS_REDIRECTS):
            if not outcome.redirect.startswith(("http:", "https:")):
                break
            url = self._context.redact_url(outcome.redirect)
            onward = Candidate(0, url, host_key_of(url), UrlRole.ROBOTS, candidate.id)
            await self._await_turn(onward.url)
            fetched = await self._fetcher.fetch(self._requests.build(onward, candidate.url))
            outcome = outcome_from_result(fetched)
            self._frontier.unqueued.record_outcome(onward.url, outcome, self._clock.now())
            self._take_target(onward, fetched, outcome)
        news = robots_from_result(fetched)
        self._frontier.update_robots(candidate.host, news, self._clock.now())

    async def _await_turn(self, url: str) -> None:
        """Wait until something may be asked for that is in no queue."""
        now = self._clock.now()
        while (moment := self._frontier.unqueued.reserve(url, now)) > now:
            await asyncio.sleep(moment.seconds_since(now))
            now = self._clock.now()

    def _take_target(self, onward: Candidate, fetched: FetchResult, outcome: FetchOutcome) -> None:
        """Keep what a robots.txt redirected to: it may well be a page, and then is asked for again as such."""
        verdict = judge_outcome(self._frontier.policy, onward, outcome)
        if isinstance(verdict, Settled) and len(self._targets) < _MAX_ROBOTS_TARGETS:
            self._targets[onward.url] = target = Admission(onward, verdict.outcome, verdict.reason)
            keeper = self._context.robots_targets
            if keeper is not None and outcome.is_storable:
                keeper.await_target(onward.url)
            elif keeper is not None:
                keeper.keep_target(target)
        for part in fetched.parts[-1:]:
            self._writer.submit(part, SubmittedResult(onward, outcome, verdict, extracted=NOTHING_EXTRACTED))

    def store_targets(self) -> None:
        """Enter where robots.txt files had moved to, unless these were found otherwise too."""
        for url, note in self._targets.items():
            if self._context.url_store.find(url) is None:
                self._context.url_store.add([note])
