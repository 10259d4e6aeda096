"""Pages chosen evenly out of very many, by the hashes of their URLs: the same pages each time; and those that a capture
began at.
"""

from __future__ import annotations

from collections.abc import Collection
from heapq import heappush, heappushpop

import xxhash

from webkeep.formats.status import is_successful
from webkeep.model import Moment
from webkeep.quality.damage import SampledPage
from webkeep.quality.report.url_course import ResourceGroup, resource_group
from webkeep.store.views import UrlLook


class PageSample:
    """Keeps so many pages of those that come by; all where the number is 0."""

    def __init__(self, most: int, seeds: Collection[str] = ()) -> None:
        self._most, self._seeds = most, frozenset(seeds)
        self._started: list[SampledPage] = []
        self._kept: list[tuple[int, str, SampledPage]] = []
        self.total = 0
        """Pages that came by."""

    def add(self, look: UrlLook) -> None:
        """Take a look into account, where it is of a page."""
        if not is_successful(look.status) or resource_group(look.status, look.media_type) is not ResourceGroup.PAGE:
            return
        self.total += 1
        mark = -xxhash.xxh3_64_intdigest(look.url.encode("utf-8", "surrogatepass"))
        page = SampledPage(look.url, Moment(look.micros), look.place)
        entry = (mark, look.url, page)
        if look.url in self._seeds:
            self._started.append(page)
        if not self._most or len(self._kept) < self._most:
            heappush(self._kept, entry)
        elif mark > self._kept[0][0]:
            heappushpop(self._kept, entry)

    def pages(self) -> list[SampledPage]:
        """Those that are kept, by URL."""
        return [page for _, _, page in sorted(self._kept, key=lambda entry: entry[1])]

    def first_pages(self, most: int) -> list[SampledPage]:
        """Some of those that are kept, evenly chosen as well; where the capture began comes first."""
        evenly = [page for _, _, page in sorted(self._kept, key=lambda entry: (-entry[0], entry[1]))]
        started = {page.url for page in self._started}
        return [*self._started, *(page for page in evenly if page.url not in started)][:most]
