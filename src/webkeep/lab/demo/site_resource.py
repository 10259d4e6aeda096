"""What the demo site is made of: resources, each rendered anew for every version; which kinds there are, and how a
visitor finds each (by link, script, convention, sitemap or form).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from webkeep.lab.demo.addresses import DemoAddresses
from webkeep.lab.demo.seeded_random import SeededRandom
from webkeep.model import Moment

HTML_TYPE = "text/html; charset=utf-8"


class DemoKind(Enum):
    """What a resource is for."""

    PAGE = "page"
    PICTURE = "picture"
    STYLE = "style"
    SCRIPT = "script"
    DATA = "data"
    FEED = "feed"
    SITEMAP = "sitemap"
    NOTE = "note"
    REDIRECT = "redirect"


class DemoReach(Enum):
    """How a visitor who starts at the front page finds a resource."""

    LINK = "link"
    SCRIPT = "script"
    CONVENTION = "convention"
    SITEMAP = "sitemap"
    FORM = "form"


@dataclass(frozen=True, slots=True)
class ResourceVersion:
    """One version of one resource, as its renderer sees it."""

    seed: int
    path: str
    version: int
    began: Moment
    addresses: DemoAddresses
    chronicle: bool = False
    """Whether the site has a chronicle to link to."""

    def chance(self, *labels: object) -> SeededRandom:
        """Draws that depend on the resource and the labels, not on the version unless it is among them."""
        return SeededRandom(self.seed, self.path, *labels)

    def link(self, target: str) -> str:
        """The address to write for another resource."""
        return self.addresses.link(self.path, target)


RenderVersion = Callable[[ResourceVersion], bytes]


def fixed_renderer(make: Callable[[], bytes]) -> RenderVersion:
    """A renderer for what is the same in every edition."""
    return lambda _: make()


@dataclass(frozen=True, slots=True)
class DemoResource:
    """One address of the site: how it is made, what it is, and how often it changes (per second, before speed)."""

    path: str
    render: RenderVersion
    media_type: str = HTML_TYPE
    kind: DemoKind = DemoKind.PAGE
    rate: float = 0.0
    title: str = ""
    section: str = ""
    reach: DemoReach = DemoReach.LINK
    follows: tuple[str, ...] = ()
    location: str = ""
    status: int = 200
    priority: float = 0.5
