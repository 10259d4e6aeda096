"""URLs of a capture: candidates, the store that queues and settles them, what to do next and what came of it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.frontier.urls.actions import Dispatch as Dispatch, Drained as Drained, WaitUntil as WaitUntil
    from webkeep.frontier.urls.candidate import Candidate as Candidate, UrlRole as UrlRole, with_id as with_id
    from webkeep.frontier.urls.fetch_outcome import (
        FetchOutcome as FetchOutcome,
        FetchVerdict as FetchVerdict,
        Settled as Settled,
    )
    from webkeep.frontier.urls.lru_map import LruMap as LruMap
    from webkeep.frontier.urls.url_store import (
        MAX_TRAIL_STEPS as MAX_TRAIL_STEPS,
        Admission as Admission,
        Settlement as Settlement,
        UrlStore as UrlStore,
        deferred_rank as deferred_rank,
        due_micros as due_micros,
        is_shorter_way as is_shorter_way,
        may_promote as may_promote,
        may_requeue as may_requeue,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "actions": ("Dispatch", "Drained", "WaitUntil"),
            "candidate": ("Candidate", "UrlRole", "with_id"),
            "fetch_outcome": ("FetchOutcome", "FetchVerdict", "Settled"),
            "lru_map": ("LruMap",),
            "url_store": (
                "Admission",
                "MAX_TRAIL_STEPS",
                "Settlement",
                "UrlStore",
                "deferred_rank",
                "due_micros",
                "is_shorter_way",
                "may_promote",
                "may_requeue",
            ),
        },
    )
