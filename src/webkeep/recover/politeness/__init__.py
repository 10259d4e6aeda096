"""Limits that repositories set, and the ledger that books each request against them for all processes of a user."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.recover.politeness.rate_limits import RateLimit as RateLimit, RecoveryEstimate as RecoveryEstimate
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "rate_limits": ("RateLimit", "RecoveryEstimate"),
        },
    )
