"""The demo site: what every address shows at every moment, as a pure function of plan and start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from webkeep.errors import UsageError
from webkeep.lab.demo.addresses import Addresses, host_of
from webkeep.lab.demo.chance import name_of
from webkeep.lab.demo.changes import Changes, Together
from webkeep.lab.demo.chronicle import Chronicle
from webkeep.lab.demo.feeds import feeds
from webkeep.lab.demo.files import site_files
from webkeep.lab.demo.markup import CHRONICLE_HOME
from webkeep.lab.demo.missing import missing_page
from webkeep.lab.demo.plan import SitePlan
from webkeep.lab.demo.resource import Edition, Kind, Reach, Resource
from webkeep.lab.demo.sitemaps import Modified, sitemaps
from webkeep.lab.demo.town import resources as town_resources
from webkeep.model import Moment

_PLAIN_ADDRESSES = Addresses()


@dataclass(frozen=True, slots=True)
class State:
    """What an address shows at a moment: the version's number and when it came to be."""

    version: int
    began: Moment


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of one address of the site, whatever a crawler may think."""

    path: str
    host: str
    kind: Kind
    media_type: str
    rate: float
    """Changes per second, speed included."""
    reach: Reach
    status: int


class DemoSite:
    """Every resource of the site and the history of each; knows no clock and holds no content."""

    def __init__(self, plan: SitePlan, start: Moment) -> None:
        self.plan, self.start = plan, start
        self._resources = {one.path: one for one in _made(plan, self._modified)}
        self._changes: dict[str, Changes | Together] = {}
        for one in self._resources.values():
            if not one.follows:
                self._changes[one.path] = Changes(plan.seed, one.path, one.rate * plan.speed, start)
        for one in self._resources.values():
            if one.follows:
                self._changes[one.path] = Together(tuple(self._followed(path) for path in one.follows))

    @property
    def resources(self) -> Mapping[str, Resource]:
        """Every resource by its path."""
        return MappingProxyType(self._resources)

    def version(self, path: str, at: Moment) -> int:
        """The number of the version shown at that moment: how often the page has changed since the start."""
        return self._of(path).count(at)

    def history(self, path: str, until: Moment) -> list[Moment]:
        """Every moment since the start at which the page changed."""
        return self._of(path).until(until)

    def state(self, path: str, at: Moment) -> State:
        """The version shown at that moment and when it came to be."""
        return State(self.version(path, at), self._modified(path, at))

    def began(self, path: str, version: int) -> Moment:
        """When a version came to be; version 0 is older than the start."""
        return self._of(path).began(version)

    def content(self, path: str, version: int, addresses: Addresses = _PLAIN_ADDRESSES) -> bytes:
        """The bytes of a version."""
        return self.shown(path, State(version, self.began(path, version)), addresses)

    def shown(self, path: str, state: State, addresses: Addresses = _PLAIN_ADDRESSES) -> bytes:
        """The bytes of a version whose beginning is known already."""
        return self._resources[path].render(self._edition(path, state, addresses))

    def missing(self, path: str, addresses: Addresses = _PLAIN_ADDRESSES) -> bytes:
        """What an address that is not part of the site shows."""
        return missing_page(self._edition(path, State(0, self.start), addresses), self.plan.town)

    def name(self, path: str) -> str:
        """A short name for an address, as an ETag may hold it; another seed or start gives another."""
        return name_of("etag", self.plan, self.start.micros, path)[:6].hex()

    def truth(self) -> Iterator[Truth]:
        """Every address of the site with what is true of it."""
        for one in self._resources.values():
            rate = self._changes[one.path].rate
            yield Truth(one.path, host_of(one.path), one.kind, one.media_type, rate, one.reach, one.status)

    def _edition(self, path: str, state: State, addresses: Addresses) -> Edition:
        chronicle = self.plan.town and CHRONICLE_HOME in self._resources
        return Edition(self.plan.seed, path, state.version, state.began, addresses, chronicle)

    def _of(self, path: str) -> Changes | Together:
        try:
            return self._changes[path]
        except KeyError:
            raise UsageError(f"the demo site has no address {path!r}") from None

    def _followed(self, path: str) -> Changes:
        changes = self._changes[path]
        assert isinstance(changes, Changes), "what is followed follows nothing itself"
        return changes

    def _modified(self, path: str, at: Moment) -> Moment:
        changes = self._of(path)
        return changes.latest(at) if isinstance(changes, Together) else changes.began(changes.count(at))


def _made(plan: SitePlan, modified: Modified) -> Iterator[Resource]:
    """All resources; the pages the town does not have are grown as the chronicle."""
    made = list(town_resources()) if plan.town else []
    grown = plan.pages - sum(one.kind is Kind.PAGE for one in made)
    if grown > 0:
        root = CHRONICLE_HOME if plan.town else "/"
        made += Chronicle(plan.seed, grown, plan.tree, root, plan.town).resources()
    yield from made
    yield from site_files(plan.town)
    if plan.town:
        yield from feeds(modified)
    yield from sitemaps(made, modified)


def town_pages() -> int:
    """How many HTML pages the town has by itself."""
    return sum(one.kind is Kind.PAGE for one in town_resources())
