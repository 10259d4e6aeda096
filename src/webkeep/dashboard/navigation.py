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
    is_about_visitors: bool = False
    """Whether it is shown only where visitors may recover."""
    is_of_service: bool = False
    """Whether it is about the service itself; those stand together, below one entry."""

    def is_here(self, path: str) -> bool:
        """Whether a page is the one that it leads to, or below that."""
        return path == self.path or (self.path != "/" and path.startswith(self.path + "/"))


NAVIGATION: tuple[NavigationEntry, ...] = (
    NavigationEntry("Start", "/", Permission.SIGNED_IN),
    NavigationEntry("Jobs", "/jobs", Permission.SIGNED_IN),
    NavigationEntry("Collections", "/collections", Permission.SIGNED_IN),
    NavigationEntry("Schedules", "/schedules", Permission.SIGNED_IN),
    NavigationEntry("Recover", "/recover", Permission.ANYONE, is_about_visitors=True),
    NavigationEntry("Recoveries", "/recoveries", Permission.ADMINISTER, is_about_visitors=True),
    NavigationEntry("People", "/accounts", Permission.ADMINISTER, is_of_service=True),
    NavigationEntry("Log", "/audit", Permission.ADMINISTER, is_of_service=True),
    NavigationEntry("Notices", "/notices", Permission.ADMINISTER, is_of_service=True),
    NavigationEntry("Machines", "/machines", Permission.ADMINISTER, is_of_service=True),
)
"""All entries, in their order."""


def list_navigation(visitor: Visitor, has_visitors: bool = False) -> list[NavigationEntry]:
    """The entries that a visitor sees."""
    shown = (entry for entry in NAVIGATION if has_visitors or not entry.is_about_visitors)
    return [entry for entry in shown if visitor.may(entry.permission)]
