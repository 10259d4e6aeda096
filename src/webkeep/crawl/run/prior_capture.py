"""What an archive holds of a site from before, for updates: which URLs are known to be there, which requests are made
conditional, and the links of unmodified pages (304), read from the archive.

A page that a server says was not modified is not sent, so its links are read from where it is stored.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from webkeep.crawl.links.exchange_analysis import analyse_exchange
from webkeep.crawl.links.extracted_links import NOTHING_EXTRACTED, ExtractedLinks, ExtractionContext
from webkeep.crawl.requests.conditional_requests import condition_headers, last_whole_response
from webkeep.formats.status import GONE_STATUSES, NOT_MODIFIED, is_error
from webkeep.frontier.urls import Candidate, UrlRole
from webkeep.model import RESPONSE_TYPES, Exchange, Observation, RecordType
from webkeep.store.archive import Archive, capture_lineage
from webkeep.store.reading import (
    MAX_SMALL_RECORD_BYTES,
    StoredResponse,
    WarcFiles,
    read_small_record,
    read_stored_response,
)
from webkeep.store.writing import ExchangeAnalysis
from webkeep.url.canonical import LASTING_IDENTITY

_LINKLESS_TYPES = ("image/", "video/", "audio/", "font/")


class PriorCapture:
    """What was captured before, for a capture that brings it up to date."""

    def __init__(self, archive: Archive, before: str, conditional: bool = True) -> None:
        """`before` is the capture that is brought up to date; if not `conditional`, everything is sent again."""
        self._archive = archive
        self._updated_capture = before
        self._conditional = conditional
        self._held: dict[int, Observation] = {}
        """What requests that are under way are conditional on."""
        self._extracting = threading.Lock()

    def known_urls(self) -> Iterator[str]:
        """The URLs that were there when a server last said so, but for those of sessions that are over."""
        there: dict[str, bool] = {}
        for capture in capture_lineage(self._archive, self._updated_capture):
            for look in self._archive.observations(capture.id, resolve=False):
                if (
                    look.record_type in RESPONSE_TYPES
                    and look.method == "GET"
                    and LASTING_IDENTITY(look.url) == look.url
                ):
                    is_there = not is_error(look.status)
                    if is_there or look.status in GONE_STATUSES:
                        there[look.url] = is_there
        return (url for url, is_there in there.items() if is_there)

    def condition_headers(self, candidate: Candidate) -> tuple[tuple[str, str], ...]:
        """The header fields that ask for a page only if it is not what is held."""
        if candidate.role is UrlRole.ROBOTS or candidate.tries or not self._conditional:
            return ()
        looks = self._archive.history(candidate.url, resolve=False)
        held = last_whole_response(each for each in looks if each.url == candidate.url)
        if held is None:
            return ()
        conditions = condition_headers(self._archive, held)
        if conditions:
            self._held[candidate.id] = held
        return conditions

    def confirmed_response(self, candidate: Candidate, status: int) -> Observation | None:
        """What is held of a page, where a server said by this status that it is still the same."""
        held = self._held.pop(candidate.id, None)
        return held if status == NOT_MODIFIED else None

    def extraction_of(self, held: Observation, context: ExtractionContext) -> ExchangeAnalysis | None:
        """What reads a page that is held, wherever records are prepared; None where that takes more than its record."""
        if held.record_type != RecordType.RESPONSE:
            return None
        return partial(_extract_in_files, str(self._archive.layout.warcs), held, context)

    def extract_held(self, held: Observation, context: ExtractionContext) -> ExtractedLinks:
        """What is in a page that is held; called in threads."""
        with self._extracting:
            return _extract_held(held, self._archive.read(held), context)


def may_have_links(held: Observation) -> bool:
    """Whether anything could be found in what is held; what pictures name in their heads is known from before."""
    return not is_linkless_type(held.media_type)


def is_linkless_type(media_type: str) -> bool:
    """Whether nothing of this type has links."""
    return media_type.startswith(_LINKLESS_TYPES) and "svg" not in media_type


def _extract_in_files(folder: str, held: Observation, context: ExtractionContext, _: Exchange) -> ExtractedLinks:
    files = WarcFiles(Path(folder))
    read = read_small_record if held.place.length <= MAX_SMALL_RECORD_BYTES else read_stored_response
    return _extract_held(held, read(files, held.place)[0], context)


def _extract_held(held: Observation, stored: StoredResponse, context: ExtractionContext) -> ExtractedLinks:
    if stored.head is None:
        return NOTHING_EXTRACTED
    return analyse_exchange(context, Exchange(held.url, held.moment, stored.raw_head, stored.body, via=held.via))
