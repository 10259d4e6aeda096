"""Watches: feeds, sitemaps and OAI-PMH sets, and what is new in them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.watches.watch import (
        StoredWatch as StoredWatch,
        Watch as Watch,
        WatchedItem as WatchedItem,
        WatchKind as WatchKind,
        WatchState as WatchState,
    )
    from webkeep.service.watches.watched_items import build_watch_url as build_watch_url, read_watched as read_watched
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "watch": ("StoredWatch", "Watch", "WatchKind", "WatchState", "WatchedItem"),
            "watched_items": ("build_watch_url", "read_watched"),
        },
    )
