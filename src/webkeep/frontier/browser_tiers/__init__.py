"""Which pages a browser has to run, and what can be told of the others without running them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.frontier.browser_tiers.tiers import (
        BrowserTiers as BrowserTiers,
        PageRunResult as PageRunResult,
        RequestPredictor as RequestPredictor,
        TierReport as TierReport,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "tiers": ("BrowserTiers", "PageRunResult", "RequestPredictor", "TierReport"),
        },
    )
