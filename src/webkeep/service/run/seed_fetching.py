"""Seeds out of what a server tells of: a sitemap with all it leads to, a feed, or a set of an OAI-PMH repository.

Whatever the other side does, no more than a number of answers is asked for, and no more than a number of seeds is
taken; what was left out by that is said.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from webkeep.extract.documents import read_sitemap
from webkeep.fetch.client import Fetcher
from webkeep.service.run.watch_fetch import fetch_watched, open_watch_fetcher
from webkeep.service.sent_values import is_item_allowed
from webkeep.service.watches import Watch, WatchedItem, WatchKind, WatchState, build_watch_url, read_watched

MAX_FETCHED_SEEDS = 50_000
"""Of one source: as many as a sitemap may have; whoever has more has a table."""
_MAX_ANSWERS = 100
"""Parts of a sitemap, or answers of a repository, that are asked for."""
_MAX_SECONDS = 120.0
"""So long somebody waits for it at a page."""
_LATE = f"it took longer than {_MAX_SECONDS:g} seconds; what was told of by then was taken"
_POLL_SECONDS = 3600
"""Of the watch that this looks at once; nobody waits for it."""


@dataclass(frozen=True, slots=True)
class FetchedSeeds:
    """What was found, and what was wrong with it."""

    urls: tuple[str, ...]
    refused: int = 0
    """Pages that were told of, and that may not be captured: they are not on the web, or at a private address."""
    trouble: str = ""
    """Why it may not be all; empty where it is."""


async def fetch_seeds(spool: Path, kind: WatchKind, url: str, is_local_allowed: bool = False) -> FetchedSeeds:
    """The pages that a sitemap, a feed or a repository tells of now."""
    watch = Watch("", "", "", kind, url, _POLL_SECONDS, is_local_allowed=is_local_allowed)
    latest = asyncio.get_running_loop().time() + _MAX_SECONDS
    fetch = _fetch_sitemap if kind is WatchKind.SITEMAP else _fetch_list
    async with open_watch_fetcher(spool) as fetcher:
        items, trouble = await fetch(fetcher, watch, latest)
    allowed = dict.fromkeys(item.url for item in items if is_item_allowed(watch, item))
    refused = sum(not is_item_allowed(watch, item) for item in items)
    if len(allowed) > MAX_FETCHED_SEEDS:
        trouble = f"it tells of {len(allowed):,} pages; the first {MAX_FETCHED_SEEDS:,} were taken"
    return FetchedSeeds(tuple(islice(allowed, MAX_FETCHED_SEEDS)), refused, trouble)


async def _fetch_list(fetcher: Fetcher, watch: Watch, latest: float) -> tuple[list[WatchedItem], str]:
    """A feed, or all pages of a list of OAI-PMH."""
    items: list[WatchedItem] = []
    state = WatchState()
    for _ in range(_MAX_ANSWERS):
        answer = await fetch_watched(fetcher, build_watch_url(watch, state), (), watch.is_local_allowed)
        if not answer.content:
            return items, answer.trouble or "the answer is empty"
        found, state = read_watched(watch, replace(state, message=""), answer.content, answer.url)
        items += found
        if not state.token or state.message or answer.trouble or len(items) > MAX_FETCHED_SEEDS:
            return items, state.message or answer.trouble
        if asyncio.get_running_loop().time() > latest:
            return items, _LATE
    return items, f"its list is longer than {_MAX_ANSWERS} answers; what they told of was taken"


async def _fetch_sitemap(fetcher: Fetcher, watch: Watch, latest: float) -> tuple[list[WatchedItem], str]:
    """A sitemap and all sitemaps it leads to."""
    items: list[WatchedItem] = []
    trouble, waiting, seen = "", deque([watch.url]), {watch.url}
    for _ in range(_MAX_ANSWERS):
        if not waiting or len(items) > MAX_FETCHED_SEEDS:
            return items, trouble
        if asyncio.get_running_loop().time() > latest:
            return items, _LATE
        url = waiting.popleft()
        answer = await fetch_watched(fetcher, url, (), watch.is_local_allowed)
        trouble = f"{url}: {answer.trouble}" if answer.trouble else trouble
        for entry in read_sitemap(answer.content):
            item = WatchedItem(entry.url, entry.url)
            if not entry.is_sitemap:
                items.append(item)
            elif entry.url not in seen and len(seen) <= _MAX_ANSWERS and is_item_allowed(watch, item):
                seen.add(entry.url)
                waiting.append(entry.url)
    return items, trouble or f"it has more than {_MAX_ANSWERS} parts; what these told of was taken"
