"""Which URL is next, and from when on it may be asked for; decides, never waits."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.frontier.frontier import Frontier as Frontier
    from webkeep.frontier.retry_policy import judge_outcome as judge_outcome
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "frontier": ("Frontier",),
            "retry_policy": ("judge_outcome",),
        },
    )
