"""The history of all recoveries as a table for spreadsheets.

What visitors wrote is kept from being a formula there: such a cell begins with an apostrophe.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from webkeep.model import Moment
from webkeep.service.recoveries.visitor_recovery import RecoveryYield, VisitorRecovery

_HEADINGS = (
    "id", "state", "url", "extent", "repositories", "since", "until", "mail", "created", "confirmed", "started",
    "ended", "picked_up", "reminders", "job", "discovered", "recovered", "bytes", "message",
)  # fmt: skip
_FORMULA_BEGINNINGS = ("=", "+", "-", "@", "\t", "\r")


def write_history(recoveries: Iterable[VisitorRecovery]) -> str:
    """The table, one line a recovery."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(_HEADINGS)
    for each in recoveries:
        order, outcome = each.order, each.outcome or RecoveryYield()
        moments = map(_write_moment, (each.created, each.confirmed, each.started, each.ended, each.picked_up))
        asked = (order.url, order.extent.value, "; ".join(order.repositories), order.since, order.until, each.mail)
        came = (each.reminders, each.job, outcome.discovered, outcome.recovered, outcome.bytes, each.message)
        writer.writerow([_guard_cell(str(cell)) for cell in (each.id, each.state.value, *asked, *moments, *came)])
    return stream.getvalue()


def _write_moment(moment: Moment | None) -> str:
    return "" if moment is None else moment.iso()


def _guard_cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_BEGINNINGS) else text
