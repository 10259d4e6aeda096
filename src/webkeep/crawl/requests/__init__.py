"""From candidates to requests, and from how these ended to outcomes for the frontier."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.crawl.requests.outcome_builder import CUT_OFF_PREFIX as CUT_OFF_PREFIX
    from webkeep.crawl.requests.private_hosts import (
        PRIVATE_PREFIX as PRIVATE_PREFIX,
        PUBLIC_PREFIX as PUBLIC_PREFIX,
        PrivateHosts as PrivateHosts,
    )
    from webkeep.crawl.requests.request_builder import RequestBuilder as RequestBuilder
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "outcome_builder": ("CUT_OFF_PREFIX",),
            "private_hosts": ("PRIVATE_PREFIX", "PUBLIC_PREFIX", "PrivateHosts"),
            "request_builder": ("RequestBuilder",),
        },
    )
