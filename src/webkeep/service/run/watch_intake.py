"""Watches begun: what is looked at taken into a collection as a seed, so that what is new has an archive to go into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from webkeep.crawl.plan import parse_plan
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.collections import SeedEntry
from webkeep.service.jobs import new_job_id
from webkeep.service.sent_values import check_sent_plan
from webkeep.service.store import CollectionStore, WatchStore
from webkeep.service.watches import StoredWatch, Watch, WatchKind, WatchState
from webkeep.url import parse_seed

PAGE_ALONE = {"scope": "page"}
"""What is captured of each page that is new, where nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class WatchOrder:
    """What somebody wants looked at."""

    kind: WatchKind
    address: str
    poll_seconds: int
    settings: Mapping[str, Any] = field(default_factory=lambda: dict(PAGE_ALONE))
    is_local_allowed: bool = False
    takes_present: bool = False


def begin_watch(collections: CollectionStore, watches: WatchStore, name: str, order: WatchOrder, now: Moment) -> Watch:
    """Look at something again and again from now on, for a collection."""
    url = parse_seed(order.address)
    plan = check_sent_plan({**order.settings, "seeds": [url]}, order.is_local_allowed)
    parse_plan(plan)
    del plan["seeds"]
    if any((each.watch.kind, each.watch.url) == (order.kind, url) for each in watches.list_watches(name)):
        raise UsageError(f"{url[:200]} is watched already for {name}; delete that watch first, for another to hold")
    watch = Watch(
        new_job_id(), name, "", order.kind, url, order.poll_seconds, plan, order.is_local_allowed, order.takes_present
    )
    collections.add_seeds(name, [SeedEntry(url, plan, f"watched as {order.kind.value}")], now)
    seed = collections.find_seed(name, url)
    if seed is None:
        raise UsageError(f"{url[:200]} cannot be taken into {name}; try it again")
    watches.add(StoredWatch(replace(watch, seed=seed.id), WatchState(), now))
    return watch
