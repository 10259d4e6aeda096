"""What stands at the top of every page: labels, where they lead, and who sees them."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.dashboard.page_context import Visitor
from webkeep.service.accounts import Permission


@dataclass(frozen=True, slots=True)
class NavigationEntry:
    """One entry at the top of pages."""

    label: str
    path: str
    permission: Permission


NAVIGATION: tuple[NavigationEntry, ...] = (
    NavigationEntry("Start", "/", Permission.SIGNED_IN),
    NavigationEntry("Jobs", "/jobs", Permission.SIGNED_IN),
    NavigationEntry("Collections", "/collections", Permission.SIGNED_IN),
    NavigationEntry("Schedules", "/schedules", Permission.SIGNED_IN),
    NavigationEntry("Notices", "/notices", Permission.ADMINISTER),
)
"""All entries, in their order."""


def list_navigation(visitor: Visitor) -> list[NavigationEntry]:
    """The entries that a visitor sees."""
    return [entry for entry in NAVIGATION if visitor.may(entry.permission)]
