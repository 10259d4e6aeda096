"""Dates as HTTP writes them, in any of its three forms and in whatever else servers send."""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime

from webkeep.model import Moment

_LONGEST = 200


def read_date(text: str) -> Moment | None:
    """The moment that a date of HTTP names, without a zone in UTC; None where the text is no date or no such day."""
    if len(text) > _LONGEST:
        return None
    try:
        when = parsedate_to_datetime(text)
        aware = when if when.tzinfo else when.replace(tzinfo=UTC)
        # A zone can push a date out of the years that a moment can be written in.
        return Moment.from_datetime(aware.astimezone(UTC))
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
