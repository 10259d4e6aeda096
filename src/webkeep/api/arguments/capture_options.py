"""The options of a capture as keywords, for editors and type checkers: each is a name of the plan, and one that is not
given is the plan's own.

No default stands here, and no value is judged: the names and values go to the parser of plans, which says what is wrong
with them. A test holds the names equal to those that a plan has.
"""

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, cast

from webkeep.api.arguments.call_values import StrPath, Texts
from webkeep.crawl.plan import BrowserMode, Subsites
from webkeep.errors import UsageError
from webkeep.frontier.policy import RobotsMode
from webkeep.url.scope import ScopeExtent

Size: TypeAlias = int | str
"""A number of bytes, or a text such as `10MB`."""
Duration: TypeAlias = float | str
"""A number of seconds, or a text such as `90s` or `2h`."""
RobotsChoice: TypeAlias = RobotsMode | Literal["obey", "ignore"]


class HostOptions(TypedDict, total=False):
    """What holds for one host in place of the rest of the plan."""

    delay: Duration
    robots: RobotsChoice
    connections: int
    max_urls: int
    max_size: Size
    timeout: Duration
    include: Texts
    exclude: Texts
    headers: Mapping[str, str] | Texts


class CaptureOptions(TypedDict, total=False):
    """Everything that can be said of a capture; None is the same as not given."""

    scope: ScopeExtent | Literal["page", "prefix", "host", "domain"] | None
    include: Texts | None
    exclude: Texts | None
    rules: Texts | None
    """Both, each with `+` or `-` before it; the last that holds decides."""
    requisites: bool | None
    depth: int | None
    external_depth: int | None
    max_urls: int | None
    max_urls_per_host: int | None
    max_bytes: Size | None
    max_seconds: Duration | None
    max_size: Size | None
    purpose: Literal["exploring", "evidence"] | None
    """What `--for` says: a low blur with one visit, or first and second visits that prove what fits together."""
    strategy: str | None
    subsites: Subsites | Literal["none", "directories", "sitemaps"] | None
    rates: StrPath | None
    weights: StrPath | None
    sitemaps: bool | None
    conditional: bool | None
    trap_budget: int | Literal["off"] | None
    probe: bool | None
    browser: BrowserMode | Literal["off", "auto", "always"] | None
    states: int | None
    allow_post: Texts | None
    fill: Mapping[str, str] | Texts | None
    screenshots: bool | None
    full_page: bool | None
    tabs: int | None
    page_seconds: Duration | None
    page_states: int | None
    page_requests: int | None
    browser_seconds: Duration | None
    browser_states: int | None
    browser_requests: int | None
    browser_program: StrPath | None
    browser_profile: StrPath | None
    delay: Duration | None
    connections: int | None
    connections_per_host: int | None
    robots: RobotsChoice | Texts | None
    requisites_exempt: bool | None
    max_rate: Size | None
    max_rate_per_host: Size | None
    timeout: Duration | None
    retries: int | None
    user_agent: str | None
    contact: str | None
    headers: Mapping[str, str] | Texts | None
    auth: Texts | None
    """`HOST=USER:PASSWORD`."""
    cookies: StrPath | None
    save_cookies: StrPath | None
    redact: bool | None
    resolve: Texts | None
    """`HOST:PORT:ADDRESS`, as in curl."""
    proxy: str | None
    insecure: bool | None
    certificate_authorities: StrPath | None
    client_certificate: StrPath | None
    client_key: StrPath | None
    http2: bool | None
    ipv6: bool | None
    app: Texts | None
    """Your own site's application, asked in place of the network: `[ORIGIN=]WHERE`."""
    app_dir: StrPath | None
    app_python: StrPath | None
    files: Texts | None
    """Files of your own site, `FOLDER=URL`."""
    dump: Texts | None
    """Databases of your own site, stored beside its pages: `[NAME=]WHAT`."""
    job: str | None
    """A name under which it is captured once, however often it is called."""
    public_only: bool | None
    share_hosts: StrPath | None
    """A file by which captures on one machine take turns at hosts."""
    held_in: Texts | None
    """Archives whose pages are left out."""
    hosts: Mapping[str, HostOptions] | None


PURPOSE_OPTION = "purpose"
"""What Python calls `for`, which is a word of its own there."""
_RULE_SIGNS = {"include": "+", "exclude": "-"}

_Function = TypeVar("_Function", bound=Callable[..., object])


def plan_values_from_options(options: Mapping[str, object]) -> dict[str, Any]:
    """The values of a plan that options make; rules in the order in which they were given."""
    values: dict[str, Any] = {}
    rules: list[str] = []
    for name, given in options.items():
        if name == "seeds":
            raise UsageError("seeds are no option; give them by themselves, before the options")
        value = _plain_option(given)
        if value is None:
            continue
        if name in _RULE_SIGNS and _are_texts(value):
            rules += [_RULE_SIGNS[name] + text for text in ([value] if isinstance(value, str) else value)]
        elif name == "rules" and _are_texts(value):
            rules += [value] if isinstance(value, str) else value
        else:
            values["for" if name == PURPOSE_OPTION else name] = value
    return {**values, "rules": rules} if rules else values


def _plain_option(value: object) -> Any:
    """A value as a plan file could have it: paths as texts, whatever can be gone through as a list."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {name: _plain_option(each) for name, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return list(value)
    return value


def _are_texts(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(each, str) for each in value))


def name_options(options: type[Any]) -> Callable[[_Function], _Function]:
    """Give a function's signature the names of its options, one by one, for `help()` and whoever completes as it runs.

    Type checkers and editors have them from the annotation.
    """

    def decorate(function: _Function) -> _Function:
        known = inspect.signature(function)
        named = [each for each in known.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        named += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for name, kind in options.__annotations__.items()
        ]
        cast(Any, function).__signature__ = known.replace(parameters=named)
        return function

    return decorate
