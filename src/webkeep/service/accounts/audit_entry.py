"""What is kept of who did what, when and from where; never a secret."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, replace

from webkeep.model import Moment

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")
_MAX_FIELD_CHARS = 500
"""Of one field: a line that a person reads."""
AUDIT_COLUMNS = ("number", "at", "who", "address", "action", "subject", "outcome")


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the audit log."""

    at: Moment
    who: str
    """The account; "local" for the person at this machine, "nobody" for whoever was not logged in."""
    address: str
    action: str
    """A verb and its object, or method and path as the table of endpoints has it: never what stood in its place."""
    subject: str = ""
    """What it was done to: an account, a collection, a job."""
    outcome: str = "done"
    number: int = 0
    """In the order in which it was kept."""

    def shorten(self) -> AuditEntry:
        """With no field longer than a line."""
        longest = slice(_MAX_FIELD_CHARS)
        return replace(
            self,
            who=self.who[longest],
            address=self.address[longest],
            action=self.action[longest],
            subject=self.subject[longest],
            outcome=self.outcome[longest],
        )


def render_audit_table(entries: Iterable[AuditEntry]) -> str:
    """The log as CSV for people and programs; no field of it is a formula to a spreadsheet."""
    target = io.StringIO()
    csv.writer(target).writerow(AUDIT_COLUMNS)
    return target.getvalue() + render_audit_rows(entries)


def render_audit_rows(entries: Iterable[AuditEntry]) -> str:
    """Some rows of that table, without its head."""
    target = io.StringIO()
    writer = csv.writer(target)
    for entry in entries:
        words = (entry.at.iso(), entry.who, entry.address, entry.action, entry.subject, entry.outcome)
        writer.writerow([entry.number, *map(guard_formula, words)])
    return target.getvalue()


def guard_formula(text: str) -> str:
    """A field of a table that no spreadsheet takes for a formula."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA_STARTS) else text
