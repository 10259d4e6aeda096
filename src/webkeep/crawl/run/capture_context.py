"""What one run of a capture works with (plan, archive, job, URL store, frontier, observer, planner, login, redactor):
given once, to whoever takes part in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from webkeep.crawl.plan.capture_plan import CapturePlan
from webkeep.crawl.plan.policies import fetch_settings_from_plan
from webkeep.crawl.requests.secret_urls import SecretUrls
from webkeep.crawl.run.capture_job import CaptureJob
from webkeep.crawl.run.capture_observer import CaptureObserver
from webkeep.crawl.run.capture_tally import CaptureTally
from webkeep.crawl.run.capture_url_store import CaptureUrlStore
from webkeep.fetch import FetchSettings, LocalSite
from webkeep.frontier import Frontier
from webkeep.frontier.urls import Admission
from webkeep.model import Clock
from webkeep.store.archive import OpenCapture, WritableArchive

if TYPE_CHECKING:
    from webkeep.crawl.coherent.coherence_planner import CoherencePlanner
    from webkeep.crawl.plan.saved_login import SavedLogin
    from webkeep.crawl.run.prior_capture import PriorCapture
    from webkeep.redaction import Redactor


class RobotsTargets(Protocol):
    """Whoever remembers where robots.txt files had moved to, should this run come to a bad end."""

    @property
    def awaits_any(self) -> bool:
        """Whether something is on its way."""
        ...

    def await_target(self, url: str) -> None:
        """It was asked for there, and what came is on its way to the disk."""
        ...

    def keep_target(self, target: Admission) -> None:
        """What came of it is on the disk, or nothing came."""
        ...


def _awaits_nothing() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class LargerCapture:
    """What a capture goes by that is a part of one of many machines."""

    may_send: Callable[[], bool]
    """Whether a request may go out that is about to."""
    limit_reached: Callable[[], str]
    """Which limit of all parts together was reached; empty where none was."""


@dataclass(frozen=True, slots=True)
class CaptureContext:
    """One run of a capture: the plan, where it is stored, what decides, and who is told."""

    plan: CapturePlan
    archive: WritableArchive
    capture: OpenCapture
    job: CaptureJob
    url_store: CaptureUrlStore
    frontier: Frontier
    observer: CaptureObserver
    is_resumed: bool = False
    """Whether an earlier process began it."""
    planner: CoherencePlanner | None = None
    """What plans visits and second visits, where the capture is to be coherent."""
    prior: PriorCapture | None = None
    """What the archive held before, where the capture is an update."""
    login: SavedLogin | None = None
    """Whose eyes it sees with, where that is not everybody's."""
    redactor: Redactor | None = None
    """What leaves credentials out of records, where any are given."""
    secret_urls: SecretUrls | None = None
    """The URLs that have secrets in them, where any may have."""
    local: LocalSite = field(default_factory=LocalSite)
    """What is asked of this machine in place of the network."""
    tally: CaptureTally = field(default_factory=CaptureTally)
    """What it brought so far, for whoever watches."""
    awaits_more: Callable[[], bool] = _awaits_nothing
    """Whether others may still hand something over when nothing is left to do here."""
    larger: LargerCapture | None = None
    """What it is a part of, where it is one."""
    robots_targets: RobotsTargets | None = None
    """Who is told at once where robots.txt files had moved to, where this run may be lost before its end."""

    @property
    def clock(self) -> Clock:
        """What time it is."""
        return self.archive.clock

    @property
    def fetch_settings(self) -> FetchSettings:
        """What fetchers and proxies go by."""
        may_send = None if self.larger is None else self.larger.may_send
        return replace(fetch_settings_from_plan(self.plan), local=self.local, may_send=may_send)

    def redact_url(self, url: str) -> str:
        """A URL as it is written down."""
        return url if self.secret_urls is None else self.secret_urls.redact(url)
