"""Whether one more recovery may be asked for, by what the same address asked for of late."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.service.recoveries.visitor_settings import VisitorLimits


@dataclass(frozen=True, slots=True)
class AddressUse:
    """What one address asked for: one on the network, or one for mail."""

    last_day: int = 0
    open: int = 0


class TooManyRequestsError(UsageError):
    """Somebody asks for more than one may."""


def check_limits(uses: tuple[AddressUse, ...], waiting: int, limits: VisitorLimits) -> None:
    """Refuse what is too much."""
    if any(use.last_day >= limits.requests_a_day for use in uses):
        raise TooManyRequestsError(
            f"more than {limits.requests_a_day} requests in a day cannot be taken; come again tomorrow"
        )
    if any(use.open >= limits.open_requests for use in uses):
        raise TooManyRequestsError(
            f"you have {limits.open_requests} recoveries that are not over yet; wait for one of them, or withdraw it"
        )
    if waiting >= limits.waiting:
        raise TooManyRequestsError("too many recoveries wait already; come again in some days")
