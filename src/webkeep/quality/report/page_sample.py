"""Pages chosen evenly out of very many, by the hashes of their URLs: the same pages each time."""

from __future__ import annotations

from heapq import heappush, heappushpop

import xxhash

from webkeep.formats.status import is_successful
from webkeep.model import Moment
from webkeep.quality.damage import SampledPage
from webkeep.quality.report.url_course import ResourceGroup, resource_group
from webkeep.store.views import UrlLook


class PageSample:
    """Keeps so many pages of those that come by; all where the number is 0."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: list[tuple[int, str, SampledPage]] = []
        self.total = 0
        """Pages that came by."""

    def add(self, look: UrlLook) -> None:
        """Take a look into account, where it is of a page."""
        if not is_successful(look.status) or resource_group(look.status, look.media_type) is not ResourceGroup.PAGE:
            return
        self.total += 1
        mark = -xxhash.xxh3_64_intdigest(look.url.encode("utf-8", "surrogatepass"))
        entry = (mark, look.url, SampledPage(look.url, Moment(look.micros), look.place))
        if not self._most or len(self._kept) < self._most:
            heappush(self._kept, entry)
        elif mark > self._kept[0][0]:
            heappushpop(self._kept, entry)

    def pages(self) -> list[SampledPage]:
        """Those that are kept, by URL."""
        return [page for _, _, page in sorted(self._kept, key=lambda entry: entry[1])]
