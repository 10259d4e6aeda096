"""What came of running pages in a browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.frontier.browser_tiers import TierReport


@dataclass(slots=True)
class BrowserReport:
    """How many pages a browser ran, and what that brought."""

    pages: int = 0
    views: int = 0
    states: int = 0
    transitions: int = 0
    requests: int = 0
    """Those that reached a server."""
    resources: int = 0
    """URLs that nothing but the browser led to."""
    resources_by_clicks: int = 0
    """Those among them that pages asked for only when something was done to them."""
    foretold: int = 0
    """URLs that pages would have asked for that were not run, as patterns tell."""
    withheld_count: int = 0
    """Requests held back."""
    seconds: float = 0.0
    restarts: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    """Pages that could not be run, and why."""
    left: int = 0
    """Pages that would have been run, and were not."""
    reason: str = ""
    """Why they were not."""
    curtailed: int = 0
    """Pages that were run, and asked for more than the limits of the capture allow."""
    trouble: str = ""
    """Why there was no browser, where one was needed."""
    is_unguarded: bool = False
    """Whether Chromium ran without its sandbox."""
    tiers: TierReport | None = None
    """What was left to the fast tier, where that was decided."""

    @property
    def is_whole(self) -> bool:
        """Whether everything was run that was to be."""
        return not (self.trouble or self.failures or self.left or self.curtailed)
