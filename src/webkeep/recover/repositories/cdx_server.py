"""Index servers: what a repository holds of a URL or a whole site, piece by piece, whatever goes wrong on the way.

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

from webkeep.formats.cdxj import CdxLine
from webkeep.formats.json_value import read_json
from webkeep.model import Finding
from webkeep.recover.limits import Manners
from webkeep.recover.repositories.client import Client, Reply
from webkeep.recover.repositories.gathering import content, start_of
from webkeep.recover.repositories.index_reader import IndexReader
from webkeep.recover.repository import Batch, Held, Miss, Period, Reason
from webkeep.store.archive import url_ranges
from webkeep.url import surt
from webkeep.url.key_range import Match

_ROWS = 1000
_MOST_ROWS = 50_000_000
"""How many versions are read of in one list."""
_MOST_PAGES = 100_000
_SUSPICIOUS = 1000
_LONGEST_COUNT = 1000
_BLOCKED = ("accesscontrol", "blocked", "excluded", "robot", "access denied", "forbidden")

MakeHeld = Callable[[CdxLine], Held | None]


class Paging(enum.StrEnum):
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
class _Mark:
    """How far an index was read."""

    key: str = ""
    page: int = 0
    skip: int = 0
    """Rows of the next answer that were read already."""
    whole: bool = False
    """Whether the server turned out to know no keys."""

    @classmethod
    def read(cls, text: str) -> _Mark:
        """Read a mark; one that is none begins anew."""
        try:
            key, page, skip, whole = json.loads(text)
            return cls(str(key), int(page), int(skip), bool(whole))
        except (ValueError, TypeError, RecursionError):
            return cls()

    def __str__(self) -> str:
        return json.dumps([self.key, self.page, self.skip, self.whole])


@dataclass(frozen=True, slots=True)
class CdxServer:
    """Asks one index server."""

    name: str
    client: Client
    manners: Manners
    address: str
    paging: Paging = Paging.AUTO
    page_rows: int = 10_000
    """How many rows are asked for at a time."""
    extra: tuple[tuple[str, str], ...] = ()
    """Further parameters of every query."""

    async def rows(
        self, url: str, match: Match, period: Period, resume: str, make: MakeHeld, cap: int | None = None
    ) -> AsyncIterator[Batch]:
        """The rows of a query in batches; the last batch says why it ends where there may be more."""
        mark, seen, total = _Mark.read(resume), _Seen(), 0
        pages = 1
        if self.paging is Paging.PAGES:
            counted = await self._page_count(url, match, period)
            if isinstance(counted, Miss):
                yield Batch(requests=counted.requests, miss=counted, resume=str(mark))
                return
            pages = counted
            yield Batch(requests=1, resume=str(mark))
        for _ in range(_MOST_PAGES):
            if self.paging is Paging.PAGES and mark.page >= pages:
                return
            answer = _Answer(self, mark, _within(url, match), make, period)
            async for batch in answer.batches(self._address(url, match, period, mark)):
                total += len(batch.rows)
                yield replace(batch, capped=cap is not None and total >= cap) if cap else batch
                if batch.miss is not None:
                    return
            if total >= _MOST_ROWS:
                yield Batch(miss=Miss(Reason.TROUBLE, f"{self.name} lists more than {_MOST_ROWS:,} versions"))
                return
            following = answer.following(self.paging, self.page_rows)
            if following is None:
                if answer.is_suspicious and self.paging in (Paging.NONE, Paging.AUTO):
                    yield Batch(capped=True)
                return
            if complaint := seen.complaint(following, answer.first):
                detail = f"{self.name} goes round in circles ({complaint}); its listing is cut short there"
                yield Batch(miss=Miss(Reason.TROUBLE, detail), findings=(self._finding(detail),))
                return
            mark = following

    async def _page_count(self, url: str, match: Match, period: Period) -> int | Miss:
        """How many pages a listing has."""
        query = [*self._query(url, match, period), ("showNumPages", "true")]
        reply = await self.client.read(self._asking(query), self.manners)
        if isinstance(reply, Miss):
            return reply
        text = start_of(reply.head.headers, reply.exchange.body, _LONGEST_COUNT).decode("utf-8", "replace").strip()
        told = read_json(text)
        try:
            pages = int(told["pages"]) if isinstance(told, dict) else int(told)
        except (ValueError, KeyError, TypeError):
            if reply.status == 404:
                return 0
            detail = f"{self.name} does not say how many pages there are: {text[:120]!r}"
            return Miss(Reason.TROUBLE, detail, requests=reply.requests)
        return max(min(pages, _MOST_PAGES), 0)

    def _address(self, url: str, match: Match, period: Period, mark: _Mark) -> str:
        query = self._query(url, match, period)
        if self.paging is Paging.PAGES:
            query.append(("page", str(mark.page)))
        elif self.paging is Paging.KEY or (self.paging is Paging.AUTO and not mark.whole):
            query += [("limit", str(self.page_rows)), ("showResumeKey", "true")]
            if mark.key:
                query.append(("resumeKey", mark.key))
        return self._asking(query)

    def _asking(self, query: list[tuple[str, str]]) -> str:
        joint = "&" if "?" in self.address else "?"
        return f"{self.address}{joint}{urlencode(query)}"

    def _query(self, url: str, match: Match, period: Period) -> list[tuple[str, str]]:
        # A prefix that ends in a slash leaves the directory itself out; it is asked for without, and looked through.
        target = url.rstrip("/") if match is Match.PREFIX and _is_below_root(url) else url
        query = [("url", target), ("matchType", match.value), ("output", "json"), *self.extra]
        if period.since is not None:
            query.append(("from", period.since.digits()))
        if period.until is not None:
            query.append(("to", period.until.digits()))
        return query

    def _finding(self, message: str) -> Finding:
        return Finding("listing-broken", self.name, 0, message)


class _Answer:
    """One answer of an index server, as it is read."""

    def __init__(
        self, server: CdxServer, mark: _Mark, within: Callable[[str], bool] | None, make: MakeHeld, period: Period
    ) -> None:
        self._server = server
        self._mark = mark
        self._within = within
        self._make = make
        self._period = period
        self._reader = IndexReader(server.name)
        self.first: tuple[str, str] | None = None
        """Key and timestamp of its first row."""

    async def batches(self, address: str) -> AsyncIterator[Batch]:
        """The rows in batches."""
        reply = await self._server.client.read(address, self._server.manners)
        if isinstance(reply, Miss):
            yield Batch(requests=reply.requests, miss=reply, resume=str(self._mark))
            return
        if reply.status != 200:
            yield self._refused(reply, _start(reply))
            return
        requests, told = reply.requests, 0
        for rows, read in self._parts(reply):
            findings = tuple(self._reader.findings[told:])
            told = len(self._reader.findings)
            yield Batch(rows, str(replace(self._mark, skip=read)), requests, findings=findings)
            requests = 0
            await asyncio.sleep(0)  # a long answer must not hold up everything else
        if (miss := self._ended_badly(reply)) is not None:
            yield Batch((), str(replace(self._mark, skip=self._reader.count)), requests, miss=miss)

    def following(self, paging: Paging, page_rows: int) -> _Mark | None:
        """Where to go on behind it; None where that was all."""
        reader = self._reader
        if paging is Paging.PAGES:
            return _Mark(page=self._mark.page + 1)
        if reader.resume_key:
            return _Mark(key=reader.resume_key)
        if paging is Paging.AUTO and not self._mark.whole and reader.count >= page_rows and not self._mark.key:
            return _Mark(skip=reader.count, whole=True)
        return None

    @property
    def is_suspicious(self) -> bool:
        """Whether the number of rows looks like a limit of the server, of which it said nothing."""
        return self._reader.count > 0 and self._reader.count % _SUSPICIOUS == 0

    def _parts(self, reply: Reply) -> Iterator[tuple[tuple[Held, ...], int]]:
        held: list[Held] = []
        rows = self._reader.rows(content(reply.head.headers, reply.exchange.body))
        for line in rows:
            if self.first is None:
                self.first = (line.key, line.timestamp)
            if self._reader.count <= self._mark.skip:
                continue
            version = self._make(line)
            if version is not None and self._period.covers(version.moment) and self._is_within(version.url):
                held.append(version)
            if len(held) == _ROWS:
                yield tuple(held), self._reader.count
                held = []
        yield tuple(held), self._reader.count

    def _is_within(self, url: str) -> bool:
        return self._within is None or self._within(url)

    def _refused(self, reply: Reply, said: str) -> Batch:
        name, short = self._server.name, " ".join(said.split())[:160]
        if reply.status == 404 or (reply.status < 400 and "no captures" in said.lower()):
            return Batch(requests=reply.requests)
        if reply.status in (401, 403, 451) or any(mark in said.lower() for mark in _BLOCKED):
            miss = Miss(Reason.BLOCKED, f"{name} may not tell what it holds ({reply.status}: {short})")
        else:
            miss = Miss(Reason.TROUBLE, f"{name} answers {reply.status} in place of a listing: {short}")
        return Batch((), str(self._mark), reply.requests, miss=miss)

    def _ended_badly(self, reply: Reply) -> Miss | None:
        reader, name = self._reader, self._server.name
        if reader.said and not reader.is_empty_said:
            if any(mark in reader.said.lower() for mark in _BLOCKED):
                return Miss(Reason.BLOCKED, f"{name} may not tell what it holds: {reader.said[:160]}")
            return Miss(Reason.TROUBLE, f"{name} answers with something else than a listing: {reader.said[:160]}")
        again = self._server.client.clock.now()
        if reply.cut:
            detail = f"{name} broke off after {reader.count} rows of its listing ({reply.cut})"
            return Miss(Reason.TROUBLE, detail, None if reply.is_too_large else again)
        if not reader.is_whole:
            return Miss(Reason.TROUBLE, f"{name} sent a listing without its end, after {reader.count} rows", again)
        return None


class _Seen:
    """The marks and first rows that came by, so that a server that repeats itself is noticed."""

    def __init__(self) -> None:
        self._marks: set[int] = set()
        self._first: tuple[str, str] | None = None

    def complaint(self, mark: _Mark, first: tuple[str, str] | None) -> str:
        """What is wrong with going on at a mark after an answer with this first row; "" where nothing is."""
        if hash(mark) in self._marks:
            return "it gave the same key twice"
        self._marks.add(hash(mark))
        before, self._first = self._first, first
        if not mark.page and not mark.whole and first is not None and first == before:
            return "it sent the same rows twice"
        return ""


def _start(reply: Reply) -> str:
    return start_of(reply.head.headers, reply.exchange.body, 300).decode("utf-8", "replace")


def _is_below_root(url: str) -> bool:
    return url.endswith("/") and url.rstrip("/").count("/") > 2


def _within(url: str, match: Match) -> Callable[[str], bool] | None:
    if match is not Match.PREFIX or not _is_below_root(url):
        return None
    ranges = url_ranges(url, match)
    return lambda found: any(low <= surt(found) and (high is None or surt(found) < high) for low, high in ranges)
