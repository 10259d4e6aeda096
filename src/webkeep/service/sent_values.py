"""What people send: the one place that decides what of it may be named.

Whoever uses the service by its pages or its API may name no program, no file or folder of this machine, no `file:` URL
and no private address, be it in seeds, plans, feeds, webhooks or repositories, unless an administrator allowed it. A
name may still lead to a private address by what its DNS says when it is asked: therefore plans that people send are
carried out with `public_only`, by which the fetcher looks at the address itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webkeep.errors import UsageError
from webkeep.fetch import is_private_name
from webkeep.service.watches import Watch, WatchedItem
from webkeep.url import normalize_url, split_url

_WEB_SCHEMES = ("http", "https")
_SENDABLE_OPTIONS = frozenset(
    {
        "seeds", "scope", "rules", "include", "exclude", "requisites", "depth", "external_depth", "max_urls",
        "max_bytes", "max_seconds", "max_urls_per_host", "max_size", "strategy", "for", "subsites", "sitemaps",
        "conditional", "delay", "connections", "connections_per_host", "max_rate", "max_rate_per_host", "timeout",
        "retries", "trap_budget", "probe", "contact", "redact", "browser", "states", "fill", "screenshots", "full_page",
        "portraits",
        "page_seconds", "page_states", "page_requests", "browser_seconds", "browser_states", "browser_requests",
        "public_only", "login", "many_machines",
    }
)  # fmt: skip
"""What a plan may say that somebody sends: nothing that names a file, a program, an address or a credential."""
_MAX_URL_CHARS = 8000
"""Longer ones are no address that people know."""


def check_sent_url(text: str, is_local_allowed: bool = False) -> str:
    """A URL of the public web in its normal form; any other is refused, unless an administrator allowed it."""
    url = normalize_url(text.strip()) if len(text) <= _MAX_URL_CHARS else None
    if url is None:
        raise UsageError(f"not a URL: {text[:200]!r}; write https://example.org/")
    if is_local_allowed:
        return url
    parts = split_url(url)
    if parts.scheme not in _WEB_SCHEMES or not parts.host:
        raise UsageError(f"{url[:200]} is not on the web; write a URL that begins with https:// or http://")
    if parts.userinfo:
        raise UsageError(
            f"the URL at {parts.host[:200]} has a name or password in it, which others would see; leave it out"
        )
    if _is_local(parts.host):
        raise UsageError(f"{url[:200]} is at a private address, which an administrator would have to allow")
    return url


def is_item_allowed(watch: Watch, item: WatchedItem) -> bool:
    """Whether a page may be captured that a feed or the like tells of, which its server wrote and not who watches it.

    It is on the web; at a private address only where local ones are allowed and what is watched is at one itself.
    """
    url = normalize_url(item.url)
    if url is None or split_url(url).scheme not in _WEB_SCHEMES:
        return False
    host, own_host = split_url(url).host, split_url(watch.url).host
    return not _is_local(host) or (watch.is_local_allowed and (host == own_host or _is_local(own_host)))


def _is_local(host: str) -> bool:
    return is_private_name(host.strip("[]")) or _is_bare_name(host)


def _is_bare_name(host: str) -> bool:
    """Whether a host has no dot, so that only the network of this machine knows what it is."""
    return "." not in host.rstrip(".") and not host.startswith("[")


def check_sent_plan(values: Mapping[str, Any], is_local_allowed: bool = False) -> dict[str, Any]:
    """What a plan says that somebody sent, made safe to carry out; refused where it names what it may not."""
    if is_local_allowed:
        return dict(values)
    named = {name.replace("-", "_"): value for name, value in values.items()}
    refused = sorted(named.keys() - _SENDABLE_OPTIONS)
    if refused:
        raise UsageError(f"{refused[0]} may be said by an administrator alone; leave it out of the plan")
    seeds = named.get("seeds", [])
    for seed in [seeds] if isinstance(seeds, str) else seeds:
        check_sent_url(str(seed))
    return {**named, "public_only": True}
