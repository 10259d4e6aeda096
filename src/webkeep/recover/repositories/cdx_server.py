"""Index servers: what a repository holds of a URL or a whole site, piece by piece, whatever goes wrong on the way; how
pages follow each other, when a listing has no end, and what means that it is blocked.

Servers go on behind an answer in different ways: with a key to resume from, with numbered pages, or not at all. A mark
to resume from says how far the answers were read, so that an error in the middle costs no more than the piece it was
in.
"""

from __future__ import annotations

import asyncio
import enum
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from webkeep.formats import read_json
from webkeep.formats.cdx import CdxLine
from webkeep.formats.status import BLOCKED_STATUSES, NOT_FOUND, OK, is_error
from webkeep.model import Finding
from webkeep.recover.politeness.rate_limits import RepositoryPoliteness
from webkeep.recover.repositories.cdx_reader import CdxResponseReader
from webkeep.recover.repositories.repository import ListedVersion, ListingPage, MissReason, RepositoryMiss, TimePeriod
from webkeep.recover.repositories.repository_transport import RepositoryResponse, RepositoryTransport
from webkeep.recover.repositories.spooled_body import content_start, decode_content
from webkeep.store.archive import url_ranges
from webkeep.url import UrlMatch, surt

_PAGE_ROWS = 1000
"""Handed on together: each batch is one transaction."""
_MAX_ROWS = 50_000_000
"""How many versions are read of in one list: a server whose list has no end is left."""
_MAX_PAGES = 100_000
"""A server whose pages have no end is left after so many."""
_SUSPICIOUS_ROW_MULTIPLE = 1000
"""A listing that ends at a round thousand looks like a limit that the server did not tell."""
_MAX_COUNT_BYTES = 1000
"""The number of pages is a number."""
_BLOCKED_WORDS = ("accesscontrol", "blocked", "excluded", "robot", "access denied", "forbidden")

ListedVersionFactory = Callable[[CdxLine], ListedVersion | None]


class CdxPaging(enum.StrEnum):
    """How an index server goes on behind an answer."""

    KEY = "key"
    """A key stands at the end of an answer that reached its limit."""
    PAGES = "pages"
    """Answers are numbered pages; how many there are is asked first."""
    NONE = "none"
    """All comes in one answer."""
    AUTO = "auto"
    """By a key, if one comes; else all in one answer."""


@dataclass(frozen=True, slots=True)
class _ResumeMark:
    """How far an index was read."""

    key: str = ""
    page: int = 0
    skip: int = 0
    """Rows of the next answer that were read already."""
    is_whole: bool = False
    """Whether the server turned out to know no keys."""

    @classmethod
    def parse(cls, text: str) -> _ResumeMark:
        """Read a mark; one that is none begins anew."""
        try:
            key, page, skip, whole = json.loads(text)
            return cls(str(key), int(page), int(skip), bool(whole))
        except (ValueError, TypeError, RecursionError):
            return cls()

    def __str__(self) -> str:
        return json.dumps([self.key, self.page, self.skip, self.is_whole])


@dataclass(frozen=True, slots=True)
class CdxServer:
    """Asks one index server."""

    name: str
    client: RepositoryTransport
    politeness: RepositoryPoliteness
    address: str
    paging: CdxPaging = CdxPaging.AUTO
    page_rows: int = 10_000
    """How many rows are asked for at a time."""
    extra: tuple[tuple[str, str], ...] = ()
    """Further parameters of every query."""

    async def query_rows(
        self,
        url: str,
        match: UrlMatch,
        period: TimePeriod,
        resume: str,
        make: ListedVersionFactory,
        cap: int | None = None,
    ) -> AsyncIterator[ListingPage]:
        """The rows of a query in batches; the last batch says why it ends where there may be more."""
        mark, seen, total = _ResumeMark.parse(resume), _LoopGuard(), 0
        pages = 1
        if self.paging is CdxPaging.PAGES:
            counted = await self._count_pages(url, match, period)
            if isinstance(counted, RepositoryMiss):
                yield ListingPage(requests=counted.requests, miss=counted, resume=str(mark))
                return
            pages = counted
            yield ListingPage(requests=1, resume=str(mark))
        for _ in range(_MAX_PAGES):
            if self.paging is CdxPaging.PAGES and mark.page >= pages:
                return
            response = _CdxResponse(self, mark, _prefix_filter(url, match), make, period)
            async for batch in response.read_pages(self._page_url(url, match, period, mark)):
                total += len(batch.rows)
                yield replace(batch, is_capped=cap is not None and total >= cap) if cap else batch
                if batch.miss is not None:
                    return
            if total >= _MAX_ROWS:
                yield ListingPage(
                    miss=RepositoryMiss(MissReason.TROUBLE, f"{self.name} lists more than {_MAX_ROWS:,} versions")
                )
                return
            following = response.next_mark(self.paging, self.page_rows)
            if following is None:
                if response.is_suspicious and self.paging in (CdxPaging.NONE, CdxPaging.AUTO):
                    yield ListingPage(is_capped=True)
                return
            if complaint := seen.complaint(following, response.first):
                detail = f"{self.name} goes round in circles ({complaint}); its listing is cut short there"
                yield ListingPage(miss=RepositoryMiss(MissReason.TROUBLE, detail), findings=(self._finding(detail),))
                return
            mark = following

    async def _count_pages(self, url: str, match: UrlMatch, period: TimePeriod) -> int | RepositoryMiss:
        """How many pages a listing has."""
        query = [*self._query_parameters(url, match, period), ("showNumPages", "true")]
        response = await self.client.read_list(self._query_url(query), self.politeness)
        if isinstance(response, RepositoryMiss):
            return response
        text = (
            content_start(response.head.headers, response.exchange.body, _MAX_COUNT_BYTES)
            .decode("utf-8", "replace")
            .strip()
        )
        told = read_json(text)
        try:
            pages = int(told["pages"]) if isinstance(told, dict) else int(told)
        except (ValueError, KeyError, TypeError):
            if response.status == NOT_FOUND:
                return 0
            detail = f"{self.name} does not say how many pages there are: {text[:120]!r}"
            return RepositoryMiss(MissReason.TROUBLE, detail, requests=response.requests)
        return max(min(pages, _MAX_PAGES), 0)

    def _page_url(self, url: str, match: UrlMatch, period: TimePeriod, mark: _ResumeMark) -> str:
        query = self._query_parameters(url, match, period)
        if self.paging is CdxPaging.PAGES:
            query.append(("page", str(mark.page)))
        elif self.paging is CdxPaging.KEY or (self.paging is CdxPaging.AUTO and not mark.is_whole):
            query += [("limit", str(self.page_rows)), ("showResumeKey", "true")]
            if mark.key:
                query.append(("resumeKey", mark.key))
        return self._query_url(query)

    def _query_url(self, query: list[tuple[str, str]]) -> str:
        joint = "&" if "?" in self.address else "?"
        return f"{self.address}{joint}{urlencode(query)}"

    def _query_parameters(self, url: str, match: UrlMatch, period: TimePeriod) -> list[tuple[str, str]]:
        # A prefix that ends in a slash leaves the directory itself out; it is asked for without, and looked through.
        target = url.rstrip("/") if match is UrlMatch.PREFIX and _is_below_root(url) else url
        query = [("url", target), ("matchType", match.value), ("output", "json"), *self.extra]
        if period.since is not None:
            query.append(("from", period.since.digits()))
        if period.until is not None:
            query.append(("to", period.until.digits()))
        return query

    def _finding(self, message: str) -> Finding:
        return Finding("listing-broken", self.name, 0, message)


class _CdxResponse:
    """One answer of an index server, as it is read."""

    def __init__(
        self,
        server: CdxServer,
        mark: _ResumeMark,
        within: Callable[[str], bool] | None,
        make: ListedVersionFactory,
        period: TimePeriod,
    ) -> None:
        self._server = server
        self._mark = mark
        self._within = within
        self._make_version = make
        self._period = period
        self._reader = CdxResponseReader(server.name)
        self.first: tuple[str, str] | None = None
        """Key and timestamp of its first row."""

    async def read_pages(self, address: str) -> AsyncIterator[ListingPage]:
        """The rows in batches."""
        response = await self._server.client.read_list(address, self._server.politeness)
        if isinstance(response, RepositoryMiss):
            yield ListingPage(requests=response.requests, miss=response, resume=str(self._mark))
            return
        if response.status != OK:
            yield self._refusal_page(response, _response_start(response))
            return
        requests, told = response.requests, 0
        for rows, read in self._read_rows(response):
            findings = tuple(self._reader.findings[told:])
            told = len(self._reader.findings)
            yield ListingPage(rows, str(replace(self._mark, skip=read)), requests, findings=findings)
            requests = 0
            await asyncio.sleep(0)  # a long answer must not hold up everything else
        if (miss := self._incomplete_miss(response)) is not None:
            yield ListingPage((), str(replace(self._mark, skip=self._reader.count)), requests, miss=miss)

    def next_mark(self, paging: CdxPaging, page_rows: int) -> _ResumeMark | None:
        """Where to go on behind it; None where that was all."""
        reader = self._reader
        if paging is CdxPaging.PAGES:
            return _ResumeMark(page=self._mark.page + 1)
        if reader.resume_key:
            return _ResumeMark(key=reader.resume_key)
        if paging is CdxPaging.AUTO and not self._mark.is_whole and reader.count >= page_rows and not self._mark.key:
            return _ResumeMark(skip=reader.count, is_whole=True)
        return None

    @property
    def is_suspicious(self) -> bool:
        """Whether the number of rows looks like a limit of the server, of which it said nothing."""
        return self._reader.count > 0 and self._reader.count % _SUSPICIOUS_ROW_MULTIPLE == 0

    def _read_rows(self, response: RepositoryResponse) -> Iterator[tuple[tuple[ListedVersion, ...], int]]:
        held: list[ListedVersion] = []
        rows = self._reader.read_rows(decode_content(response.head.headers, response.exchange.body))
        for line in rows:
            if self.first is None:
                self.first = (line.key, line.timestamp)
            if self._reader.count <= self._mark.skip:
                continue
            version = self._make_version(line)
            if version is not None and self._period.covers(version.moment) and self._is_within(version.url):
                held.append(version)
            if len(held) == _PAGE_ROWS:
                yield tuple(held), self._reader.count
                held = []
        yield tuple(held), self._reader.count

    def _is_within(self, url: str) -> bool:
        return self._within is None or self._within(url)

    def _refusal_page(self, response: RepositoryResponse, said: str) -> ListingPage:
        name, short = self._server.name, " ".join(said.split())[:160]
        if response.status == NOT_FOUND or (not is_error(response.status) and "no captures" in said.lower()):
            return ListingPage(requests=response.requests)
        if response.status in BLOCKED_STATUSES or any(mark in said.lower() for mark in _BLOCKED_WORDS):
            miss = RepositoryMiss(MissReason.BLOCKED, f"{name} may not tell what it holds ({response.status}: {short})")
        else:
            miss = RepositoryMiss(
                MissReason.TROUBLE, f"{name} answers {response.status} in place of a listing: {short}"
            )
        return ListingPage((), str(self._mark), response.requests, miss=miss)

    def _incomplete_miss(self, response: RepositoryResponse) -> RepositoryMiss | None:
        reader, name = self._reader, self._server.name
        if reader.message and not reader.says_nothing_found:
            if any(mark in reader.message.lower() for mark in _BLOCKED_WORDS):
                return RepositoryMiss(MissReason.BLOCKED, f"{name} may not tell what it holds: {reader.message[:160]}")
            return RepositoryMiss(
                MissReason.TROUBLE, f"{name} answers with something else than a listing: {reader.message[:160]}"
            )
        again = self._server.client.clock.now()
        if response.cut:
            detail = f"{name} broke off after {reader.count} rows of its listing ({response.cut})"
            return RepositoryMiss(MissReason.TROUBLE, detail, None if response.is_too_large else again)
        if not reader.is_whole:
            return RepositoryMiss(
                MissReason.TROUBLE, f"{name} sent a listing without its end, after {reader.count} rows", again
            )
        return None


class _LoopGuard:
    """The marks and first rows that came by, so that a server that repeats itself is noticed."""

    def __init__(self) -> None:
        self._marks: set[int] = set()
        self._first: tuple[str, str] | None = None

    def complaint(self, mark: _ResumeMark, first: tuple[str, str] | None) -> str:
        """What is wrong with going on at a mark after an answer with this first row; "" where nothing is."""
        if hash(mark) in self._marks:
            return "it gave the same key twice"
        self._marks.add(hash(mark))
        before, self._first = self._first, first
        if not mark.page and not mark.is_whole and first is not None and first == before:
            return "it sent the same rows twice"
        return ""


def _response_start(response: RepositoryResponse) -> str:
    return content_start(response.head.headers, response.exchange.body, 300).decode("utf-8", "replace")


def _is_below_root(url: str) -> bool:
    return url.endswith("/") and url.rstrip("/").count("/") > 2


def _prefix_filter(url: str, match: UrlMatch) -> Callable[[str], bool] | None:
    if match is not UrlMatch.PREFIX or not _is_below_root(url):
        return None
    ranges = url_ranges(url, match)
    return lambda found: any(low <= surt(found) and (high is None or surt(found) < high) for low, high in ranges)
