"""Limits on a whole capture: how many URLs, bytes and sitemaps it may ask for (`--max-urls`, `--max-bytes`), how deep
sitemap indexes may be nested, and what it has asked for so far.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from webkeep.errors import StorageError
from webkeep.frontier.policy.crawl_policy import CrawlPolicy
from webkeep.frontier.urls.candidate import Candidate, UrlRole

MAX_SITEMAP_NESTING = 2
"""How many indexes may lead to a sitemap; by the protocol it is one."""
MAX_SITEMAPS = 10_000
"""How many sitemaps one capture asks for; an index may name 50,000, and each may have as many pages."""
MAX_SITEMAP_BYTES = 1 << 30
"""How many bytes all sitemaps of one capture may have on their way."""
URLS_PER_SITEMAP = 10
"""Of so many URLs that a limit allows one may be a sitemap, so that pages are what it is used for."""
_PROCESS_ONLY = {
    "under_way": 0,
    "by_pages": 0,
    "sitemaps_under_way": 0,
    "ended": "",
    "visits_ended": "",
    "granted_urls": None,
    "bytes_elsewhere": 0,
}
"""What does not outlast the process."""


@dataclass(slots=True)
class CrawlTotals:
    """What a capture has asked for; of URLs, robots.txt files apart."""

    urls: int = 0
    """URLs settled by an answer."""
    under_way: int = 0
    """URLs asked for and not settled."""
    by_pages: int = 0
    """How many requests of pages that are being run are not settled."""
    bytes: int = 0
    sitemaps: int = 0
    """How many of the URLs were sitemaps."""
    sitemaps_under_way: int = 0
    sitemap_bytes: int = 0
    ended: str = ""
    """Why nothing more is asked for, where it was ended."""
    visits_ended: str = ""
    """Why nothing more is visited, though it may be revisited."""
    granted_urls: int | None = None
    """How many URLs of the limit are this process's to ask for, where it shares the limit with others."""
    bytes_elsewhere: int = 0
    """The bytes of answers to others with whom it shares the limit."""

    def allowance(self, policy: CrawlPolicy, revisiting: bool = False) -> int | None:
        """How many more requests the limit allows at this moment; None for any number.

        Revisits are of URLs that were counted.
        """
        if self.ended or (self.visits_ended and not revisiting):
            return 0
        if self._has_all_bytes(policy):
            return 0
        if policy.max_urls is None or revisiting:
            return None
        allowed = policy.max_urls if self.granted_urls is None else self.granted_urls
        return max(0, allowed - self.urls - self.under_way - self.by_pages)

    def limit_reached(self, policy: CrawlPolicy, revisiting: bool = False) -> str:
        """Which limit is reached, or nothing."""
        if self.ended:
            return self.ended
        if self.visits_ended and not revisiting:
            return self.visits_ended
        if policy.max_urls is not None and self.urls >= policy.max_urls and not revisiting:
            return f"max-urls: {policy.max_urls}"
        if self._has_all_bytes(policy):
            return f"max-bytes: {policy.max_bytes}"
        return ""

    def _has_all_bytes(self, policy: CrawlPolicy) -> bool:
        return policy.max_bytes is not None and self.bytes + self.bytes_elsewhere >= policy.max_bytes

    def share_limits(self, granted_urls: int | None, bytes_elsewhere: int) -> None:
        """Keep limits together with others: so many URLs are granted, and so many bytes came to the others."""
        self.granted_urls, self.bytes_elsewhere = granted_urls, bytes_elsewhere

    def count_dispatched(self, candidate: Candidate) -> None:
        """Count a candidate as under way."""
        self.under_way += 1
        self.sitemaps_under_way += candidate.role is UrlRole.SITEMAP

    def uncount_dispatched(self, candidate: Candidate) -> None:
        """Count a candidate as not asked for."""
        self.under_way -= 1
        self.sitemaps_under_way -= candidate.role is UrlRole.SITEMAP

    def count_for_pages(self, more: int) -> None:
        """Count requests of pages that are being run as under way, or no longer so."""
        self.by_pages += more

    def end(self, reason: str) -> None:
        """Ask for nothing more."""
        self.ended = reason

    def end_visits(self, reason: str) -> None:
        """Visit nothing more, though it may be revisited."""
        self.visits_ended = reason

    def add_bytes(self, size: int, is_sitemap: bool = False) -> None:
        """Count the bytes of an answer."""
        self.bytes += size
        self.sitemap_bytes += size * is_sitemap

    def settle(self, candidate: Candidate) -> None:
        """Count a candidate that was under way as settled."""
        self.uncount_dispatched(candidate)
        self.count_settled(candidate)

    def count_settled(self, candidate: Candidate) -> None:
        """Count a candidate as settled by an answer."""
        self.urls += candidate.is_counted
        self.sitemaps += candidate.role is UrlRole.SITEMAP

    def sitemap_limit_reached(self, policy: CrawlPolicy) -> str:
        """Which limit that a person set keeps further sitemaps from being asked for, or nothing."""
        if policy.max_urls is None or self._sitemaps_asked < policy.max_urls // URLS_PER_SITEMAP:
            return ""
        return f"sitemaps: more than one of {URLS_PER_SITEMAP} URLs (max-urls: {policy.max_urls})"

    def is_sitemap_excess(self, candidate: Candidate) -> bool:
        """Whether a sitemap lies deeper, or comes after more of them, than any site would have."""
        return (
            candidate.nesting > MAX_SITEMAP_NESTING
            or self._sitemaps_asked >= MAX_SITEMAPS
            or self.sitemap_bytes >= MAX_SITEMAP_BYTES
        )

    @property
    def _sitemaps_asked(self) -> int:
        return self.sitemaps + self.sitemaps_under_way

    def to_text(self) -> str:
        """What must outlast the process."""
        return json.dumps({**asdict(self), **_PROCESS_ONLY})

    @classmethod
    def from_text(cls, text: str) -> CrawlTotals:
        """The totals out of what `to_text` gave."""
        try:
            return cls(**json.loads(text)) if text else cls()
        except (ValueError, TypeError) as error:
            raise StorageError("the counts that the job kept cannot be read; begin the capture anew") from error
