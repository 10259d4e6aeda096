"""What came of running pages in a browser: how much was run and found, how often the browser was restarted, which pages
failed or were left and why, and when that counts as whole.
"""

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

    def note_run(self, seconds: float, restarts: int) -> None:
        """A page was run for so long, whatever came of it; the browser was started again so often by now."""
        self.seconds += seconds
        self.restarts = restarts

    def note_trouble(self, trouble: str) -> None:
        """There is no browser to be had; the first reason stays."""
        self.trouble = self.trouble or trouble

    def note_unguarded(self) -> None:
        """Chromium runs without its sandbox."""
        self.is_unguarded = True

    def note_end(self, curtailed: int, tiers: TierReport | None) -> None:
        """No page is run any more in this process."""
        self.curtailed = curtailed
        self.tiers = tiers

    def note_left(self, count: int, reason: str) -> None:
        """So many pages will not be run, for that reason unless there is no browser."""
        self.left = count
        self.reason = (self.trouble or reason) if count else ""

    @property
    def is_whole(self) -> bool:
        """Whether everything was run that was to be."""
        return not (self.trouble or self.failures or self.left or self.curtailed)
