"""The demo site: what every address shows at every moment, as a pure function of plan and start; which resources it is
made of, and how many pages are grown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from webkeep.errors import UsageError
from webkeep.lab.demo.addresses import DemoAddresses, host_of
from webkeep.lab.demo.change_times import ChangeTimes, CombinedChangeTimes
from webkeep.lab.demo.feeds import feed_resources
from webkeep.lab.demo.generated_pages import GeneratedPages, is_taken_away
from webkeep.lab.demo.noise import NoiseSet
from webkeep.lab.demo.page_markup import CHRONICLE_PATH, render_missing_page
from webkeep.lab.demo.seeded_random import stream_name
from webkeep.lab.demo.site_plan import SitePlan
from webkeep.lab.demo.site_resource import DemoKind, DemoReach, DemoResource, ResourceVersion
from webkeep.lab.demo.sitemaps import ModifiedAt, sitemap_resources
from webkeep.lab.demo.static_files import static_resources
from webkeep.lab.demo.town import resources as town_resources
from webkeep.model import Moment

_PLAIN_ADDRESSES = DemoAddresses()


@dataclass(frozen=True, slots=True)
class DemoState:
    """What an address shows at a moment: the version's number and when it came to be."""

    version: int
    began: Moment


@dataclass(frozen=True, slots=True)
class ResourceTruth:
    """What is true of one address of the site, whatever a crawler may think."""

    path: str
    host: str
    kind: DemoKind
    media_type: str
    rate: float
    """Changes per second, speed included."""
    reach: DemoReach
    status: int


class DemoSite:
    """Every resource of the site and the history of each; knows no clock and holds no content."""

    def __init__(self, plan: SitePlan, start: Moment) -> None:
        self.plan, self.start = plan, start
        self._resources = {one.path: one for one in _build_resources(plan, self._last_change_at)}
        self._changes: dict[str, ChangeTimes | CombinedChangeTimes] = {}
        for one in self._resources.values():
            if not one.follows:
                self._changes[one.path] = ChangeTimes(plan.seed, one.path, one.rate * plan.speed, start)
        for one in self._resources.values():
            if one.follows:
                self._changes[one.path] = CombinedChangeTimes(tuple(self._follow_changes(path) for path in one.follows))

    @property
    def resources(self) -> Mapping[str, DemoResource]:
        """Every resource by its path."""
        return MappingProxyType(self._resources)

    def version_at(self, path: str, at: Moment) -> int:
        """The number of the version shown at that moment: how often the page has changed since the start."""
        return self._changes_of(path).count_changes(at)

    def changes_until(self, path: str, until: Moment) -> list[Moment]:
        """Every moment since the start at which the page changed."""
        return self._changes_of(path).changes_until(until)

    def state_at(self, path: str, at: Moment) -> DemoState:
        """The version shown at that moment and when it came to be."""
        return DemoState(self.version_at(path, at), self._last_change_at(path, at))

    def version_start(self, path: str, version: int) -> Moment:
        """When a version came to be; version 0 is older than the start."""
        return self._changes_of(path).version_start(version)

    def render_version(self, path: str, version: int, addresses: DemoAddresses = _PLAIN_ADDRESSES) -> bytes:
        """The bytes of a version."""
        return self.render_state(path, DemoState(version, self.version_start(path, version)), addresses)

    def render_state(self, path: str, state: DemoState, addresses: DemoAddresses = _PLAIN_ADDRESSES) -> bytes:
        """The bytes of a version whose beginning is known already."""
        return self._resources[path].render(self._build_version(path, state, addresses))

    def render_missing(self, path: str, addresses: DemoAddresses = _PLAIN_ADDRESSES) -> bytes:
        """What an address that is not part of the site shows."""
        return render_missing_page(self._build_version(path, DemoState(0, self.start), addresses), self.plan.town)

    def is_gone(self, path: str, version: int) -> bool:
        """Whether a page was taken away by the time of a version."""
        return self.plan.noise is not NoiseSet.OFF and is_taken_away(self.plan.seed, path, version)

    def short_name(self, path: str) -> str:
        """A short name for an address, as an ETag may hold it; another seed or start gives another."""
        return stream_name("etag", self.plan, self.start.micros, path)[:6].hex()

    def truth(self) -> Iterator[ResourceTruth]:
        """Every address of the site with what is true of it."""
        for one in self._resources.values():
            rate = self._changes[one.path].rate
            yield ResourceTruth(one.path, host_of(one.path), one.kind, one.media_type, rate, one.reach, one.status)

    def _build_version(self, path: str, state: DemoState, addresses: DemoAddresses) -> ResourceVersion:
        chronicle = self.plan.town and CHRONICLE_PATH in self._resources
        return ResourceVersion(self.plan.seed, path, state.version, state.began, addresses, chronicle)

    def _changes_of(self, path: str) -> ChangeTimes | CombinedChangeTimes:
        try:
            return self._changes[path]
        except KeyError:
            raise UsageError(f"the demo site has no address {path!r}") from None

    def _follow_changes(self, path: str) -> ChangeTimes:
        changes = self._changes[path]
        assert isinstance(changes, ChangeTimes), "what is followed follows nothing itself"
        return changes

    def _last_change_at(self, path: str, at: Moment) -> Moment:
        changes = self._changes_of(path)
        return (
            changes.latest_change(at)
            if isinstance(changes, CombinedChangeTimes)
            else changes.version_start(changes.count_changes(at))
        )


def _build_resources(plan: SitePlan, modified: ModifiedAt) -> Iterator[DemoResource]:
    """All resources; the pages the town does not have are grown as the chronicle."""
    made = list(town_resources()) if plan.town else []
    grown = plan.pages - sum(one.kind is DemoKind.PAGE for one in made)
    if grown > 0:
        root = CHRONICLE_PATH if plan.town else "/"
        made += GeneratedPages(plan.seed, grown, plan.tree, root, plan.town, plan.noise is not NoiseSet.OFF).resources()
    yield from made
    yield from static_resources(plan.town)
    if plan.town:
        yield from feed_resources(modified)
    yield from sitemap_resources(made, modified)


def count_town_pages() -> int:
    """How many HTML pages the town has by itself."""
    return sum(one.kind is DemoKind.PAGE for one in town_resources())
