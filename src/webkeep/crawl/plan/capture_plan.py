"""The plan of a capture: one frozen value with all settings and their defaults (scope, limits, delays, robots,
browser), which of them are never written down, and which may change when a capture goes on.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webkeep.errors import UsageError
from webkeep.fetch import USER_AGENT
from webkeep.frontier.policy import RobotsMode
from webkeep.url.scope import ScopeExtent

_SECRET_FIELDS = frozenset(
    {
        "credentials",
        "headers",
        "proxy",
        "cookies",
        "save_cookies",
        "client_certificate",
        "client_key",
        "browser_profile",
        "dump",
        "job",
        "share_hosts",
        "held_in",
    }
)
"""What is never written down with the plan of a capture."""
_CHANGEABLE_FIELDS = frozenset(
    {"delay", "connections", "connections_per_host", "rate", "max_seconds", "timeout", "retries", "tabs"}
    | {"browser_program", "browser_seconds", "browser_states", "browser_requests"}
)
"""What may be another each time without making it another capture."""

_ANONYMOUS_HEADERS = frozenset(
    {
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection", "dnt", "from",
        "host", "pragma", "priority", "range", "referer", "save-data", "te", "upgrade-insecure-requests", "user-agent",
        "viewport-width", "width", "x-forwarded-for", "x-forwarded-proto", "x-requested-with",
    }
)  # fmt: skip
"""Fields that a person may give without telling who they are."""

DEFAULT_DELAY_SECONDS = 1.0
"""Between a response and the next request to its host where no one said, for hosts other than this machine."""
MAX_DELAY_SECONDS = 120.0
"""The longest delay that a host gets for its Crawl-delay or its slowness, in captures and in recordings."""
MAX_SEEDS_KEPT = 1000
"""So many seeds are written down with a capture; of more, how many there are and a digest of them."""


@dataclass(frozen=True, slots=True)
class HostPlan:
    """What holds for one host in place of the rest of the plan; None leaves that as it is."""

    delay: float | None = None
    robots: RobotsMode | None = None
    connections: int | None = None
    max_urls: int | None = None
    max_size: int | None = None
    timeout: float | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)


def is_credential(name: str, value: str) -> bool:
    """Whether a field that a person gives may say who they are: any that is not known to be harmless."""
    lowered = name.lower()
    return bool(value) and lowered not in _ANONYMOUS_HEADERS and not lowered.startswith(("sec-ch-", "sec-fetch-"))


def has_port(name: str) -> bool:
    """Whether a host is named with its port."""
    host, _, port = name.rpartition(":")
    return bool(host) and port.isdecimal()


class Subsites(enum.StrEnum):
    """What divides a site into parts that are made coherent one after the other."""

    NONE = "none"
    DIRECTORIES = "directories"
    """The first directory of each path."""
    SITEMAPS = "sitemaps"
    """The sitemap file that lists a page."""


class BrowserMode(enum.StrEnum):
    """Which pages are run in a browser."""

    OFF = "off"
    AUTO = "auto"
    """Those that would request more once run, as far as samples show it; seeds in which anything runs."""
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class ByteRate:
    """Bytes per second at most; 0 for no limit."""

    total: int = 0
    per_host: int = 0


@dataclass(frozen=True, slots=True)
class CapturePlan:
    """Everything a person can say about a capture."""

    seeds: tuple[str, ...]
    scope: ScopeExtent = ScopeExtent.PREFIX
    rules: tuple[str, ...] = ()
    """As written, with `+` before what is taken in and `-` before what is left out; the last that holds decides."""
    requisites: bool = True
    """Whether what a page embeds is taken wherever it lies."""
    depth: int | None = None
    external_depth: int = 0
    max_urls: int | None = None
    max_bytes: int | None = None
    max_seconds: float | None = None
    max_urls_per_host: int | None = None
    max_size: int = 0
    """Bytes of one response; 0 for no limit."""
    strategy: str = "breadth-first"
    subsites: Subsites = Subsites.NONE
    rates: str = ""
    """A file of rates that a person gives."""
    weights: str = ""
    """A file of weights that a person gives: how much pages matter."""
    sitemaps: bool = True
    """Whether sitemaps are read."""
    conditional: bool = True
    """Whether servers are believed that say a page was not modified, in revisits and updates."""
    delay: float | None = None
    """None for the default: `DEFAULT_DELAY_SECONDS`, or none on this machine."""
    connections: int = 16
    connections_per_host: int = 16
    rate: ByteRate = ByteRate()
    timeout: float = 1800.0
    """Seconds for one response."""
    retries: int = 3
    robots: RobotsMode = RobotsMode.OBEY
    robots_prefixes: tuple[tuple[str, RobotsMode], ...] = ()
    requisites_exempt: bool = False
    trap_budget: int | None = 100
    probe: bool = False
    """Whether the usual places no page links to are looked at."""
    user_agent: str = USER_AGENT
    contact: str = ""
    """Where the people behind the capture can be reached; goes into the User-Agent."""
    resolve: tuple[str, ...] = ()
    proxy: str = field(default="", repr=False)
    cookies: str = ""
    save_cookies: str = ""
    credentials: tuple[tuple[str, str, str], ...] = field(default=(), repr=False)
    """Host, user and password."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    insecure: bool = False
    certificate_authorities: str = ""
    client_certificate: str = ""
    client_key: str = ""
    http2: bool = True
    ipv6: bool = True
    redact: bool | None = None
    """Whether credentials are kept out of records; None does that where any are given."""
    browser: BrowserMode = BrowserMode.AUTO
    states: int = 0
    """How many interactions deep the states of a page are walked; 0 only loads and scrolls it."""
    allow_post: tuple[str, ...] = ()
    """Rules: requests other than GET and HEAD that pages may make while they are explored."""
    fill: tuple[tuple[str, str], ...] = ()
    """Fields, by name, id or label, and what is typed into them in the browser."""
    screenshots: bool = False
    """Whether pictures, texts and documents of all views are kept as files of their own."""
    full_page: bool = False
    """Whether these pictures are of whole pages, and not of what a window shows of them."""
    portraits: bool = False
    """Whether a portrait of each page is kept: pictures, PDF, text and document as a browser shows it in real time."""
    tabs: int = 2
    page_seconds: float = 120.0
    """For one page in the browser; and so on for its states and requests."""
    page_states: int = 2000
    page_requests: int = 5000
    browser_seconds: float | None = None
    """For all pages in the browser together; and so on for states and requests."""
    browser_states: int | None = None
    browser_requests: int | None = None
    browser_program: str = ""
    browser_profile: str = ""
    """The folder of a browser profile that is logged in."""
    app: tuple[str, ...] = ()
    """The site's own application, asked in place of the network: `[ORIGIN=]WHERE`."""
    app_dir: str = ""
    """Where an application is started; empty for the folder that the capture is."""
    app_python: str = ""
    """The Python that an application is started by; empty for the one that webkeep runs by."""
    files: tuple[str, ...] = ()
    """Folders, each with the URL below which its files are served: `DIR=URL`."""
    dump: tuple[str, ...] = field(default=(), repr=False)
    """Databases that are dumped before and after: `[NAME=]WHAT`."""
    job: str = ""
    """A name under which it is captured once: a call with that of a finished capture only says what came of it."""
    public_only: bool = False
    """Whether nothing is asked of private addresses, not even where a seed is at one."""
    share_hosts: str = ""
    """A file by which captures on one machine take turns at hosts."""
    held_in: tuple[str, ...] = ()
    """Archives whose pages are left out."""
    hosts: Mapping[str, HostPlan] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.seeds:
            raise UsageError("nothing to capture; name a URL, or a file of URLs with --seeds-from")

    @property
    def takes_all_pages(self) -> bool:
        """Whether a browser is of use to pages, too, in which nothing runs by itself."""
        return self.browser is BrowserMode.ALWAYS or self.states > 0 or self._is_pictured

    @property
    def _is_pictured(self) -> bool:
        return self.screenshots or self.full_page or self.portraits

    @property
    def has_credentials(self) -> bool:
        """Whether sites are told who someone is."""
        groups = (self.headers, *(host.headers for host in self.hosts.values()))
        given = (self.cookies, self.credentials, self.browser_profile, self.client_certificate)
        return any(given) or "@" in self.proxy or any(is_credential(*field) for group in groups for field in group)

    @property
    def is_local(self) -> bool:
        """Whether some of the site, or the data behind it, is had of this machine."""
        return bool(self.app or self.files or self.dump)

    @property
    def redacts(self) -> bool:
        """Whether credentials are kept out of records."""
        return self.has_credentials if self.redact is None else self.redact

    @property
    def unwritten(self) -> list[str]:
        """What it says of that is never written down, by name."""
        said = dataclasses.asdict(self)
        names = {name for name in _SECRET_FIELDS if said[name] != _DEFAULTS[name]}
        return sorted(names | ({"hosts"} if any(host.headers for host in self.hosts.values()) else set()))

    @property
    def named_seeds(self) -> tuple[str, ...]:
        """The seeds as they are written down."""
        if not self.redacts:
            return self.seeds
        from webkeep.redaction import Redactor  # most captures have no credentials, and none waits for what hides them

        redactor = Redactor()
        return tuple(redactor.redact_url(seed)[0] for seed in self.seeds)

    def to_text(self) -> str:
        """The plan for the record and for telling one capture from another; nothing secret is in it."""
        said = dataclasses.asdict(self)
        for host in said["hosts"].values():
            del host["headers"]
        kept = {name: value for name, value in said.items() if name not in _SECRET_FIELDS and value != _DEFAULTS[name]}
        seeds = kept["seeds"] = self.named_seeds
        if len(seeds) > MAX_SEEDS_KEPT:
            kept["seeds"] = seeds[:MAX_SEEDS_KEPT]
            kept["all_seeds"] = [len(seeds), hashlib.sha256("\n".join(seeds).encode()).hexdigest()]
        return json.dumps(kept, sort_keys=True, ensure_ascii=False)

    def is_same_as(self, text: str) -> bool:
        """Whether a plan of that text is for the same capture, however fast it was to go."""
        return not self.differences(text)

    def differences(self, text: str) -> dict[str, tuple[Any, Any]]:
        """In what a plan of that text is for another capture: by name, what it says and what this one does."""
        mine, other = _with_origins_alone(json.loads(self.to_text())), _with_origins_alone(json.loads(text))
        names = sorted((mine.keys() | other.keys()) - _CHANGEABLE_FIELDS)
        return {name: (other.get(name), mine.get(name)) for name in names if mine.get(name) != other.get(name)}


def _with_origins_alone(plan: dict[str, Any]) -> dict[str, Any]:
    """A plan in which it does not matter where an application runs, but for which origins it answers."""
    return {**plan, "app": [text.rpartition("=")[0] for text in plan["app"]]} if "app" in plan else plan


_DEFAULTS = dataclasses.asdict(CapturePlan(("",)))
