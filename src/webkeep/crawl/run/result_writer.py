"""Results on their way to the disk, and what is done about each once it is there: its links are entered, its fate is
settled, then the URL store is committed; how many links go in one batch.

Theory of operation. What came is handed to the archive's writer, with an analysis that reads its links where the record
is prepared. When the record is on disk the writer says so, and in that order links are entered into the URL store and
candidates are settled. The URL store is committed after that, never before, so that whatever it says was stored is on
disk. What a crash leaves stored and not settled is found in the archive by `crash_resume`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple, cast

from webkeep.change.detection import seen_content_key
from webkeep.crawl.browsing.lazy_explorer import LazyExplorer
from webkeep.crawl.links.exchange_analysis import analyse_exchange, analyse_with_head
from webkeep.crawl.links.extracted_links import NOTHING_EXTRACTED, ExtractedLinks, ExtractionContext, links_from_found
from webkeep.crawl.links.import_maps import BareImports
from webkeep.crawl.requests.outcome_builder import add_remarks
from webkeep.crawl.run.capture_context import CaptureContext
from webkeep.crawl.run.crash_resume import MARKER_KEY, marker_text
from webkeep.extract.links import Link
from webkeep.fetch import FetchRequest, FetchResult, FileResource
from webkeep.frontier.urls import Admission, Candidate, FetchOutcome, FetchVerdict, Settled, UrlRole
from webkeep.model import Exchange, RecordType, UrlOutcome
from webkeep.store.writing import ExchangeAnalysis, Receipts, WrittenRecord

_BATCH_LINKS = 2000
"""Links entered before others get their turn on the loop."""


class SubmittedResult(NamedTuple):
    """What is to be done about a candidate once its record is on disk."""

    candidate: Candidate
    outcome: FetchOutcome
    verdict: FetchVerdict
    is_last: bool = True
    """Whether no further record of the same answer follows."""
    extracted: ExtractedLinks | None = None
    """What was read out of it, where it was not studied with its record."""


class ResultWriter:
    """Stores the results of one capture, and settles its candidates."""

    def __init__(self, context: CaptureContext, explorer: LazyExplorer | None, wake: Callable[[], object]) -> None:
        """`wake` is called when records are on disk; `settle_acknowledged` then takes them."""
        self._context, self._explorer = context, explorer
        self._frontier, self._url_store, self._observer = context.frontier, context.url_store, context.observer
        self._capture, self._clock = context.capture, context.clock
        self._planner, self._redactor = context.planner, context.redactor
        self._is_update = context.prior is not None
        self._receipts: Receipts[SubmittedResult] = Receipts(wake)
        self._import_maps = BareImports()
        self._extractions: dict[ExtractionContext, ExchangeAnalysis] = {}
        self._last_written: WrittenRecord | None = None

    @property
    def is_idle(self) -> bool:
        """Whether all that was submitted is on disk and settled."""
        return not self._receipts

    @property
    def is_full(self) -> bool:
        """Whether so much is on its way that nothing more should be asked for."""
        return self._receipts.is_full()

    def take_result(
        self,
        candidate: Candidate,
        fetched: FetchResult,
        outcome: FetchOutcome,
        extracted: ExtractedLinks | None = None,
        analysis: ExchangeAnalysis | None = None,
    ) -> None:
        """Tell the frontier how a request ended, and keep what came; `analysis` is how it is read, if not as usual."""
        verdict = self._frontier.record_outcome(candidate, outcome, self._clock.now())
        result = SubmittedResult(candidate, outcome, verdict, extracted=extracted)
        if not outcome.excluded:
            for part in fetched.parts[:-1]:
                self.submit(part, result._replace(is_last=False, extracted=NOTHING_EXTRACTED))
            for part in fetched.parts[-1:]:
                self.submit(part, result, analysis)
        if fetched.resource is not None:
            self._submit_file(fetched.resource, fetched.request, result)
        if isinstance(verdict, Settled) and not outcome.is_storable:
            self._observer.on_settled(candidate, verdict.outcome, verdict.reason, outcome.status)
            if verdict.outcome is UrlOutcome.FAILED and candidate.role is not UrlRole.ROBOTS:
                url = self._context.redact_url(candidate.url)
                self._context.tally.note_failed(url, verdict.reason, self._clock.now())

    def submit(self, part: Exchange, result: SubmittedResult, analysis: ExchangeAnalysis | None = None) -> None:
        """Hand one exchange to the archive, without its secrets."""
        came = part.response
        if self._redactor is not None:
            part = self._redactor.redact(part).exchange
        if result.extracted is None and analysis is None:
            analysis = self._extraction_for(result.candidate)
            if part.response is not came:
                analysis = partial(analyse_with_head, self.extraction_context(result.candidate), came)
        lean = self._is_update and not result.candidate.revisit
        acknowledgement = self._capture.submit(part, analysis, lean)
        self._receipts.add(result, acknowledgement, part.body.size + len(part.response))

    def _submit_file(self, resource: FileResource, request: FetchRequest, result: SubmittedResult) -> None:
        """Keep a file under the URL it was asked for by."""
        acknowledgement = self._capture.submit_resource(
            self._context.redact_url(request.url),
            resource.moment,
            resource.media_type,
            resource.body,
            resource.last_modified,
            request.via,
            resource.truncated,
        )
        studied = result.extracted or NOTHING_EXTRACTED
        self._receipts.add(result._replace(extracted=studied), acknowledgement, resource.body.size)

    def _extraction_for(self, candidate: Candidate) -> ExchangeAnalysis:
        """How a response is studied; one object for all that stand alike, as it passes between processes."""
        situation = self.extraction_context(candidate)
        known = self._extractions.get(situation)
        if known is None:
            known = self._extractions[situation] = partial(analyse_exchange, situation)
        return known

    def extraction_context(self, candidate: Candidate) -> ExtractionContext:
        """Where the response to a candidate stands in the capture."""
        depth = candidate.depth if self._frontier.policy.depth is not None else 0
        sitemap_of = candidate.host if candidate.role is UrlRole.SITEMAP else ""
        hinting, running = self._planner is not None, self._explorer is not None
        return ExtractionContext(
            self._capture.run_id, depth, candidate.outside, candidate.requisite, sitemap_of, hinting, running
        )

    def extract_guarded(self, candidate: Candidate, study: Callable[[], object]) -> ExtractedLinks:
        """What was read out of a response; one that could not be read is told, and the crawl goes on."""
        try:
            return cast("ExtractedLinks", study())
        except Exception as error:  # noqa: BLE001 - whatever a page does to a parser, it is that page's fate alone
            trouble = f"its links could not be read ({type(error).__name__}: {error})"
            self._observer.on_note(f"{candidate.url}: {trouble}; please report this")
            return ExtractedLinks([], error=trouble)

    async def settle_acknowledged(self) -> None:
        """Take what the writer acknowledged: the links, then what became of their pages."""
        taken = list(self._receipts.take_acknowledged())
        studies = [
            self._import_maps.add_module_links(
                result.extracted or self.extract_guarded(result.candidate, promise.analysis)
            )
            for result, promise in taken
        ]
        if self._planner is not None:
            for (result, _), studied in zip(taken, studies, strict=True):
                self._planner.record_hints(result.candidate, studied)
        await self._add_links((result.candidate, studied) for (result, _), studied in zip(taken, studies, strict=True))
        for (result, promise), studied in zip(taken, studies, strict=True):
            self._settle_result(result, studied, promise.written)
        self.save()

    def _settle_result(self, result: SubmittedResult, extracted: ExtractedLinks, written: WrittenRecord | None) -> None:
        self._last_written = written or self._last_written
        if result.is_last and result.outcome.is_storable and isinstance(result.verdict, Settled):
            verdict = add_remarks(result.verdict, extracted)
            self._settle_stored(result.candidate, verdict, result.outcome.status, written)
            if self._explorer is not None and written is not None:
                place, facts = written[0], written[1]
                self._explorer.note_stored(result.candidate.url, place, facts.media_type, extracted.programs)

    async def _add_links(self, pages: Iterable[tuple[Candidate, ExtractedLinks]]) -> None:
        """Enter the links of pages, so many at a time that others get their turn in between."""
        batch: list[tuple[Candidate, Iterator[Link]]] = []
        size = 0
        for page, studied in pages:
            for start in range(0, len(studied.links), _BATCH_LINKS):
                part = studied.links[start : start + _BATCH_LINKS]
                batch.append((page, links_from_found(part)))
                size += len(part)
                if size >= _BATCH_LINKS:
                    self._frontier.discover_all(batch, self._clock.now())
                    batch, size = [], 0
                    await asyncio.sleep(0)
        if batch:
            self._frontier.discover_all(batch, self._clock.now())

    def _settle_stored(
        self, candidate: Candidate, verdict: Settled, status: int, written: WrittenRecord | None
    ) -> None:
        digest, seen, outcome = "", b"", verdict.outcome
        if candidate.revisit and self._planner is not None:
            self._planner.record_revisit(candidate, None if written is None else written[1])
        elif written is not None:
            sight = written[1]
            digest, seen = sight.content_digest or sight.payload_digest, seen_content_key(sight.fingerprint)
            # What was asked for again may refer to its own first answer.
            if sight.record_type == RecordType.REVISIT and outcome is UrlOutcome.STORED and not candidate.tries:
                outcome = UrlOutcome.DUPLICATE
        if candidate.id:
            self._frontier.settle(candidate, Settled(outcome, verdict.reason), digest, seen)
        elif self._context.robots_targets is not None:
            self._context.robots_targets.keep_target(Admission(candidate, outcome, verdict.reason))
        self._observer.on_settled(candidate, outcome, verdict.reason, status)
        if written is not None and candidate.role is not UrlRole.ROBOTS and not candidate.revisit:
            url = self._context.redact_url(candidate.url)
            self._context.tally.note_stored(url, written[1].media_type, status, self._clock.now())

    def save(self, at_once: bool = False) -> None:
        """Put the URL store on disk, with how far it reaches, where enough has changed or some time has passed."""
        if at_once or self._url_store.is_commit_due:
            if self._last_written is not None:
                self._url_store.save_text(MARKER_KEY, marker_text(self._last_written[0]))
            self._frontier.save()
            self._url_store.commit(at_once=True)
